"""What a function's parameters say about an argument."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from toolscale.artifacts import FunctionSpec, Json
from toolscale.artifacts.base import JsonPath
from toolscale.checkers.parameters import enumerated, example_arguments, is_required, signature_defaults

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "seats": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "side": {"anyOf": [{"enum": ["window", "aisle"]}, {"type": "null"}]},
                    "row": {"type": "integer", "minimum": 5},
                },
                "required": ["side", "row"],
            },
        },
        "fare": {"$ref": "#/$defs/fare"},
        "urgent": {"type": ["boolean", "null"]},
        "counts": {"type": "object", "additionalProperties": {"const": 7}},
    },
    "required": ["seats", "fare", "urgent", "counts"],
    "$defs": {"fare": {"type": "string", "enum": ["full", "half"], "default": "half"}},
}


@pytest.mark.parametrize(
    ("path", "values"),
    [
        (("seats", 3, "side"), ["window", "aisle"]),
        (("fare",), ["full", "half", "half"]),
        (("counts", "B-1"), [7]),
        (("seats", 0, "row"), []),
        (("nowhere", "at all"), []),
    ],
)
def test_enumerations_are_found_wherever_the_schema_keeps_them(path: JsonPath, values: list[Json]) -> None:
    assert enumerated(PARAMETERS, path) == values


def test_required_properties_are_known_at_any_depth() -> None:
    assert is_required(PARAMETERS, ("seats", 0, "row"))
    assert is_required(PARAMETERS, ("fare",))
    assert not is_required(PARAMETERS, ("counts", "B-1"))


@pytest.mark.parametrize("parameters", [PARAMETERS, {"type": "object"}, {"type": "object", "properties": {"a": {}}}])
def test_example_arguments_fit_the_schema_they_were_made_from(parameters: dict[str, Any]) -> None:
    function = FunctionSpec(name="hand_over", description="-", parameters=parameters, kind="read")
    Draft202012Validator(parameters).validate(example_arguments(function))


def test_an_example_stays_small_however_many_members_a_stranger_asks_for() -> None:
    members = {"type": "array", "minItems": 10**12}
    parameters: dict[str, Any] = {"type": "object", "properties": {"a": members}, "required": ["a"]}
    function = FunctionSpec(name="hand_over", description="-", parameters=parameters, kind="read")
    made = example_arguments(function)["a"]
    assert isinstance(made, list)
    assert len(made) <= 100


def test_a_schema_that_refers_to_itself_comes_to_an_end() -> None:
    parameters: dict[str, Any] = {"type": "object", "properties": {"tree": {"$ref": "#/properties/tree"}}}
    assert enumerated(parameters, ("tree",)) == []


def test_only_literal_defaults_are_read_and_nothing_is_run() -> None:
    source = "X = 1 / 0\ndef f(db, a, b='x', *, c, d=[1], e=X, g=None):\n    pass\n"
    assert signature_defaults(source) == {("f", "b"): "x", ("f", "d"): [1], ("f", "g"): None}


@pytest.mark.parametrize("word", ["properties", "required", "enum", "anyOf", "prefixItems", "items", "minItems"])
@pytest.mark.parametrize("junk", [None, 5, "id", [1], {"a": 1}, True])
def test_a_schema_that_is_none_says_nothing_and_breaks_nothing(word: str, junk: Any) -> None:
    for kind in ("object", "array"):
        broken = {"type": "object", "properties": {"a": {"type": kind, word: junk}}, "required": ["a"]}
        for parameters in (broken, {"type": "object", word: junk}):
            function = FunctionSpec(name="f", description="f", parameters=parameters, kind="write")
            assert isinstance(example_arguments(function), dict)
            for path in (("a",), ("a", "b"), ("a", 0)):
                assert isinstance(enumerated(parameters, path), list)
                assert is_required(parameters, path) in (True, False)
