"""Calls that are drawn for anybody's functions fit their parameters, and use what the database holds."""

from datetime import datetime
from itertools import islice
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from toolscale.artifacts import EnvironmentSpec, FunctionSpec
from toolscale.synthesis.drawn import DrawnCalls

DATABASE: dict[str, Any] = {
    "users": {"U-1": {"name": "Ada", "orders": ["O-1"]}, "U-2": {"name": "Bo", "orders": ["O-2"]}},
    "orders": {"O-1": {"total": 4.5, "lines": [{"name": "tea", "count": 2}]}, "O-2": {"total": 3, "lines": []}},
    "notices": ["no smoking"],
    "rate": 4,
}
SCALARS = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer"},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "null"},
        {"enum": ["a", 2, None]},
        {"const": [1]},
        {"type": ["string", "null"]},
        {"$ref": "#/$defs/line"},
        {},
    ]
)
SCHEMAS = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda members: {"anyOf": members}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(
            lambda properties: {"type": "object", "properties": properties, "required": sorted(properties)[:1]},
            st.dictionaries(st.sampled_from(["user_id", "names", "total"]), inner, max_size=3),
        ),
    ),
    max_leaves=6,
)
LINE = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def environment(parameters: Any, database: dict[str, Any] | None = None) -> EnvironmentSpec:
    function = FunctionSpec(name="do", description="Do it.", parameters=parameters, kind="write")
    return EnvironmentSpec(
        domain="trial",
        now=datetime(2026, 1, 1),
        functions=[function],
        source="",
        database=DATABASE if database is None else database,
    )


@given(st.dictionaries(st.sampled_from(["user_id", "order", "x"]), SCHEMAS, max_size=3), st.booleans())
def test_a_drawn_call_fits_the_parameters(properties: dict[str, Any], empty: bool) -> None:
    parameters = {
        "type": "object",
        "properties": properties,
        "required": sorted(properties)[:2],
        "$defs": {"line": LINE},
    }
    drawn = DrawnCalls(environment(parameters, {} if empty else None))
    calls = list(islice(drawn["do"], 20))
    for call in calls:
        Draft202012Validator(parameters).validate(call.arguments)
    assert calls == list(islice(drawn["do"], 20)), "the same environment gives the same calls"


@given(st.dictionaries(st.sampled_from(["type", "properties", "required", "anyOf", "$ref"]), st.integers() | st.none()))
def test_parameters_that_are_no_schema_break_nothing(parameters: dict[str, Any]) -> None:
    assert len(list(islice(DrawnCalls(environment(parameters))["do"], 5))) == 5


def test_keys_of_entries_are_drawn_for_parameters_of_such_a_name_and_belong_together() -> None:
    names = ("user_id", "order_id")
    parameters = {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": [*names]}
    drawn = [call.arguments for call in islice(DrawnCalls(environment(parameters))["do"], 60)]
    assert {arguments["user_id"] for arguments in drawn} == {"U-1", "U-2"}
    together = [arguments for arguments in drawn if arguments["user_id"][-1] == arguments["order_id"][-1]]
    assert len(together) > len(drawn) / 2
