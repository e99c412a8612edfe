"""Pass rates by model: the builder's own, and those that are measured later."""

from collections.abc import Iterable, Mapping
from typing import Any

from toolscale.artifacts import Task

Entry = dict[str, Any]
"""An entry of the column `pass_rates`: `model`, `attempts` that count, how many `solved` the task, and the `rate`."""


def own_pass_rates(task: Task) -> list[Entry]:
    """The pass rates that a task's own attempts tell, a model each, in the order of the attempts.

    Attempts that the user spoiled do not count. The rate is None where the first success ended the attempts.
    """
    counted: dict[str, list[bool]] = {}
    for attempt in task.attempts:
        solved = counted.setdefault(attempt.model, [])
        if not attempt.user_fault:
            solved.append(attempt.verdict.solved)
    return [_entry(model, solved, known=task.pass_rate is not None) for model, solved in counted.items()]


def merged_pass_rates(entries: Iterable[Mapping[str, Any]], later: Iterable[Mapping[str, Any]]) -> list[Entry]:
    """The entries of a row with later ones: those of a model that is there already take the place of the earlier."""
    return [dict(entry) for entry in {entry["model"]: entry for entry in (*entries, *later)}.values()]


def _entry(model: str, solved: list[bool], *, known: bool) -> Entry:
    rate = sum(solved) / len(solved) if known and solved else None
    return {"model": model or None, "attempts": len(solved), "solved": sum(solved), "rate": rate}
