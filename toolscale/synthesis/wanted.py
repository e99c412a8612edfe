"""Which tasks are wanted, where a number of them was named."""

from dataclasses import dataclass

from toolscale.artifacts import Task


@dataclass(frozen=True)
class Wanted:
    """How many tasks, and which."""

    keep: int
    pass_rate: tuple[float, float] | None = None
    golden_calls: tuple[int, int] | None = None

    def has_the_length(self, task: Task) -> bool:
        """Whether a task has as many golden calls as are wanted."""
        return self.golden_calls is None or self.golden_calls[0] <= len(task.golden_calls) <= self.golden_calls[1]

    def misses(self, task: Task) -> str:
        """Why a task that passed every gate is not wanted; empty if it is."""
        if self.golden_calls and not self.has_the_length(task):
            fewest, most = self.golden_calls
            return f"{len(task.golden_calls)} golden calls; wanted are {fewest} to {most}"
        if self.pass_rate and (task.pass_rate is None or not self.pass_rate[0] <= task.pass_rate <= self.pass_rate[1]):
            rate = "unknown" if task.pass_rate is None else f"{task.pass_rate:.3g}"
            return f"a pass rate of {rate}; wanted is {self.pass_rate[0]:g} to {self.pass_rate[1]:g}"
        return ""

    def is_too_easy(self, task: Task) -> bool:
        """Whether a harder version of a sound task may be wanted."""
        if self.golden_calls and len(task.golden_calls) < self.golden_calls[0]:
            return True
        return bool(self.pass_rate and task.pass_rate is not None and task.pass_rate > self.pass_rate[1])

    def third(self, task: Task) -> str:
        """Where in the wanted pass rates a task lies: `hard`, `middling` or `easy`."""
        low, high = self.pass_rate or (0.0, 1.0)
        place = ((task.pass_rate or 0) - low) / (high - low) if high > low else 0.5
        return "hard" if place < 1 / 3 else "middling" if place < 2 / 3 else "easy"
