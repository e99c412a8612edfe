"""Calls as ToolACE writes them: ``[Get Weather(city="Oslo", days=3), news(topic='rain')]``.

Names may have spaces, so this is not Python, though values mostly are: strings in either quotes, numbers, lists.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from toolscale.artifacts import Call
from toolscale.artifacts.strict_json import read_json
from toolscale.python_source import literal

_LOOKS_LIKE_CALLS = re.compile(r"\[\s*([^\[\](){}\"'=]+?)\s*\(.*\)\s*\]", re.DOTALL)
_OPENING, _CLOSING = "([{", ")]}"


def read_call_list(text: str, names: Sequence[str]) -> list[Call]:
    """The calls that a text is; none where it is words to the user.

    Raises:
        ValueError: it begins as a list of calls, and is none; or it calls what is not offered.
    """
    if not (text.startswith("[") and any(_follows(text[1:].lstrip(), name) for name in names)):
        if other := _LOOKS_LIKE_CALLS.fullmatch(text):
            raise ValueError(f"the assistant calls `{other[1]}`, which is not offered")
        return []
    if not text.endswith("]"):
        raise ValueError("a list of calls is not closed")
    return [_call(part.strip()) for part in _parts(text[1:-1]) if part.strip()]


def _follows(text: str, name: str) -> bool:
    return text.startswith(name) and text[len(name) :].lstrip().startswith("(")


def _call(text: str) -> Call:
    name, opened, rest = text.partition("(")
    if not opened or not rest.endswith(")") or not name.strip():
        raise ValueError(f"`{text[:60]}` is not name(parameter=value, ...)")
    arguments: dict[str, Any] = {}
    for part in _parts(rest[:-1]):
        if not part.strip():
            continue
        parameter, equals, value = part.partition("=")
        if not equals or not parameter.strip():
            raise ValueError(f"`{part.strip()[:60]}` is not parameter=value")
        arguments[parameter.strip()] = _value(value.strip())
    return Call(name=name.strip(), arguments=arguments)


def _value(text: str) -> Any:
    """A value in JSON, or in Python as far as JSON has it."""
    try:
        return read_json(text)
    except ValueError:
        pass
    try:
        value = literal(text)
        json.dumps(value, allow_nan=False)
    except (ValueError, TypeError):
        raise ValueError(f"`{text[:60]}` is not a value") from None
    return value


def _parts(text: str) -> Iterator[str]:
    """What stands between the commas that are in no bracket and in no string.

    Raises:
        ValueError: a bracket or a string is not closed.
    """
    start, depth, quote, position = 0, 0, "", 0
    while position < len(text):
        sign = text[position]
        if quote:
            if sign == "\\":
                position += 1
            elif sign == quote:
                quote = ""
        elif sign in "\"'":
            quote = sign
        elif sign in _OPENING:
            depth += 1
        elif sign in _CLOSING:
            depth -= 1
        elif sign == "," and depth == 0:
            yield text[start:position]
            start = position + 1
        position += 1
    if quote or depth:
        raise ValueError("a bracket or a string of a call is not closed")
    yield text[start:]
