"""Calls that wait for a batch: gathered until it is worth sending, then awaited like any other call."""

import asyncio
from collections import Counter
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, NamedTuple

from toolscale.errors import UserError
from toolscale.llm.batches.course import Course, Recorder
from toolscale.llm.batches.endpoint import Seen
from toolscale.llm.batches.jobs import WaitingCall
from toolscale.llm.batches.lines import Unanswered, line_of
from toolscale.llm.errors import GatewayError, Transient
from toolscale.llm.purpose import Purpose
from toolscale.llm.reply import ChatReply, kept_reply
from toolscale.llm.request import Request
from toolscale.settings import Settings

if TYPE_CHECKING:
    from toolscale.store import BatchJob, Store

_MOST_BYTES = 200_000_000
"""Of one batch's file, as OpenAI has it."""
_MOST_BATCHES = 3
"""How often a call joins a batch, when each expires before its turn."""


class BatchEnded(GatewayError, UserError):  # noqa: N818 - the name says what happened
    """A batch ended without an answer to this call, and another batch would fare no better."""


class _Gathered:
    """Calls of one model that the next batch will hold."""

    def __init__(self) -> None:
        self.calls: list[WaitingCall] = []
        self.bytes = 0
        self.alarm: asyncio.TimerHandle | None = None

    def hush(self) -> None:
        """Let the alarm not ring that would send them."""
        if self.alarm:
            self.alarm.cancel()


class _Waiter(NamedTuple):
    call: WaitingCall
    answer: asyncio.Future[ChatReply | None]


class Batches:
    """The calls of one event loop that can wait."""

    def __init__(self, settings: Settings, store: "Store", record: Recorder) -> None:
        self.course = Course(settings, store, record)
        self._settings = settings
        self._store = store
        self._waiting: dict[str, _Waiter] = {}
        self._gathered: dict[tuple[str, str], _Gathered] = {}
        self._joined: Counter[str] = Counter()
        self._jobs: dict[str, BatchJob] = {}
        self._looked: asyncio.Task[None] | None = None
        self._work: dict[str, asyncio.Task[None]] = {}

    async def ask(self, request: Request, purpose: Purpose) -> ChatReply | None:
        """The answer, which is in the ledger by then; None if the call failed in a way that a live one may not.

        A call whose batch is under way, sent by this process or an earlier one, waits for that.

        Raises:
            GatewayError: what the endpoint had against this call, or against its batch.
            UserError: the endpoint has no batch API.
        """
        await self._look_for_jobs()
        job = self._jobs.get(request.key)
        if job and job.closed and (answered := await self._store.find(request.key)):
            return kept_reply(*answered)  # it came while this call was on its way here
        waiter = _Waiter(WaitingCall(request, purpose), asyncio.get_running_loop().create_future())
        self._waiting[request.key] = waiter
        try:
            if job is None or job.closed:
                self._join(waiter.call)
            elif job.id not in self._work:
                self._begin(job.id, self._resume(job))
            return await waiter.answer
        finally:
            del self._waiting[request.key]

    async def close(self) -> None:
        """Wait no longer. What was sent stays in the store, for the next process to go on with."""
        for gathered in self._gathered.values():
            gathered.hush()
        for waiter in self._waiting.values():
            waiter.answer.cancel()
        work = [*self._work.values(), *([self._looked] if self._looked else [])]
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
        await self.course.close()

    async def _look_for_jobs(self) -> None:
        """Learn, once, which calls wait for a batch that an earlier process sent."""
        if self._looked is None:
            self._looked = asyncio.create_task(self._learn_jobs())
        await asyncio.shield(self._looked)

    async def _learn_jobs(self) -> None:
        for job in await self.course.jobs.all():
            if not job.closed:
                self._jobs |= dict.fromkeys(await self.course.jobs.keys(job), job)

    def _join(self, call: WaitingCall) -> None:
        """Add a call to the batch that is being gathered for its model."""
        place, size = (call.request.endpoint, call.request.model), len(line_of(call.request))
        gathered = self._gathered.setdefault(place, _Gathered())
        if gathered.calls and gathered.bytes + size > _MOST_BYTES:
            self._send(place)
            gathered = self._gathered.setdefault(place, _Gathered())
        gathered.calls.append(call)
        gathered.bytes += size
        self._joined[call.request.key] += 1
        gathered.hush()
        if len(gathered.calls) >= self._settings.batch_max_calls:
            self._send(place)
        else:
            loop = asyncio.get_running_loop()
            gathered.alarm = loop.call_later(self._settings.batch_gather_seconds, self._send, place)

    def _send(self, place: tuple[str, str]) -> None:
        gathered = self._gathered.pop(place)
        gathered.hush()
        self._begin(gathered.calls[0].request.key, self._new(gathered.calls))

    def _begin(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        task = self._work[name] = asyncio.create_task(work)
        task.add_done_callback(lambda _: self._work.pop(name))

    async def _new(self, calls: list[WaitingCall]) -> None:
        """Send calls as a batch, and see it through."""
        keys = [call.request.key for call in calls]
        try:
            job = await self.course.send(calls)
            self._jobs |= dict.fromkeys(keys, job)
            await self._see_through(job, calls)
        except Exception as error:  # whatever it is, those who wait must hear of it
            self._fail(keys, error)

    async def _resume(self, job: "BatchJob") -> None:
        """See a batch through that an earlier process sent, or was about to send."""
        keys = [key for key, of in self._jobs.items() if of is job]
        try:
            if await self.course.found(job):
                await self._see_through(job)
                return
            for key in keys:
                if waiter := self._waiting.get(key):
                    self._join(waiter.call)
        except Exception as error:
            self._fail(keys, error)

    async def _see_through(self, job: "BatchJob", calls: list[WaitingCall] | None = None) -> None:
        """Wait until a batch has ended, and give everybody what became of his call."""
        seen = await self.course.ended(job)
        became = await self.course.collect(job, seen, calls)
        for key, outcome in became.items():
            waiter = self._waiting.get(key)
            if waiter is None or waiter.answer.done():
                continue
            match outcome:
                case ChatReply():
                    waiter.answer.set_result(outcome)
                case Transient():
                    waiter.answer.set_result(None)
                case Unanswered() if seen.status == "expired" and self._joined[key] < _MOST_BATCHES:
                    self._join(waiter.call)
                case Unanswered():
                    waiter.answer.set_exception(_ended(job, seen))
                case _:
                    waiter.answer.set_exception(outcome)

    def _fail(self, keys: list[str], error: Exception) -> None:
        for key in keys:
            waiter = self._waiting.get(key)
            if waiter and not waiter.answer.done():
                waiter.answer.set_exception(error)


def _ended(job: "BatchJob", seen: Seen) -> BatchEnded:
    match seen.status:
        case "cancelled":
            what = "was cancelled, and what it had answered is kept: run again to ask for the rest"
        case "expired":
            what = f"expired, as did {_MOST_BATCHES - 1} before it: take the stage out of TOOLSCALE_BATCH_STAGES"
        case _:
            said = seen.complaint or "it does not say why"
            what = f"failed ({said}): mend that, or lower TOOLSCALE_BATCH_MAX_CALLS if it is too large, and run again"
    return BatchEnded(f"{job.model}: batch {seen.id} {what}")
