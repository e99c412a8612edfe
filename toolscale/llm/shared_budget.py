"""A budget that several processes spend at the same time, such as those that make the domains of a fleet."""

import asyncio
from threading import Event, Thread

from toolscale.errors import UserError
from toolscale.llm.budget import NOTHING, Budget, Caps, Flight, Spent
from toolscale.llm.prices import Prices
from toolscale.store import Drawn, Share

LOOK_AGAIN_SECONDS = 0.5
"""How soon a call that waits for what others have in flight looks again."""


class SharedBudget(Budget):
    """Lets calls out as `Budget` does, given what all processes have paid and have in flight.

    A thread decides, in a transaction of the store in which nobody else does: so all of them together stay below the
    caps as one would. What gathers while it commits is decided in the next one, so a thousand calls are a few dozen
    commits. It ends when no call waits or is out.
    """

    def __init__(self, caps: Caps, prices: Prices, share: Share, *, wave: int) -> None:
        super().__init__(caps, prices, wave=wave)
        self._share = share
        self._changed = Event()
        self._thread: Thread | None = None

    async def close(self) -> None:
        """Wait as `Budget` does; then what was paid here counts with what those paid who are done."""
        await super().close()
        if (thread := self._thread) is not None and not self._in_use():
            await asyncio.to_thread(thread.join)
        if self._spent != NOTHING:
            await asyncio.to_thread(self._share.close, self._hand_over)

    def _settle(self, lane: str | None = None) -> None:
        with self._lock:
            self._changed.set()
            if self._thread is None:
                self._thread = Thread(target=self._settle_until_idle, name="budget", daemon=True)
                self._thread.start()

    def _settle_until_idle(self) -> None:
        while True:
            self._changed.wait(LOOK_AGAIN_SECONDS)
            self._changed.clear()
            try:
                self._settle_once()
            except UserError as error:
                self._give_up(error)
            with self._lock:
                if not self._changed.is_set() and not self._in_use():
                    self._thread = None
                    return

    def _settle_once(self) -> None:
        """Whose turn it is goes once everybody can see that it does."""
        decided: list[Flight] = []

        def draw(others: Drawn) -> Drawn:
            with self._lock:
                self._others = Spent(others.calls, others.dollars)
                self._others_out = Spent(others.calls_out, others.dollars_out)
                decided.extend(flight for lane in list(self._queues) for flight in self._let_out(lane))
                return self._drawn()

        try:
            self._share.settle(draw)
        except UserError as error:
            for flight in decided:
                flight.resolve(error)
            raise
        with self._lock:
            self._tell(decided)

    def _give_up(self, error: UserError) -> None:
        """The store cannot be used: who waits must hear of it."""
        with self._lock:
            waiting = [flight for queue in self._queues.values() for flight in queue]
            for queue in self._queues.values():
                queue.clear()
        for flight in waiting:
            flight.resolve(error)

    def _hand_over(self) -> Drawn:
        """What was drawn, of which from now on others remember what was paid."""
        with self._lock:
            drawn, self._spent = self._drawn(), NOTHING
        return drawn

    def _drawn(self) -> Drawn:
        return Drawn(*self._spent, self._out.total(), self._reserved)

    def _in_use(self) -> bool:
        return bool(self._out.total() or any(self._queues.values()))
