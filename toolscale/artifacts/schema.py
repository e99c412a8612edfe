"""The schema of a whole database, and what keys and references in it mean."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from pydantic import ConfigDict, Field, model_validator

from toolscale.artifacts.base import Artifact, Json, Name
from toolscale.artifacts.bounded_schema import schema_faults
from toolscale.artifacts.needs import in_order_of_needs


class Reference(NamedTuple):
    """A field of one table whose value is a key (or a list of keys) of another."""

    table: str
    field: str
    target_table: str
    target_field: str
    optional: bool = False
    """Whether a record may do without it: the field may be absent, null or an empty list."""


class DatabaseSchema(Artifact):
    """A JSON Schema (2020-12) of the database: an object of tables, each an object from key to record.

    A table is ``{"type": "object", "additionalProperties": RECORD}``. In a record's properties ``x-primary-key: true``
    marks the field that repeats the key, and ``x-references: "table.field"`` a field that points to another table. A
    table with ``x-may-be-empty: true`` needs no records at the start.
    """

    model_config = ConfigDict(ignored_types=(cached_property,))

    domain: Name
    json_schema: dict[str, Json] = Field(description="JSON Schema of the whole database.")
    records: dict[str, dict[str, int]] = Field(
        default_factory=dict,
        description="Subject -> table -> how many records its entries are to have; empty = nobody said.",
    )

    @model_validator(mode="after")
    def _is_a_schema_of_tables(self) -> "DatabaseSchema":
        for problem in schema_problems(self.json_schema):
            raise ValueError(problem)
        return self

    @cached_property
    def tables(self) -> dict[str, dict[str, Any]]:
        """Table name -> JSON Schema of its record."""
        properties: dict[str, Any] = self.json_schema["properties"]  # type: ignore[assignment]
        return {name: table["additionalProperties"] for name, table in properties.items()}

    @cached_property
    def primary_keys(self) -> dict[str, str]:
        """Table name -> the field that repeats the key."""
        return {table: next(iter(_marked(record, "x-primary-key"))) for table, record in self.tables.items()}

    @cached_property
    def may_be_empty(self) -> frozenset[str]:
        """The tables that need no records at the start, such as one that only functions fill."""
        properties: dict[str, Any] = self.json_schema["properties"]  # type: ignore[assignment]
        return frozenset(name for name, table in properties.items() if table.get("x-may-be-empty"))

    @cached_property
    def references(self) -> list[Reference]:
        """Every field that points to another table."""
        found = []
        for table, record in self.tables.items():
            for field, target in _marked(record, "x-references").items():
                target_table, _, target_field = target.partition(".")
                found.append(Reference(table, field, target_table, target_field, _optional(record, field)))
        return found

    @cached_property
    def in_order(self) -> list[str]:
        """The tables, each after those that it refers to; a cycle is cut where records may do without the reference."""
        return in_order_of_needs(list(self.tables), self.targets(optional=False), self.targets(optional=True))

    def targets(self, *, optional: bool) -> dict[str, set[str]]:
        """Table -> the tables that its records must refer to, or those that they only may."""
        found: dict[str, set[str]] = {table: set() for table in self.tables}
        for reference in self.references:
            if reference.optional == optional:
                found[reference.table].add(reference.target_table)
        return found


def schema_problems(schema: Any) -> Iterator[str]:
    """What keeps a JSON value from being a database schema, one sentence a problem; nothing if it is one."""
    if faults := list(schema_faults(schema)):
        yield from faults
        return
    if refers_elsewhere(schema):
        yield "the schema uses `$ref`: write every record's schema out, so that it stands alone"
        return
    tables = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(tables, dict) or not tables:
        yield "the schema has no `properties`: it must be an object whose properties are the tables"
        return
    keys: dict[str, str] = {}
    for name, table in tables.items():
        record = _record_schema(table)
        if record is None:
            yield f"table `{name}`: `additionalProperties` must be the schema of its records, with `properties`"
            continue
        if not isinstance(table.get("x-may-be-empty", False), bool):
            yield f"table `{name}`: `x-may-be-empty` must be true or false"
        marked = list(_marked(record, "x-primary-key"))
        if len(marked) != 1:
            yield f"table `{name}`: exactly one field must carry `x-primary-key: true`, found {len(marked)}"
        else:
            keys[name] = marked[0]
    yield from _reference_problems(tables, keys)


def _reference_problems(tables: dict[str, Any], keys: dict[str, str]) -> Iterator[str]:
    for name, table in tables.items():
        record = _record_schema(table)
        references = _marked(record, "x-references") if record is not None else {}
        for field, target in references.items():
            target_table, _, target_field = str(target).partition(".")
            if target_table not in tables:
                yield f"`{name}.{field}` references `{target}`, but there is no table `{target_table}`"
            elif target_field != keys.get(target_table):
                yield f"`{name}.{field}` references `{target}`, which is not the primary key of `{target_table}`"


def _record_schema(table: Any) -> dict[str, Any] | None:
    """The schema of a table's records, where it is one."""
    record = table.get("additionalProperties") if isinstance(table, dict) else None
    return record if isinstance(record, dict) and isinstance(record.get("properties"), dict) else None


def refers_elsewhere(schema: Any) -> bool:
    """Whether a JSON Schema refers to another place. A model's schema must not: a validator would go and fetch it."""
    if isinstance(schema, dict):
        return any(key in ("$ref", "$dynamicRef") or refers_elsewhere(value) for key, value in schema.items())
    return isinstance(schema, list) and any(map(refers_elsewhere, schema))


def _optional(record: dict[str, Any], field: str) -> bool:
    rules = record["properties"][field]
    options = [rules, *rules.get("anyOf", []), *rules.get("oneOf", [])]
    kinds = {kind for option in options if isinstance(option, dict) for kind in _as_list(option.get("type"))}
    return (
        field not in record.get("required", []) or "null" in kinds or ("array" in kinds and not rules.get("minItems"))
    )


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _marked(record: dict[str, Any], mark: str) -> dict[str, Any]:
    """Fields of a record that carry a mark, on the field itself or on the members of its list."""
    found = {}
    for field, schema in record["properties"].items():
        if not isinstance(schema, dict):
            continue
        members = schema.get("items")
        value = schema.get(mark) or (isinstance(members, dict) and members.get(mark))
        if value:
            found[field] = value
    return found
