"""A batch outlives the process that sent it: what is under way is found again, and nothing is paid for twice."""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.llm.batching import ask, settings_for, until
from tests.llm.conftest import KEY
from tests.served import Server, serving
from toolscale.cli import app
from toolscale.llm import Gateway
from toolscale.llm.batches.endpoint import BatchEndpoint
from toolscale.llm.errors import TimedOut, Transient
from toolscale.store import BatchJob, ModelCall, Store

ROOT = Path(__file__).parents[2]
CALLS = 25


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving("--echo-schema", "--batch-latency", "1") as running:
        yield running


def gateway(server: Server, store: Store, **given: Any) -> Gateway:
    return Gateway(settings_for(server.url, **given), store)


async def asked_and_left(server: Server, store: Store, until_it: Callable[[BatchJob], bool], calls: int) -> BatchJob:
    """A run that ends while its batch is under way."""
    async with gateway(server, store) as opened:
        asking = asyncio.create_task(ask(opened, range(calls)))
        await until(lambda: any(until_it(job) for job in store.rows(BatchJob)))
    await asyncio.gather(asking, return_exceptions=True)
    (job,) = store.rows(BatchJob)
    return job


async def test_another_run_waits_for_the_same_batch_and_collects_all_of_it(server: Server, store: Store) -> None:
    await asked_and_left(server, store, lambda job: job.batch is not None, CALLS)
    async with gateway(server, store) as opened:
        assert await ask(opened, range(5)) == ["ok"] * 5
        assert len(store.rows(ModelCall, status="ok")) == CALLS, "the others were paid for too"
        assert await ask(opened, range(CALLS + 2)) == ["ok"] * (CALLS + 2)
    stats = server.stats()
    assert (stats["requests"], stats["batches"]) == (0, {"created": 2, "requests": CALLS + 2, "distinct": CALLS + 2})


async def test_calls_that_were_gathered_and_never_sent_are_sent_by_the_next_run(server: Server, store: Store) -> None:
    async with gateway(server, store, deadline_seconds=0.1) as opened:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(BatchEndpoint, "upload", _cut_off)
            (error,) = await ask(opened, range(1))
    assert isinstance(error, TimedOut)
    async with gateway(server, store) as opened:
        assert await ask(opened, range(1)) == ["ok"]
    assert server.stats()["batches"] == {"created": 1, "requests": 1, "distinct": 1}
    assert {job.status for job in store.rows(BatchJob)} == {"never_sent", "completed"}


async def _cut_off(self: BatchEndpoint, job: str, lines: bytes) -> str:
    raise Transient(TimedOut("the cable was pulled"))


async def test_a_batch_is_found_by_its_job_among_many(server: Server, store: Store) -> None:
    job = await asked_and_left(server, store, lambda job: job.batch is not None, 1)
    others = server.client()
    file = others.files.create(file=b"x", purpose="batch")
    for _ in range(105):  # more than one page
        others.batches.create(input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h")
    endpoint = BatchEndpoint(job.model, server.url, 10, most_bytes=10**6)
    found = await endpoint.find(job.id, job.created_at)
    assert found is not None
    assert found.id == job.batch
    assert await endpoint.find("another", job.created_at) is None
    await endpoint.close()


# kill -9


def run(server: Server, database: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.llm.batching", server.url, str(database), str(CALLS)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()


def finished(server: Server, database: Path) -> list[str]:
    """What a run that nobody kills answers."""
    with run(server, database) as process:
        answers: list[str] = json.loads(process.communicate(timeout=90)[0])
    return answers


def jobs_in(database: Path) -> list[BatchJob]:
    with Store(f"sqlite:///{database}") as store:
        return store.rows(BatchJob)


@pytest.mark.slow
def test_a_run_killed_between_any_two_steps_pays_for_nothing_twice(tmp_path: Path) -> None:
    database = tmp_path / "killed.db"
    with serving("--echo-schema", "--batch-latency", "1.5", "--latency", "0.6") as server:
        steps: list[Callable[[], bool]] = [
            lambda: True,
            lambda: any(job.status == "gathered" for job in jobs_in(database)),
            lambda: server.stats()["batches"]["created"] == 1,  # and its id is still on the way
            lambda: any(job.batch for job in jobs_in(database)),
            lambda: server.stats()["batches"]["requests"] == CALLS,
        ]
        for reached in steps:
            with run(server, database) as process:
                deadline = time.monotonic() + 60
                while not reached():
                    assert time.monotonic() < deadline
                kill(process)
        assert finished(server, database) == ["ok"] * CALLS
        stats = server.stats()
    assert (stats["requests"], stats["batches"]) == (0, {"created": 1, "requests": CALLS, "distinct": CALLS})
    with Store(f"sqlite:///{database}") as store:
        assert len(store.rows(ModelCall, status="ok")) == CALLS
        assert all(job.closed for job in store.rows(BatchJob))


@pytest.mark.slow
def test_a_run_killed_at_random_moments_pays_for_nothing_twice(tmp_path: Path) -> None:
    database, chance = tmp_path / "killed.db", random.Random(7)
    with serving("--echo-schema", "--batch-latency", "0.5", "--latency", "0:0.4") as server:
        for _ in range(6):
            with run(server, database) as process:
                time.sleep(chance.uniform(0, 1.5))
                kill(process)
        assert finished(server, database) == ["ok"] * CALLS
        stats = server.stats()
    assert (stats["requests"], stats["batches"]["requests"]) == (0, CALLS)


# `toolscale batches`


def toolscale(server: Server, database: str, *arguments: str) -> list[dict[str, Any]]:
    variables = {"TOOLSCALE_STORE_URL": database, "TOOLSCALE_PRICES": os.environ.get("TOOLSCALE_PRICES", "{}")}
    result = CliRunner().invoke(app, ["batches", *arguments, "--json"], env=variables, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_batches_are_collected_without_a_run(
    server: Server, store: Store, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLSCALE_PRICES", '{"openai/reference": {"input": 1, "output": 1}}')
    job = asyncio.run(asked_and_left(server, store, lambda job: job.batch is not None, CALLS))
    (listed,) = toolscale(server, database, "list")
    assert (listed["batch"], listed["calls"], listed["collected"]) == (job.batch, CALLS, False)
    deadline = time.monotonic() + 60
    while not toolscale(server, database, "collect", str(job.batch))[0]["collected"]:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert len(store.rows(ModelCall, status="ok")) == CALLS
    assert toolscale(server, database, "collect") == []
    assert toolscale(server, database, "list")[0]["status"] == "completed"
    assert asyncio.run(_answers(server, store)) == ["ok"] * CALLS
    assert server.stats()["batches"]["created"] == 1


async def _answers(server: Server, store: Store) -> list[Any]:
    async with gateway(server, store) as opened:
        return await ask(opened, range(CALLS))


def test_batches_are_cancelled_without_a_run(store: Store, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLSCALE_PRICES", '{"openai/reference": {"input": 1, "output": 1}}')
    with serving("--echo-schema", "--batch-latency", "10") as server:
        asyncio.run(asked_and_left(server, store, lambda job: job.answered >= 1, CALLS))
        toolscale(server, database, "cancel", "--all")
        deadline = time.monotonic() + 60
        while toolscale(server, database, "collect"):
            assert time.monotonic() < deadline
        executed = server.stats()["batches"]["requests"]
    (job,) = store.rows(BatchJob)
    assert (job.status, job.closed) == ("cancelled", True)
    assert 1 <= len(store.rows(ModelCall, status="ok")) == executed < CALLS


def test_a_batch_that_the_endpoint_has_forgotten_can_be_given_up(
    store: Store, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLSCALE_PRICES", '{"openai/reference": {"input": 1, "output": 1}}')
    with serving("--echo-schema", "--batch-latency", "60") as server:
        asyncio.run(asked_and_left(server, store, lambda job: job.batch is not None, 2))
    with serving("--echo-schema", "--port", str(server.port)) as forgetful:
        (error, _) = asyncio.run(_answers_of_two(forgetful, store))
        assert "does not know batch_1" in str(error)
        assert "toolscale batches cancel" in str(error)
        assert "does not know" in toolscale(forgetful, database, "list")[0]["error"]
        assert toolscale(forgetful, database, "cancel", "batch_1")[0]["status"] == "lost"
        assert asyncio.run(_answers_of_two(forgetful, store)) == ["ok"] * 2


async def _answers_of_two(server: Server, store: Store) -> list[Any]:
    async with gateway(server, store) as opened:
        return await ask(opened, range(2))


def test_a_batch_must_be_named_to_be_cancelled(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLSCALE_STORE_URL", database)
    for arguments, said in (
        (["cancel"], "--all"),
        (["cancel", "batch_9"], "batch_9"),
        (["collect", "x"], "no batch x"),
    ):
        result = CliRunner().invoke(app, ["batches", *arguments])
        assert said in str(result.exception)
