"""One endpoint that hangs, or that one stage floods, holds up nobody else. The servers are processes of their own."""

import asyncio
from typing import Any

import pytest

from tests.llm.conftest import FOR, HELLO
from tests.served import serving, wait_until

CALLS = 200


async def test_every_call_to_a_healthy_endpoint_is_answered_while_all_to_a_hanging_one_are_out(
    each_lane: str, gateway_to: Any
) -> None:
    with serving("--echo-schema", "--hang-rate", "1") as hanging, serving("--echo-schema") as healthy:
        models = {"judge": {"model": "openai/reference", "api_base": hanging.url}}
        prices = {"openai/reference": {"input": 1, "output": 1}}
        async with gateway_to(
            healthy.url, default_model="openai/reference", models=models, prices=prices, max_in_flight=8
        ) as gateway:
            stuck = [asyncio.create_task(gateway.text("judge", HELLO, **FOR, sample=n)) for n in range(CALLS)]
            await asyncio.to_thread(wait_until, lambda: hanging.stats()["in_flight"] == 8)
            said = await asyncio.gather(*[gateway.text("teacher", HELLO, **FOR, sample=n) for n in range(CALLS)])
            assert said == ["ok"] * CALLS
            assert not any(call.done() for call in stuck)
            assert (await asyncio.to_thread(hanging.stats))["in_flight"] == 8
            assert (await asyncio.to_thread(healthy.stats))["most_in_flight"] <= 8
            for call in stuck:
                call.cancel()


@pytest.mark.parametrize("slots", [[], ["--slots", "3"]], ids=["free", "limited"])
async def test_a_stage_with_few_calls_does_not_wait_for_one_with_many(slots: list[str], gateway_to: Any) -> None:
    with serving("--echo-schema", "--latency", "0.01", *slots) as server:
        prices = {"openai/reference": {"input": 1, "output": 1}}
        async with gateway_to(server.url, default_model="openai/reference", prices=prices, max_in_flight=4) as gateway:
            ended: list[str] = []

            async def ask(stage: str, sample: int) -> None:
                await gateway.text("teacher", HELLO, stage=stage, domain="railway", sample=sample)
                ended.append(stage)

            many = [asyncio.create_task(ask("tasks", n)) for n in range(CALLS)]
            await asyncio.sleep(0)
            few = [asyncio.create_task(ask("filtering", 1000 + n)) for n in range(10)]
            await asyncio.gather(*many, *few)
    last = max(place for place, stage in enumerate(ended) if stage == "filtering")
    assert last < CALLS / 2, "the ten calls of the small stage take every other turn, so they end among the first"
