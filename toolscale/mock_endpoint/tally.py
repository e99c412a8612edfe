"""What the server counts of its chat requests, for tests and benchmarks to read at `/stats`."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

OK, ABANDONED, REJECTED = "ok", "abandoned", "rejected_429"


@dataclass
class RequestEnd:
    """How a request ended: the client hung up, unless somebody says otherwise."""

    word: str = ABANDONED


@dataclass
class Tally:
    """Every request ends in one outcome, so ``requests`` is the sum of ``outcomes`` and ``in_flight``."""

    requests: int = 0
    in_flight: int = 0
    most_in_flight: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def counted(self) -> Iterator[RequestEnd]:
        """Count a request, and at the end of the block its outcome."""
        self.requests += 1
        outcome = RequestEnd()
        try:
            yield outcome
        finally:
            self.outcomes[outcome.word] += 1

    @contextmanager
    def in_a_slot(self) -> Iterator[None]:
        """Count a request as in flight for as long as the block lasts."""
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            yield
        finally:
            self.in_flight -= 1

    def as_json(self, distinct: int) -> dict[str, Any]:
        """What `/stats` says; ``distinct`` is the number of different bodies among the requests that had a slot."""
        errors = {word: count for word, count in sorted(self.outcomes.items()) if word not in (OK, REJECTED)}
        return {
            "requests": self.requests,
            "distinct": distinct,
            "ok": self.outcomes[OK],
            "rejected_429": self.outcomes[REJECTED],
            "errors": errors,
            "in_flight": self.in_flight,
            "most_in_flight": self.most_in_flight,
        }
