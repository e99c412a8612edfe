"""When a fleet stops a domain: too few of its tasks are kept, or each that is kept costs too much."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

TESTED = 20
"""Tasks that must have met the gates before their yield says anything: of 20, one kept in three or more leaves less
than a tenth once in three hundred times."""


def is_of_the_yield(reason: str) -> bool:
    """Whether a sentence says that a domain was stopped by this rule."""
    return any(f"`{option}`" in reason for option in ("least_yield", "cost_per_task"))


@dataclass(frozen=True)
class LeastYield:
    """What a domain of a fleet must bring."""

    share: float
    """Of the tested tasks, those that must be kept."""
    dollars_per_task: float | None = None
    """What a kept task may cost, over all stages."""

    def complaint(self, done: int, counts: Mapping[str, int], paid: Callable[[], float]) -> str:
        """Why a domain whose tasks are being tested is stopped; empty if it is not. `paid` is asked only if needed."""
        kept, tested = counts.get("kept"), counts.get("tried", done)
        if kept is None or tested < TESTED:
            return ""
        if kept < self.share * tested:
            return f"{kept} of {tested} tested tasks were kept, less than the {self.share:.0%} of `least_yield`"
        if self.dollars_per_task is not None and (dollars := paid()) > self.dollars_per_task * kept:
            each = f"${dollars / kept:.4f} each" if kept else "and none is kept"
            return f"{kept} kept tasks cost {each}, more than the ${self.dollars_per_task:.4f} of `cost_per_task`"
        return ""
