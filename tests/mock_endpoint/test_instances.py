"""`--echo-schema` answers with valid instances, and says so when it has none."""

import json
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from toolscale.artifacts import DatabaseSchema, Task, Trajectory
from toolscale.mock_endpoint.echo.instances import NoInstance, minimal_instance
from toolscale.reference.domain import reference_domain, reference_domains

PATTERNS = (r"^[A-Z]{3}-\d{4}$", r"^(ab|cd)+$", r"\d+\.\d{2}", r"^[^a-z\s]{2,5}$", r"^(\w)x\1$", r"^.{3}$", "é")


def ranges(least: int, most: int) -> st.SearchStrategy[tuple[int, int]]:
    return st.tuples(st.integers(least, most), st.integers(least, most)).map(lambda pair: (min(pair), max(pair)))


scalars = st.one_of(
    st.sampled_from([True, {}, {"type": "null"}, {"type": "boolean"}, {"not": {"type": "null"}}]),
    st.lists(st.one_of(st.integers(), st.text(max_size=5), st.none()), min_size=1).map(lambda few: {"enum": few}),
    st.builds(lambda value: {"const": value}, st.one_of(st.integers(), st.text(max_size=5), st.just([1, {"a": None}]))),
    ranges(0, 40).map(lambda pair: {"type": "string", "minLength": pair[0], "maxLength": pair[1]}),
    st.builds(lambda pattern: {"type": "string", "pattern": pattern}, st.sampled_from(PATTERNS)),
    ranges(-(10**20), 10**20).map(lambda pair: {"type": "integer", "minimum": pair[0], "maximum": pair[1]}),
    ranges(-50, 50).map(lambda pair: {"type": "integer", "exclusiveMinimum": pair[0], "exclusiveMaximum": pair[1] + 2}),
    ranges(-9, 9).map(lambda pair: {"exclusiveMinimum": pair[0] / 7, "exclusiveMaximum": pair[1] / 7 + 0.01}),
    st.builds(lambda step, low: {"type": "number", "multipleOf": step, "minimum": low}, st.sampled_from([3, 0.25]),
              st.integers(-9, 9)),
)  # fmt: skip


def arrays(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.builds(lambda items, least: {"type": "array", "items": items, "minItems": least}, inner, st.integers(0, 4)),
        st.builds(lambda *first: {"type": "array", "prefixItems": [*first], "minItems": 2}, inner, inner),
        st.builds(lambda wanted: {"type": "array", "contains": wanted, "minItems": 2}, inner),
        st.integers(0, 30).map(
            lambda least: {"uniqueItems": True, "minItems": least, "items": {"type": ["string", "integer"]}}
        ),
    )


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> dict[str, Any]:
    properties = draw(st.dictionaries(st.sampled_from("abcdef"), inner, max_size=4))
    required = draw(st.lists(st.sampled_from([*properties, "z"]), unique=True)) if properties else []
    closed = "z" not in required and draw(st.booleans())
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        **({"additionalProperties": False} if closed else {"minProperties": draw(st.integers(0, 6))}),
    }


def wider(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    choices = st.lists(inner, min_size=1, max_size=3).map(lambda few: {"anyOf": few})
    both = st.builds(lambda schema: {"allOf": [schema, {"title": "the same again"}, schema]}, inner)
    return st.one_of(objects(inner), arrays(inner), choices, both)


schemas = st.recursive(scalars, wider, max_leaves=8)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(schemas)
def test_an_instance_is_valid(schema):
    Draft202012Validator(schema).validate(minimal_instance(schema))


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(schemas, objects(scalars))
def test_references_are_followed_and_recursion_ends(leaf, node):
    schema = {
        "$defs": {
            "Leaf": leaf,
            "Node": {
                **node,
                "properties": {**node["properties"], "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}},
                "required": [*node["required"], "next"],
            },
        },
        "type": "array",
        "prefixItems": [{"$ref": "#/$defs/Leaf"}, {"$ref": "#/$defs/Node"}],
        "minItems": 2,
    }
    Draft202012Validator(schema).validate(minimal_instance(schema))


class Colour(StrEnum):
    RED = "red"


class Branch(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: Literal["branch"]
    left: "Branch | Leaf"
    colour: Colour


class Leaf(BaseModel):
    kind: Literal["leaf"]
    when: datetime
    day: date
    identity: UUID
    share: Annotated[float, Field(gt=0, lt=1)]
    code: Annotated[str, Field(pattern=r"^[A-Z]{2}\d{3}$")]
    names: Annotated[set[str], Field(min_length=3)]
    tables: Annotated[dict[str, int], Field(min_length=2)]
    pair: tuple[int, str]


@pytest.mark.parametrize("form", [Branch, Leaf, Task, Trajectory, list[Leaf], dict[str, Branch] | None])
def test_pydantic_accepts_what_answers_its_own_schema(form):
    adapter = TypeAdapter(form)
    adapter.validate_json(json.dumps(minimal_instance(adapter.json_schema())))


@pytest.mark.parametrize("name", reference_domains())
def test_real_schemas_have_instances(name):
    domain = reference_domain(name)
    tables = DatabaseSchema(domain=name, json_schema=domain.schema).tables.values()
    for schema in [*tables, *(function.parameters for function in domain.functions)]:
        Draft202012Validator(schema).validate(minimal_instance(schema))


@pytest.mark.parametrize(
    ("schema", "instance"),
    [
        ({"type": "object", "properties": {"a": {}}}, {}),
        ({"type": "array", "items": {"type": "string"}}, []),
        ({"type": "string", "minLength": 2}, "aa"),
        ({"type": "integer", "minimum": 5}, 5),
        ({"type": "integer", "maximum": -5}, -5),
        ({"type": "string", "pattern": "^x{2,}$", "minLength": 4}, "xxxx"),
        ({"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}}}}, {}),
        ({"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 7}], "minimum": 7}, 7.5),
    ],
)
def test_the_instance_is_minimal(schema, instance):
    assert minimal_instance(schema) == instance


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"type": "strin"},
        {"$ref": "https://example.com/schema"},
        {"$ref": "#/$defs/missing"},
        {"$ref": "#"},
        {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]},
        {"type": "integer", "minimum": 3, "maximum": 2},
        {"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": True, "minItems": 3},
        {"type": "array", "minItems": 10**9},
        {"type": "string", "minLength": 10**9},
        {"type": "string", "pattern": r"\p{L}"},
        {"not": {}},
    ],
)
def test_a_schema_without_an_instance_is_refused_at_once(schema):
    with pytest.raises(NoInstance):
        minimal_instance(schema)
