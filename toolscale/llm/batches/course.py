"""The course of a batch, step by step; each step may be the last one that this process makes.

What must be known to go on is durable before the step that needs it: the calls, before anything is sent; the batch's
id, before it is waited for; the answers, before the job is closed. A process that dies between the creation of a batch
and the note of its id leaves a job without an id, and the next one finds the batch at the endpoint, by the job that it
names. So nothing is sent, and paid for, twice.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_delay, wait_exponential_jitter

from toolscale.llm.batches.endpoint import ENDED, BatchEndpoint, Seen, UnknownBatch
from toolscale.llm.batches.jobs import Jobs, WaitingCall, age, made_at
from toolscale.llm.batches.lines import Unanswered, line_of, outcome_in
from toolscale.llm.errors import Limited, RetriesExhausted, TimedOut, Transient
from toolscale.llm.estimates import with_estimates
from toolscale.llm.purpose import Purpose
from toolscale.llm.redaction import without_secrets
from toolscale.llm.reply import ChatReply
from toolscale.llm.request import Request
from toolscale.settings import Settings

if TYPE_CHECKING:
    from toolscale.store import BatchJob, Store

NEVER_SENT = "never_sent"
"""Status of a job whose calls were gathered and never reached the endpoint."""
LOST = "lost"
"""Status of a job whose batch the endpoint no longer knows."""

_LONGEST_WAIT_SECONDS = 60
_LINES_A_CALL = 10
"""In one file of a batch, which has one; more are not read, however many there are."""
_FIRST_PAUSE = 1 / 20
"""Of the longest pause between two looks: batches of a few calls often take a minute only."""

_log = logging.getLogger(__name__)
T = TypeVar("T")


class Recorder(Protocol):
    """Writes an answered call to the ledger, at the price of a batch."""

    async def __call__(self, request: Request, purpose: Purpose, reply: ChatReply, seconds: float) -> None: ...


class Course:
    """Takes batch jobs from one state to the next. Belongs to one event loop."""

    def __init__(self, settings: Settings, store: "Store", record: Recorder) -> None:
        self.jobs = Jobs(store)
        self._settings = settings
        self._store = store
        self._record = record
        self._endpoints: dict[tuple[str, str | None], BatchEndpoint] = {}

    async def send(self, calls: list[WaitingCall]) -> "BatchJob":
        """Have calls of one model answered by a batch.

        Raises:
            GatewayError: the endpoint would not have them, or could not be reached.
            UserError: it has no batch API.
        """
        job = await self.jobs.intend(calls)
        lines = await asyncio.to_thread(lambda: b"".join(line_of(call.request) for call in calls))
        endpoint, tried = self._endpoint(job), False

        async def created() -> Seen:
            nonlocal tried
            if tried and (found := await endpoint.find(job.id, made_at(job))):
                return found  # it was the answer that got lost, not the request
            tried = True
            return await endpoint.create(job.id, file)

        try:
            file = await self._patiently(lambda: endpoint.upload(job.id, lines))
            await self._saw(job, await self._patiently(created))
        except (RetriesExhausted, TimedOut):
            raise  # the batch may be there nevertheless: the job stays open
        except Exception as error:
            job.status, job.error = NEVER_SENT, str(error)
            await self.jobs.close(job)
            raise
        _log.info("%s: %d calls were sent as batch %s", job.model, job.calls, job.batch)
        return job

    async def found(self, job: "BatchJob") -> bool:
        """Whether the endpoint has a job's batch; a job whose calls never got there is closed."""
        if job.batch is None:
            seen = await self._patiently(lambda: self._endpoint(job).find(job.id, made_at(job)))
            if seen is None:
                job.status = NEVER_SENT
                await self.jobs.close(job)
                return False
            await self._saw(job, seen)
        return True

    async def look(self, job: "BatchJob") -> Seen:
        """How far a job's batch is."""
        batch = str(job.batch)
        seen = await self._patiently(lambda: self._endpoint(job).look(batch))
        await self._saw(job, seen)
        return seen

    async def ended(self, job: "BatchJob") -> Seen:
        """Wait until a job's batch has ended."""
        longest = self._settings.batch_poll_seconds
        pause = longest * _FIRST_PAUSE
        while (seen := await self.look(job)).status not in ENDED:
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, longest)
        _log.info("batch %s is %s: %d of %d calls answered", seen.id, seen.status, seen.answered, job.calls)
        return seen

    async def cancel(self, job: "BatchJob") -> Seen | None:
        """Ask the endpoint to work on a job's batch no longer; what it has answered is still to be collected.

        None, and the job closed, if the endpoint no longer knows the batch.
        """
        batch = str(job.batch)
        try:
            seen = await self.look(job)
            if seen.status not in ENDED:
                seen = await self._patiently(lambda: self._endpoint(job).cancel(batch))
        except UnknownBatch as error:
            job.status, job.error = LOST, str(error)
            await self.jobs.close(job)
            return None
        await self._saw(job, seen)
        return seen

    async def collect(
        self, job: "BatchJob", seen: Seen, calls: list[WaitingCall] | None = None
    ) -> dict[str, ChatReply | Exception]:
        """What became of each call of a batch that has ended, by its key. Every answer is durable on return.

        The process that sent the batch has its calls at hand; any other reads them.
        """
        keys = [call.request.key for call in calls] if calls else await self.jobs.keys(job)
        found = await self._patiently(lambda: self._downloaded(job, seen, set(keys)))
        silent = Transient(RetriesExhausted(f"{job.model}: batch {seen.id} has no line for a call"))
        left: Exception = silent if seen.status == "completed" else Unanswered()
        became = {key: found.get(key, left) for key in keys}
        calls = calls or await self.jobs.calls(job)
        for request, _ in calls:
            if isinstance(reply := became[request.key], ChatReply):
                became[request.key] = with_estimates(reply, request)
        await asyncio.gather(*(self._kept(job, call, became[call.request.key]) for call in calls))
        job.error = seen.complaint or None
        await self.jobs.close(job)
        return became

    async def close(self) -> None:
        """Let go of the connections."""
        endpoints, self._endpoints = list(self._endpoints.values()), {}
        for endpoint in endpoints:
            await endpoint.close()

    async def _kept(self, job: "BatchJob", call: WaitingCall, outcome: ChatReply | Exception) -> None:
        if isinstance(outcome, ChatReply) and await self._store.find(call.request.key) is None:
            await self._record(call.request, call.purpose, outcome, age(job))

    async def _downloaded(self, job: "BatchJob", seen: Seen, keys: set[str]) -> dict[str, ChatReply | Exception]:
        """What the batch's files say of our calls. Of two lines for one call the first that holds an answer counts."""
        endpoint = self._endpoint(job)
        found: dict[str, ChatReply | Exception] = {}
        for file in seen.files:
            lines = read = 0
            async for line in endpoint.lines(file):
                lines += 1
                if lines > _LINES_A_CALL * job.calls:
                    raise RetriesExhausted(f"{job.model}: {file} has far more lines than its batch has calls")
                if (told := outcome_in(line, job.model)) is None:
                    continue
                read += 1
                key, outcome = told
                if key in keys and not isinstance(found.get(key), ChatReply):
                    found[key] = without_secrets(outcome) if isinstance(outcome, ChatReply) else outcome
            if lines and not read:
                raise Transient(RetriesExhausted(f"{job.model}: {file} holds no answers: check api_base and any proxy"))
        return found

    async def _saw(self, job: "BatchJob", seen: Seen) -> None:
        before = (job.batch, job.status, job.answered, job.failed)
        job.batch, job.status, job.answered, job.failed = now = (seen.id, seen.status, seen.answered, seen.failed)
        if now != before:
            await self.jobs.save(job)

    def _endpoint(self, job: "BatchJob") -> BatchEndpoint:
        place = (job.model, job.api_base)
        if place not in self._endpoints:
            self._endpoints[place] = BatchEndpoint(
                *place, seconds=self._settings.timeout_seconds, most_bytes=self._settings.max_answer_bytes
            )
        return self._endpoints[place]

    async def _patiently(self, step: Callable[[], Awaitable[T]]) -> T:
        """Do a step again and again while that may help, for ``deadline_seconds``: batches outlast outages."""
        first = self._settings.retry_seconds
        growing = wait_exponential_jitter(initial=first, max=_LONGEST_WAIT_SECONDS, jitter=first)
        tries = AsyncRetrying(
            retry=retry_if_exception_type(Transient),
            stop=stop_after_delay(self._settings.deadline_seconds),
            wait=lambda state: max(growing(state), _asked_for(state)),
            reraise=True,
        )

        async def once() -> T:  # tenacity awaits nothing but what a coroutine function made
            return await step()

        try:
            return await tries(once)
        except Transient as failure:
            raise failure.final from None


def _asked_for(state: RetryCallState) -> float:
    """Seconds that the endpoint asked to wait, when it limited the rate."""
    error = state.outcome.exception() if state.outcome else None
    return (error.retry_after or 0.0) if isinstance(error, Limited) else 0.0
