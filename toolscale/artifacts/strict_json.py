"""Reading JSON that others wrote: what is not JSON is one clear `ValueError`, whatever is wrong with it."""

import json
import math
from typing import Any

DEEPEST = 100
"""Levels of lists and objects in a value. More is nonsense, and would end the recursion of whoever walks it."""


def read_json(text: str | bytes) -> Any:
    """The value. Raises `ValueError` for text that is not UTF-8, not JSON, says NaN, or nests too deep to read."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair is no character
    except UnicodeError as error:
        raise ValueError("not valid Unicode") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at line {error.lineno} column {error.colno}") from error
    except RecursionError as error:
        raise ValueError("not JSON that can be read: it nests too deep") from error
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from error
    if deeper_than(value, DEEPEST):
        raise ValueError(f"not JSON that can be read: it nests too deep, more than {DEEPEST} levels")
    return value


def deeper_than(value: Any, levels: int) -> bool:
    """Whether lists and objects stand in one another on more than so many levels."""
    layer = [value]
    for _ in range(levels + 1):
        containers = [each for each in layer if isinstance(each, dict | list)]
        if not containers:
            return False
        layer = [part for each in containers for part in (each.values() if isinstance(each, dict) else each)]
    return True


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a JSON value")


def _finite(number: str) -> float:
    if math.isinf(value := float(number)):
        raise ValueError(f"{number} is too large for a number")
    return value


def read_arguments(raw: Any) -> dict[str, Any]:
    """A tool call's arguments: an object, or the text of one; nothing at all is no arguments. Raises `ValueError`."""
    if isinstance(raw, str):
        try:
            raw = read_json(raw) if raw.strip() else {}
        except ValueError as error:
            raise ValueError(f"the arguments are {error}") from error
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        raise ValueError(f"the arguments are {sort_of(raw)}, not an object")
    return raw


def sort_of(value: Any) -> str:
    """The sort of a JSON value, in words."""
    words = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return words.get(type(value), "null")
