"""How often the policy would solve each task now, and how likely each is drawn for it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trainer.config import Curriculum
from trainer.tasks.exercise import Exercise, Playable

DATASET_ATTEMPTS = 8
"""From which a pass rate is taken to come where the task does not say."""
LARGEST_SHIFT = 1.0
"""Of the prior in one step, in logits."""


@dataclass(frozen=True)
class Result:
    """What came of a task's group: attempts that count, and those that solved it."""

    exercise: Playable
    solved: float
    played: float


def chances(rates: Sequence[float], settings: Curriculum) -> list[float]:
    """The probability with which each of several tasks is drawn; they sum to 1, and none is below `uniform` / n.

    Preferred is what lies near the target t: (p / t)^2t ((1 - p) / (1 - t))^2(1 - t), which is 1 there and 0 at both
    ends. At t = 1/2 that is 4 p (1 - p), the variance of an attempt's outcome, which is what GRPO learns from.
    """
    target, share = settings.target, settings.uniform
    preferred = [(rate / target) ** (2 * target) * ((1 - rate) / (1 - target)) ** (2 * (1 - target)) for rate in rates]
    total = sum(preferred)
    if not total:
        return [1 / len(rates)] * len(rates)
    return [(1 - share) * each / total + share / len(rates) for each in preferred]


class Estimates:
    """The policy's pass rate at each task, estimated.

    The prior is the dataset's rate, in logits and shifted for all tasks of a dataset alike: its attempts were another
    model's. The policy's own attempts count beside it, the prior as one attempt, and half of them after `half_life`
    steps: the policy has changed since, and so an estimate falls back to its prior. The shift follows what the policy
    does at tasks of which little else is known.
    """

    def __init__(
        self, exercises: Iterable[Playable], settings: Curriculum, known: Mapping[str, Any] | None = None
    ) -> None:
        """`known` is what `as_json` gave."""
        self.settings = settings
        self._logits = {_key(one): _logit(_rate_in_dataset(one)) for one in exercises}
        known = known or {"shifts": {}, "seen": {}}
        self._shifts: dict[str, float] = dict(known["shifts"])
        self._seen: dict[str, tuple[float, float, int]] = {name: tuple(each) for name, each in known["seen"].items()}

    def as_json(self) -> dict[str, Any]:
        """For a checkpoint; what is learnt later does not change it."""
        return {"shifts": dict(self._shifts), "seen": {name: list(each) for name, each in self._seen.items()}}

    def of(self, exercise: Playable, step: int) -> float:
        """The estimate at a step, between 0 and 1 and never either."""
        solved, played = self._record(exercise, step)
        return (self._prior(exercise) + solved) / (1 + played)

    def learn(self, results: Sequence[Result], step: int) -> None:
        """Take down what a step's attempts came to."""
        shifts = {source: self._shift(source, results, step) for source in {each.exercise.source for each in results}}
        for each in results:
            solved, played = self._record(each.exercise, step)
            if each.played:
                self._seen[_key(each.exercise)] = (solved + each.solved, played + each.played, step)
        for source, shift in shifts.items():
            self._shifts[str(source)] = self._shifts.get(str(source), 0.0) + shift

    def _prior(self, exercise: Playable) -> float:
        return _logistic(self._logits[_key(exercise)] + self._shifts.get(str(exercise.source), 0.0))

    def _record(self, exercise: Playable, step: int) -> tuple[float, float]:
        """Solved and played attempts, each counted for what it is still worth."""
        solved, played, last = self._seen.get(_key(exercise), (0.0, 0.0, step))
        left = 0.5 ** ((step - last) / self.settings.half_life)
        return left * solved, left * played

    def _shift(self, source: int, results: Sequence[Result], step: int) -> float:
        """A Newton step towards the shift at which the prior expects what came, in a dataset's tasks."""
        surplus, information = 0.0, 1.0
        for each in results:
            if each.exercise.source == source:
                _, known = self._record(each.exercise, step)
                prior, weight = self._prior(each.exercise), 1 / (1 + known)
                surplus += weight * (each.solved - each.played * prior)
                information += weight * each.played * prior * (1 - prior)
        return max(-LARGEST_SHIFT, min(LARGEST_SHIFT, surplus / information))


def _key(exercise: Playable) -> str:
    return f"{exercise.source}/{exercise.id}"


def _rate_in_dataset(exercise: Playable) -> float:
    """The dataset's by Laplace's rule, since 8 of 8 is no certainty; a half for questions and steps without one."""
    if not isinstance(exercise, Exercise) or exercise.task.pass_rate is None:
        return 0.5
    attempts = len(exercise.task.attempts) or DATASET_ATTEMPTS
    return (exercise.task.pass_rate * attempts + 1) / (attempts + 2)


def _logit(rate: float) -> float:
    return math.log(rate / (1 - rate))


def _logistic(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))
