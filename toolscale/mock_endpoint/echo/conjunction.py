"""Two JSON schemas in one: what holds for both."""

from collections.abc import Callable
from typing import Any

AnySchema = dict[str, Any] | bool


def both(one: AnySchema, other: AnySchema) -> AnySchema:
    """A schema that admits what both admit, or a little more where two keywords cannot be told in one."""
    if one is False or other is False:
        return False
    if one is True or other is True:
        return other if one is True else one
    joined = dict(one)
    for keyword, said in other.items():
        if keyword not in joined or joined[keyword] == said:
            joined[keyword] = said
        elif keyword in _JOINS:
            joined[keyword] = _JOINS[keyword](joined[keyword], said)
    return joined


def _types(one: str | list[str], other: str | list[str]) -> list[str]:
    left, right = ([said] if isinstance(said, str) else said for said in (one, other))
    common = [kind for kind in left if kind in right or (kind == "integer" and "number" in right)]
    return common + (["integer"] if "number" in left and "integer" in right and "integer" not in common else [])


def _properties(one: dict[str, AnySchema], other: dict[str, AnySchema]) -> dict[str, AnySchema]:
    return {name: both(one.get(name, True), other.get(name, True)) for name in (*one, *other)}


def _choices(one: list[AnySchema], other: list[AnySchema]) -> list[AnySchema]:
    return [{"allOf": [left, right]} for left in one for right in other]


_JOINS: dict[str, Callable[[Any, Any], Any]] = {
    "type": _types,
    "enum": lambda one, other: [value for value in one if value in other],
    "required": lambda one, other: [*one, *(name for name in other if name not in one)],
    "properties": _properties,
    "patternProperties": _properties,
    "items": both,
    "additionalProperties": both,
    "propertyNames": both,
    "allOf": lambda one, other: [*one, *other],
    "anyOf": _choices,
    "oneOf": _choices,
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"), min),
}
