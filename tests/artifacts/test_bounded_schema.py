"""Schemas that a model wrote are applied as JSON Schema says, and no pattern and no value makes that take for ever."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from toolscale.artifacts import schema_problems
from toolscale.artifacts.bounded_schema import TooIntricate, errors_in, schema_faults, validator_of


def admits(schema: dict[str, Any], value: Any) -> bool:
    return not list(errors_in(validator_of(schema), value))


EXPONENTIAL = ["(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(.*)*x", "^(([a-z])+.)+[A-Z]([a-z])+$"]


@pytest.mark.parametrize("pattern", EXPONENTIAL)
def test_no_pattern_takes_exponential_time(pattern: str) -> None:
    before = time.process_time()
    assert not admits({"pattern": pattern}, "a" * 5000 + "!")
    assert not admits({"patternProperties": {pattern: True}, "additionalProperties": False}, {"a" * 5000 + "!": 1})
    assert time.process_time() - before < 30  # seconds where it is milliseconds; the age of the world otherwise


@pytest.mark.parametrize("pattern", ["(?=a)b", "(?<!a)b", r"(a)\1", "a{1,5000}", "(", "[z-a]"])
def test_a_pattern_that_linear_time_cannot_do_is_a_fault_that_is_named(pattern: str) -> None:
    schema = {"type": "object", "properties": {"t": {"additionalProperties": {"pattern": pattern}}}}
    assert any(pattern in fault for fault in schema_faults(schema))
    assert any(pattern in fault for fault in schema_problems(schema))
    assert any(pattern in fault for fault in schema_faults({"patternProperties": {pattern: True}}))


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^[A-Z]{2}-\\d+$", "AB-12", True),
        ("^[A-Z]{2}-\\d+$", "AB-12\n", False),
        ("b", "abc", True),
        ("^\\u00e9$", "é", True),
        ("\\\\u00e9", "\\u00e9", True),
        ("^.$", "\U0001f600", True),
        ("^\\p{L}+$", "Łódź", True),
        ("^\\d$", "٣", False),
    ],
)
def test_patterns_mean_what_json_schema_says(pattern: str, text: str, found: bool) -> None:
    assert admits({"pattern": pattern}, text) is found


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "a", "ab", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "ab", "b"]), inner, max_size=3),
    max_leaves=8,
)
leaves = st.sampled_from([True, False, {}, {"type": "string"}, {"type": "object"}, {"const": 1}, {"pattern": "^a"}])
schemas = st.recursive(
    leaves,
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from(["a", "b"]), inner),
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "b$"]), inner),
            "additionalProperties": inner,
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=3),
            "oneOf": st.lists(inner, min_size=1, max_size=3),
            "not": inner,
        },
    ),
    max_leaves=8,
)


@given(schemas, json_values)
def test_what_is_admitted_is_what_the_library_admits(schema: Any, value: Any) -> None:
    assert list(schema_faults(schema)) == []
    assert admits(schema, value) == Draft202012Validator(schema).is_valid(value)


def test_a_schema_that_doubles_the_work_at_each_level_is_given_up() -> None:
    node = {"allOf": [{"items": {"$ref": "#/$defs/n"}}, {"items": {"$ref": "#/$defs/n"}}]}
    value: Any = 1
    for _ in range(40):
        value = [value]
    with pytest.raises(TooIntricate):
        list(errors_in(validator_of({"$defs": {"n": node}, "$ref": "#/$defs/n"}), value))


def test_numbers_beyond_a_float_are_refused_not_raised() -> None:
    with pytest.raises(TooIntricate, match="too large"):
        list(errors_in(validator_of({"multipleOf": 0.01}), 10**400))
