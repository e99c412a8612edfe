"""Processes that spend one budget side by side stay below its caps together, as one process would."""

import json
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.openai_server import OpenAIServer
from toolscale.llm import BudgetSpent, Gateway
from toolscale.settings import Settings
from toolscale.store import Drawn, ModelCall, Share, Store

MODEL = "openai/anything"
PROCESSES, EACH = 4, 40
DEAR_PROMPTS = {"input": 1000.0, "output": 0.0}
"""What a call costs is known before it is made, to within the estimate's characters."""

SPEND = textwrap.dedent("""
    import asyncio, json, sys
    from toolscale.llm import BudgetSpent, Gateway
    from toolscale.settings import Settings
    from toolscale.store import Store

    async def main(url, api_base, first, calls, settings):
        chosen = Settings(default_model="openai/anything", default_api_base=api_base, **json.loads(settings))
        with Store(url) as store:
            async with Gateway(chosen, store, run="fleet", side_by_side=True) as gateway:
                said = [[{"role": "user", "content": f"call {int(first) + n}"}] for n in range(int(calls))]
                asked = [gateway.text("teacher", each, stage="subjects", domain="railway") for each in said]
                results = await asyncio.gather(*asked, return_exceptions=True)
        other = [each for each in results if not isinstance(each, str | BudgetSpent)]
        print(sum(isinstance(each, str) for each in results), other, flush=True)

    asyncio.run(main(*sys.argv[1:]))
""")


def start(folder: Path, url: str, server: OpenAIServer, first: int, calls: int, **settings) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SPEND, url, server.url, str(first), str(calls), json.dumps(settings)]
    return subprocess.Popen(
        command, cwd=folder, env={**os.environ, "OPENAI_API_KEY": "none"}, stdout=subprocess.PIPE, text=True
    )


def answered(programs: Iterable[subprocess.Popen[str]]) -> int:
    """Calls that were answered; every other one heard that the budget is spent."""
    said = [program.communicate(timeout=300)[0] for program in programs]
    assert all(each.endswith(" []\n") for each in said), said
    return sum(int(each.split()[0]) for each in said)


def all_at_once(folder: Path, url: str, server: OpenAIServer, first: int = 0, **settings) -> int:
    Store(url).close()
    return answered([start(folder, url, server, first + n * EACH, EACH, **settings) for n in range(PROCESSES)])


def costs(url: str) -> list[float]:
    with Store(url) as store:
        return [call.dollars or 0.0 for call in store.rows(ModelCall, run="fleet")]


def test_together_they_stay_below_a_cap_of_dollars_and_leave_less_than_a_call(database: str, tmp_path: Path) -> None:
    with OpenAIServer(lambda request: "x", seconds=0.02) as server:
        spent = {"prices": {MODEL: DEAR_PROMPTS}, "max_cost": 0.5, "max_in_flight": 4}
        made = all_at_once(tmp_path, database, server, **spent)
        paid = costs(database)
        assert made == len(paid) == len(server.requests) < PROCESSES * EACH
        assert 0.5 - 2 * max(paid) < sum(paid) <= 0.5
        assert all_at_once(tmp_path, database, server, first=1000, **spent) == 0


def test_answers_longer_than_thought_overrun_by_no_more_than_what_was_in_flight(database: str, tmp_path: Path) -> None:
    with OpenAIServer(lambda request: "x" * 40_000, seconds=0.05) as server:
        prices = {MODEL: {"input": 0, "output": 1.0}}
        all_at_once(tmp_path, database, server, prices=prices, max_cost=0.2, max_in_flight=2)
        most_at_once = server.most_at_once
    paid = costs(database)
    assert most_at_once <= 2 * PROCESSES
    assert 0.2 - max(paid) < sum(paid) <= 0.2 + 2 * PROCESSES * max(paid)


def test_together_they_make_exactly_as_many_calls_as_the_cap_says(database: str, tmp_path: Path) -> None:
    with OpenAIServer(lambda request: "x", seconds=0.01) as server:
        prices = {MODEL: {"input": 0, "output": 0}}
        assert all_at_once(tmp_path, database, server, prices=prices, max_calls=50) == 50
        assert len(server.requests) == len(costs(database)) == 50


def test_one_that_is_killed_keeps_what_it_had_in_flight_and_the_others_go_on(database: str, tmp_path: Path) -> None:
    prices = {MODEL: {"input": 0, "output": 0}}
    Store(database).close()
    with OpenAIServer(lambda request: "x", seconds=3) as slow:
        killed = start(tmp_path, database, slow, 0, 10, prices=prices, max_calls=30, max_in_flight=5)
        while len(slow.requests) < 5 and killed.poll() is None:
            time.sleep(0.05)
        killed.kill()
        killed.communicate()
    with OpenAIServer(lambda request: "x") as server:
        assert all_at_once(tmp_path, database, server, first=100, prices=prices, max_calls=30) == 25


async def test_what_the_run_paid_alone_counts_and_shares_are_few(store: Store, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    said = {"stage": "subjects", "domain": "railway"}

    with OpenAIServer(lambda request: "x") as server:
        prices = {MODEL: {"input": 0, "output": 0}}
        settings = Settings(default_model=MODEL, default_api_base=server.url, prices=prices, max_calls=5)
        for number in range(5):
            async with Gateway(settings, store, run="fleet", side_by_side=number > 1) as gateway:
                await gateway.text("teacher", [{"role": "user", "content": f"{number}"}], **said)
        async with Gateway(settings, store, run="fleet", side_by_side=True) as gateway:
            with pytest.raises(BudgetSpent, match="5 calls"):
                await gateway.text("teacher", [{"role": "user", "content": "one more"}], **said)
    seen: list[Drawn] = []
    Share(store, "fleet").settle(lambda others: seen.append(others) or Drawn())
    assert seen == [Drawn(calls=5)]
    with store.reading() as connection:
        assert connection.exec_driver_sql("select member from budget_share").scalars().all() == ["paid"]


async def test_a_store_that_cannot_be_written_refuses_those_who_wait(store: Store, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with store.engine.begin() as connection:
        connection.exec_driver_sql("drop table budget_share")
    with OpenAIServer(lambda request: "x") as server:
        settings = Settings(
            default_model=MODEL, default_api_base=server.url, prices={MODEL: DEAR_PROMPTS}, max_cost=1, retries=0
        )
        gateway = Gateway(settings, store, run="fleet", side_by_side=True)
        with pytest.raises(Exception, match="cannot write to the store"):
            await gateway.text("teacher", [{"role": "user", "content": "hello"}], stage="subjects", domain="railway")
        await gateway.close()
        assert server.requests == []
