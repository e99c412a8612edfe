"""A minimal instance of a JSON schema (2020-12), found by trying.

Each part of the schema proposes values, small ones first, and a validator keeps those that hold for that part. So
what comes out is valid whatever keywords the proposals did not think of, or nothing comes out.
"""

import json
import re
from collections.abc import Iterator
from functools import reduce
from itertools import chain, islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from toolscale.mock_endpoint.echo.conjunction import AnySchema, both
from toolscale.mock_endpoint.echo.scalars import numbers, strings

Opened = tuple[str, ...]
"""The references through which a part of the schema was reached."""

_MOST_PROPOSALS = 20_000
_MOST_MISSES = 64
"""Proposals in a row that may fail before a part of a schema is given up."""
_MOST_VARIATIONS = 64
_MOST_MEMBERS = 10_000
_DEEPEST_RECURSION = 3

_TYPES = ("null", "string", "object", "array", "integer", "number", "boolean")

_TELLTALES = {
    "object": ("properties", "required", "additionalProperties", "minProperties", "patternProperties", "propertyNames"),
    "array": ("items", "prefixItems", "minItems", "uniqueItems", "contains"),
    "string": ("minLength", "maxLength", "pattern", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
"""Type -> keywords by which a schema means it without naming it."""


class NoInstance(Exception):  # noqa: N818 - the name says what happened
    """No instance was found."""


def minimal_instance(schema: AnySchema) -> Any:
    """A small JSON value that the schema admits.

    Raises:
        NoInstance: the schema is not valid, refers to what it does not hold, admits nothing, or is too intricate.
    """
    try:
        Draft202012Validator.check_schema(schema)
        # The smallest instance opens no reference inside itself, unless something beside the reference demands it.
        for recursion in range(1, _DEEPEST_RECURSION + 1):
            for value in _Search(schema, recursion).values(schema, ()):
                return value
    except SchemaError as error:
        raise NoInstance(f"it is not a valid JSON Schema (2020-12): {error.message}") from error
    except Unresolvable as error:
        raise NoInstance(f"it refers to `{error.ref}`, which it does not hold") from error
    except re.error as error:
        raise NoInstance(f"the pattern `{error.pattern!s}` is not a regular expression of Python's") from error
    except RecursionError as error:
        raise NoInstance("it nests too deep") from error
    except OverflowError as error:
        raise NoInstance("it has numbers too large to reckon with") from error
    raise NoInstance("nothing that was tried is valid")


class _Search:
    """The search in one schema."""

    def __init__(self, root: AnySchema, recursion: int) -> None:
        registry: Registry[Any] = Registry()  # an empty one: nothing is ever fetched
        self._validator = Draft202012Validator(root, registry=registry)
        self._resolver = registry.resolver_with_root(DRAFT202012.create_resource(root))
        self._recursion = recursion
        self._left = _MOST_PROPOSALS

    def values(self, schema: AnySchema, above: Opened) -> Iterator[Any]:
        """Values that a part of the schema admits. ``above``: what was opened on the way to it."""
        validator, misses = self._validator.evolve(schema=schema), 0
        for value in self._proposals(schema, above, ()):
            self._left -= 1
            if self._left < 0:
                raise NoInstance("it is too intricate")
            if validator.is_valid(value):
                misses = 0
                yield value
            elif (misses := misses + 1) == _MOST_MISSES:
                return

    def _proposals(self, schema: AnySchema, above: Opened, here: Opened) -> Iterator[Any]:
        """Values that may hold. ``here``: what was opened at this very place."""
        if isinstance(schema, bool):
            if schema:
                yield from self._proposals({}, above, here)
            return
        rest = dict(schema)
        if "const" in rest:
            yield rest["const"]
        elif "enum" in rest:
            yield from rest["enum"]
        elif "$ref" in rest:
            reference = rest.pop("$ref")
            if reference in here:
                yield from self._proposals(rest, above, here)
            elif above.count(reference) < self._recursion:
                target = self._resolver.lookup(reference).contents
                yield from self._proposals(both(rest, target), above, (*here, reference))
        elif "allOf" in rest:
            parts: list[AnySchema] = rest.pop("allOf")
            yield from self._proposals(reduce(both, [rest, *parts]), above, here)
        elif "if" in rest:
            condition, then, otherwise = (rest.pop(key, True) for key in ("if", "then", "else"))
            branches = [both(rest, otherwise), both(both(rest, condition), then)]
            yield from _in_turn(*(self._proposals(branch, above, here) for branch in branches))
        elif choices := rest.pop("anyOf", None) or rest.pop("oneOf", None):
            branches = [both(rest, choice) for choice in choices]
            yield from _in_turn(*(self._proposals(branch, above, here) for branch in branches))
        else:
            yield from _in_turn(*(self._of_type(kind, rest, (*above, *here)) for kind in _types_of(rest)))

    def _of_type(self, kind: str, schema: dict[str, Any], above: Opened) -> Iterator[Any]:
        match kind:
            case "null":
                return iter((None,))
            case "boolean":
                return iter((False, True))
            case "string":
                return strings(schema)
            case "integer" | "number":
                return numbers(schema, whole=kind == "integer")
            case "array":
                return self._arrays(schema, above)
            case _:
                return self._objects(schema, above)

    def _objects(self, schema: dict[str, Any], above: Opened) -> Iterator[dict[str, Any]]:
        """The required properties alone, as many more as must be, and then variations of one property at a time."""
        required = _with_dependents(schema)
        smallest: dict[str, Any] = {}
        for name in required:
            value = next(self.values(_property(schema, name), above), _NOTHING)
            if value is _NOTHING:
                return
            smallest[name] = value
        fewest = schema.get("minProperties", 0)
        if fewest > _MOST_MEMBERS:
            return
        for name in self._further_names(schema, above) if len(smallest) < fewest else ():
            value = next(self.values(_property(schema, name), above), _NOTHING)
            if value is not _NOTHING:
                smallest[name] = value
            if len(smallest) >= fewest:
                break
        yield smallest
        for name in dict.fromkeys((*smallest, *schema.get("properties", {}))):
            for value in islice(self.values(_property(schema, name), above), _MOST_VARIATIONS):
                yield {**smallest, name: value}

    def _further_names(self, schema: dict[str, Any], above: Opened) -> Iterator[str]:
        """Names for properties that are not required: those that the schema describes, then invented ones."""
        described = (name for name in schema.get("properties", {}) if name not in _with_dependents(schema))
        patterned = (strings({"pattern": pattern}) for pattern in schema.get("patternProperties", {}))
        named = self.values(both({"type": "string", "minLength": 1}, schema.get("propertyNames", True)), above)
        return chain(described, islice(_in_turn(*patterned, named), _MOST_MEMBERS))

    def _arrays(self, schema: dict[str, Any], above: Opened) -> Iterator[list[Any]]:
        """The shortest list first; then longer ones, and the shortest with another last member."""
        contained: AnySchema = schema.get("contains", True)
        marked = schema.get("minContains", 1) if "contains" in schema else 0
        shortest = max(schema.get("minItems", 0), marked)
        if shortest > _MOST_MEMBERS:
            return
        prefix, items = schema.get("prefixItems", []), schema.get("items", True)

        def places(length: int) -> list[AnySchema]:
            found = [prefix[at] if at < len(prefix) else items for at in range(length)]
            return [both(place, contained) if at < marked else place for at, place in enumerate(found)]

        members = self._members(places(shortest), above, distinct=schema.get("uniqueItems", False))
        if members is not None:
            yield members
        for length in range(shortest + 1, min(schema.get("maxItems", _MOST_MEMBERS), shortest + 3) + 1):
            longer = self._members(places(length), above, distinct=schema.get("uniqueItems", False))
            if longer is not None:
                yield longer
        if members:
            last = places(shortest)[-1]
            yield from ([*members[:-1], value] for value in islice(self.values(last, above), _MOST_VARIATIONS))

    def _members(self, places: list[AnySchema], above: Opened, *, distinct: bool) -> list[Any] | None:
        """A value for each place; None if there is not one for each."""
        sources: dict[int, Iterator[Any]] = {}
        members: list[Any] = []
        seen: set[str] = set()
        for place in places:
            if distinct or id(place) not in sources:
                source = sources.setdefault(id(place), self.values(place, above))
                value = next((each for each in source if not distinct or _text(each) not in seen), _NOTHING)
                if value is _NOTHING:
                    return None
            seen.add(_text(value))
            members.append(value)
        return members


_NOTHING = object()


def _types_of(schema: dict[str, Any]) -> tuple[str, ...]:
    """The types that a schema names, or else means."""
    named = schema.get("type")
    if named is not None:
        return (named,) if isinstance(named, str) else tuple(named)
    meant = tuple(kind for kind, words in _TELLTALES.items() if any(word in schema for word in words))
    return meant or _TYPES


def _with_dependents(schema: dict[str, Any]) -> list[str]:
    """The required properties, with those that they require in turn."""
    dependents, names = schema.get("dependentRequired", {}), list(schema.get("required", ()))
    for name in names:
        names += [each for each in dependents.get(name, ()) if each not in names]
    return list(dict.fromkeys(names))


def _property(schema: dict[str, Any], name: str) -> AnySchema:
    """All that a schema says about one property."""
    said = [schema["properties"][name]] if name in schema.get("properties", {}) else []
    said += [each for pattern, each in schema.get("patternProperties", {}).items() if re.search(pattern, name)]
    if not said:
        return schema.get("additionalProperties", True)  # type: ignore[no-any-return]
    return said[0] if len(said) == 1 else {"allOf": said}


def _in_turn(*sources: Iterator[Any]) -> Iterator[Any]:
    """The first of each, then the second of each, and so on."""
    waiting = list(sources)
    while waiting:
        for source in tuple(waiting):
            try:
                yield next(source)
            except StopIteration:
                waiting.remove(source)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
