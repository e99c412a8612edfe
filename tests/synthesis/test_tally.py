"""A stage tells how far it is."""

import asyncio

import pytest

from toolscale.synthesis.tally import gathered


async def test_each_that_is_done_is_told_and_results_keep_the_order_of_the_work():
    told = []

    async def after(turns: int) -> int:
        for _ in range(turns):
            await asyncio.sleep(0)
        return turns

    assert await gathered([after(9), after(1), after(5)], lambda *counts: told.append(counts)) == [9, 1, 5]
    assert told == [(1, 3), (2, 3), (3, 3)]


async def test_what_fails_is_not_told_as_done():
    told = []

    async def failing() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await gathered([failing()], lambda *counts: told.append(counts))
    assert not told
