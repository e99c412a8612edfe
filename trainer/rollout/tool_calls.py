"""Reading the model's messages: what it says, which calls it makes, and what breaks the format.

The format is Hermes': any words, then one or more `<tool_call>{"name": ..., "arguments": {...}}</tool_call>` with
nothing but white space around them. vLLM's own parser forgives tags left open and arguments that are no objects; a
policy that is trained on forgiven messages learns to write them, so this one forgives nothing.
"""

from dataclasses import dataclass

from pydantic import ValidationError

from toolscale.artifacts import Call
from toolscale.artifacts.strict_json import read_json, sort_of

OPEN, CLOSE = "<tool_call>", "</tool_call>"
THINK, THOUGHT = "<think>", "</think>"


@dataclass(frozen=True)
class AgentMessage:
    """One message of the agent."""

    content: str
    """What it said to the user: without its thoughts and its calls."""
    calls: tuple[Call, ...] = ()
    fault: str | None = None
    """The sentence that says what breaks the format; such a message makes no calls."""


class _FormatError(Exception):
    """A message that breaks the format, and in what way."""


def read_message(text: str) -> AgentMessage:
    """The message that a text spells. Never raises: what is wrong with it is its `fault`."""
    try:
        spoken = _without_thoughts(text)
        words, *blocks = spoken.split(OPEN)
        content = words.strip()
        if CLOSE in words:
            raise _FormatError(f"{CLOSE} without {OPEN}")
        calls = tuple(_call(block) for block in blocks)
        if not content and not calls:
            raise _FormatError("neither words nor a call")
    except _FormatError as error:
        return AgentMessage(content=text.strip(), fault=str(error))
    return AgentMessage(content, calls)


def _without_thoughts(text: str) -> str:
    thoughts, closed, rest = text.partition(THOUGHT)
    if not closed:
        if THINK in text:
            raise _FormatError(f"{THINK} is never closed")
        return text
    if THINK in rest or THOUGHT in rest:
        raise _FormatError("more than one thought")
    before, opened, _ = thoughts.partition(THINK)
    if opened and before.strip():
        raise _FormatError(f"words before {THINK}")
    return rest


def _call(block: str) -> Call:
    """The call that stands between an opening tag and the next one."""
    written, closed, after = block.partition(CLOSE)
    if not closed:
        raise _FormatError(f"{OPEN} is never closed")
    if CLOSE in after:
        raise _FormatError(f"{CLOSE} without {OPEN}")
    if after.strip():
        raise _FormatError("words after a call")
    try:
        value = read_json(written)
    except ValueError as error:
        raise _FormatError(f"a call is {error}") from None
    if not isinstance(value, dict):
        raise _FormatError(f"a call is {sort_of(value)}, not an object")
    if sorted(value) != ["arguments", "name"]:
        raise _FormatError(f"a call has the keys {sorted(value)}, not name and arguments")
    name, arguments = value["name"], value["arguments"]
    if not isinstance(name, str) or not name:
        raise _FormatError("a call names no function")
    if not isinstance(arguments, dict):
        raise _FormatError(f"the arguments of {name} are {sort_of(arguments)}, not an object")
    try:
        return Call(name=name, arguments=arguments)
    except ValidationError:
        raise _FormatError(f"the arguments of {name} nest too deep") from None
