"""The orchestrator demo's report: `report.json` for programs, and a page with the curves."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from toolscale.rewards import RewardVector
from trainer.config import Config
from trainer.demo.figures import Lines, curves
from trainer.demo.page import write_figures, write_page
from trainer.orchestrator_demo.desk import KINDS
from trainer.orchestrator_demo.ways import LARGE, SMALL, WAYS, WISHES
from trainer.orchestrator_demo.yardstick import NOBODY, Vectors, Yardstick, way_of
from trainer.output.metrics import MetricsRecord
from trainer.rollout.evaluation import wilson

_TEMPLATE = Path(__file__).with_name("report.html.j2")
_DRAWS = 2000
"""Of a bootstrap."""

Figures = dict[str, Any]
"""`reward`, `solved` and `cents_per_solved`, each `mean` with the 95% interval `low` to `high` (null where nothing was
solved); in `by_wish` the same for each preference, and in its `by_topic` the `solved` share, the `ways`, and the
share that each of these `solved_by_way`."""

Gain = dict[str, Any]
"""What the attempt after GRPO has over that before it, in the mean over claims: of `reward`, `solved`, and `cents`."""


@dataclass(frozen=True)
class Attempted:
    """What one attempt came to."""

    reward: float
    solved: bool
    cents: float
    way: str
    """Who settled the claim (`way_of`)."""

    @classmethod
    def of(cls, task: str, yardstick: Yardstick, attempt: RewardVector) -> "Attempted":
        """From its vector."""
        return cls(yardstick.reward(task, attempt), attempt.solved, 100 * attempt.dollars, way_of(attempt))


@dataclass(frozen=True)
class Claim:
    """A held-out claim, attempted before GRPO and after it."""

    task: str
    wish: str
    topic: str
    before: Attempted
    after: Attempted

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "Claim":
        """From a row of `claims` in `report.json`."""
        return cls(**{**told, "before": Attempted(**told["before"]), "after": Attempted(**told["after"])})

    @classmethod
    def of(cls, task: str, yardstick: Yardstick, before: RewardVector, after: RewardVector) -> "Claim":
        """From the vectors of both attempts."""
        wish, topic = yardstick.situation(task)
        attempts = (Attempted.of(task, yardstick, each) for each in (before, after))
        return cls(task, wish, topic, *attempts)


@dataclass(frozen=True)
class Report:
    """What a demo came to."""

    settings: Config
    seconds: float
    """Of wall time, all of the demo."""
    before: Figures
    after: Figures
    claims: Sequence[Claim]
    """Each held-out claim, before and after."""
    rules: Mapping[str, Figures]
    """The same figures of the scripted rules, by name."""
    steps: Sequence[MetricsRecord]
    """The metrics of GRPO's steps."""

    @classmethod
    def of(
        cls,
        settings: Config,
        yardstick: Yardstick,
        before: Vectors,
        after: Vectors,
        lines: Sequence[MetricsRecord],
        seconds: float,
    ) -> "Report":
        """From the attempts before GRPO and after it."""
        return cls(
            settings,
            seconds,
            figures(before, yardstick),
            figures(after, yardstick),
            [Claim.of(task, yardstick, before[task], after[task]) for task in before if task in after],
            {name: figures(vectors, yardstick) for name, vectors in yardstick.rules.items()},
            [line for line in lines if line["kind"] == "train"],
        )

    @property
    def gain(self) -> Gain:
        """See `gain_of`."""
        return gain_of([self.claims])

    @property
    def policies(self) -> dict[str, Figures]:
        """What the page compares, by what it is called there."""
        told = {
            "itself": "rule: decide oneself",
            "small": "rule: ask the small expert",
            "large": "rule: ask the large expert",
            "best": "rule: the best of these",
        }
        return {
            "before GRPO": self.before,
            "after GRPO": self.after,
            **{told[name]: own for name, own in self.rules.items()},
        }

    def as_json(self) -> dict[str, Any]:
        """What the JSON file holds."""
        return {
            "seed": self.settings.seed,
            "dtype": self.settings.model.dtype,
            "seconds": round(self.seconds, 1),
            "steps": len(self.steps),
            "before": self.before,
            "after": self.after,
            "gain": self.gain,
            "rules": dict(self.rules),
            "claims": [asdict(claim) for claim in self.claims],
        }


def figures(attempts: Vectors, yardstick: Yardstick) -> Figures:
    """What attempts at held-out claims come to, over all, by preference and by topic."""
    found = _overall(attempts, yardstick)
    found["by_wish"] = {}
    for wish in WISHES:
        own = {task: each for task, each in attempts.items() if yardstick.situation(task)[0] == wish}
        by_topic = {
            topic: _ways([each for task, each in own.items() if yardstick.situation(task)[1] == topic])
            for topic in KINDS
        }
        if own:
            found["by_wish"][wish] = {**_overall(own, yardstick), "by_topic": by_topic}
    return found


def gain_of(trainings: Sequence[Sequence[Claim]]) -> Gain:
    """What trainings gained, claim by claim, with 95% intervals of a bootstrap over claims.

    Where several were evaluated on the same claims, each claim counts with the mean over trainings: the interval is of
    what these trainings gain on other claims, not of what other trainings would.
    """
    by_task: dict[str, list[Claim]] = {}
    for claim in (claim for claims in trainings for claim in claims):
        by_task.setdefault(claim.task, []).append(claim)

    def gained(name: str) -> Any:
        value = attrgetter(name)
        differences = [np.mean([value(each.after) - value(each.before) for each in own]) for own in by_task.values()]
        return _interval(np.array(differences, dtype=np.float64), np.ones(len(differences)))

    return {name: gained(name) for name in ("reward", "solved", "cents")}


def write_report(report: Report, folder: Path) -> None:
    """Write `report.json` and `report.html` into a folder that is there."""
    write_figures(folder / "report.json", report.as_json())
    write_page(_TEMPLATE, folder / "report.html", report, {"curves": curves(curves_of(report.steps))})


def curves_of(steps: Sequence[MetricsRecord]) -> dict[str, Lines]:
    """Title of a plot -> name of a line -> its value at each step."""

    def told(value: Callable[[MetricsRecord], float]) -> list[float]:
        return [value(line) for line in steps]

    return {
        "Calls of the experts, a rollout": {
            SMALL: told(lambda line: line[f"calls_{SMALL}"]),
            LARGE: told(lambda line: line[f"calls_{LARGE}"]),
        },
        "Cents a rollout": {"": told(lambda line: 100 * line["dollars"])},
        "Share of the rollouts that solve their task": {"": told(lambda line: line["solved"])},
        "Mean reward": {"": told(lambda line: line["reward_mean"])},
    }


def _overall(attempts: Vectors, yardstick: Yardstick) -> Figures:
    rewards = np.array([yardstick.reward(task, each) for task, each in attempts.items()])
    solved = np.array([each.solved for each in attempts.values()], dtype=np.float64)
    cents = np.array([100 * each.dollars for each in attempts.values()])
    low, high = wilson(int(solved.sum()), len(solved))
    return {
        "tasks": len(solved),
        "reward": _interval(rewards, np.ones(len(rewards))),
        "solved": {"mean": float(solved.mean()), "low": low, "high": high},
        "cents_per_solved": _interval(cents, solved),
    }


def _interval(amounts: Any, counts: Any) -> dict[str, float] | None:
    """The sum of amounts over that of counts, with its interval by a bootstrap over tasks, the same every time."""
    if not counts.sum():
        return None
    drawn = np.random.default_rng(0).integers(len(amounts), size=(_DRAWS, len(amounts)))
    totals = counts[drawn].sum(axis=1)
    ratios = amounts[drawn].sum(axis=1)[totals > 0] / totals[totals > 0]
    low, high = np.percentile(ratios, [2.5, 97.5])
    return {"mean": float(amounts.sum() / counts.sum()), "low": float(low), "high": float(high)}


def _ways(attempts: Sequence[RewardVector]) -> Figures:
    taken = Counter(map(way_of, attempts))
    solved = Counter(way_of(each) for each in attempts if each.solved)
    count = max(1, len(attempts))
    return {
        "tasks": len(attempts),
        "solved": sum(each.solved for each in attempts) / count,
        "ways": {way: taken[way] / count for way in (*WAYS, NOBODY)},
        "solved_by_way": {way: solved[way] / taken[way] for way in WAYS if taken[way]},
    }
