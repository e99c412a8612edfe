"""Requests and new weights never meet, and neither waits for ever."""

import asyncio
from random import Random

import pytest

pytest.importorskip("torch")

from trainer.rollout.gate import Gate


def test_while_it_is_shut_nobody_is_inside_and_everybody_gets_through():
    draw, gate = Random(0), Gate()
    inside, shut, through = 0, False, 0

    async def asks() -> None:
        nonlocal inside, through
        for _ in range(10):
            async with gate.passing():
                assert not shut
                inside += 1
                await asyncio.sleep(draw.random() / 500)
                inside -= 1
            through += 1

    async def replaces() -> None:
        nonlocal shut
        for _ in range(10):
            await asyncio.sleep(draw.random() / 200)
            async with gate.shut():
                assert inside == 0
                shut = True
                await asyncio.sleep(draw.random() / 500)
                shut = False

    async def all_together() -> None:
        await asyncio.wait_for(asyncio.gather(*(asks() for _ in range(20)), replaces()), 60)

    asyncio.run(all_together())
    assert through == 200


def test_who_is_cancelled_inside_or_while_waiting_is_not_waited_for():
    async def story() -> None:
        gate = Gate()

        async def stays() -> None:
            async with gate.passing():
                await asyncio.sleep(3600)

        first = asyncio.ensure_future(stays())
        await asyncio.sleep(0)

        async def replaces() -> None:
            async with gate.shut():
                pass

        shutting = asyncio.ensure_future(replaces())
        await asyncio.sleep(0)
        waiting = asyncio.ensure_future(stays())
        await asyncio.sleep(0)
        waiting.cancel()
        first.cancel()
        await asyncio.wait_for(shutting, 10)
        await asyncio.gather(first, waiting, return_exceptions=True)
        async with gate.shut():
            pass

    asyncio.run(story())
