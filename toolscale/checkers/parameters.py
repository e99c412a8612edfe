"""What a function's parameters say about an argument: its schema, its enumeration, its default."""

import ast
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from toolscale.artifacts import FunctionSpec, Json
from toolscale.artifacts.base import JsonPath, Schema
from toolscale.python_source import NotPython, literal, parsed

_MOST_MEMBERS = 100
"""Members of a list in an example, whatever `minItems` a stranger wrote."""


def schemas_at(parameters: Schema, path: JsonPath) -> list[Schema]:
    """Every subschema that speaks about the value at that place: several where `anyOf` and its kin stand."""
    current = list(alternatives(parameters, parameters))
    for step in path:
        inner = [member for schema in current for member in _members(schema, step)]
        current = [schema for member in inner for schema in alternatives(member, parameters)]
    return current


def enumerated(parameters: Schema, path: JsonPath) -> list[Json]:
    """The values that the schema itself names there: `enum`, `const` and `default`."""
    values: list[Json] = []
    for schema in schemas_at(parameters, path):
        values += _listed(schema, "enum")
        values += [schema[word] for word in ("const", "default") if word in schema]
    return values


def is_named_property(parameters: Schema, path: JsonPath) -> bool:
    """True if the object key at the end of the place is a property that the schema names."""
    parents = schemas_at(parameters, path[:-1])
    return any(path[-1] in _named(schema, "properties") for schema in parents)


def is_required(parameters: Schema, path: JsonPath) -> bool:
    """True if the schema demands the property at the end of the place."""
    return any(path[-1] in _listed(schema, "required") for schema in schemas_at(parameters, path[:-1]))


def example_arguments(function: FunctionSpec) -> dict[str, Json]:
    """Arguments that fit the function's parameters, made from the schema alone."""
    value = _example(function.parameters, function.parameters)
    return value if isinstance(value, dict) else {}


def signature_defaults(source: str) -> dict[tuple[str, str], Json]:
    """(function, parameter) -> the literal default that functions.py gives it. The source is read and never run.

    Raises:
        NotPython: it does not compile.
    """
    defaults: dict[tuple[str, str], Json] = {}
    for node in parsed(source).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            positional = [*node.args.posonlyargs, *node.args.args]
            behind = positional[len(positional) - len(node.args.defaults) :]
            for argument, default in [
                *zip(behind, node.args.defaults, strict=True),
                *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True),
            ]:
                with suppress(NotPython):
                    if default is not None:
                        defaults[node.name, argument.arg] = literal(default)
    return defaults


def alternatives(schema: Any, root: Schema, depth: int = 0) -> Iterator[Schema]:
    """The schema itself and whatever it refers to or combines; a reference that leads in circles ends after a while."""
    if not isinstance(schema, dict) or depth > 8:
        return
    yield schema
    if isinstance(reference := schema.get("$ref"), str) and reference.startswith("#"):
        target: Any = root
        for step in reference.removeprefix("#").strip("/").split("/"):
            target = target.get(step) if isinstance(target, dict) and step else target
        yield from alternatives(target, root, depth + 1)
    for word in ("anyOf", "oneOf", "allOf"):
        for member in _listed(schema, word):
            yield from alternatives(member, root, depth + 1)


def _named(schema: Schema, word: str) -> dict[str, Any]:
    """The object that the schema has there. Schemas are written by strangers: what is no object says nothing."""
    return schema[word] if isinstance(schema.get(word), dict) else {}


def _listed(schema: Schema, word: str) -> list[Any]:
    """The list that the schema has there; what is no list says nothing."""
    return schema[word] if isinstance(schema.get(word), list) else []


def _members(schema: Schema, step: str | int) -> Iterator[Any]:
    if isinstance(step, int):
        prefix = _listed(schema, "prefixItems")
        yield prefix[step] if step < len(prefix) else schema.get("items")
    else:
        yield _named(schema, "properties").get(step, schema.get("additionalProperties"))


def _example(schema: Any, root: Schema, depth: int = 0) -> Json:
    options = list(alternatives(schema, root))
    for option in options:
        for word in ("const", "default"):
            if word in option:
                return option[word]  # type: ignore[no-any-return]
        if members := _listed(option, "enum"):
            return members[0]  # type: ignore[no-any-return]
    kind = next((option["type"] for option in options if "type" in option), "string")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "object" and depth < 8:
        properties = {name: inner for option in options for name, inner in _named(option, "properties").items()}
        required = [name for option in options for name in _listed(option, "required") if isinstance(name, str)]
        return {name: _example(properties.get(name, {}), root, depth + 1) for name in required}
    if kind == "array" and depth < 8:
        first = next((option for option in options if "items" in option), {})
        least = first.get("minItems")
        return [_example(first.get("items"), root, depth + 1)] * (
            min(least, _MOST_MEMBERS) if isinstance(least, int) else 0
        )
    if kind in ("integer", "number"):
        return next((option["minimum"] for option in options if "minimum" in option), 1)
    return {"boolean": True, "null": None, "array": [], "object": {}}.get(str(kind), "The user asks for a person.")
