"""How far a stage is: how many are done, of how many."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Told(Protocol):
    """Hears how many are done, of how many, and what there is so far."""

    def __call__(self, done: int, total: int, counts: Mapping[str, int] | None = None, /) -> None:
        """So far the stage is."""


def unheard(done: int, total: int, counts: Mapping[str, int] | None = None) -> None:
    """For a stage to which nobody listens."""


async def gathered(work: Sequence[Awaitable[T]], told: Told) -> list[T]:
    """All results in the order of the work, which is done side by side; tells of each as it is done."""
    done = 0

    async def counted(each: Awaitable[T]) -> T:
        nonlocal done
        result = await each
        done += 1
        told(done, len(work))
        return result

    return list(await asyncio.gather(*map(counted, work)))
