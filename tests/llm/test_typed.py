"""Typed answers: whatever a model sends, the caller gets a valid value or a reject with the raw text."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from tests.llm.conftest import FOR, HELLO, Connect
from tests.openai_server import OpenAIServer
from toolscale.errors import UserError
from toolscale.llm import MalformedAnswer
from toolscale.llm.coerce import coerced
from toolscale.llm.json_text import loaded
from toolscale.llm.typed import AnswerForm, sent_back

GOOD = '{"name": "1E02", "seats": 14, "stops": ["Leeds", "York"]}'


class Train(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    seats: int
    stops: list[str]


TRAIN = Train(name="1E02", seats=14, stops=["Leeds", "York"])
SCHEMA = Train.model_json_schema()


def in_turn(*answers: str) -> Callable[[dict[str, Any]], str]:
    """A model that gives these answers one after another."""
    waiting = list(answers)
    return lambda request: waiting.pop(0)


HARMLESS = {
    "plain": GOOD,
    "fenced": f"Here it is:\n```json\n{GOOD}\n```\nAnything else?",
    "after a thought": f"<think>A train {{so fast}}?</think>\n{GOOD}",
    "in a sentence": f"The train is {GOOD}",
    "trailing comma": '{"name": "1E02", "seats": 14, "stops": ["Leeds", "York",],}',
    "python literals": "{'name': '1E02', 'seats': 14, 'stops': ['Leeds', 'York']}",
    "comment": '{"name": "1E02", // the early one\n"seats": 14, "stops": ["Leeds", "York"]}',
    "a forgotten brace": '{"name": "1E02", "seats": 14, "stops": ["Leeds", "York"]',
    "number as a string": '{"name": "1E02", "seats": "14", "stops": ["Leeds", "York"]}',
    "list as a string": '{"name": "1E02", "seats": 14, "stops": "[\\"Leeds\\", \\"York\\"]"}',
    "list of one around it": f"[{GOOD}]",
    "wrapped": f'{{"answer": {GOOD}}}',
    "wrapped in the form's name": f'{{"train": {GOOD}}}',
    "several blocks": f'```json\n{{"name": "draft"}}\n```\nOr rather:\n```json\n{GOOD}\n```',
    "a draft in words": f"Not {GOOD.replace('14', '15')} but {GOOD}. Sources: [1], {{so}}.",
    "thinking without its opening mark": f'{{"name": "draft"}} or\n</think>{GOOD}',
    "a block that is never closed": f"```json\n{GOOD}",
    "JavaScript's names": "{name: '1E02', seats: 14, stops: ['Leeds', 'York']}",
    "Python within Python": "{'name': '1E02', 'seats': 14, 'stops': ['Leeds', \"York\",]}",
}


@pytest.mark.parametrize("raw", HARMLESS.values(), ids=HARMLESS.keys())
@pytest.mark.parametrize("form", [Train, SCHEMA], ids=["model", "schema"])
def test_harmless_deviations_are_mended_by_a_program(raw: str, form: type[BaseModel] | dict[str, Any]) -> None:
    value, reasons = AnswerForm.of(form).read(raw)
    assert reasons == []
    assert value == (TRAIN if form is Train else json.loads(GOOD))


def test_one_value_becomes_the_list_of_one_that_was_meant() -> None:
    value, reasons = AnswerForm.of(Train).read('{"name": "1E02", "seats": 14, "stops": "Leeds"}')
    assert (value.stops, reasons) == (["Leeds"], [])


def test_a_number_becomes_the_string_that_was_meant() -> None:
    value, reasons = AnswerForm.of(Train).read('{"name": 102, "seats": 14, "stops": []}')
    assert (value.name, reasons) == ("102", [])


def test_a_bracket_in_a_quoted_text_ends_nothing() -> None:
    for raw in ("{'name': 'it}s', 'seats': 1, 'stops': []}", '{"name": "it}s", "seats": 1, "stops": [],}'):
        value, reasons = AnswerForm.of(SCHEMA).read(f"Here: {raw} .")
        assert (value, reasons) == ({"name": "it}s", "seats": 1, "stops": []}, [])


def test_values_one_after_another_are_the_list_that_was_meant_and_none_is_lost() -> None:
    form = AnswerForm.of({"type": "array", "items": {"type": "object", "required": ["a"]}})
    assert form.read('{"a": 1}\n{"a": 2}') == ([{"a": 1}, {"a": 2}], [])
    assert form.read('First {"a": 1} and then {"a": 2}.')[0] is None


HOPELESS = {
    "no JSON": ("I am not sure.", "no JSON"),
    "empty": ("", "no JSON"),
    "missing field": ('{"name": "1E02", "stops": []}', "seats"),
    "unknown field": ('{"name": "1E02", "seats": 1, "stops": [], "colour": "red"}', "colour"),
    "a word for a number": ('{"name": "1E02", "seats": "many", "stops": []}', "seats"),
    "a fraction for an integer": ('{"name": "1E02", "seats": 1.5, "stops": []}', "seats"),
    "a list that is not written out": ('{"name": "1E02", "seats": 1, "stops": ["Leeds", ...]}', "leaves something out"),
    "broken beyond repair": ("[" + '("' * 50_000, "broken: Expecting value"),
    "a list that is never closed": (
        '{"name": "1E02", "seats": 14, "stops": ["Leeds", "York"',
        "ends before its brackets",
    ),
    "a text that is never closed": (
        '{"seats": 14, "stops": ["Leeds", "York"], "name": "1E',
        "ends before its brackets",
    ),
    "thinking that never ends": (f"<think> I could say {GOOD}", "no JSON"),
    "no number": ('{"name": "1E02", "seats": NaN, "stops": []}', "seats"),
    "several at once": (f"{GOOD}\n{GOOD}", "the answer"),
    "nothing for a string": ('{"name": null, "seats": 1, "stops": []}', "name"),
}


@pytest.mark.parametrize(("raw", "reason"), HOPELESS.values(), ids=HOPELESS.keys())
@pytest.mark.parametrize("form", [Train, SCHEMA], ids=["model", "schema"])
def test_what_has_no_plain_meaning_is_refused_with_its_place(
    raw: str, reason: str, form: type[BaseModel] | dict[str, Any]
) -> None:
    value, reasons = AnswerForm.of(form).read(raw)
    assert value is None
    assert any(reason in each for each in reasons)


def test_a_valid_answer_is_never_changed() -> None:
    schema = {
        "type": "object",
        "properties": {"code": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "extra": {}},
        "additionalProperties": {"type": ["string", "null"]},
    }
    raw = {"code": "007", "extra": {"deep": ["1"]}, "note": None}
    assert AnswerForm.of(schema).read(json.dumps(raw)) == (raw, [])


def test_what_fits_one_of_several_types_stays_while_its_neighbour_is_mended() -> None:
    code = {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    schema = {"type": "object", "properties": {"code": code, "seats": {"type": "integer"}}}
    assert AnswerForm.of(schema).read('{"code": "7", "seats": "14"}') == ({"code": "7", "seats": 14}, [])


def test_references_and_unions_are_followed() -> None:
    schema = {
        "$defs": {
            "node": {"type": "object", "properties": {"size": {"type": "integer"}, "next": {"$ref": "#/$defs/list"}}},
            "list": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/node"}}, {"type": "null"}]},
        },
        "$ref": "#/$defs/node",
    }
    assert coerced({"size": "1", "next": {"size": "2", "next": None}}, schema) == {
        "size": 1,
        "next": [{"size": 2, "next": None}],
    }


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "seats", "stops"]), inner),
    max_leaves=8,
)


@given(json_values)
def test_mending_never_fails_and_settles_at_once(value: Any) -> None:
    once = coerced(value, SCHEMA)
    assert coerced(once, SCHEMA) == once


@given(json_values)
def test_json_that_is_whole_is_read_as_it_stands(value: Any) -> None:
    assert loaded(json.dumps(value)) == value


async def test_a_wrong_answer_goes_back_with_the_reasons(connect: Connect) -> None:
    with OpenAIServer(in_turn('{"name": "1E02"}', GOOD)) as server:
        assert await connect(server).typed("teacher", HELLO, Train, **FOR) == TRAIN
    first, second = server.requests
    said = second["messages"][len(first["messages"]) :]
    assert [message["role"] for message in said] == ["assistant", "user"]
    assert said[0]["content"] == '{"name": "1E02"}'
    assert "`seats`: Field required" in said[1]["content"]
    assert "`stops`: Field required" in said[1]["content"]


async def test_the_callers_own_check_goes_back_like_any_other(connect: Connect) -> None:
    def enough(train: Train) -> list[str]:
        return [] if train.seats > 20 else ["a train has more than 20 seats"]

    with OpenAIServer(in_turn(GOOD, GOOD.replace("14", "140"))) as server:
        train = await connect(server).typed("teacher", HELLO, Train, check=enough, **FOR)
    assert train.seats == 140
    assert "a train has more than 20 seats" in server.requests[1]["messages"][-1]["content"]


async def test_a_reject_keeps_the_raw_text_and_the_reasons(connect: Connect) -> None:
    server = OpenAIServer(in_turn('{"name": 1}', "still no", '{"name": 1}'))
    with server, pytest.raises(MalformedAnswer) as caught:
        await connect(server).typed("teacher", HELLO, Train, **FOR)
    assert len(server.requests) == 3
    assert caught.value.raw == '{"name": 1}'
    assert any("seats" in reason for reason in caught.value.reasons)


async def test_every_round_is_cached(connect: Connect) -> None:
    with OpenAIServer(in_turn("no", GOOD)) as server:
        gateway = connect(server)
        assert await gateway.typed("teacher", HELLO, Train, **FOR) == TRAIN
        assert await gateway.typed("teacher", HELLO, Train, **FOR) == TRAIN
    assert len(server.requests) == 2


async def test_an_answer_that_was_cut_off_is_never_taken_for_a_whole_one(connect: Connect) -> None:
    answers: list[Any] = [{"content": GOOD.partition(', "York"')[0], "finish_reason": "length"}, GOOD]
    with OpenAIServer(lambda request: answers.pop(0)) as server:
        assert await connect(server).typed("teacher", HELLO, Train, **FOR) == TRAIN
    assert "cut off" in server.requests[1]["messages"][-1]["content"]


RECORDS: dict[str, Any] = {"type": "array", "items": {"type": "object", "required": ["a"]}}


@pytest.mark.parametrize("ended", ["length", "stop"])
async def test_a_cut_off_answer_that_ends_at_a_records_boundary_is_asked_for_again(
    connect: Connect, ended: str
) -> None:
    """Whether the provider says so, or only its count of tokens does."""
    answers: list[Any] = [{"content": '{"a": 1}\n{"a": 2}', "finish_reason": ended}, '[{"a": 1}, {"a": 2}, {"a": 3}]']
    with OpenAIServer(lambda request: answers.pop(0)) as server:
        gateway = connect(server, models={"teacher": {"max_tokens": 10}} if ended == "stop" else {})
        assert await gateway.typed("teacher", HELLO, RECORDS, **FOR) == [{"a": 1}, {"a": 2}, {"a": 3}]
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "raw",
    [
        '{"entries": {"users": {"U-1": {"name": "Ada"}, "U-2": {"name": "Bo"}',
        '{"entries": {"users": {"U-1": {"name": "Ada"}},',
        '```json\n{"entries": {"users": {"U-1": {"name": "Ada"},',
        '[{"name": "Ada"}, {"name": "Bo"}',
    ],
)
def test_what_breaks_off_between_two_records_is_not_closed_by_a_program(raw: str) -> None:
    value, reasons = AnswerForm.of({"type": ["object", "array"]}).read(raw)
    assert value is None
    assert "ends before its brackets are closed" in reasons[0]


@given(st.lists(st.fixed_dictionaries({"a": st.text(max_size=8)}), min_size=2, max_size=6), st.data())
def test_no_part_of_a_list_passes_for_the_whole(rows: list[Any], data: st.DataObject) -> None:
    """Wherever it is cut, whether or not the provider says so; a list in an object, written on one line or on many."""
    form = AnswerForm.of({"type": "object", "required": ["rows"], "maxProperties": 1})
    raw = json.dumps({"rows": rows}, indent=data.draw(st.sampled_from([None, 1])))
    cut = data.draw(st.integers(1, len(raw.rstrip("]}\n "))))
    value, reasons = form.read(raw[:cut], cut_off=data.draw(st.booleans()))
    assert value is None, reasons


@pytest.mark.parametrize(
    ("model", "answers", "response_format"),
    [
        ("openai/gpt-4o-mini", None, "json_schema"),
        ("openai/anything", None, "json_schema"),
        ("openai/anything", "json", "json_object"),
        ("openai/gpt-4o-mini", "text", None),
    ],
)
async def test_the_form_is_asked_for_as_the_model_understands_it(
    connect: Connect, model: str, answers: str | None, response_format: str | None
) -> None:
    with OpenAIServer(in_turn(GOOD)) as server:
        models = {"teacher": {"model": model, "api_base": server.url, "answers": answers}}
        assert await connect(server, models=models).typed("teacher", HELLO, Train, **FOR) == TRAIN
    sent = server.requests[0]
    assert sent.get("response_format", {}).get("type") == response_format
    shown = json.dumps(sent["response_format"]) if response_format == "json_schema" else sent["messages"][-1]["content"]
    assert all(name in shown for name in ("name", "seats", "stops"))


HOSTILE = {
    "brackets": "[" * 100_000,
    "closed brackets": "[" * 100_000 + "]" * 100_000,
    "objects": '{"a":' * 100_000,
    "nested too deep": '{"name": ' + "[" * 500 + "]" * 500 + "}",
    "quotation marks": '{"' * 100_000,
    "thoughts": "<think>" * 250_000,
    "fences": "```json\n" * 200_000,
    "blanks": '{"a"' + " " * 1_900_000 + "b",
    "commas": "[" + "1,," * 300_000,
    "words": '{"name": "' + 'x" ' * 500_000,
    "what the repair library never ends with": '{"a": ' + "}}\u201d{." * 5_000,
    "parentheses": "[" + '("' * 50_000,
    "pairs": "{} " * 300_000,
    "huge integer": '{"name": "x", "stops": [], "seats": ' + "9" * 100_000 + "}",
    "five megabytes of nothing": json.dumps({"name": "x" * 5_000_000, "stops": []}),
    "a megabyte of wrong members": json.dumps({"name": "x", "seats": 1, "stops": [{}] * 400_000}),
    "backslashes": '{"name": "' + "\\" * 999_999,
}


@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("form", [Train, SCHEMA], ids=["model", "schema"])
def test_no_answer_is_too_hostile_to_be_refused(raw: str, form: type[BaseModel] | dict[str, Any]) -> None:
    before = time.process_time()
    value, reasons = AnswerForm.of(form).read(raw)
    assert time.process_time() - before < 60  # seconds where it is a few at most; hours where the time is quadratic
    assert value is None
    assert 0 < len(reasons) <= 10
    assert all(len(reason) < 400 for reason in reasons)


def test_a_schema_that_refers_to_itself_twice_is_not_searched_for_ever() -> None:
    node = {
        "anyOf": [{"type": "array", "items": {"$ref": "#/$defs/n"}}, {"type": "array", "items": {"$ref": "#/$defs/n"}}]
    }
    form = AnswerForm.of({"$defs": {"n": node}, "allOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]})
    value, reasons = form.read("[" * 50 + "]" * 50)
    assert (value, reasons) == (json.loads("[" * 50 + "]" * 50), [])
    value, reasons = form.read("[" * 50 + "1" + "]" * 50)
    assert value is None
    assert "too intricate" in reasons[0]


@pytest.mark.parametrize(
    "schema", [{"type": "nonsense"}, {"pattern": "(?=a)b"}, {"pattern": "("}, {"pattern": "(a)\\1"}]
)
def test_a_schema_that_cannot_be_applied_is_named(schema: dict[str, Any]) -> None:
    with pytest.raises(UserError, match="schema of the answer cannot be used"):
        AnswerForm.of(schema)


def test_a_reference_to_elsewhere_is_named_and_never_fetched() -> None:
    with pytest.raises(UserError, match=r"refers to `https://example\.invalid/x`"):
        AnswerForm.of({"$ref": "https://example.invalid/x"}).read("1")


def test_of_a_long_answer_the_model_is_shown_both_ends() -> None:
    raw = "A" + "x" * 1_000_000 + "Z"
    answer = sent_back(HELLO, raw, ["no"])[-2]["content"]
    assert len(answer) < 110_000
    assert (answer[0], answer[-1]) == ("A", "Z")
