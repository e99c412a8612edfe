"""Harmless deviations from a JSON Schema, set right: numbers as strings, one value where a list of one is meant.

The law: a value is changed only where it certainly violates the schema, and only if there is one reading of it. So what
is valid is never changed, nothing is lost, and what could mean two things stays as it is, for the validator to refuse.
A union is entered only where one of its members is left: the work is in proportion to the value.
"""

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from toolscale.artifacts.base import Schema
from toolscale.llm.json_text import loaded

_MOST_PARTS = 500_000
"""Parts of a value that may be looked at: a schema that says things twice at each level doubles the work each time."""
_WRAPPERS = {"answer", "output", "response", "result"}
_SEPARATORS = re.compile(r"[,;|\n]")


@dataclass
class _Root:
    """The whole schema, to which references point, and how much may still be looked at."""

    schema: Schema
    left: int = _MOST_PARTS


def coerced(value: Any, schema: Schema, name: str = "answer") -> Any:
    """The value, changed only where that is harmless. ``name``: another word in which a model may wrap its answer."""
    root = _Root(schema)
    names = _WRAPPERS | {_folded(name), _folded(str(schema.get("title", "answer")))}
    value = _unwrapped(value, schema, names, root)
    try:
        made = _coerced(value, schema, root)
    except _TooMuch:
        return value
    # Without properties that are null, an object may be a wrapper.
    return made if _unwrapped(made, schema, names, root) is made else coerced(made, schema, name)


def _unwrapped(value: Any, schema: Schema, names: set[str], root: _Root) -> Any:
    """What is wrapped in an object whose one name says that it is the answer, where the schema has no such object."""
    while isinstance(value, dict) and len(value) == 1 and not _possible(value, schema, root):
        key, inner = next(iter(value.items()))
        if _folded(key) not in names:
            break
        value = inner
    return value


def _coerced(value: Any, schema: Any, root: _Root) -> Any:
    root.left -= 1
    if root.left < 0:
        raise _TooMuch
    schema = _resolved(schema, root)
    for part in schema.get("allOf", ()):
        value = _coerced(value, part, root)
    for options in (schema[word] for word in ("anyOf", "oneOf") if word in schema):
        value = _as_one_of(value, options, root)
    value = _set_right(value, schema, root)
    if isinstance(value, list):
        return _members(value, schema, root)
    return _properties(value, schema, root) if isinstance(value, dict) else value


def _members(value: list[Any], schema: Schema, root: _Root) -> list[Any]:
    first, others = schema.get("prefixItems", []), schema.get("items", {})
    return [_coerced(part, first[at] if at < len(first) else others, root) for at, part in enumerate(value)]


def _properties(value: dict[str, Any], schema: Schema, root: _Root) -> dict[str, Any]:
    """The properties set right, without those that are optional and null where null is not allowed."""
    listed, required = schema.get("properties", {}), schema.get("required", ())
    others = {} if "patternProperties" in schema else schema.get("additionalProperties", {})
    found = {}
    for name, part in value.items():
        optional = part is None and name in listed and name not in required
        if not optional or _possible(None, listed[name], root):
            found[name] = _coerced(part, listed.get(name, others), root)
    return found


def _as_one_of(value: Any, options: list[Any], root: _Root) -> Any:
    """The value as the one option that it can be, as it stands or once its own type is set right."""
    open_to = [option for option in options if _possible(value, option, root)]
    if open_to:
        return _coerced(value, open_to[0], root) if len(open_to) == 1 else value
    changed = {}
    for option in options:
        made = _set_right(value, _resolved(option, root), root)
        if made is not value and _possible(made, option, root):
            changed[json.dumps(made)] = made, option
    return _coerced(*next(iter(changed.values())), root) if len(changed) == 1 else value


def _set_right(value: Any, schema: Schema, root: _Root) -> Any:
    """The value with the type that the schema names, or the member of its enumeration that is spelt like it."""
    types = _types(schema)
    if types and not any(_is_of(value, name) for name in types):
        made = {json.dumps(each): each for name in types for each in _cast(value, name, schema, root)}
        value = next(iter(made.values())) if len(made) == 1 else value
    allowed = [schema["const"]] if "const" in schema else schema.get("enum")
    if allowed is not None and isinstance(value, str) and value not in allowed:
        alike = [each for each in allowed if isinstance(each, str) and _spelling(each) == _spelling(value)]
        value = alike[0] if len(alike) == 1 else value
    return value


def _possible(value: Any, schema: Any, root: _Root, levels: int = 4) -> bool:
    """False where the value certainly violates the schema, whatever may be done to its parts."""
    if schema is False:
        return False
    schema = _resolved(schema, root)
    types = _types(schema)
    if types and not any(_is_of(value, name) for name in types):
        return False
    if "enum" in schema and not any(_same(value, each) for each in schema["enum"]):
        return False
    if "const" in schema and not _same(value, schema["const"]):
        return False
    if isinstance(value, dict) and not _possible_names(value, schema, root):
        return False
    if not levels:
        return True
    unions = (schema[word] for word in ("anyOf", "oneOf") if word in schema)
    return all(any(_possible(value, option, root, levels - 1) for option in options) for options in unions) and all(
        _possible(value, part, root, levels - 1) for part in schema.get("allOf", ())
    )


def _possible_names(value: dict[str, Any], schema: Schema, root: _Root) -> bool:
    """Whether an object has the names that it must have, no other where none is allowed, and the right kind."""
    listed = schema.get("properties", {})
    if any(name not in value for name in schema.get("required", ())):
        return False
    closed = schema.get("additionalProperties") is False and "patternProperties" not in schema
    if closed and any(name not in listed for name in value):
        return False
    kinds = ((name, _resolved(part, root)) for name, part in listed.items() if name in value)
    return all(_same(value[name], part["const"]) for name, part in kinds if "const" in part)


def _cast(value: Any, name: str, schema: Schema, root: _Root) -> list[Any]:
    """The value as that type, if there is one lossless reading of it."""
    match name:
        case "integer" | "number" if isinstance(value, str):
            read = _number(value.strip())
            return [read] if _is_of(read, name) else []
        case "boolean" if isinstance(value, str) and value.strip().lower() in ("true", "false"):
            return [value.strip().lower() == "true"]
        case "null" if isinstance(value, str) and value.strip().lower() == "null":
            return [None]
        # What was written as 1.10 is 1.1 by now, so a fraction has no one spelling.
        case "string" if isinstance(value, int) and not isinstance(value, bool):
            return [str(value)]
        case "array":
            read = _read(value, list)
            return [read] if read is not None else [[value]] if _may_be_member(value, schema, root) else []
        case "object":
            one = value[0] if isinstance(value, list) and len(value) == 1 else _read(value, dict)
            return [one] if isinstance(one, dict) else []
        case _:
            return []


def _may_be_member(value: Any, schema: Schema, root: _Root) -> bool:
    """Whether a single value is meant as a list of one; a text with a comma may be a list of several."""
    if value is None or value == "" or isinstance(value, list):
        return False
    if "prefixItems" in schema or (isinstance(value, str) and _SEPARATORS.search(value)):
        return False
    members = _resolved(schema.get("items", {}), root)
    if not members and isinstance(value, dict):
        return False
    if "array" in _types(members):
        return False
    return _possible(value, members, root) or _possible(_set_right(value, members, root), members, root)


def _number(text: str) -> Any:
    """The number that a text spells in JSON, if a float keeps all its digits; else None."""
    if len(text) > 400 or not re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", text, re.ASCII):
        return None
    read = json.loads(text)
    if isinstance(read, float):
        if abs(read) == float("inf") or Decimal(repr(read)) != Decimal(text):
            return None
        return int(read) if read.is_integer() and abs(read) < 2**53 else read
    return read


def _read(value: Any, kind: type) -> Any:
    """The list or object that a text spells in JSON; else None."""
    if not isinstance(value, str):
        return None
    try:
        read = loaded(value)
    except ValueError:
        return None
    return read if isinstance(read, kind) else None


def _resolved(schema: Any, root: _Root) -> Schema:
    """The schema that a local reference points to; an empty one for `true`, `false` and references elsewhere."""
    seen = set()
    while isinstance(schema, dict) and "$ref" in schema:
        reference = str(schema["$ref"])
        if len(schema) > 1 and schema.keys() & {"type", "properties", "items", "enum", "anyOf", "oneOf", "allOf"}:
            return {}  # two schemas for one place: left to the validator
        if reference in seen or not (reference == "#" or reference.startswith("#/")):
            return {}
        seen.add(reference)
        schema = _at(reference, root.schema)
    return schema if isinstance(schema, dict) else {}


def _at(reference: str, root: Schema) -> Any:
    target: Any = root
    for part in reference.removeprefix("#").strip("/").split("/"):
        if part:
            target = target.get(part.replace("~1", "/").replace("~0", "~"), {}) if isinstance(target, dict) else {}
    return target


def _types(schema: Schema) -> list[str]:
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else types


def _is_of(value: Any, name: str) -> bool:
    match name:
        case "integer":
            return (isinstance(value, int) and not isinstance(value, bool)) or (
                isinstance(value, float) and value.is_integer()
            )
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "null":
            return value is None
        case _:
            kind = {"string": str, "boolean": bool, "array": list, "object": dict}.get(name)
            return kind is not None and isinstance(value, kind)


def _same(left: Any, right: Any) -> bool:
    """JSON's equality: 1 is 1.0, and true is not 1."""
    return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)


def _spelling(text: str) -> str:
    return text.strip().casefold()


def _folded(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


class _TooMuch(Exception):  # noqa: N818 - never leaves this file
    """There is more to look at than may be."""
