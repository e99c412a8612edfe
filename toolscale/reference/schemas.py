"""The JSON Schema of a domain's database, in few words: fields, keys, references, tables."""

from collections.abc import Iterable
from typing import Any

from toolscale.artifacts.base import Schema

DATE: Schema = {"type": "string", "format": "date"}
MOMENT: Schema = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d$"}
CLOCK: Schema = {"type": "string", "pattern": r"^([01]\d|2[0-3]):[0-5]\d$"}
EMAIL: Schema = {"type": "string", "format": "email"}
FLAG: Schema = {"type": "boolean"}


def text(pattern: str | None = None, **more: Any) -> Schema:
    """A text, of a form or at least not empty."""
    return {"type": "string", **({"pattern": pattern} if pattern else {"minLength": 1}), **more}


def key(pattern: str) -> Schema:
    """The field that repeats the record's key; `ids.py` has the patterns."""
    return {"type": "string", "pattern": pattern, "x-primary-key": True}


def reference(target: str) -> Schema:
    """The key of a record of another table, as `table.field`."""
    return {"type": "string", "x-references": target}


def one_of(values: Iterable[str]) -> Schema:
    """One of a few words, such as a state."""
    return {"type": "string", "enum": list(values)}


def whole(minimum: int = 0, maximum: int | None = None, **more: Any) -> Schema:
    """An integer."""
    return {"type": "integer", "minimum": minimum, **({} if maximum is None else {"maximum": maximum}), **more}


def number(minimum: float = 0, maximum: float | None = None, **more: Any) -> Schema:
    """A number that need not be whole. Say the unit in `description`."""
    return {"type": "number", "minimum": minimum, **({} if maximum is None else {"maximum": maximum}), **more}


def money(currency: str = "") -> Schema:
    """A sum with two decimals; the currency is named here or in a field of its own."""
    return {"type": "number", "minimum": 0, **({"description": currency} if currency else {})}


def listed(members: Schema, minimum: int = 0) -> Schema:
    """A list."""
    return {"type": "array", "items": members, "minItems": minimum}


def optional(schema: Schema) -> Schema:
    """The same, or null."""
    nullable = {**schema, "type": [schema["type"], "null"]}
    return {**nullable, "enum": [*schema["enum"], None]} if "enum" in schema else nullable


def record(**fields: Schema) -> Schema:
    """An object with exactly these fields."""
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def table(**fields: Schema) -> Schema:
    """A table: an object from key to record. One field is its `key`."""
    return {"type": "object", "additionalProperties": record(**fields)}


def database(**tables: Schema) -> Schema:
    """The whole database, table by table."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": tables,
        "required": list(tables),
        "additionalProperties": False,
    }
