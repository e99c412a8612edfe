"""Requests and new weights never meet: an engine that is given weights first finishes the messages it is sampling."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager


class Gate:
    """Requests pass it one beside the other. It is shut for new weights: those inside leave, later ones wait."""

    def __init__(self) -> None:
        self._inside = 0
        self._open, self._empty = asyncio.Event(), asyncio.Event()
        self._open.set()
        self._empty.set()

    @asynccontextmanager
    async def passing(self) -> AsyncIterator[None]:
        """Held while a message is sampled."""
        while not self._open.is_set():
            await self._open.wait()
        with self._counted():
            yield

    @asynccontextmanager
    async def shut(self) -> AsyncIterator[None]:
        """Held while weights are replaced; by one at a time."""
        self._open.clear()
        try:
            await self._empty.wait()
            yield
        finally:
            self._open.set()

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._inside += 1
        self._empty.clear()
        try:
            yield
        finally:
            self._inside -= 1
            if not self._inside:
                self._empty.set()
