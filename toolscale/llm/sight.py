"""What a gateway is doing and has done: counts for whoever wants to look. No I/O, and next to no cost."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Self


class Queue(NamedTuple):
    """The calls before one endpoint, as its limiter sees them."""

    endpoint: str
    in_flight: int
    waiting: int
    at_once: int
    """Most calls in flight that the limiter allows now."""
    limits: bool
    """True where the endpoint refused calls for their rate, and that is what others wait for."""
    pause: float
    """Seconds until the next call may go, for all that time decides."""
    error: str = ""
    """What the endpoint's last failure said, in a line without keys; empty where none failed."""
    error_age: float = 0.0
    """Seconds since then."""


class Sight(NamedTuple):
    """One look at a gateway, or at several."""

    in_flight: int = 0
    waiting: int = 0
    """Calls that wait for their turn, or to be tried again."""
    done: int = 0
    """Calls that were answered and paid for."""
    cached: int = 0
    """Calls that were answered without a request: from the store, or by a call of the same key under way."""
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    dollars: float = 0.0
    unpriced: int = 0
    """Answered calls whose price nobody knows: ``dollars`` is without them."""
    cached_tokens: int = 0
    """Of the tokens sent, those that the provider had in its cache."""
    queues: tuple[Queue, ...] = ()

    @classmethod
    def of(cls, sights: Iterable[Self]) -> Self:
        """Several looks as one."""
        looks = list(sights)
        totals = {name: sum(getattr(look, name) for look in looks) for name in cls._fields if name != "queues"}
        return cls(**totals, queues=tuple(queue for look in looks for queue in look.queues))

    @property
    def tokens(self) -> int:
        """Tokens sent and received."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(slots=True)
class Meter:
    """The counts of one gateway since it was made."""

    under_way: int = 0
    done: int = 0
    cached: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    dollars: float = 0.0
    unpriced: int = 0
    cached_tokens: int = 0

    def answered(
        self, prompt_tokens: int, completion_tokens: int, dollars: float | None, cached_tokens: int = 0
    ) -> None:
        """A call was answered and recorded. Dollars are None where the price is not known."""
        self.done += 1
        self.prompt_tokens += prompt_tokens
        self.cached_tokens += cached_tokens
        self.completion_tokens += completion_tokens
        if dollars is None:
            self.unpriced += 1
        else:
            self.dollars += dollars

    def read(self, queues: Iterable[Queue]) -> Sight:
        """What there is to see now."""
        before = tuple(queues)
        in_flight = sum(queue.in_flight for queue in before)
        return Sight(
            in_flight=in_flight,
            waiting=max(0, self.under_way - in_flight),
            done=self.done,
            cached=self.cached,
            failed=self.failed,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            dollars=self.dollars,
            unpriced=self.unpriced,
            cached_tokens=self.cached_tokens,
            queues=before,
        )
