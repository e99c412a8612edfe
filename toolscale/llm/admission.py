"""The queue of calls before one endpoint, on one event loop: a ``Limiter`` says who goes, and here they wait."""

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from toolscale.llm.errors import Limited
from toolscale.llm.limiter import Limiter
from toolscale.llm.sight import Queue


class Admission:
    """Lets calls to one endpoint through as its limiter admits them."""

    def __init__(self, ceiling: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._limiter: Limiter[asyncio.Future[None]] = Limiter(ceiling, self._loop.time, random.random)
        self._ceiling, self._unwritten = ceiling, 0
        self._alarm: asyncio.TimerHandle | None = None
        self._error, self._failed_at = "", 0.0

    def queue(self, endpoint: str) -> Queue:
        """Who waits now, and for what."""
        seen = self._limiter
        queue = Queue(endpoint, seen.in_flight, seen.waiting, int(seen.limit), seen.limits, seen.pause())
        if not self._error:
            return queue
        return queue._replace(error=self._error, error_age=self._loop.time() - self._failed_at)

    def failed(self, error: str) -> None:
        """Remember what the endpoint's latest failure said, for whoever watches."""
        self._error, self._failed_at = error, self._loop.time()

    @asynccontextmanager
    async def turn(self, stage: str, *, ahead: bool = False) -> AsyncIterator[None]:
        """Wait for the call's turn, ahead of the stage's others or behind; it is in flight as long as the block lasts.

        How the block ends (an answer, ``Limited``, any other exception) tells the limiter what the endpoint bears.
        """
        await self._admitted(stage, ahead=ahead)
        admitted = self._loop.time()
        try:
            yield
        except Limited as refusal:
            self._limiter.refused(admitted, refusal.retry_after)
            raise
        except BaseException:
            self._limiter.failed()
            raise
        else:
            self._limiter.succeeded(admitted)
        finally:
            self._wake()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """An answer is being written as long as the block lasts.

        No further call goes while as many answers as may be in flight wait to be written: whatever is paid faster than
        a slow disk takes it would be lost with the process, or when the disk turns out to be full.
        """
        self._unwritten += 1
        try:
            yield
        finally:
            self._unwritten -= 1
            self._wake()

    async def _admitted(self, stage: str, *, ahead: bool) -> None:
        ticket: asyncio.Future[None] = self._loop.create_future()
        self._limiter.join(stage, ticket, ahead=ahead)
        self._wake()
        try:
            await ticket
        except asyncio.CancelledError:
            if ticket.done() and not ticket.cancelled():
                self._limiter.failed()  # its turn came at the moment it gave up
            else:
                self._limiter.leave(stage, ticket)
            self._wake()
            raise

    def _wake(self) -> None:
        """Let everybody go who may, and come back when a pause is over."""
        while self._unwritten < self._ceiling and (ticket := self._limiter.admit()) is not None:
            if ticket.cancelled():
                self._limiter.failed()
            else:
                ticket.set_result(None)
        pause = self._limiter.pause()
        if pause and self._alarm is None:
            self._alarm = self._loop.call_later(pause, self._ring)

    def _ring(self) -> None:
        self._alarm = None
        self._wake()
