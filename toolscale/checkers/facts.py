"""What the gates ask about an environment again and again, worked out once."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from toolscale.artifacts import CallOutcome, DatabaseSchema, EnvironmentSpec, Json
from toolscale.artifacts.base import Schema
from toolscale.checkers.parameters import enumerated, signature_defaults
from toolscale.checkers.results import readable
from toolscale.checkers.said.moments import moment_of
from toolscale.checkers.stems import stems
from toolscale.checkers.values import containers, leaves, spoken

_DIFFERING = 0.8
"""The share of a table's records that a field must tell apart to count as their name: two cats may be called Tom."""
_KINDS = 20
"""A field of so many texts, in a table where most are shared, says of which kind a record is."""


class EnvironmentFacts:
    """An environment with indexes over its database. Made once per environment, shared by all its tasks."""

    def __init__(self, spec: EnvironmentSpec) -> None:
        self.spec = spec
        self.kinds = {function.name: function.kind for function in spec.callable}
        self.parameters = {function.name: function.parameters for function in spec.callable}
        self.defaults = signature_defaults(spec.source)

    def is_write(self, done: CallOutcome) -> bool:
        """True for a call that wrote, and for one of a function that is declared to write: both have to be right."""
        return bool(done.wrote) or self.kinds.get(done.name) == "write"

    @cached_property
    def recitation(self) -> str:
        """Every key and every value of the database, each once, in the order in which they stand."""
        return "\n".join(dict.fromkeys(spoken(self.spec.database)))

    @cached_property
    def readable_recitation(self) -> str:
        """The recitation, folded for who looks for a value in it."""
        return readable(self.spec.database)

    @cached_property
    def pointers(self) -> dict[str, list[tuple[str, str]]]:
        """Table -> its fields that name entries of others, each with the table that it points to."""
        schema = DatabaseSchema(domain=self.spec.domain, json_schema=self.spec.json_schema or {})
        found: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for reference in schema.references:
            found[reference.table].append((reference.field, reference.target_table))
        return dict(found)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The stems of what it speaks of: its functions, tables and policy, and kinds of things in its records."""
        said = [self.spec.policy]
        for function in self.spec.callable:
            said += [function.name, function.description, *_offered(function.parameters)]
        kinds = (kind for table in self.spec.database.values() for kind in _kinds(table))
        return frozenset(stems(" ".join([*said, *self.spec.database, *kinds]).replace("_", " ")))

    def names_an_entry(self, value: Json) -> bool:
        """Whether a value names an entry: it is a key, or stands in a field that tells the entries of a table apart."""
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value) in self._keys_of_tables
        return isinstance(value, str) and (value in self._keys_of_tables or value in self._names)

    @cached_property
    def _keys_of_tables(self) -> frozenset[str]:
        tables = (held for _, held in containers(self.spec.database) if isinstance(held, dict) and _is_table(held))
        return frozenset(key for held in tables for key in held)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(name for table in self.spec.database.values() for name in _telling_apart(table))

    def another_key(self, value: str) -> str | None:
        """Where the value is a key of a table: another key of that table."""
        return self._keys.get(value)

    def keys_beside(self, value: str) -> list[str]:
        """Where the value is a key of a table: all keys of that table; of the first, should there be several."""
        return next((list(table) for table in self._tables if value in table), [])

    def another_value(self, value: str) -> str | None:
        """Where records hold the value in some field: another value of that field in that table."""
        return self._field_values.get(value)

    @property
    def _tables(self) -> list[dict[str, Json]]:
        return [table for table in self.spec.database.values() if isinstance(table, dict)]

    @cached_property
    def _keys(self) -> dict[str, str]:
        neighbours: dict[str, str] = {}
        for table in self.spec.database.values():
            if isinstance(table, dict):
                _add_neighbours(neighbours, list(table))
        return neighbours

    @cached_property
    def _field_values(self) -> dict[str, str]:
        fields: dict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
        for name, table in self.spec.database.items():
            for record in table.values() if isinstance(table, dict) else ():
                for path, leaf in leaves(record):
                    if isinstance(leaf, str):
                        fields[name, *(str(step) for step in path if isinstance(step, str))][leaf] = None
        neighbours: dict[str, str] = {}
        for values in fields.values():
            _add_neighbours(neighbours, list(values))
        return neighbours


def _offered(parameters: Schema) -> list[str]:
    """The words that a function's parameters may be."""
    properties = parameters.get("properties")
    names = list(properties) if isinstance(properties, dict) else []
    values = (value for name in names for value in enumerated(parameters, (name,)))
    return [value for value in values if isinstance(value, str)]


def _kinds(table: Json) -> Iterator[str]:
    """The words in fields that many records share, such as what state they are in."""
    for values in _by_field(table).values():
        if len(set(values)) <= min(_KINDS, len(values) / 2):
            yield from set(values)


def _is_table(held: dict[str, Json]) -> bool:
    """Whether an object is a table, from key to record, and no record itself."""
    return bool(held) and all(isinstance(member, dict) for member in held.values())


def _telling_apart(table: Json) -> Iterator[str]:
    """The values of the fields of a table, such as names and addresses, that differ from one record to the next."""
    for values in _by_field(table).values():
        if len(set(values)) >= _DIFFERING * len(_records(table)):
            yield from values


def _by_field(table: Json) -> dict[str, list[str]]:
    """The texts of a table's records that are no moments, by field."""
    fields: dict[str, list[str]] = defaultdict(list)
    for record in _records(table):
        for name, value in record.items() if isinstance(record, dict) else ():
            if isinstance(value, str) and moment_of(value) is None:
                fields[name].append(value)
    return fields


def _records(table: Json) -> list[Json]:
    return list(table.values()) if isinstance(table, dict) else table if isinstance(table, list) else []


def _add_neighbours(neighbours: dict[str, str], values: list[str]) -> None:
    """Remember for each value the one that follows it; the last is followed by the first."""
    if len(values) > 1:
        for value, following in zip(values, [*values[1:], values[0]], strict=True):
            neighbours.setdefault(value, following)
