"""What is in flight on one event loop: identical calls made once, each endpoint's queue, and the lanes."""

import asyncio
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from toolscale.errors import causes_of
from toolscale.llm.admission import Admission
from toolscale.llm.errors import GatewayError, Limited, TimedOut, Transient
from toolscale.llm.failures import one_line, understood
from toolscale.llm.lanes import Lane, lane_of
from toolscale.llm.reply import ChatReply
from toolscale.llm.request import Request
from toolscale.llm.sight import Queue
from toolscale.settings import Settings

_LONGEST_WAIT_SECONDS = 60


class Traffic:
    """The calls of one event loop."""

    def __init__(self, settings: Settings) -> None:
        self.flights: dict[str, asyncio.Task[ChatReply]] = {}
        """Calls under way, by the request's key."""
        self._settings = settings
        self._admissions: dict[str, Admission] = {}
        self._lanes: dict[str, Lane] = {}

    @property
    def queues(self) -> list[Queue]:
        """Who waits before which endpoint, for the display."""
        return [admission.queue(endpoint) for endpoint, admission in list(self._admissions.items())]

    async def ask(self, request: Request, stage: str) -> ChatReply:
        """Ask the endpoint, again and again while that may help.

        A refusal for the rate is no failure of the call, so it does not count against the retries: the call waits for
        its turn again. All of it, waits included, ends ``deadline_seconds`` after the call's first turn came: how long
        it waited for that depends on how many calls the run makes, and is no fault of the endpoint.
        """
        call = _Call(request, stage)
        try:
            async with asyncio.timeout(None) as call.deadline:
                try:
                    return await self._until_not_refused(call)
                except Transient as failure:
                    return await self._retried(call, failure)
        except Transient as failure:
            raise failure.final from failure.__cause__
        except TimeoutError:  # nobody else raises it: a request that takes too long is Transient
            raise call.overdue from None

    async def close(self) -> None:
        """Let go of the lanes' connections; a later call opens them again."""
        lanes, self._lanes = list(self._lanes.values()), {}
        for lane in lanes:
            await lane.close()

    def writing(self, request: Request) -> AbstractContextManager[None]:
        """To be held while the answer to a request is written: see `Admission.writing`."""
        return self._admission(request).writing()

    async def _retried(self, call: "_Call", failure: Transient) -> ChatReply:
        """Further tries. tenacity gets the failed one as its first, so that only calls that fail bear its cost."""
        failed = [failure]

        async def tried() -> ChatReply:
            if failed:
                raise failed.pop()
            return await self._until_not_refused(call)

        first_wait = self._settings.retry_seconds
        tries = AsyncRetrying(
            retry=retry_if_exception_type(Transient),
            stop=stop_after_attempt(1 + self._settings.retries),
            wait=wait_exponential_jitter(initial=first_wait, max=_LONGEST_WAIT_SECONDS, jitter=first_wait),
            reraise=True,
        )
        return await tries(tried)

    async def _until_not_refused(self, call: "_Call") -> ChatReply:
        """One try that counts: as many requests as the endpoint refuses, and the one that it does not."""
        while True:
            try:
                return await self._once(call)
            except Limited as refusal:
                call.last = refusal
                await asyncio.sleep(refusal.retry_after or 0)
            except Transient as failure:
                call.last = failure
                raise

    async def _once(self, call: "_Call") -> ChatReply:
        """One request, when its turn has come; ahead of its stage's others if it was refused before."""
        request, lane, seconds = call.request, self._lane(call.request), self._settings.timeout_seconds
        admission = self._admission(request)
        async with admission.turn(call.stage, ahead=isinstance(call.last, Limited)):
            if call.deadline.when() is None:
                call.deadline.reschedule(asyncio.get_running_loop().time() + self._settings.deadline_seconds)
            try:
                async with asyncio.timeout(seconds):
                    return await lane.ask(request, seconds)
            except (GatewayError, Transient) as error:
                admission.failed(one_line(error))
                raise
            except Exception as error:
                # What the endpoint said: what it means speaks of a call that is given up, and this one may be retried.
                admission.failed(one_line(error))
                meant = understood(error, request.model, request.api_base)
                # As its own cause it would lead whoever follows causes in a circle.
                raise meant from (meant.__cause__ if meant in causes_of(error) else error)

    def _admission(self, request: Request) -> Admission:
        if request.endpoint not in self._admissions:
            self._admissions[request.endpoint] = Admission(self._settings.max_in_flight)
        return self._admissions[request.endpoint]

    def _lane(self, request: Request) -> Lane:
        name = lane_of(request.model)
        if name not in self._lanes:
            self._lanes[name] = _opened(name, self._settings.max_answer_bytes)
        return self._lanes[name]


@dataclass(slots=True)
class _Call:
    """A call on its way to an answer."""

    request: Request
    stage: str
    deadline: asyncio.Timeout = field(init=False)
    """Of the whole call; set when its first turn has come."""
    last: Transient | None = None
    """Why the last request brought no answer."""

    @property
    def overdue(self) -> GatewayError:
        """What to say when the deadline has passed."""
        if isinstance(self.last, Limited):
            return self.last.final
        met = f"; the last failure: {self.last.final}" if self.last else ""
        return TimedOut(
            f"{self.request.model}: no answer before TOOLSCALE_DEADLINE_SECONDS had passed: raise that{met}"
        )


def _opened(name: str, most_bytes: int) -> Lane:
    """A lane, with its library imported."""
    if name == "in_process":
        from toolscale.llm.lanes.in_process import InProcessLane

        return InProcessLane()
    if name == "openai_sdk":
        from toolscale.llm.lanes.openai_sdk import OpenAILane

        return OpenAILane(most_bytes)
    from toolscale.llm.lanes.by_litellm import LitellmLane

    return LitellmLane(most_bytes)
