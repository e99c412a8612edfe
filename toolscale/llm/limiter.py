"""How many calls one endpoint bears at once, found out from what it refuses; and whose turn it is. No I/O.

An endpoint that refuses a call for its rate (429) shows what it bears: what is in flight at that moment. So the limit
falls to that number, and rises again slowly: the first step takes eight windows (a window is as many answers as the
limit allows in flight), each further step that meets no refusal half as many as the one before.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Ticket = TypeVar("Ticket")

_FIRST_LIMIT = 16
_FIRST_JITTER_SECONDS = 0.05
_WINDOWS_AFTER_REFUSAL = 8.0
_LONGEST_PAUSE_SECONDS = 60.0


@dataclass
class Limiter(Generic[Ticket]):
    """Admits calls to one endpoint, in turn between the stages that wait, in order of arrival within each.

    Whoever admits a call must end it with one of ``succeeded``, ``failed`` and ``refused``, which take the time at
    which it was admitted. Not safe for threads.
    """

    ceiling: int
    """Most calls in flight."""
    clock: Callable[[], float]
    """Seconds, from any origin."""
    chance: Callable[[], float]
    """An even draw from 0 to 1: runs that start or pause together shall not go on together."""
    in_flight: int = field(default=0, init=False)
    limit: float = field(init=False)
    _queues: dict[str, deque[Ticket]] = field(default_factory=dict, init=False)
    _windows: float = field(default=0.0, init=False)
    """Windows of answers until the limit rises by one; at 0 it rises with each answer."""
    _opens_at: float = field(init=False)
    _paused_at: float = field(default=float("-inf"), init=False)
    _pauses_in_vain: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.limit = float(min(self.ceiling, _FIRST_LIMIT))
        self._opens_at = self.clock() + _FIRST_JITTER_SECONDS * self.chance()

    def join(self, stage: str, ticket: Ticket, *, ahead: bool = False) -> None:
        """Wait behind the others of the stage, or ahead of them: a call that was refused has waited before."""
        queue = self._queues.setdefault(stage, deque())
        if ahead:
            queue.appendleft(ticket)
        else:
            queue.append(ticket)

    def leave(self, stage: str, ticket: Ticket) -> None:
        """Wait no longer; nothing happens if it did not wait."""
        queue = self._queues.get(stage, deque())
        if ticket in queue:
            queue.remove(ticket)
        if not queue:
            self._queues.pop(stage, None)

    def admit(self) -> Ticket | None:
        """The next in turn, from now on in flight; None if nobody waits or nobody may go yet."""
        if not self._queues or self.in_flight >= int(self.limit) or self.clock() < self._opens_at:
            return None
        stage = next(iter(self._queues))
        queue = self._queues.pop(stage)
        ticket = queue.popleft()
        if queue:
            self._queues[stage] = queue
        self.in_flight += 1
        return ticket

    @property
    def waiting(self) -> int:
        """Calls that wait for their turn."""
        return sum(len(queue) for queue in list(self._queues.values()))

    @property
    def limits(self) -> bool:
        """True when calls wait because the endpoint has refused some for their rate."""
        return bool(self._queues) and self._paused_at > float("-inf") and self.limit < self.ceiling

    def pause(self) -> float:
        """Seconds until somebody who waits may go, for all that time decides; 0 when no pause is on."""
        return max(0.0, self._opens_at - self.clock()) if self._queues else 0.0

    def succeeded(self, admitted: float) -> None:
        """A call was answered. The limit rises only while it is what holds calls back."""
        if admitted >= self._paused_at:
            self._pauses_in_vain = 0
        if self.in_flight >= int(self.limit) and self.limit < self.ceiling:
            before = int(self.limit)
            self.limit = min(self.ceiling, self.limit + 1 / max(1.0, self._windows * self.limit))
            if int(self.limit) > before:
                self._windows /= 2
        self.in_flight -= 1

    def failed(self) -> None:
        """A call ended otherwise: that says nothing about the rate."""
        self.in_flight -= 1

    def refused(self, admitted: float, retry_after: float | None) -> None:
        """A call was refused for the rate. The limit falls to what is in flight, and nobody goes for a round trip.

        Calls that were under way before the pause belong to the refusal that began it: each lowers the limit by one
        more, whatever was answered meanwhile. One that was admitted after the pause and refused too, with none answered
        in between, says that no number of calls is low enough now: then everybody waits for ``retry_after``, or twice
        as long as before. While others are answered ``retry_after`` holds up nobody but the call that was refused: an
        endpoint whose calls take less time than it asks for would else stand idle for the difference.
        """
        now = self.clock()
        self.in_flight -= 1
        of_the_same_burst = admitted < self._paused_at
        borne = self.limit - 1 if of_the_same_burst else min(int(self.limit), self.in_flight)
        self.limit = float(max(1, borne))
        self._windows = _WINDOWS_AFTER_REFUSAL
        if of_the_same_burst:
            return
        seconds = (now - admitted) * 2**self._pauses_in_vain
        if self._pauses_in_vain:
            seconds = retry_after if retry_after is not None else min(seconds, _LONGEST_PAUSE_SECONDS)
        self._pauses_in_vain = min(self._pauses_in_vain + 1, 30)
        self._paused_at = now
        self._opens_at = now + seconds * (1 + self.chance() / 4)
