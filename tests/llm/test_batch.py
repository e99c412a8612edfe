"""Calls of stages that can wait go through the endpoint's batches, against `toolscale serve-offline`."""

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from tests.llm.batching import FOR, answering, ask, settings_for, until
from tests.llm.conftest import HELLO, KEY
from tests.served import Server, serving
from toolscale.errors import UserError
from toolscale.llm import Gateway
from toolscale.llm.batches import BatchEnded
from toolscale.llm.batches.endpoint import BatchEndpoint
from toolscale.llm.errors import BadKey, BadRequest, Refused, RetriesExhausted, TimedOut, Transient
from toolscale.settings import ModelSettings, Settings
from toolscale.store import BatchCall, BatchJob, ModelCall, Store

TOOL = {"type": "function", "function": {"name": "book", "parameters": {"type": "object"}}}
Open = Callable[..., Gateway]


class Subjects(BaseModel):
    subjects: list[str]


@pytest.fixture
def gateway(store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Open:
    """A gateway that sends the stage `subjects` as batches; keyword arguments are settings."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.chdir(tmp_path)

    def to(server: Server | str, **given: Any) -> Gateway:
        return Gateway(settings_for(server if isinstance(server, str) else server.url, **given), store)

    return to


def dollars(call: ModelCall, share: float) -> float:
    return (call.prompt_tokens * 10 + call.completion_tokens * 20) / 1e6 * share


async def test_the_calls_of_a_stage_that_can_wait_are_one_batch_at_half_the_price(gateway: Open, store: Store) -> None:
    with serving("--echo-schema", "--batch-latency", "0.5") as server:
        async with gateway(server) as opened:
            answers = await ask(opened, range(40))
        stats = server.stats()
    assert answers == ["ok"] * 40
    assert (stats["requests"], stats["batches"]) == (0, {"created": 1, "requests": 40, "distinct": 40})
    for call in store.rows(ModelCall):
        assert (call.status, call.stage, call.role, call.domain) == ("ok", "subjects", "teacher", "railway")
        assert call.dollars == pytest.approx(dollars(call, 0.5))
        assert call.seconds >= 0.5
    (job,) = store.rows(BatchJob)
    assert (job.closed, job.status, job.calls, job.answered, job.failed) == (True, "completed", 40, 40, 0)
    assert {row.request for row in store.rows(BatchCall)} == {""}, "a request is kept once"


async def test_a_late_answer_is_the_same_as_a_live_one(gateway: Open, store: Store, tmp_path: Path) -> None:
    async def all_kinds(opened: Gateway, stage: str) -> tuple[Any, ...]:
        where = {"stage": stage, "domain": "railway"}
        return await asyncio.gather(
            opened.text("teacher", HELLO, temperature=0.3, **where),
            opened.typed("teacher", HELLO, Subjects, **where),
            opened.chat("agent", HELLO, [TOOL], tool_choice="required", **where),
        )

    with serving("--echo-schema") as server:
        async with gateway(server) as opened:
            late = await all_kinds(opened, "subjects")
            kept = {call.key: (call.request, call.response, call.tools) for call in store.rows(ModelCall)}
            again = await all_kinds(opened, "tasks")
        stats = server.stats()
    assert (stats["requests"], stats["batches"]["requests"]) == (0, 3), "a late answer is in the cache like any other"
    assert late[:2] == again[:2]
    assert late[2].message == again[2].message
    with serving("--echo-schema") as server, Store(f"sqlite:///{tmp_path}/fresh.db") as fresh:
        async with Gateway(settings_for(server.url, batch_stages=[]), fresh) as opened:
            live = await all_kinds(opened, "subjects")
        assert live[:2] == late[:2]
        assert live[2].message == late[2].message
        contents = {(call.request, call.response, call.tools) for call in fresh.rows(ModelCall)}
    assert contents == set(kept.values())


async def test_other_stages_and_other_lanes_do_not_wait(gateway: Open) -> None:
    with serving("--echo-schema") as server:
        models = {"agent": ModelSettings(model="offline/reference")}
        async with gateway(server, models=models) as opened:
            assert await ask(opened, range(3), stage="tasks") == ["ok"] * 3
            asked = [{"role": "system", "content": "Stage: subjects\nDomain: railway"}, *HELLO]
            assert await opened.text("agent", asked, **FOR)
        assert (server.stats()["requests"], server.stats()["batches"]["created"]) == (3, 0)


def test_a_stage_that_does_not_exist_cannot_wait() -> None:
    with pytest.raises(UserError, match=r"batch_stages.*'entries'"):
        Settings.load(batch_stages=["entrys"])


async def test_a_batch_holds_one_model_and_no_more_calls_than_allowed(gateway: Open) -> None:
    with serving("--echo-schema", "--model", "reference", "--model", "other") as server:
        models = {"judge": ModelSettings(model="openai/other", api_base=server.url)}
        async with gateway(server, batch_max_calls=10, models=models) as opened:
            texts = (opened.text("judge", [{"role": "user", "content": f"{n}"}], **FOR) for n in range(5))
            first, second = await asyncio.gather(ask(opened, range(25)), asyncio.gather(*texts))
        assert [*first, *second] == ["ok"] * 30
        assert server.stats()["batches"] == {"created": 4, "requests": 30, "distinct": 30}


@pytest.mark.parametrize("fault", ["error", "limited", "lost", "cut"])
async def test_a_line_that_failed_is_asked_live_and_no_other(gateway: Open, store: Store, fault: str) -> None:
    with serving("--echo-schema", "--batch-fault", f"{fault}=0.3") as server:
        async with gateway(server) as opened:
            answers = await ask(opened, range(40))
        stats = server.stats()
    assert answers == ["ok"] * 40
    assert stats["batches"]["created"] == 1
    assert 1 <= stats["requests"] < 40
    shares = Counter(round(call.dollars / dollars(call, 1), 3) for call in store.rows(ModelCall))
    assert shares == {0.5: 40 - stats["requests"], 1.0: stats["requests"]}


async def test_a_line_that_stands_twice_counts_once(gateway: Open, store: Store) -> None:
    with serving("--echo-schema", "--batch-fault", "doubled=0.5") as server:
        async with gateway(server) as opened:
            assert await ask(opened, range(20)) == ["ok"] * 20
        assert (server.stats()["requests"], server.stats()["batches"]["requests"]) == (0, 20)
    assert len(store.rows(ModelCall)) == 20


async def test_what_the_endpoint_has_against_one_call_reaches_that_call_alone(gateway: Open, store: Store) -> None:
    never = {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": False}}}
    with serving("--echo-schema") as server:
        async with gateway(server) as opened:
            good, bad = await asyncio.gather(ask(opened, range(5)), ask(opened, range(1), **never))
    assert good == ["ok"] * 5
    assert [type(each) for each in bad] == [BadRequest]
    assert Counter(call.status for call in store.rows(ModelCall)) == {"ok": 5, "BadRequest": 1}


async def test_a_refusal_in_a_batch_is_a_refusal(gateway: Open) -> None:
    with serving("--echo-schema", "--batch-fault", "refusal=1") as server:
        async with gateway(server) as opened:
            assert [type(each) for each in await ask(opened, range(3))] == [Refused] * 3
        assert server.stats()["requests"] == 0


async def test_calls_that_expired_join_the_next_batch(gateway: Open, store: Store) -> None:
    with serving("--echo-schema", "--batch-fault", "expired=0.3") as server:
        async with gateway(server) as opened:
            answers = await ask(opened, range(30))
        stats = server.stats()
    assert answers == ["ok"] * 30
    assert stats["requests"] == 0
    assert stats["batches"]["requests"] == 30, "what was answered is not asked again"
    assert {job.status for job in store.rows(BatchJob)} == {"expired", "completed"}


async def test_calls_that_expire_every_time_are_given_up(gateway: Open) -> None:
    with serving("--echo-schema", "--batch-fault", "expired=1") as server:
        async with gateway(server) as opened:
            (error,) = await ask(opened, range(1))
        assert isinstance(error, BatchEnded)
        assert "TOOLSCALE_BATCH_STAGES" in str(error)
        assert server.stats()["batches"] == {"created": 3, "requests": 0, "distinct": 1}


async def test_a_cancelled_batch_keeps_its_answers_and_the_run_is_told(gateway: Open, store: Store) -> None:
    with serving("--echo-schema", "--batch-latency", "12") as server:
        async with gateway(server) as opened:
            asked = asyncio.create_task(ask(opened, range(60)))
            await until(lambda: any(job.answered >= 3 for job in store.rows(BatchJob)))
            (job,) = store.rows(BatchJob)
            server.client().batches.cancel(job.batch)
            answers = await asked
        executed = server.stats()["batches"]["requests"]
        told = [each for each in answers if isinstance(each, BatchEnded)]
        assert answers.count("ok") == executed >= 3
        assert len(told) == 60 - executed
        assert "run again" in str(told[0])
        assert len([call for call in store.rows(ModelCall) if call.status == "ok"]) == executed
    with serving("--echo-schema", "--port", str(server.port)) as server:
        async with gateway(server) as opened:
            assert await ask(opened, range(60)) == ["ok"] * 60
        assert server.stats()["batches"]["requests"] == 60 - executed


async def test_a_batch_that_the_endpoint_does_not_accept_says_why(gateway: Open, store: Store) -> None:
    with serving("--echo-schema", "--model", "other") as server:
        async with gateway(server) as opened:
            errors = await ask(opened, range(2))
    assert [type(each) for each in errors] == [BatchEnded] * 2
    assert "no model `reference` here" in str(errors[0])
    (job,) = store.rows(BatchJob)
    assert (job.status, job.closed) == ("failed", True)
    assert "no model `reference` here" in str(job.error)


@pytest.mark.parametrize("status", [404, 405])
async def test_an_endpoint_without_batches_names_the_setting(gateway: Open, store: Store, status: int) -> None:
    with answering(status, '{"detail": "Not Found"}', "application/json") as url:
        async with gateway(url) as opened:
            errors = await ask(opened, range(2))
    assert [type(each) for each in errors] == [UserError] * 2
    assert "TOOLSCALE_BATCH_STAGES" in str(errors[0])
    (job,) = store.rows(BatchJob)
    assert (job.status, job.closed) == ("never_sent", True)


@pytest.mark.parametrize(
    ("body", "kind"), [("<html>Sign in</html>", "text/html"), ("{}", "application/json"), ("[]", "application/json")]
)
async def test_an_endpoint_that_sends_no_batches_is_named_after_a_while(gateway: Open, body: str, kind: str) -> None:
    with answering(200, body, kind) as url:
        async with gateway(url, deadline_seconds=0.2) as opened:
            (error,) = await ask(opened, range(1))
    assert isinstance(error, RetriesExhausted)
    assert "api_base and any proxy" in str(error)


async def test_a_wrong_key_is_a_wrong_key_and_is_never_repeated(
    gateway: Open, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving("--echo-schema", "--key-variable", "SERVER_KEY", SERVER_KEY=KEY) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-wrong-key-000")
        async with gateway(server) as opened:
            (error,) = await ask(opened, range(1))
        assert isinstance(error, BadKey)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        async with gateway(server) as opened:
            assert await ask(opened, range(1)) == ["ok"]
    kept = " ".join(str(row.model_dump()) for table in (BatchJob, BatchCall, ModelCall) for row in store.rows(table))
    assert "sk-canary" not in f"{error} {kept}"


async def test_a_lost_answer_to_the_creation_of_a_batch_does_not_make_another(
    gateway: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    create, lost = BatchEndpoint.create, []

    async def created_and_lost(self: BatchEndpoint, job: str, file: str) -> Any:
        seen = await create(self, job, file)
        if not lost:
            lost.append(seen.id)
            raise Transient(TimedOut("the answer was lost"))
        return seen

    monkeypatch.setattr(BatchEndpoint, "create", created_and_lost)
    with serving("--echo-schema") as server:
        async with gateway(server) as opened:
            assert await ask(opened, range(5)) == ["ok"] * 5
        assert lost
        assert server.stats()["batches"] == {"created": 1, "requests": 5, "distinct": 5}
