"""The gateway against a real OpenAI-compatible server."""

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.llm.conftest import FOR, HELLO, KEY, Connect
from tests.openai_server import EMPTY, MALFORMED, Fault, OpenAIServer, tool_call
from toolscale.errors import UserError
from toolscale.llm import (
    BadKey,
    BadRequest,
    ContextTooLong,
    Gateway,
    QuotaExhausted,
    Refused,
    RetriesExhausted,
    TimedOut,
    UnknownModel,
)
from toolscale.settings import Settings
from toolscale.store import ModelCall, Store, ToolList

TOOLS = [{"type": "function", "function": {"name": "find", "description": "Find.", "parameters": {"type": "object"}}}]


def says(text: str) -> OpenAIServer:
    return OpenAIServer(lambda request: text)


async def test_text_is_what_the_model_said_and_params_reach_it(connect: Connect) -> None:
    with says("trains") as server:
        said = await connect(server).text("teacher", HELLO, **FOR, seed=3, temperature=0.25)
    assert said == "trains"
    sent = server.requests[0]
    assert sent["model"] == "anything"
    assert sent["messages"] == HELLO
    assert sent["temperature"] == 0.25
    assert isinstance(sent["seed"], int)


async def test_settings_of_a_role_reach_only_that_role(connect: Connect) -> None:
    with says("x") as server:
        models = {"judge": {"model": "openai/strict", "api_base": server.url, "temperature": 0, "max_tokens": 7}}
        gateway = connect(server, models=models)
        await gateway.text("judge", HELLO, **FOR)
        await gateway.text("teacher", HELLO, **FOR)
    judge, teacher = server.requests
    assert (judge["model"], judge["temperature"], judge["max_tokens"]) == ("strict", 0, 7)
    assert teacher["model"] == "anything"
    assert not {"temperature", "max_tokens"} & teacher.keys()


async def test_tool_calls_come_back_with_the_arguments_as_they_were_sent(connect: Connect) -> None:
    arguments = '{"origin":  "Leeds", "day": 1.0}'
    with OpenAIServer(lambda request: {"tool_calls": [tool_call("find", arguments)]}) as server:
        reply = await connect(server).chat("agent", HELLO, TOOLS, **FOR)
    assert server.requests[0]["tools"] == TOOLS
    assert reply.message == {"role": "assistant", "content": None, "tool_calls": [tool_call("find", arguments)]}
    assert reply.finish_reason == "tool_calls"
    assert reply.prompt_tokens > 0
    assert reply.completion_tokens > 0
    assert not reply.cached


async def test_an_answered_call_makes_no_second_request_even_after_a_restart(connect: Connect, database: str) -> None:
    answer = {"tool_calls": [tool_call("find", "{}")]}
    with OpenAIServer(lambda request: dict(answer)) as server:
        first = await connect(server).chat("agent", HELLO, TOOLS, **FOR)
        with Store(database) as reopened:
            again = await connect(server, store=reopened).chat("agent", HELLO, TOOLS, **FOR)
    assert len(server.requests) == 1
    assert again.cached
    assert (again.message, again.finish_reason) == (first.message, first.finish_reason)
    assert (again.prompt_tokens, again.completion_tokens) == (first.prompt_tokens, first.completion_tokens)


async def test_whatever_the_answer_depends_on_makes_another_call(connect: Connect) -> None:
    with says("x") as server:
        gateway = connect(server)
        await gateway.text("teacher", HELLO, **FOR)
        await gateway.text("teacher", HELLO, **FOR, seed=1)
        await gateway.text("teacher", HELLO, **FOR, sample=1)
        await gateway.text("teacher", HELLO, **FOR, temperature=0.5)
        await gateway.chat("teacher", HELLO, TOOLS, **FOR)
        await gateway.chat("teacher", HELLO, [*TOOLS, *TOOLS], **FOR)
        await gateway.text("teacher", [*HELLO, *HELLO], **FOR)
        await connect(server, default_model="openai/other").text("teacher", HELLO, **FOR)
    assert len(server.requests) == 8


async def test_samples_and_seeds_each_send_a_seed_of_their_own(connect: Connect) -> None:
    with says("x") as server:
        gateway = connect(server)
        for seed in range(3):
            for sample in range(8):
                await gateway.text("teacher", HELLO, **FOR, seed=seed, sample=sample)
    assert len({request["seed"] for request in server.requests}) == 24


async def test_identical_calls_in_flight_are_made_once(connect: Connect, store: Store) -> None:
    with OpenAIServer(lambda request: "x", seconds=0.2) as server:
        gateway = connect(server)
        replies = await asyncio.gather(*[gateway.chat("agent", HELLO, TOOLS, **FOR) for _ in range(50)])
    assert len(server.requests) == 1
    assert sum(not reply.cached for reply in replies) == 1
    assert len(store.rows(ModelCall)) == 1


async def test_a_caller_that_gives_up_takes_the_answer_from_nobody(connect: Connect, store: Store) -> None:
    with OpenAIServer(lambda request: "x", seconds=0.3) as server:
        gateway = connect(server)
        impatient = asyncio.create_task(gateway.text("teacher", HELLO, **FOR))
        await asyncio.sleep(0.05)
        patient = asyncio.create_task(gateway.text("teacher", HELLO, **FOR))
        await asyncio.sleep(0.05)
        impatient.cancel()
        assert await patient == "x"
    assert len(server.requests) == 1
    assert impatient.cancelled()


async def test_no_more_calls_are_in_flight_than_the_setting_allows(connect: Connect) -> None:
    with OpenAIServer(lambda request: "x", seconds=0.05) as server:
        gateway = connect(server, max_in_flight=4)
        await asyncio.gather(*[gateway.text("teacher", HELLO, **FOR, sample=number) for number in range(24)])
    assert server.most_at_once == 4
    assert len(server.requests) == 24


def test_one_gateway_serves_one_event_loop_after_another(connect: Connect) -> None:
    with OpenAIServer(lambda request: "x", seconds=0.02) as server:
        gateway = connect(server, max_in_flight=2)

        async def stage(first: int) -> list[str]:
            calls = [gateway.text("teacher", HELLO, **FOR, sample=first + number) for number in range(8)]
            answers = await asyncio.gather(*calls)
            await gateway.close()
            return answers

        assert asyncio.run(stage(0)) == ["x"] * 8
        assert asyncio.run(stage(8)) == ["x"] * 8


@pytest.mark.parametrize("fault", [429, 500, 502, 503, MALFORMED, EMPTY, Fault(seconds=2.0)], ids=str)
async def test_what_may_pass_is_tried_again(connect: Connect, store: Store, fault: Fault | int) -> None:
    with says("at last") as server:
        server.faults.extend([fault, fault])
        assert await connect(server, timeout_seconds=1).text("teacher", HELLO, **FOR) == "at last"
    assert len(server.requests) == 3
    assert [call.status for call in store.rows(ModelCall)] == ["ok"]


def error_body(message: str, code: str | None = None) -> str:
    return json.dumps({"error": {"message": message, "type": "invalid_request_error", "code": code}})


@pytest.mark.parametrize(
    ("fault", "error", "requests", "says"),
    [
        (Fault(404, error_body("The model `anything` does not exist", "model_not_found")), UnknownModel, 1, "its name"),
        (
            Fault(400, error_body("This model's maximum context length is 8 tokens", "context_length_exceeded")),
            ContextTooLong,
            1,
            "longer",
        ),
        (Fault(429, error_body("You exceeded your current quota", "insufficient_quota")), QuotaExhausted, 1, "credit"),
        (Fault(400, error_body("`seed` must be positive")), BadRequest, 1, "`seed` must be positive"),
        (Fault(500), RetriesExhausted, 3, "see that it is up"),
        (Fault(seconds=1.0), TimedOut, 3, "TOOLSCALE_TIMEOUT_SECONDS"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
async def test_each_failure_has_a_class_and_one_line_that_says_what_to_do(
    connect: Connect, store: Store, fault: Fault, error: type[Exception], requests: int, says: str
) -> None:
    with OpenAIServer(lambda request: "never") as server:
        server.faults.extend([fault] * 10)
        with pytest.raises(error, match=says) as caught:
            await connect(server, retries=2, timeout_seconds=0.5).text("teacher", HELLO, **FOR)
    assert type(caught.value) is error
    assert "openai/anything" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(server.requests) == requests
    assert [(call.status, call.response) for call in store.rows(ModelCall)] == [(error.__name__, None)]


async def test_a_failed_call_is_made_again_by_the_next_run(connect: Connect, store: Store) -> None:
    with says("x") as server:
        server.faults.append(400)
        gateway = connect(server)
        with pytest.raises(BadRequest):
            await gateway.text("teacher", HELLO, **FOR)
        assert await gateway.text("teacher", HELLO, **FOR) == "x"
    assert [call.status for call in store.rows(ModelCall)] == ["ok"]


async def test_an_unreachable_endpoint_is_named(connect: Connect) -> None:
    with says("x") as server:
        pass
    with pytest.raises(RetriesExhausted, match="see that it is up"):
        await connect(server, retries=1).text("teacher", HELLO, **FOR)


async def test_a_refusal_is_recorded_and_raised(connect: Connect, store: Store) -> None:
    server = OpenAIServer(lambda request: {"refusal": "I would rather not."})
    with server, pytest.raises(Refused, match="I would rather not"):
        await connect(server).text("teacher", HELLO, **FOR)
    assert store.rows(ModelCall)[0].completion_tokens > 0


def files_under(folder: Path) -> list[bytes]:
    return [file.read_bytes() for file in folder.rglob("*") if file.is_file()]


async def test_a_refused_key_names_its_variable_and_shows_itself_nowhere(
    connect: Connect, store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with OpenAIServer(lambda request: "x", key="another") as server:
        gateway = connect(server)
        with pytest.raises(BadKey, match="OPENAI_API_KEY") as caught:
            await gateway.text("teacher", HELLO, **FOR)
        assert isinstance(caught.value, UserError)
        assert len(server.requests) == 1
        server.key = KEY
        assert await gateway.text("teacher", HELLO, **FOR, sample=1) == "x"
    store.close()
    printed = capfd.readouterr()
    shown = [str(caught.value), caplog.text, printed.out, printed.err, repr(gateway._settings)]
    assert not any(KEY in text for text in shown)
    assert not any(KEY.encode() in written for written in files_under(tmp_path))


async def test_a_missing_key_is_named_before_any_request(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UserError, match="set OPENAI_API_KEY"):
        await Gateway(Settings(default_model="openai/gpt-5-mini"), store).text("teacher", HELLO, **FOR)


async def test_a_local_endpoint_needs_no_key(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    with says("x") as server:
        gateway = connect(server)
        monkeypatch.delenv("OPENAI_API_KEY")
        assert await gateway.text("teacher", HELLO, **FOR) == "x"


async def test_a_model_without_a_provider_is_told_how_to_write_it(
    store: Store, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UnknownModel, match="provider/model"):
        await Gateway(Settings(default_model="mystery-model"), store).text("teacher", HELLO, **FOR)
    assert capfd.readouterr() == ("", "")


async def test_the_ledger_says_who_asked_what_and_what_it_cost(connect: Connect, store: Store) -> None:
    with says("trains") as server:
        gateway = connect(server, prices={"openai/anything": {"input": 2.0, "output": 10.0}})
        await gateway.chat("agent", HELLO, TOOLS, stage="attempts", domain="railway", sample=2)
        await gateway.chat("agent", HELLO, TOOLS, stage="attempts", domain="railway", sample=3)
        await gateway.text("teacher", HELLO, stage="subjects", domain="medicine")
    call = next(call for call in store.rows(ModelCall, stage="attempts") if call.sample == 2)
    alone = len(json.dumps(HELLO)) // 4
    prompt, said = len(json.dumps(HELLO) + json.dumps(TOOLS)) // 4, len(json.dumps({"content": "trains"})) // 4
    assert (call.prompt_tokens, call.completion_tokens) == (prompt, said)
    dollars = (prompt * 2 + said * 10) / 1e6
    assert call.dollars == pytest.approx(dollars)
    assert (call.role, call.domain, call.endpoint, call.model) == ("agent", "railway", server.url, "openai/anything")
    assert store.request_of(call)["messages"] == HELLO
    assert call.seconds > 0
    assert [json.loads(listed.tools) for listed in store.rows(ToolList)] == [TOOLS]
    by_stage = store.cost_by("stage")
    assert [(line.name, line.calls, line.prompt_tokens) for line in by_stage] == [
        ("attempts", 2, 2 * prompt),
        ("subjects", 1, alone),
    ]
    assert by_stage[0].dollars == pytest.approx(2 * dollars)
    assert [line.name for line in store.cost_by("domain")] == ["medicine", "railway"]
    assert [line.name for line in store.cost_by("role")] == ["agent", "teacher"]


async def test_a_listed_model_has_its_listed_price(connect: Connect, store: Store) -> None:
    with says("x") as server:
        await connect(server, default_model="openai/gpt-4o-mini").text("teacher", HELLO, **FOR)
    call = store.rows(ModelCall)[0]
    assert call.dollars is not None
    assert 0 < call.dollars < 1e-3


async def test_an_answer_is_on_disk_before_the_caller_sees_it(connect: Connect, tmp_path: Path) -> None:
    with says("x") as server:
        await connect(server).text("teacher", HELLO, **FOR)
        with sqlite3.connect(f"file:{tmp_path}/toolscale.db?mode=ro", uri=True) as another:
            rows = another.execute("select status from model_call").fetchall()
    assert rows == [("ok",)]


async def test_a_slow_disk_holds_up_calls_so_that_little_is_paid_before_it_is_written(
    connect: Connect, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk_is_ready, save_call = asyncio.Event(), store.save_call

    async def save_later(*written: Any) -> None:
        await disk_is_ready.wait()
        await save_call(*written)

    monkeypatch.setattr(store, "save_call", save_later)
    with says("x") as server:
        gateway = connect(server, max_in_flight=4)
        asked = [asyncio.ensure_future(gateway.text("teacher", HELLO, **FOR, sample=number)) for number in range(40)]
        await asyncio.sleep(1)
        assert 4 <= len(server.requests) <= 8
        disk_is_ready.set()
        assert await asyncio.gather(*asked) == ["x"] * 40
        assert len(server.requests) == 40


async def test_a_hanging_endpoint_does_not_hold_up_another(connect: Connect) -> None:
    def echo(request: dict[str, Any]) -> str:
        return "x"

    with OpenAIServer(echo, seconds=30) as slow, OpenAIServer(echo) as quick:
        gateway = connect(
            quick, max_in_flight=2, models={"judge": {"model": "openai/slow", "api_base": slow.url}}, timeout_seconds=60
        )
        hanging = [asyncio.create_task(gateway.text("judge", HELLO, **FOR, sample=number)) for number in range(4)]
        await asyncio.sleep(0.1)
        await asyncio.gather(*[gateway.text("teacher", HELLO, **FOR, sample=number) for number in range(10)])
        assert not any(task.done() for task in hanging)
        for task in hanging:
            task.cancel()
