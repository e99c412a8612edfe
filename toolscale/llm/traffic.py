"""What is in flight on one event loop: identical calls made once, each endpoint's queue, and the lanes."""

import asyncio

from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_exponential_jitter

from toolscale.llm.admission import Admission
from toolscale.llm.errors import GatewayError, Limited, Transient
from toolscale.llm.failures import understood
from toolscale.llm.lanes import Lane, speaks_openai
from toolscale.llm.reply import ChatReply
from toolscale.llm.request import Request
from toolscale.settings import Settings

_LONGEST_WAIT_SECONDS = 60


class Traffic:
    """The calls of one event loop."""

    def __init__(self, settings: Settings) -> None:
        self.flights: dict[str, asyncio.Task[ChatReply]] = {}
        """Calls under way, by the request's key."""
        self._settings = settings
        self._admissions: dict[str, Admission] = {}
        self._lanes: dict[bool, Lane] = {}

    async def ask(self, request: Request, stage: str) -> ChatReply:
        """Ask the endpoint, again and again while that may help.

        A refusal for the rate is no failure of the call, so it does not count against the retries: the call waits for
        its turn again, until ``deadline_seconds`` after it was first refused.
        """
        first_wait = self._settings.retry_seconds
        tries = AsyncRetrying(
            retry=retry_if_exception(lambda error: isinstance(error, Transient) and not isinstance(error, Limited)),
            stop=stop_after_attempt(1 + self._settings.retries),
            wait=wait_exponential_jitter(initial=first_wait, max=_LONGEST_WAIT_SECONDS, jitter=first_wait),
            reraise=True,
        )
        try:
            return await tries(self._until_not_refused, request, stage)
        except Transient as failure:
            raise failure.final from failure.__cause__

    async def close(self) -> None:
        """Let go of the lanes' connections; a later call opens them again."""
        lanes, self._lanes = list(self._lanes.values()), {}
        for lane in lanes:
            await lane.close()

    async def _until_not_refused(self, request: Request, stage: str) -> ChatReply:
        """One try that counts: as many requests as the endpoint refuses, and the one that it does not."""
        try:
            return await self._once(request, stage)
        except Limited as refusal:
            last = refusal
        deadline = asyncio.get_running_loop().time() + self._settings.deadline_seconds
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    await asyncio.sleep(last.retry_after or 0)
                return await self._once(request, stage, deadline)
            except Limited as refusal:
                last = refusal
            except TimeoutError:  # nobody else raises it: a request that takes too long is Transient
                raise last from last.__cause__

    async def _once(self, request: Request, stage: str, deadline: float | None = None) -> ChatReply:
        """One request, when its turn has come. A call that was refused before has a deadline for that."""
        seconds, lane = self._settings.timeout_seconds, self._lane(request)
        async with self._admission(request).turn(stage, deadline):
            try:
                async with asyncio.timeout(seconds):
                    return await lane.ask(request, seconds)
            except (GatewayError, Transient):
                raise
            except Exception as error:
                raise understood(error, request.model) from error

    def _admission(self, request: Request) -> Admission:
        if request.endpoint not in self._admissions:
            self._admissions[request.endpoint] = Admission(self._settings.max_in_flight)
        return self._admissions[request.endpoint]

    def _lane(self, request: Request) -> Lane:
        by_sdk = speaks_openai(request.model, request.api_base)
        if by_sdk not in self._lanes:
            self._lanes[by_sdk] = _opened(by_sdk)
        return self._lanes[by_sdk]


def _opened(by_sdk: bool) -> Lane:
    """A lane, with its library imported."""
    if by_sdk:
        from toolscale.llm.lanes.openai_sdk import OpenAILane

        return OpenAILane()
    from toolscale.llm.lanes.by_litellm import LitellmLane

    return LitellmLane()
