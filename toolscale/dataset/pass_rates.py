"""Pass rates by model: entries of a task's column `pass_rates`, the builder's own and those that are measured later."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel

from toolscale.artifacts import Task

PassRateEntry = dict[str, Any]
"""An entry of the column `pass_rates`."""


class Conditions(BaseModel, frozen=True):
    """Under which settings a model attempted tasks: rates compare where they are the same."""

    user_model: str | None = None
    """Who played the user; None where the instruction was the first message."""
    temperature: float | None = None
    """None where the model's provider decided."""
    max_turns: int | None = None
    """The longest episode, in turns of the agent; None where that is not known."""


class PassRate(NamedTuple):
    """How a model fared at a task. Entries that differ in attempts alone are of the same thing, measured again."""

    model: str
    under: Conditions
    attempts: int
    """Those that count: not those that the simulated user spoiled."""
    solved: int

    @property
    def rate(self) -> float | None:
        """Share of the attempts that solved the task; None where none counts."""
        return self.solved / self.attempts if self.attempts else None

    def as_row(self) -> PassRateEntry:
        """As it stands in the column."""
        counts = {"attempts": self.attempts, "solved": self.solved, "rate": self.rate}
        return {"model": self.model, **self.under.model_dump(), **counts}


def own_pass_rates(task: Task, under: Conditions) -> list[PassRateEntry]:
    """The pass rates that a task's own attempts tell, a model each, in the order of the attempts.

    Attempts that the user spoiled do not count, nor do those of which no model is known (of earlier versions).
    The rate is None where the first success was to end the attempts.
    """
    counted: dict[str, list[bool]] = {}
    for attempt in (each for each in task.attempts if each.model):
        solved = counted.setdefault(attempt.model, [])
        if not attempt.user_fault:
            solved.append(attempt.verdict.solved)
    found = [PassRate(model, under, len(solved), sum(solved)).as_row() for model, solved in counted.items()]
    return found if task.pass_rate is not None else [{**entry, "rate": None} for entry in found]


def merged(entries: Sequence[PassRateEntry], new: PassRate) -> list[PassRateEntry]:
    """A task's entries with another one: in place of one of the same model and settings, else after all others."""
    row = new.as_row()
    places = [_measured(entry) == _measured(row) for entry in entries]
    if not any(places):
        return [*entries, row]
    return [row if same else entry for entry, same in zip(entries, places, strict=True)]


def _measured(entry: PassRateEntry) -> tuple[object, ...]:
    return tuple(entry.get(name) for name in ("model", *Conditions.model_fields))
