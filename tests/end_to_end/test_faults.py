"""Every fault of an endpoint, at a gateway that works: each call ends, none is lost, none is paid for twice."""

import asyncio
import gc
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.conftest import FREE
from tests.served import Server, serving, wait_until
from toolscale.llm import Gateway, GatewayError, Refused, RetriesExhausted, TimedOut
from toolscale.llm import traffic as traffic_module
from toolscale.mock_endpoint import FAULTS
from toolscale.settings import Settings
from toolscale.store import ModelCall, Store

CALLS = 300
RETRIES = 2
ANSWER_IN_TIME = {"error", "reset", "cut", "malformed", "wrong_type", "empty", "refusal", "html"}
NAMED = {RetriesExhausted, TimedOut, Refused}
ALL_AT_ONCE = dict.fromkeys(FAULTS, 0.05)


def switches(rates: Mapping[str, float]) -> list[str]:
    return [part for fault, rate in rates.items() for part in (f"--{fault.replace('_', '-')}-rate", str(rate))]


async def ask(gateway: Gateway, number: int) -> Any:
    """What a call ends as: its answer, or its error. By turns a typed answer, a text, a tool's call."""
    said = [{"role": "user", "content": f"question {number}"}]
    told: dict[str, Any] = {"stage": "subjects", "domain": "railway", "seed": number}
    schema = {"type": "object", "properties": {"n": {"const": number}}, "required": ["n"]}
    try:
        match number % 3:
            case 0:
                return await gateway.typed("teacher", said, schema, **told)
            case 1:
                return await gateway.text("user", said, **told)
            case _:
                find = {"type": "function", "function": {"name": "find", "parameters": schema}}
                reply = await gateway.chat("agent", said, [find], tool_choice="required", **told)
                return reply.message["tool_calls"][0]["function"]["arguments"] if not reply.text else reply.text
    except GatewayError as error:
        return error


def right(number: int) -> Any:
    return ({"n": number}, "ok", f'{{"n": {number}}}')[number % 3]


def connections_to(port: int | None) -> int:
    """Connections of this machine's programs to a port, as the kernel lists them."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[2].endswith(f":{port:04X}") and row[3] == "01" for row in rows)


async def run(server: Server, store: Store, **settings: Any) -> list[Any]:
    """Make every call at once; what each ended as, in order. Nothing is left open behind it."""
    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    given = Settings(
        default_model="openai/reference",
        default_api_base=server.url,
        retries=RETRIES,
        retry_seconds=0.01,
        max_in_flight=32,
        **settings,
    )
    async with Gateway(given, store) as gateway:
        ended = await asyncio.wait_for(asyncio.gather(*[ask(gateway, number) for number in range(CALLS)]), 240)
        assert (gateway.sight().in_flight, gateway.sight().waiting) == (0, 0)
    for _ in range(500):  # the kernel closes in its own time
        if connections_to(server.port) == 0:
            break
        await asyncio.sleep(0.02)
    assert connections_to(server.port) == 0
    del gateway
    gc.collect()
    assert complaints == []
    return ended


def check(server: Server, store: Store, settings: Mapping[str, Any], *, exactly: bool) -> None:
    """``exactly``: no answer may come too late, so the server's count of answers is the ledger's."""
    first = asyncio.run(run(server, store, **settings))
    failed = {number: ended for number, ended in enumerate(first) if isinstance(ended, GatewayError)}
    assert {number: first[number] for number in range(CALLS) if number not in failed} == {
        number: right(number) for number in range(CALLS) if number not in failed
    }
    assert {type(error) for error in failed.values()} <= NAMED
    assert all(len(str(error).splitlines()) == 1 for error in failed.values())
    unpaid = {number for number, error in failed.items() if not isinstance(error, Refused)}

    wait_until(lambda: server.stats()["in_flight"] == 0)
    stats, calls = server.stats(), store.rows(ModelCall)
    answered = stats["ok"] + stats["errors"].get("refusal", 0)
    kept = Counter(call.status for call in calls)["ok"]
    assert len(calls) == CALLS == stats["distinct"]
    assert stats["requests"] == stats["ok"] + sum(stats["errors"].values()) <= CALLS * (1 + RETRIES)
    assert kept == CALLS - len(unpaid)
    assert kept == answered if exactly else kept <= answered

    again = asyncio.run(run(server, store, **settings))
    wait_until(lambda: server.stats()["in_flight"] == 0)
    for number in range(CALLS):
        if number in unpaid:
            assert again[number] == right(number) or type(again[number]) in NAMED
        elif number in failed:
            assert str(again[number]) == str(first[number])
        else:
            assert again[number] == first[number]
    newly = server.stats()["requests"] - stats["requests"]
    assert len(unpaid) <= newly <= len(unpaid) * (1 + RETRIES)
    assert server.stats()["distinct"] == CALLS


@pytest.mark.parametrize("fault", sorted(ANSWER_IN_TIME))
def test_a_fault_at_a_fifth_of_the_requests_loses_no_call_and_pays_for_none_twice(fault: str, store: Store) -> None:
    with serving("--echo-schema", *switches({fault: 0.2})) as server:
        check(server, store, {}, exactly=True)
        assert server.stats()["errors"][fault] > CALLS / 8
        assert server.stats()["errors"].keys() == {fault}


def test_hangs_at_a_fifth_of_the_requests_hold_nobody_up_for_ever(store: Store) -> None:
    with serving("--echo-schema", *switches({"hang": 0.2})) as server:
        check(server, store, {"timeout_seconds": 2}, exactly=False)
        assert server.stats()["errors"]["hang"] > CALLS / 8


@pytest.mark.parametrize("lane", ["openai", "litellm"])
def test_all_faults_together_lose_no_call_in_either_lane(
    lane: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    if lane == "litellm":
        monkeypatch.setattr(traffic_module, "lane_of", lambda model: "litellm")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with serving("--echo-schema", *switches(ALL_AT_ONCE)) as server:
        check(server, store, {"timeout_seconds": 2}, exactly=False)
        assert server.stats()["errors"].keys() >= set(FAULTS)


# The factory over such an endpoint


PASSING = {"error": 0.04, "hang": 0.005, "reset": 0.04, "cut": 0.04, "malformed": 0.02, "wrong_type": 0.02} | {
    "empty": 0.02,
    "html": 0.02,
}
"""A fifth of the requests, less half a percent. A refusal is an answer: it would rightly change the rows."""


def synthesize(server: Server, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TOOLSCALE_")}
    environment |= {"OPENAI_API_KEY": "none", "TOOLSCALE_RETRY_SECONDS": "0.01", "TOOLSCALE_ATTEMPTS": "2"}
    environment |= {"TOOLSCALE_TIMEOUT_SECONDS": "10", **FREE, **variables}
    command = [sys.executable, "-m", "toolscale.cli", "synthesize", "restaurant", "--model", "openai/reference"]
    command += ["--api-base", server.url, "--tasks", "3", "--out", str(folder / "dataset"), "--json"]
    folder.mkdir(exist_ok=True)
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def rows(folder: Path) -> dict[str, list[Any]]:
    """Every row of a dataset, by its file."""
    files = sorted((folder / "dataset").rglob("*.parquet"))
    return {str(file.relative_to(folder)): pq.ParquetFile(file).read(use_threads=False).to_pylist() for file in files}


def answered(folder: Path) -> int:
    """Calls whose answers a run has kept."""
    with Store(f"sqlite:///{folder}/data/toolscale.db") as store:
        return len(store.rows(ModelCall, status="ok"))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """The rows of a run that met no fault."""
    folder = tmp_path_factory.mktemp("undisturbed")
    with serving() as server:
        finished = synthesize(server, folder)
        assert finished.returncode == 0, finished.stderr
        assert server.stats()["requests"] == server.stats()["distinct"]
    made = rows(folder)
    assert made["dataset/tasks/train.parquet"] or made["dataset/tasks/eval.parquet"]
    return made


@pytest.mark.slow
def test_a_run_over_a_bad_endpoint_ends_with_the_rows_of_an_undisturbed_one(
    undisturbed: dict[str, list[Any]], tmp_path: Path
) -> None:
    with serving(*switches(PASSING)) as server:
        finished = synthesize(server, tmp_path)
        assert finished.returncode == 0, finished.stderr
        stats = server.stats()
        assert sum(stats["errors"].values()) > stats["requests"] / 10
    assert rows(tmp_path) == undisturbed


@pytest.mark.slow
def test_a_run_that_a_bad_endpoint_ended_goes_on_when_it_is_mended(
    undisturbed: dict[str, list[Any]], tmp_path: Path
) -> None:
    port = "0"
    for seed in range(3):
        with serving("--port", port, "--fault-seed", str(seed), *switches(PASSING)) as server:
            port = str(server.port)
            broken = synthesize(server, tmp_path, TOOLSCALE_RETRIES="0")
            assert broken.returncode == 2
            lines = [line for line in broken.stderr.splitlines() if line.startswith("toolscale: ")]
            assert len(lines) == 1
            assert f"openai/reference at {server.url}: " in lines[0]
            assert "Traceback" not in broken.stderr
            assert broken.stdout == ""
            assert not (tmp_path / "dataset").exists()

    paid = answered(tmp_path)
    assert paid
    with serving("--port", port) as server:
        mended = synthesize(server, tmp_path)
        assert mended.returncode == 0, mended.stderr
        assert server.stats()["requests"] == server.stats()["ok"] == answered(tmp_path) - paid
    assert rows(tmp_path) == undisturbed
