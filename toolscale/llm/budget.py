"""The budget of a run: how much it may newly pay. An answer out of the store costs nothing and is not counted."""

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple

from toolscale.llm.errors import BudgetSpent
from toolscale.llm.estimates import CHARACTERS_PER_TOKEN
from toolscale.llm.prices import Prices
from toolscale.llm.reply import ChatReply
from toolscale.llm.request import Request

FIRST_COMPLETION = 1000
"""Tokens that an answer is taken to have while none of its model has come."""


class Spent(NamedTuple):
    """What was paid so far."""

    calls: int = 0
    dollars: float = 0.0


NOTHING = Spent()


class Caps(NamedTuple):
    """What a run may pay at most; None = without limit."""

    dollars: float | None = None
    calls: int | None = None


@dataclass(eq=False, slots=True)
class Flight:
    """A call that waits to be let out, or is out."""

    lane: str
    model: str
    estimate: float
    turn: asyncio.Future[None]
    batch: bool
    out: bool = False
    reply: ChatReply | None = None
    """To be set by whoever made the call, once there is one."""

    def resolve(self, refusal: Exception | None) -> None:
        """Let the call go, or refuse it; from any thread."""
        with suppress(RuntimeError):  # its loop was closed meanwhile: nobody waits there any more
            self.turn.get_loop().call_soon_threadsafe(_resolve, self.turn, refusal)


class Budget:
    """Lets calls out as long as what was paid and what is in flight stay below the caps.

    What a call in flight will cost is estimated: its prompt by characters, its answer by ``max_tokens``, else by the
    mean of its model's answers so far. A call that would fit if those in flight cost nothing waits for them. One that
    would not fit even then ends the budget, for every call that waits or comes later. So a run ends within one wave of
    calls in flight of its caps: at most ``wave`` calls are out at one endpoint; calls in batches are
    one wave, however many. May be used from any thread and event loop.
    """

    def __init__(self, caps: Caps, prices: Prices, *, wave: int, before: Spent = NOTHING) -> None:
        self._caps, self._prices, self._wave = caps, prices, wave
        self._spent = before
        self._others = self._others_out = NOTHING
        self._reserved = 0.0
        self._out: Counter[str] = Counter()
        self._queues: dict[str, deque[Flight]] = defaultdict(deque)
        self._answers: Counter[str] = Counter()
        self._answer_tokens: Counter[str] = Counter()
        self._live: set[asyncio.Task[Any]] = set()
        self._ended = ""
        self._lock = Lock()

    @property
    def ended(self) -> bool:
        """True once a call was refused: no other will be let out."""
        return bool(self._ended)

    def end(self, reason: str) -> None:
        """Refuse every call that waits or comes later."""
        with self._lock:
            self._ended = self._ended or reason
        self._settle()

    @asynccontextmanager
    async def flight(self, request: Request, *, batch: bool = False) -> AsyncIterator[Flight]:
        """Wait until the call fits; it is in flight as long as the block lasts, and counted when it ends.

        Raises:
            BudgetSpent: it does not fit any more.
        """
        flight = Flight(
            lane=f"{request.endpoint} in batches" if batch else request.endpoint,
            model=request.model,
            estimate=self._estimate(request, batch),
            turn=asyncio.get_running_loop().create_future(),
            batch=batch,
        )
        with self._lock:
            self._queues[flight.lane].append(flight)
        self._settle(flight.lane)
        task = asyncio.current_task()
        try:
            await flight.turn
            if task is not None and not batch:
                self._live.add(task)
            yield flight
        finally:
            self._live.discard(task)
            with self._lock:
                self._landed(flight)
            self._settle()

    async def close(self) -> None:
        """If the budget has ended, wait for the calls of this event loop that are out.

        Not for batches, which the next run can collect.
        """
        if not self.ended:
            return
        loop = asyncio.get_running_loop()
        if live := [task for task in self._live if task.get_loop() is loop]:
            await asyncio.wait(live)

    def _settle(self, lane: str | None = None) -> None:
        """Let out whoever fits at an endpoint; without one, at all of them."""
        with self._lock:
            lanes = list(self._queues) if lane is None else [lane]
            self._tell([flight for each in lanes for flight in self._let_out(each)])

    def _estimate(self, request: Request, batch: bool) -> float:
        """Dollars that a call is going to cost, rather too many than too few."""
        answers = self._answers[request.model]
        mean = self._answer_tokens[request.model] / answers if answers else FIRST_COMPLETION
        completion = request.params.get("max_tokens") or mean
        return self._prices.at_most(request.model, request.characters / CHARACTERS_PER_TOKEN, completion, batch=batch)

    def _let_out(self, lane: str) -> list[Flight]:
        """Decide whose turn it is at an endpoint: who fits, first come first served; once the budget ended, everybody.

        They are to be told.
        """
        queue, decided = self._queues[lane], []
        while queue and (self._ended or queue[0].batch or self._out[lane] < self._wave):
            self._ended = self._ended or self._complaint(queue[0].estimate)
            if not self._ended and not self._fits(queue[0].estimate):
                break
            flight = queue.popleft()
            if not self._ended:
                flight.out = True
                self._out[lane] += 1
                self._reserved += flight.estimate
            decided.append(flight)
        return decided

    def _tell(self, decided: Iterable[Flight]) -> None:
        """Let calls go that fit, and refuse the others."""
        for flight in decided:
            flight.resolve(None if flight.out else BudgetSpent(*self._paid(), self._ended))

    def _paid(self) -> Spent:
        return Spent(self._spent.calls + self._others.calls, self._spent.dollars + self._others.dollars)

    def _fits(self, estimate: float) -> bool:
        most, in_flight = self._caps.dollars, self._reserved + self._others_out.dollars
        return most is None or self._paid().dollars + in_flight + estimate <= most

    def _complaint(self, estimate: float) -> str:
        """Why a call would not even fit if those in flight cost nothing; empty if it would."""
        most, most_calls = self._caps
        if most_calls is not None and self._paid().calls + self._out.total() + self._others_out.calls >= most_calls:
            return f"max_calls is {most_calls}"
        if most is not None and self._paid().dollars + estimate > most:
            return f"max_cost is ${most:.4f}, and the next call would cost about ${estimate:.4f}"
        return ""

    def _landed(self, flight: Flight) -> None:
        """Count what a call cost. One that gave up while it waited cost nothing."""
        if flight.out:
            self._out[flight.lane] -= 1
            self._reserved = self._reserved - flight.estimate if self._out.total() else 0.0
            self._count(flight)
        elif flight in (queue := self._queues[flight.lane]):
            queue.remove(flight)

    def _count(self, flight: Flight) -> None:
        dollars = 0.0
        if (reply := flight.reply) is not None:
            self._answers[flight.model] += 1
            self._answer_tokens[flight.model] += reply.completion_tokens
            dollars = self._prices.dollars(flight.model, *reply.usage, batch=flight.batch)
        self._spent = Spent(self._spent.calls + 1, self._spent.dollars + dollars)


def _resolve(turn: asyncio.Future[None], refusal: Exception | None) -> None:
    if turn.done():
        return
    if refusal is None:
        turn.set_result(None)
    else:
        turn.set_exception(refusal)
