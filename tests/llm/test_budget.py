"""A budget ends a run within one wave of calls in flight of its caps, and keeps whatever was paid for."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.llm.conftest import FOR, HELLO, Connect
from tests.openai_server import OpenAIServer
from toolscale.llm import BudgetSpent, Gateway, GatewayError
from toolscale.llm.budget import Budget, Caps, Spent
from toolscale.llm.budgets import spent
from toolscale.llm.prices import Prices
from toolscale.llm.reply import ChatReply
from toolscale.llm.request import Request, make_request
from toolscale.settings import Price
from toolscale.store import ModelCall, Store

MODEL = "openai/anything"
PRICES = {MODEL: {"input": 1000.0, "output": 0.0}}
"""Dear prompts and free answers: what a call costs is known beforehand, to within the estimate's characters."""


async def ask(gateway: Gateway, calls: int, first: int = 0, **settings: Any) -> list[str | BaseException]:
    asked = [gateway.text("teacher", HELLO, **FOR, sample=first + number, **settings) for number in range(calls)]
    return await asyncio.gather(*asked, return_exceptions=True)


def answered(results: list[str | BaseException]) -> int:
    assert all(result == "x" or isinstance(result, BudgetSpent) for result in results), results
    return sum(result == "x" for result in results)


async def test_dollars_end_below_the_cap_and_every_waiting_call_says_so(connect: Connect, store: Store) -> None:
    with OpenAIServer(lambda request: "x", seconds=0.01) as server:
        gateway = connect(server, prices=PRICES, max_cost=0.2, max_in_flight=4)
        results = await ask(gateway, 100)
        await gateway.close()
    paid = store.cost_by("stage")[0]
    assert 0 < answered(results) == paid.calls == len(server.requests) < 100
    dearest = max(call.dollars or 0 for call in store.rows(ModelCall))
    assert 0.2 - 4 * dearest < paid.dollars <= 0.2


async def test_answers_longer_than_thought_overrun_by_no_more_than_one_wave(connect: Connect, store: Store) -> None:
    with OpenAIServer(
        lambda request: "x" * 40_000, seconds=0.01
    ) as server:  # ten times what a first answer is held for
        gateway = connect(server, prices={MODEL: {"input": 0, "output": 1.0}}, max_cost=0.1, max_in_flight=4)
        await ask(gateway, 200)
        await gateway.close()
    costs = [call.dollars or 0 for call in store.rows(ModelCall)]
    assert 0.1 - max(costs) < sum(costs) <= 0.1 + 4 * max(costs)


async def test_exactly_as_many_calls_are_made_as_the_cap_says(connect: Connect, store: Store) -> None:
    with OpenAIServer(lambda request: "x", seconds=0.01) as server:
        results = await ask(connect(server, max_calls=7, max_in_flight=3), 20)
    assert answered(results) == len(server.requests) == len(store.rows(ModelCall)) == 7


async def test_a_cap_of_nothing_still_gives_what_is_in_the_store(connect: Connect) -> None:
    with OpenAIServer(lambda request: "x") as server:
        await ask(connect(server, prices=PRICES), 3)
        capped = connect(server, prices=PRICES, max_cost=0, max_calls=0)
        assert await ask(capped, 3) == ["x"] * 3
        assert answered(await ask(capped, 2, first=3)) == 0
    assert len(server.requests) == 3


async def test_the_next_run_goes_on_and_pays_for_nothing_twice(connect: Connect, store: Store) -> None:
    with OpenAIServer(lambda request: "x") as server:
        for _ in range(20):
            results = await ask(connect(server, max_calls=3), 20)
            if answered(results) == 20:
                break
    assert results == ["x"] * 20
    assert len(server.requests) == len(store.rows(ModelCall)) == 20


async def test_calls_in_flight_are_finished_and_kept_when_the_gateway_closes(connect: Connect, store: Store) -> None:
    with OpenAIServer(lambda request: "x", seconds=0.3) as server:
        with pytest.raises(BudgetSpent):
            async with connect(server, max_calls=5) as gateway:
                await asyncio.gather(*[gateway.text("teacher", HELLO, **FOR, sample=number) for number in range(9)])
        assert [call.status for call in store.rows(ModelCall)] == ["ok"] * 5
    assert len(server.requests) == 5


async def test_gateways_of_one_run_share_a_budget_by_the_ledger(connect: Connect, store: Store) -> None:
    with OpenAIServer(lambda request: "x") as server:
        settings = connect(server, max_calls=5)._settings
        for run, calls, first, let_out in (("tuesday", 3, 0, 3), ("tuesday", 9, 3, 2), ("wednesday", 9, 12, 5)):
            async with Gateway(settings, store, run=run) as gateway:
                assert answered(await ask(gateway, calls, first=first)) == let_out
    assert spent(store, "tuesday").calls == 5


async def test_max_tokens_bounds_what_an_answer_may_cost(connect: Connect, store: Store) -> None:
    prices = {MODEL: {"input": 0, "output": 1000.0}}
    with OpenAIServer(lambda request: "x") as server:
        gateway = connect(server, prices=prices, max_cost=0.5)
        (refused,) = await ask(gateway, 1, max_tokens=600)
    assert isinstance(refused, BudgetSpent)
    assert "$0.6000" in str(refused)
    assert server.requests == []


async def test_a_failed_call_gives_its_place_back(connect: Connect) -> None:
    with OpenAIServer(lambda request: "x") as server:
        server.faults.extend([400] * 3)
        gateway = connect(server, prices=PRICES, max_cost=0.05, max_in_flight=1)
        results = await ask(gateway, 3)
        assert all(isinstance(result, GatewayError) and not isinstance(result, BudgetSpent) for result in results)
        assert answered(await ask(gateway, 1, first=3)) == 1


async def test_a_hanging_endpoint_holds_up_no_other_before_the_cap_is_near(connect: Connect) -> None:
    with OpenAIServer(lambda request: "x", seconds=30) as slow, OpenAIServer(lambda request: "x") as quick:
        judge = {"judge": {"model": "openai/slow", "api_base": slow.url}}
        gateway = connect(quick, models=judge, max_in_flight=2, max_calls=100)
        hanging = [asyncio.create_task(gateway.text("judge", HELLO, **FOR, sample=number)) for number in range(6)]
        await asyncio.sleep(0.05)
        assert answered(await ask(gateway, 20)) == 20
        for task in hanging:
            task.cancel()


def test_a_budget_serves_several_event_loops_at_once() -> None:
    budget = Budget(Caps(calls=30), Prices({MODEL: Price(input=0, output=0)}), wave=2)

    async def many() -> int:
        results = await asyncio.gather(*[one(budget, number) for number in range(20)], return_exceptions=True)
        return sum(result is None for result in results)

    async def threads() -> list[int]:
        return list(await asyncio.gather(*[asyncio.to_thread(asyncio.run, many()) for _ in range(3)]))

    assert sum(asyncio.run(threads())) == 30


async def one(budget: Budget, number: int, tokens: int = 0) -> None:
    async with budget.flight(request(number)) as flight:
        await asyncio.sleep(0.001)
        flight.reply = ChatReply({}, "stop", 0, tokens, cached=False)


def request(number: int) -> Request:
    return make_request(MODEL, None, HELLO, None, {}, seed=0, sample=number)


@given(
    cap=st.floats(0, 2),
    wave=st.integers(1, 6),
    answers=st.lists(st.integers(0, 5000), max_size=40),
    gives_up=st.lists(st.integers(0, 39), max_size=5),
)
def test_whatever_the_answers_the_overrun_is_less_than_one_wave(
    cap: float, wave: int, answers: list[int], gives_up: list[int]
) -> None:
    prices = Prices({MODEL: Price(input=0, output=100)})
    budget = Budget(Caps(dollars=cap), prices, wave=wave)

    async def run() -> None:
        calls = [asyncio.create_task(one(budget, number, tokens)) for number, tokens in enumerate(answers)]
        await asyncio.sleep(0)
        for number in gives_up:
            if number < len(calls):
                calls[number].cancel()
        await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), timeout=30)  # nobody waits for ever

    asyncio.run(run())
    paid = budget._spent
    assert paid.dollars <= cap + wave * max([*answers, 0]) / 1e4 + 1e-9
    assert budget._out.total() == 0
    assert not any(budget._queues.values())


async def test_calls_in_batches_are_one_wave_however_many() -> None:
    budget = Budget(Caps(calls=50), Prices({MODEL: Price(input=0, output=0)}), wave=1)
    together = asyncio.Event()
    out = 0

    async def batched(number: int) -> None:
        nonlocal out
        async with budget.flight(request(number), batch=True):
            out += 1
            if out == 40:
                together.set()
            await together.wait()

    await asyncio.wait_for(asyncio.gather(*map(batched, range(40))), timeout=30)


def test_what_was_spent_before_counts() -> None:
    budget = Budget(Caps(calls=3), Prices({MODEL: Price(input=0, output=0)}), wave=8, before=Spent(3, 0.0))
    with pytest.raises(BudgetSpent, match=r"3 calls.*max_calls is 3"):
        asyncio.run(one(budget, 0))
    assert budget.ended
