"""Typed answers: whatever a model sends, the caller gets a valid value or a reject with the raw text."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from tests.llm.conftest import FOR, HELLO, Connect
from tests.openai_server import OpenAIServer
from toolscale.llm import MalformedAnswer
from toolscale.llm.coerce import coerced
from toolscale.llm.typed import AnswerForm, parsed

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
    "cut off": '{"name": "1E02", "seats": 14, "stops": ["Leeds", "York"',
    "number as a string": '{"name": "1E02", "seats": "14", "stops": ["Leeds", "York"]}',
    "list as a string": '{"name": "1E02", "seats": 14, "stops": "[\\"Leeds\\", \\"York\\"]"}',
    "list of one around it": f"[{GOOD}]",
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


HOPELESS = {
    "no JSON": ("I am not sure.", "no JSON"),
    "empty": ("", "no JSON"),
    "missing field": ('{"name": "1E02", "stops": []}', "seats"),
    "unknown field": ('{"name": "1E02", "seats": 1, "stops": [], "colour": "red"}', "colour"),
    "a word for a number": ('{"name": "1E02", "seats": "many", "stops": []}', "seats"),
    "a fraction for an integer": ('{"name": "1E02", "seats": 1.5, "stops": []}', "seats"),
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
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "seats", "stops"]), inner),
    max_leaves=8,
)


@given(json_values)
def test_mending_never_fails_and_settles_at_once(value: Any) -> None:
    once = coerced(value, SCHEMA)
    assert coerced(once, SCHEMA) == once


@given(json_values)
def test_json_that_is_whole_is_read_as_it_stands(value: Any) -> None:
    assert parsed(json.dumps(value)) == (value, True)


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
    server = OpenAIServer(in_turn("no", "still no", '{"name": 1}'))
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


@pytest.mark.parametrize(
    ("model", "answers", "response_format"),
    [
        ("openai/gpt-4o-mini", None, "json_schema"),
        ("openai/anything", None, "json_object"),
        ("openai/anything", "schema", "json_schema"),
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
