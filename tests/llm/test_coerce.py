"""Coercion: what is harmless is mended, what is valid stays, what could mean two things stays wrong."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from toolscale.llm.coerce import coerced
from toolscale.llm.typed import AnswerForm


def record(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": sorted(properties), "additionalProperties": False}


INTEGER, NUMBER, TEXT, FLAG = ({"type": name} for name in ("integer", "number", "string", "boolean"))
TEXTS = {"type": "array", "items": TEXT}
TRAIN = record(name=TEXT, seats=INTEGER)

MENDED = [
    (INTEGER, "14", 14),
    (INTEGER, " 14 ", 14),
    (INTEGER, "1.4e1", 14),
    (INTEGER, "-3", -3),
    (NUMBER, "0.1", 0.1),
    (TEXT, 102, "102"),
    (FLAG, "True", True),
    (FLAG, "false", False),
    ({"type": ["integer", "null"]}, "null", None),
    (TEXTS, "Leeds", ["Leeds"]),
    (TEXTS, '["Leeds", "York"]', ["Leeds", "York"]),
    ({"type": "array", "items": INTEGER}, "7", [7]),
    ({"type": "array", "items": TRAIN}, {"name": "A", "seats": "1"}, [{"name": "A", "seats": 1}]),
    (TRAIN, [{"name": "A", "seats": 1}], {"name": "A", "seats": 1}),
    (TRAIN, {"answer": {"name": "A", "seats": "1"}}, {"name": "A", "seats": 1}),
    (TRAIN | {"title": "TrainAnswer"}, {"train_answer": {"name": "A", "seats": 1}}, {"name": "A", "seats": 1}),
    (TEXTS, {"result": ["Leeds"]}, ["Leeds"]),
    ({"enum": ["Open", "Closed"]}, " open", "Open"),
    ({"const": "train"}, "Train", "train"),
    (record(a=INTEGER) | {"required": []}, {"a": None}, {}),
    ({"anyOf": [INTEGER, {"type": "null"}]}, "14", 14),
    ({"oneOf": [TRAIN, record(stops=TEXTS)]}, {"stops": "Leeds"}, {"stops": ["Leeds"]}),
    (
        {"anyOf": [record(kind={"const": "a"}, size=INTEGER), record(kind={"const": "b"}, size=TEXT)]},
        {"kind": "b", "size": 1},
        {"kind": "b", "size": "1"},
    ),
    ({"type": "object", "additionalProperties": INTEGER}, {"x": "1", "y": 2}, {"x": 1, "y": 2}),
    ({"type": "array", "prefixItems": [INTEGER], "items": TEXT}, ["1", 2], [1, "2"]),
    (
        {"$defs": {"size": INTEGER}, "type": "object", "properties": {"sizes": {"items": {"$ref": "#/$defs/size"}}}},
        {"sizes": ["1", 2]},
        {"sizes": [1, 2]},
    ),
]


@pytest.mark.parametrize(("schema", "value", "meant"), MENDED, ids=lambda each: json.dumps(each)[:40])
def test_what_has_one_meaning_gets_it(schema: dict[str, Any], value: Any, meant: Any) -> None:
    mended = coerced(value, schema)
    assert json.dumps(mended) == json.dumps(meant)
    assert Draft202012Validator(schema).is_valid(mended)


AMBIGUOUS = [
    (INTEGER, "1,500"),
    (NUMBER, "1,5"),
    (INTEGER, "007"),
    (INTEGER, "1.5"),
    (INTEGER, True),
    (INTEGER, "١٤"),
    (NUMBER, "NaN"),
    (NUMBER, "1e999"),
    (NUMBER, "0.12345678901234567890123"),
    (NUMBER, "9" * 5000),
    (TEXT, 1.1),
    (TEXT, True),
    (TEXT, None),
    (FLAG, 1),
    (FLAG, "yes"),
    (TEXTS, "Leeds, York"),
    (TEXTS, ""),
    (TEXTS, None),
    (TEXTS, {"0": "Leeds"}),
    (TRAIN, [{"name": "A", "seats": 1}, {"name": "B", "seats": 2}]),
    (TRAIN, {"error": {"name": "A", "seats": 1}}),
    (TRAIN, {"answer": {"name": "A", "seats": 1}, "note": "or not"}),
    (record(name=TEXT), {"name": None}),
    ({"enum": ["Open", "open "]}, "OPEN"),
    ({"type": ["string", "array"], "items": INTEGER}, 5),
    ({"anyOf": [{"type": "array", "items": INTEGER}, TEXT]}, 5),
]


@pytest.mark.parametrize(("schema", "value"), AMBIGUOUS, ids=lambda each: json.dumps(each)[:40])
def test_what_has_no_one_meaning_is_never_made_valid(schema: dict[str, Any], value: Any) -> None:
    assert not Draft202012Validator(schema).is_valid(coerced(value, schema))
    assert AnswerForm.of(schema).read(json.dumps(value))[0] is None


NAMES = ["a", "b", "answer"]
scalars = st.none() | st.booleans() | st.integers(-20, 20) | st.sampled_from([0.5, 2.0])
scalars |= st.sampled_from(["", "1", "1.0", "true", "null", "Open", "open", "x, y", "[1]", '{"a": "1"}', "NaN"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*NAMES, "c"]), inner, max_size=3),
    max_leaves=10,
)


def branches(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    objects = st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)},
        optional={
            "required": st.lists(st.sampled_from(NAMES), unique=True, max_size=2),
            "additionalProperties": st.booleans() | inner,
            "patternProperties": st.just({"^c": {"type": "integer"}}),
        },
    )
    arrays = st.fixed_dictionaries(
        {"type": st.just("array")}, optional={"items": inner, "prefixItems": st.lists(inner, min_size=1, max_size=2)}
    )
    unions = st.fixed_dictionaries({}, optional={word: st.lists(inner, min_size=1, max_size=3) for word in UNIONS})
    return objects | arrays | unions


UNIONS = ("anyOf", "oneOf", "allOf")
leaves = st.one_of(
    st.just({}),
    st.sampled_from(["string", "integer", "number", "boolean", "null"]).map(lambda name: {"type": name}),
    st.lists(
        st.sampled_from(["string", "integer", "null", "array", "object"]), min_size=2, max_size=3, unique=True
    ).map(lambda names: {"type": names}),
    st.just({"enum": ["Open", "Closed", 1]}),
    st.just({"const": "x"}),
    st.just({"$ref": "#/$defs/node"}),
)
schemas = st.recursive(leaves, branches, max_leaves=8)
NODE = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
}


@given(schemas, values)
def test_a_valid_value_is_never_changed(schema: dict[str, Any], value: Any) -> None:
    schema = {**schema, "$defs": {"node": NODE}}
    if Draft202012Validator(schema).is_valid(value):
        assert json.dumps(coerced(value, schema)) == json.dumps(value)


@given(schemas, values)
@example({"allOf": [{"$ref": "#/$defs/node"}, {"type": "string"}]}, {"a": None, "answer": None})
def test_what_was_mended_once_is_not_mended_again(schema: dict[str, Any], value: Any) -> None:
    schema = {**schema, "$defs": {"node": NODE}}
    once = coerced(value, schema)
    assert json.dumps(coerced(once, schema)) == json.dumps(once)


@given(schemas, values)
def test_an_answer_has_the_form_or_is_refused_with_reasons(schema: dict[str, Any], value: Any) -> None:
    schema = {**schema, "$defs": {"node": NODE}}
    read, reasons = AnswerForm.of(schema).read(json.dumps(value))
    assert reasons or Draft202012Validator(schema).is_valid(read)
    assert all(reason and "\n" not in reason for reason in reasons)
    if Draft202012Validator(schema).is_valid(value):
        assert json.dumps(read) == json.dumps(value)


@given(st.text(alphabet="{}[]\",:'\\ \n`a1tN/#*<>", max_size=60))
def test_no_text_makes_reading_fail(raw: str) -> None:
    for schema in (TRAIN, TEXTS, {}):
        read, reasons = AnswerForm.of(schema).read(raw)
        assert reasons or Draft202012Validator(schema).is_valid(read)
