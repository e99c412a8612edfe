"""Rollouts that run ahead: while the learner learns from a batch, the engine plays those of the next steps."""

import asyncio
from collections import deque

from trainer.learning.batches import Batch, Batches


class Ahead:
    """Hands out the batches of a training in order, and plays up to `ahead` of the next ones meanwhile.

    The batch of step s is begun when the learner asks for that of step s - ahead, so with weights of at least that
    version: nothing that is learnt from is older than `ahead` versions. Weights that come while it is played count
    from each episode's next message on. One batch is played at a time; with 0 none is played but that asked for.
    """

    def __init__(self, batches: Batches, ahead: int, first: int, last: int) -> None:
        """Batches of the steps from `first` up to but not including `last`."""
        self._batches, self._ahead = batches, ahead
        self._next, self._last = first, last
        self._begun: deque[asyncio.Task[Batch]] = deque()

    async def next(self) -> Batch:
        """The batch of the next step; it is called when the weights that will learn from it are the engine's."""
        learning = self._next - len(self._begun)
        while self._next < min(learning + self._ahead + 1, self._last):
            before = self._begun[-1] if self._begun else None
            self._begun.append(asyncio.ensure_future(self._play(self._next, before)))
            self._next += 1
        batch = await self._begun[0]
        self._begun.popleft()
        return batch

    async def close(self) -> None:
        """Cancel what is still played. A training that goes on plays it again."""
        for task in self._begun:
            task.cancel()
        await asyncio.gather(*self._begun, return_exceptions=True)

    async def _play(self, step: int, before: asyncio.Task[Batch] | None) -> Batch:
        if before is not None:
            await before
        return await self._batches.play(step)
