"""How typed answers are asked for: the best mode that the endpoint takes, found out once, remembered for good."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from tests.llm.conftest import FOR, HELLO, Connect
from tests.openai_server import Fault, OpenAIServer
from toolscale.llm import BadRequest, ContextTooLong, Gateway
from toolscale.store import Store
from toolscale.store.tables import KnownMode


class Train(BaseModel):
    name: str
    seats: int


class Stop(BaseModel):
    station: str


GOOD = '{"name": "1E02", "seats": 14}'
TRAIN = Train(name="1E02", seats=14)
FREE = {"input": 0, "output": 0}
ALL = ("json_schema", "json_object", None)


def mode_of(request: dict[str, Any]) -> str | None:
    kind: str | None = request.get("response_format", {}).get("type")
    return kind


def refused(says: str, status: int = 400) -> Fault:
    return Fault(status=status, body=json.dumps({"error": {"message": says, "type": "invalid", "code": None}}))


class Endpoint(OpenAIServer):
    """Refuses what ``refuses`` has words for, and answers the rest well."""

    def __init__(self, refuses: Callable[[dict[str, Any]], Fault | None], answer: Any = None, **more: Any) -> None:
        super().__init__(answer or (lambda request: GOOD), **more)
        self.refuses = refuses

    def _answer(self, request: dict[str, Any], authorization: str, fault: Fault | int | None) -> tuple[int, str]:
        return super()._answer(request, authorization, fault or self.refuses(request))

    def asked(self) -> Counter[str | None]:
        return Counter(map(mode_of, self.requests))


def takes(*modes: str | None, says: str = "unknown parameter", status: int = 400) -> Callable[..., Fault | None]:
    return lambda request: None if mode_of(request) in modes else refused(says, status)


async def train(gateway: Gateway, sample: int = 0, form: Any = Train) -> Any:
    return await gateway.typed("teacher", HELLO, form, **FOR, sample=sample)


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize("best", range(3))
async def test_the_first_mode_that_is_not_refused_is_used_and_remembered(
    connect: Connect, store: Store, best: int, status: int
) -> None:
    with Endpoint(takes(*ALL[best:], status=status)) as server:
        gateway = connect(server)
        for sample in range(3):
            assert await train(gateway, sample) == TRAIN
    assert [mode_of(request) for request in server.requests] == [*ALL[: best + 1], ALL[best], ALL[best]]
    assert [row.mode for row in store.rows(KnownMode)] == [("schema", "json", "text")[best]]


async def test_the_next_run_asks_the_same_and_pays_for_nothing(connect: Connect) -> None:
    with Endpoint(takes(None)) as server:
        assert await train(connect(server)) == TRAIN
        so_far = len(server.requests)
        assert await train(connect(server)) == TRAIN
        assert len(server.requests) == so_far
        assert await train(connect(server), sample=1) == TRAIN
    assert server.asked() == {"json_schema": 1, "json_object": 1, None: 2}


async def test_of_many_first_calls_one_finds_out(connect: Connect) -> None:
    with Endpoint(takes(None), seconds=0.05) as server:
        gateway = connect(server)
        assert await asyncio.gather(*[train(gateway, sample) for sample in range(20)]) == [TRAIN] * 20
    assert server.asked() == {"json_schema": 1, "json_object": 1, None: 20}


async def test_a_probe_that_fails_for_its_own_reason_lets_the_others_go_on_at_once(connect: Connect) -> None:
    with Endpoint(takes(*ALL), seconds=0.05) as server:
        server.faults.append(refused("This model's maximum context length is 10 tokens."))
        gateway = connect(server)
        ended = await asyncio.gather(*[train(gateway, sample) for sample in range(8)], return_exceptions=True)
    assert [type(each) for each in ended if each != TRAIN] == [ContextTooLong]
    assert server.most_at_once > 1
    assert server.asked() == {"json_schema": 8}


async def test_a_request_that_is_at_fault_itself_says_so_and_teaches_nothing(connect: Connect, store: Store) -> None:
    server = Endpoint(lambda request: refused(f"no temperature, {mode_of(request)}"))
    with server, pytest.raises(BadRequest, match="no temperature, json_schema"):
        await train(connect(server))
    assert server.asked() == {"json_schema": 1, "json_object": 1, None: 1}
    assert store.rows(KnownMode) == []


@pytest.mark.parametrize("status", [405, 413])
async def test_what_no_mode_can_mend_is_not_tried_in_another(connect: Connect, status: int) -> None:
    with Endpoint(lambda request: refused("no", status)) as server, pytest.raises(BadRequest):
        await train(connect(server))
    assert server.asked() == {"json_schema": 1}


@pytest.mark.parametrize("met_before", [True, False])
async def test_one_schema_that_is_refused_says_nothing_of_the_others(
    connect: Connect, store: Store, met_before: bool
) -> None:
    def refuses(request: dict[str, Any]) -> Fault | None:
        return (
            refused("Invalid schema for response_format")
            if '"station"' in json.dumps(request.get("response_format"))
            else None
        )

    def answer(request: dict[str, Any]) -> str:
        return '{"station": "Leeds"}' if "station" in json.dumps(request) else GOOD

    with Endpoint(refuses, answer) as server:
        for gateway in (connect(server), connect(server)):
            if met_before:
                await train(gateway)
            assert await train(gateway, form=Stop) == Stop(station="Leeds")
            assert await train(gateway) == TRAIN
    assert server.asked() == {"json_schema": 2, "json_object": 1}
    assert {(bool(row.form), row.mode) for row in store.rows(KnownMode)} == {(True, "json"), (False, "schema")}


async def test_an_endpoint_that_ignores_the_schema_is_asked_in_words_from_then_on(connect: Connect) -> None:
    def answer(request: dict[str, Any]) -> str:
        return GOOD if "seats" in json.dumps(request["messages"]) else "Sure! Here is a train: 1E02."

    with Endpoint(takes(*ALL), answer) as server:
        gateway, again = connect(server), connect(server)
        assert [await train(gateway, sample) for sample in range(3)] == [TRAIN] * 3
        assert await train(again) == TRAIN
    assert server.asked() == {"json_schema": 1, "json_object": 3}


async def test_the_first_complaint_shows_the_schema_to_a_model_that_may_not_have_seen_it(connect: Connect) -> None:
    def answer(request: dict[str, Any]) -> str:
        return GOOD if "JSON Schema" in json.dumps(request["messages"]) else '{"name": "1E02"}'

    with Endpoint(takes(*ALL), answer) as server:
        assert await train(connect(server)) == TRAIN
    first, second = server.requests
    assert (mode_of(first), mode_of(second)) == ("json_schema", "json_schema")
    assert '"required": ["name", "seats"]' in second["messages"][-1]["content"]


@pytest.mark.parametrize("answer", [{"refusal": "No."}, {"content": '{"na', "finish_reason": "length"}])
async def test_a_reply_that_shows_nothing_is_not_learnt_from(connect: Connect, store: Store, answer: Any) -> None:
    with (
        Endpoint(takes(*ALL), lambda request: dict(answer)) as server,
        pytest.raises(Exception, match=r"refused|cut off"),
    ):
        await train(connect(server))
    assert set(server.asked()) == {"json_schema"}
    assert store.rows(KnownMode) == []


async def test_the_settings_win_over_what_was_found_out(connect: Connect) -> None:
    with Endpoint(takes("json_object", None)) as server:
        assert await train(connect(server)) == TRAIN
        models = {"teacher": {"model": "openai/anything", "api_base": server.url, "answers": "text"}}
        assert await train(connect(server, models=models)) == TRAIN
        models["teacher"]["answers"] = "schema"
        with pytest.raises(BadRequest):
            await train(connect(server, models=models))
    assert [mode_of(request) for request in server.requests] == ["json_schema", "json_object", None, "json_schema"]


async def test_each_model_of_an_endpoint_is_met_by_itself(connect: Connect, store: Store) -> None:
    def refuses(request: dict[str, Any]) -> Fault | None:
        return takes(None)(request) if request["model"] == "small" else None

    with Endpoint(refuses) as server:
        for model in ("openai/small", "openai/large"):
            assert await train(connect(server, default_model=model, prices={model: FREE})) == TRAIN
    assert {(row.model, row.mode) for row in store.rows(KnownMode)} == {
        ("openai/small", "text"),
        ("openai/large", "schema"),
    }


def test_gateways_of_two_event_loops_find_out_side_by_side(connect: Connect, store: Store) -> None:
    with Endpoint(takes(None)) as server:
        gateway = connect(server)

        async def once(sample: int) -> Any:
            async with gateway:
                return await train(gateway, sample)

        assert [asyncio.run(once(sample)) for sample in range(2)] == [TRAIN] * 2
    assert server.asked() == {"json_schema": 1, "json_object": 1, None: 2}
