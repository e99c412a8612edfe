"""The budget of a run: how much it may newly pay. An answer out of the store costs nothing and is not counted."""

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from toolscale.llm.errors import BudgetSpent
from toolscale.llm.estimates import CHARACTERS_PER_TOKEN
from toolscale.llm.prices import Prices
from toolscale.llm.reply import ChatReply
from toolscale.llm.request import Request
from toolscale.settings import Settings

if TYPE_CHECKING:
    from toolscale.store import Store

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
            self._let_out(flight.lane)
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

    async def landed(self) -> None:
        """Wait for the calls of this event loop that are out; not for batches, which the next run can collect."""
        loop = asyncio.get_running_loop()
        if live := [task for task in self._live if task.get_loop() is loop]:
            await asyncio.wait(live)

    def _estimate(self, request: Request, batch: bool) -> float:
        """Dollars that a call is going to cost, rather too many than too few."""
        answers = self._answers[request.model]
        mean = self._answer_tokens[request.model] / answers if answers else FIRST_COMPLETION
        completion = request.params.get("max_tokens") or mean
        return self._prices.at_most(request.model, request.characters / CHARACTERS_PER_TOKEN, completion, batch=batch)

    def _let_out(self, lane: str) -> None:
        """Let out whoever fits at an endpoint, first come first served; refuse everybody once the budget has ended."""
        queue = self._queues[lane]
        while queue and (self._ended or queue[0].batch or self._out[lane] < self._wave):
            self._ended = self._ended or self._complaint(queue[0].estimate)
            if not self._ended and not self._fits(queue[0].estimate):
                return
            flight = queue.popleft()
            if not self._ended:
                flight.out = True
                self._out[lane] += 1
                self._reserved += flight.estimate
            flight.turn.get_loop().call_soon_threadsafe(_tell, flight.turn, self._refusal())

    def _fits(self, estimate: float) -> bool:
        most = self._caps.dollars
        return most is None or self._spent.dollars + self._reserved + estimate <= most

    def _complaint(self, estimate: float) -> str:
        """Why a call would not even fit if those in flight cost nothing; empty if it would."""
        most, most_calls = self._caps
        if most_calls is not None and self._spent.calls + self._out.total() >= most_calls:
            return f"max_calls is {most_calls}"
        if most is not None and self._spent.dollars + estimate > most:
            return f"max_cost is ${most:.4f}, and the next call would cost about ${estimate:.4f}"
        return ""

    def _refusal(self) -> BudgetSpent | None:
        return BudgetSpent(*self._spent, self._ended) if self._ended else None

    def _landed(self, flight: Flight) -> None:
        """Count what a call cost. One that gave up while it waited cost nothing."""
        if flight.out:
            self._out[flight.lane] -= 1
            self._reserved = self._reserved - flight.estimate if self._out.total() else 0.0
            self._count(flight)
        elif flight in (queue := self._queues[flight.lane]):
            queue.remove(flight)
        for lane in self._queues:
            self._let_out(lane)

    def _count(self, flight: Flight) -> None:
        dollars = 0.0
        if (reply := flight.reply) is not None:
            self._answers[flight.model] += 1
            self._answer_tokens[flight.model] += reply.completion_tokens
            dollars = self._prices.dollars(flight.model, *reply.usage, batch=flight.batch)
        self._spent = Spent(self._spent.calls + 1, self._spent.dollars + dollars)


def _tell(turn: asyncio.Future[None], refusal: BudgetSpent | None) -> None:
    if turn.done():
        return
    if refusal is None:
        turn.set_result(None)
    else:
        turn.set_exception(refusal)


def budget_of(settings: Settings, prices: Prices, store: "Store", run: str | None) -> Budget | None:
    """The budget that the settings give to a run, less what the ledger says the run has paid; None without a cap."""
    caps = Caps(settings.max_cost, settings.max_calls)
    if caps == Caps():
        return None
    return Budget(caps, prices, wave=settings.max_in_flight, before=spent(store, run) if run else NOTHING)


def spent(store: "Store", run: str) -> Spent:
    """What a run has newly paid, by the ledger."""
    lines = store.cost_by("stage", run=run)
    return Spent(sum(line.calls for line in lines), sum(line.dollars for line in lines))
