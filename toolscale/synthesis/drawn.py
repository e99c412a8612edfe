"""Calls for functions of which nothing is known but their parameters: of an environment that somebody else wrote."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from random import Random
from typing import Any

from toolscale.artifacts import Call, Database, EnvironmentSpec, FunctionSpec, Json
from toolscale.artifacts.base import Schema
from toolscale.checkers.parameters import alternatives
from toolscale.synthesis.probe import value_for, values_by_field

_DEEPEST = 8
_SAYS_SOMETHING = frozenset({"type", "enum", "const", "properties"})

Values = Mapping[str, list[Any]]


class DrawnCalls(Mapping[str, Iterator[Call]]):
    """Function name -> calls of it without end, whose arguments are values of the database's entries where it has such.

    The same environment gives the same calls. Values are preferably taken from one entry and those that it names.
    """

    def __init__(self, spec: EnvironmentSpec) -> None:
        self._functions = {function.name: function for function in spec.functions}
        self._now = spec.now
        self._records = _records(spec.database)
        self._place = {key: table for table, records in self._records.items() for key in records}
        self._keys = list(self._place)
        self._everywhere = values_by_field(self._records)

    def __getitem__(self, name: str) -> Iterator[Call]:
        return self._calls(self._functions[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def _calls(self, function: FunctionSpec) -> Iterator[Call]:
        rng = Random(function.name)
        while True:
            drawing = _Drawing(
                function.parameters, rng, self._now, values_by_field(self._family(rng)), self._everywhere
            )
            arguments = drawing.value(function.parameters)
            yield Call(name=function.name, arguments=arguments if isinstance(arguments, dict) else {})

    def _family(self, rng: Random) -> Database:
        """One entry, and those whose keys it holds."""
        if not self._keys:
            return {}
        key = rng.choice(self._keys)
        named = [value for values in values_by_field({"": {"": self._record(key)}}).values() for value in values]
        return {"": {name: self._record(name) for name in (key, *named) if name in self._place}}

    def _record(self, key: str) -> dict[str, Json]:
        return self._records[self._place[key]][key]


def _records(database: Mapping[str, Json]) -> Database:
    """The tables' records, each with its key under the name that a parameter would have: `user_id` in `users`."""
    found: Database = {}
    for table, content in database.items():
        name = f"{table.removesuffix('s')}_id"
        records = content.items() if isinstance(content, dict) else ()
        found[table] = {key: {name: key, **record} for key, record in records if isinstance(record, dict)}
    return found


class _Drawing:
    """The arguments of one call. Schemas are written by strangers, so what is malformed in one says nothing."""

    def __init__(self, parameters: Schema, rng: Random, now: datetime, *sources: Values) -> None:
        self._parameters = parameters
        self._rng = rng
        self._now = now
        self._sources = sources

    def value(self, schema: Any, name: str = "", depth: int = 0) -> Any:
        """A value that fits the schema, for a parameter of that name."""
        options = [each for each in alternatives(schema, self._parameters) if not _SAYS_SOMETHING.isdisjoint(each)]
        chosen = self._rng.choice(options) if options else {}
        if "const" in chosen:
            return chosen["const"]
        if isinstance(listed := chosen.get("enum"), list) and listed:
            return self._rng.choice(listed)
        kind = chosen.get("type", "object" if "properties" in chosen else None)
        kind = self._rng.choice(kind) if isinstance(kind, list) and kind else kind
        if kind == "null" or depth > _DEEPEST:
            return None
        if kind == "object":
            return {each: self.value(inner, each, depth + 1) for each, inner in self._wanted(chosen)}
        if kind == "array":
            one = name.removesuffix("s")
            return [self.value(chosen.get("items"), one, depth + 1) for _ in range(self._rng.randint(1, 2))]
        return value_for(name, {"type": kind}, self._rng, self._now, *self._sources)

    def _wanted(self, schema: Schema) -> Iterator[tuple[str, Any]]:
        """The properties that are required, and each other one every second time."""
        properties, required = schema.get("properties"), schema.get("required")
        for name, inner in properties.items() if isinstance(properties, dict) else ():
            if (isinstance(required, list) and name in required) or self._rng.random() < 0.5:
                yield name, inner
