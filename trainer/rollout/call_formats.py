"""Formats in which models write calls, by vLLM's names. Hermes' is read by `tool_calls`, the others by vLLM's parsers.

Those forgive much: words after a call, tags left open, half an object. A policy that is trained on forgiven messages
learns to write them. So each format says here what a message may look like, and how many calls are written in it; what
a parser reads beside that is a fault.
"""

import ast
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from toolscale.artifacts.strict_json import read_json, sort_of
from toolscale.python_source import NotPython, parsed
from trainer.rollout.tool_calls import HERMES, THINK, FormatError, Tags, blocks


class Written(NamedTuple):
    """What a message shows before its calls are read."""

    words: str
    calls: int


@dataclass(frozen=True)
class CallFormat:
    """One way to write calls."""

    name: str
    """vLLM's, of its parser."""
    shows: str
    """A regular expression that finds it in a call of `probe_tool`."""
    look: Callable[[str], Written]
    """Raises FormatError where the message breaks the format."""
    closes: str = ""
    """The token that ends a message with calls, if that is not the end of a turn."""
    thoughts: Tags = THINK
    write: Callable[[Sequence[Any]], str] | None = None
    """Writes functions and arguments for lessons, where a template of this format writes what nothing reads."""


def _tagged(tags: Tags, inside: Callable[[str], None] = lambda body: None) -> Callable[[str], Written]:
    """Words, then calls, each between two tags."""

    def look(spoken: str) -> Written:
        words, bodies = blocks(spoken, tags)
        for body in bodies:
            inside(body)
        return Written(words, len(bodies))

    return look


def _function(body: str) -> None:
    """`<function=NAME>`, then `<parameter=NAME>VALUE</parameter>` for each argument, then `</function>`."""
    whole = re.fullmatch(r"\s*<function=[^<>\s]+>(.*)</function>\s*", body, re.DOTALL)
    if whole is None or "<function=" in whole[1] or "</function>" in whole[1]:
        raise FormatError("a call is not one <function=NAME>...</function>")
    before, *parameters = whole[1].split("<parameter=")
    if before.strip() or not all(re.fullmatch(r"[^<>\s]+>.*</parameter>\s*", each, re.DOTALL) for each in parameters):
        raise FormatError("an argument is not <parameter=NAME>VALUE</parameter>")
    if any(each.count("</parameter>") > 1 for each in parameters):
        raise FormatError("</parameter> without <parameter=NAME>")


def _objects(spoken: str) -> Written:
    """A message that is all calls: JSON objects with `;` between them, after `<|python_tag|>` or not."""
    text = spoken.strip().removeprefix("<|python_tag|>").lstrip()
    if "<|python_tag|>" not in spoken and not re.match(r'\{\s*"(name|type|function)"', text):
        return Written(spoken, 0)
    decoder, count = json.JSONDecoder(), 0
    while text:
        try:
            _, end = decoder.raw_decode(text)
            call = read_json(text[:end])
        except (ValueError, RecursionError):
            raise FormatError("a call is not JSON, or there are words beside it") from None
        if not isinstance(call, dict) or sorted(call.keys() - {"type"}) not in (
            ["name", "parameters"],
            ["arguments", "name"],
        ):
            raise FormatError("a call is not an object of name and parameters")
        text, count = text[end:].strip(), count + 1
        if text and not text.startswith(";"):
            raise FormatError("words after a call")
        text = text.removeprefix(";").lstrip()
    return Written("", count)


def _python_list(spoken: str) -> Written:
    """A message that is all calls: a Python list of them, with arguments by name."""
    text = spoken.strip()
    if not re.match(r"\[\s*[A-Za-z_][\w.]*\(", text):
        return Written(spoken, 0)
    try:
        statements = parsed(text).body
    except NotPython:
        raise FormatError("calls are not a Python list, or there are words beside it") from None
    value = statements[0].value if len(statements) == 1 and isinstance(statements[0], ast.Expr) else None
    if not isinstance(value, ast.List) or not all(
        isinstance(call, ast.Call) and not call.args and all(argument.arg for argument in call.keywords)
        for call in value.elts
    ):
        raise FormatError("calls are not a Python list of calls with arguments by name")
    return Written("", len(value.elts))


def _as_python(calls: Sequence[Any]) -> str:
    written = (
        f"{call['name']}({', '.join(f'{name}={value!r}' for name, value in call['arguments'].items())})"
        for call in calls
    )
    return f"[{', '.join(written)}]"


def _bracketed(spoken: str) -> Written:
    """Words, then `[TOOL_CALLS]NAME[ARGS]{...}` for each call, or one `[TOOL_CALLS]` and a JSON list of them all."""
    words, opened, rest = spoken.partition("[TOOL_CALLS]")
    if not opened:
        return Written(words, 0)
    try:
        if rest.lstrip().startswith("["):
            listed = read_json(rest)
            if not listed or not all(
                isinstance(call, dict) and {"name", "arguments"} <= call.keys() for call in listed
            ):
                raise FormatError("a call is not an object of name and arguments")
            return Written(words, len(listed))
        bodies = rest.split("[TOOL_CALLS]")
        for body in bodies:
            call = re.fullmatch(r"\s*[\w.-]+(?:\[CALL_ID\]\w+)?(?:\[ARGS\])?\s*(\{.*\})\s*", body, re.DOTALL)
            if call is None:
                raise FormatError("a call is not NAME[ARGS]{...}")
            if not isinstance(arguments := read_json(call[1]), dict):
                raise FormatError(f"the arguments of a call are {sort_of(arguments)}, not an object")
    except ValueError as error:
        raise FormatError(f"a call is {error}") from None
    return Written(words, len(bodies))


FORMATS: Mapping[str, CallFormat] = {
    each.name: each
    for each in (
        CallFormat("hermes", r"<tool_call>\s*\{", _tagged(HERMES)),
        CallFormat("qwen3_coder", r"<tool_call>\s*<function=", _tagged(HERMES, _function)),
        CallFormat("mistral", r"\[TOOL_CALLS\]", _bracketed, thoughts=Tags("[THINK]", "[/THINK]")),
        CallFormat(
            "gemma4",
            r"<\|tool_call>",
            _tagged(Tags("<|tool_call>", "<tool_call|>")),
            closes="<|tool_response>",
            thoughts=Tags("<|channel>thought\n", "<channel|>"),
        ),
        CallFormat(
            "llama3_json", r'^\s*(<\|python_tag\|>)?\{"name": "probe_tool", "(parameters|arguments)":', _objects
        ),
        CallFormat("pythonic", r"^\s*\[probe_tool\(", _python_list, write=_as_python),
    )
}


def format_of(call: str, asked: str) -> CallFormat | None:
    """The format that is asked for; for `auto` that of a call of `probe_tool` as a chat template writes it."""
    if asked != "auto":
        return FORMATS[asked]
    return next((each for each in FORMATS.values() if re.search(each.shows, call)), None)
