"""Calls built from real entries, to try a function out before anybody relies on it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import count
from random import Random
from typing import Any

from toolscale.artifacts import Call, Database, DatabaseSchema, FunctionSpec
from toolscale.synthesis.excerpt import Excerpts

COHERENCE = 0.7
"""The share of arguments that are taken from entries that belong together, where such a value exists."""

INVENTED = 0.4
"""The share of numbers and dates that are invented although the entries hold some under such a name."""

NONSENSE = "no-such-value"

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def probes(
    spec: FunctionSpec, schema: DatabaseSchema, database: Database, *, now: datetime, seed: int
) -> Iterator[Call]:
    """Calls without end, whose arguments are values of real entries in fields of the same or a similar name.

    Now and then a number is a small one, and a date one of the days to come, since that is what state machines want.
    """
    rng = Random(f"{seed}:{spec.name}")
    everywhere = values_by_field(database)
    excerpts = Excerpts(schema, database)
    for index in count():
        nearby = values_by_field(excerpts.draw(f"{seed}:{spec.name}:{index}", size=4))
        arguments = {}
        for name, parameter in _properties(spec).items():
            if name not in _required(spec) and rng.random() < 0.5:
                continue
            arguments[name] = value_for(name, parameter, rng, now, nearby, everywhere)
        yield Call(name=spec.name, arguments=arguments)


def nonsense(spec: FunctionSpec, good: Mapping[str, Any]) -> Iterator[Call]:
    """Calls that a careful function refuses: one argument of a good call at a time is made senseless."""
    for name, parameter in _properties(spec).items():
        kind = parameter.get("type")
        senseless: Any = [NONSENSE] if kind == "array" else -987654 if kind in ("integer", "number") else NONSENSE
        yield Call(name=spec.name, arguments={**good, name: senseless})
    yield Call(name=spec.name, arguments={**good, "no_such_parameter": NONSENSE})


def value_for(
    name: str, parameter: Mapping[str, Any], rng: Random, now: datetime, *sources: Mapping[str, list[Any]]
) -> Any:
    """A value for a parameter: what its enumeration lists, or what a source has under such a name, or an invention.

    A source is what `values_by_field` gives; the first is asked first, and the last holds all there is.
    """
    if "enum" in parameter:
        return rng.choice(parameter["enum"])
    kind = parameter.get("type")
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "array":
        members = parameter.get("items", {})
        return [value_for(name.removesuffix("s"), members, rng, now, *sources) for _ in range(rng.randint(1, 2))]
    found = _found(name, kind, rng, sources)
    invented = rng.random() < INVENTED
    if kind in ("integer", "number"):
        return rng.randint(1, 6) if found is None or invented else found
    if invented and found is not None and _DATE.fullmatch(found):
        return (now + timedelta(days=rng.randint(0, 21))).date().isoformat()
    if found is not None:
        return found
    texts = [value for values in sources[-1].values() for value in values if isinstance(value, str)]
    return rng.choice(texts) if texts else NONSENSE


def _found(name: str, kind: Any, rng: Random, sources: Sequence[Mapping[str, list[Any]]]) -> Any:
    """A value of the wanted type from the first source, or else the last, that has one under such a name."""
    coherent = sources if rng.random() < COHERENCE else sources[-1:]
    for named in (_of_name, _of_similar_name):
        for source in coherent:
            candidates = [value for value in named(name, source) if _has_type(value, kind)]
            if candidates:
                return rng.choice(candidates)
    return None


def _of_name(name: str, values: Mapping[str, list[Any]]) -> list[Any]:
    """Values of the field of that name."""
    return values.get(name, [])


def _of_similar_name(name: str, values: Mapping[str, list[Any]]) -> list[Any]:
    """Values of the fields that share most of the name's last words (`new_date`, `departure_date`)."""
    words = name.split("_")
    for start in range(len(words)):
        suffix = "_".join(words[start:])
        if found := [value for field, each in values.items() if field.endswith(suffix) for value in each]:
            return found
    return []


def values_by_field(database: Database) -> dict[str, list[Any]]:
    """Field name -> its values anywhere in the database, nested ones too, each once, in stable order."""
    found: dict[str, dict[Any, None]] = {}

    def collect(value: Any) -> None:
        if isinstance(value, dict):
            for field, member in value.items():
                members = member if isinstance(member, list) else [member]
                for each in members:
                    if isinstance(each, str | int | float):
                        found.setdefault(field, {})[each] = None
                collect(member)
        elif isinstance(value, list):
            for member in value:
                collect(member)

    for records in database.values():
        for record in records.values():
            collect(record)
    return {field: list(values) for field, values in found.items()}


def _has_type(value: Any, kind: Any) -> bool:
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, str)


def _properties(spec: FunctionSpec) -> Mapping[str, Any]:
    return spec.parameters.get("properties", {})  # type: ignore[return-value]


def _required(spec: FunctionSpec) -> list[str]:
    return spec.parameters.get("required", [])  # type: ignore[return-value]
