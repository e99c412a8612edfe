"""Reading the model's messages: what it says, which calls it makes, and what breaks the format.

The format is Hermes': any words, then one or more `<tool_call>{"name": ..., "arguments": {...}}</tool_call>` with
nothing but white space around them. vLLM's own parser forgives tags left open and arguments that are no objects; a
policy that is trained on forgiven messages learns to write them, so this one forgives nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import ValidationError

from toolscale.artifacts import Call
from toolscale.artifacts.strict_json import read_json, sort_of


class Tags(NamedTuple):
    """What stands before and after a call, or a thought."""

    opens: str
    closes: str


HERMES = Tags("<tool_call>", "</tool_call>")
THINK = Tags("<think>", "</think>")


@dataclass(frozen=True)
class AgentMessage:
    """One message of the agent."""

    content: str
    """What it said to the user: without its thoughts and its calls."""
    calls: tuple[Call, ...] = ()
    thoughts: str = ""
    fault: str | None = None
    """The sentence that says what breaks the format; such a message makes no calls."""


class FormatError(Exception):
    """A message that breaks the format, and in what way."""


def read_message(text: str) -> AgentMessage:
    """The message that a text in Hermes' format spells. Never raises: what is wrong with it is its `fault`."""
    try:
        thoughts, spoken = parted(text, THINK)
        words, bodies = blocks(spoken, HERMES)
        return composed(thoughts, words, [_call(body) for body in bodies])
    except FormatError as error:
        return AgentMessage(content=text.strip(), fault=str(error))


def parted(text: str, tags: Tags) -> tuple[str, str]:
    """The thoughts of a message, and what comes after them."""
    thoughts, closed, rest = text.partition(tags.closes)
    if not closed:
        if tags.opens in text:
            raise FormatError(f"{tags.opens.strip()} is never closed")
        return "", text
    if tags.opens in rest or tags.closes in rest:
        raise FormatError("more than one thought")
    before, opened, inside = thoughts.partition(tags.opens)
    if opened and before.strip():
        raise FormatError(f"words before {tags.opens.strip()}")
    return (inside if opened else before).strip(), rest


def blocks(spoken: str, tags: Tags) -> tuple[str, list[str]]:
    """The words of a message, and what stands between each two tags after them."""
    words, *opened = spoken.split(tags.opens)
    if tags.closes in words:
        raise FormatError(f"{tags.closes} without {tags.opens}")
    bodies = []
    for block in opened:
        body, closed, after = block.partition(tags.closes)
        if not closed:
            raise FormatError(f"{tags.opens} is never closed")
        if tags.closes in after:
            raise FormatError(f"{tags.closes} without {tags.opens}")
        if after.strip():
            raise FormatError("words after a call")
        bodies.append(body)
    return words, bodies


def composed(thoughts: str, words: str, calls: Sequence[Call]) -> AgentMessage:
    """The message of these parts. Raises FormatError where it has neither words nor calls."""
    if not words.strip() and not calls:
        raise FormatError("neither words nor a call")
    return AgentMessage(words.strip(), tuple(calls), thoughts)


def made(name: object, arguments: object) -> Call:
    """The call of a function. Raises FormatError where that is none."""
    if not isinstance(name, str) or not name:
        raise FormatError("a call names no function")
    if not isinstance(arguments, dict):
        raise FormatError(f"the arguments of {name} are {sort_of(arguments)}, not an object")
    try:
        return Call(name=name, arguments=arguments)
    except ValidationError:
        raise FormatError(f"the arguments of {name} nest too deep") from None


def _call(body: str) -> Call:
    """The call that stands between two tags."""
    try:
        value = read_json(body)
    except ValueError as error:
        raise FormatError(f"a call is {error}") from None
    if not isinstance(value, dict):
        raise FormatError(f"a call is {sort_of(value)}, not an object")
    if sorted(value) != ["arguments", "name"]:
        raise FormatError(f"a call has the keys {sorted(value)}, not name and arguments")
    return made(value["name"], value["arguments"])
