"""The routing demo's report: `report.json` for programs, and a page with the curves."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainer.config import Config
from trainer.demo.figures import Lines, curves
from trainer.demo.page import write_figures, write_page
from trainer.output.metrics import MetricsRecord
from trainer.rollout.evaluation import Evaluated

if TYPE_CHECKING:
    from trainer.grpo import TrainingResult

_TEMPLATE = Path(__file__).with_name("report.html.j2")


@dataclass(frozen=True)
class Report:
    """What a demo came to."""

    settings: Config
    seconds: float
    """Of wall time, all of the demo."""
    before: dict[str, Any]
    """`accuracy`, `cost_per_solved` in dollars (null where nothing was solved), `shares` of the calls by tool; the same
    for easy and hard questions alone in `by_difficulty`."""
    after: dict[str, Any]
    lines: Sequence[MetricsRecord]
    """The training's metrics."""
    prefer: str | None = None
    """The tool that the user prefers; None is a low cost."""

    @classmethod
    def of(
        cls,
        settings: Config,
        result: "TrainingResult",
        lines: Sequence[MetricsRecord],
        seconds: float,
        prefer: str | None = None,
    ) -> "Report":
        """From a training that evaluated the policy before GRPO and after it."""
        assert result.before is not None
        assert result.after is not None
        return cls(settings, seconds, _figures(result.before), _figures(result.after), lines, prefer)

    @property
    def steps(self) -> list[MetricsRecord]:
        """The metrics of GRPO's steps."""
        return [line for line in self.lines if line["kind"] == "train"]

    def as_json(self) -> dict[str, Any]:
        """What the JSON file holds."""
        return {
            "seed": self.settings.seed,
            "dtype": self.settings.model.dtype,
            "seconds": round(self.seconds, 1),
            "before": self.before,
            "after": self.after,
            "steps": len(self.steps),
            "prefer": self.prefer,
        }


def write_report(report: Report, folder: Path, name: str = "report") -> None:
    """Write NAME.json and NAME.html into a folder that is there."""
    write_figures(folder / f"{name}.json", report.as_json())
    write_page(_TEMPLATE, folder / f"{name}.html", report, {"curves": curves(curves_of(report))})


def curves_of(report: Report) -> dict[str, Lines]:
    """Title of a plot -> name of a line -> its value at each step."""
    steps = report.steps
    tools = sorted(name for name in steps[0] if name.startswith("calls_")) if steps else []

    def told(value: Callable[[MetricsRecord], float]) -> list[float]:
        return [value(line) for line in steps]

    def share(tool: str) -> Callable[[MetricsRecord], float]:
        return lambda line: line[tool] / (sum(line[each] for each in tools) or 1.0)

    return {
        "Share of the calls, by tool": {tool.removeprefix("calls_"): told(share(tool)) for tool in tools},
        "Cents a rollout": {"": told(lambda line: 100 * line["dollars"])},
        "Share of the rollouts that are right": {"": told(lambda line: line["solved"])},
        "Mean reward": {"": told(lambda line: line["reward_mean"])},
    }


def _figures(evaluated: Mapping[str, float]) -> dict[str, Any]:
    found = Evaluated.read(evaluated)
    return {**_told(found), "by_difficulty": {name: _told(own) for name, own in found.by_dataset.items()}}


def _told(found: Evaluated) -> dict[str, Any]:
    cost = found.dollars_per_solved
    return {
        "accuracy": found.pass_rate,
        "low": found.low,
        "high": found.high,
        "cost_per_solved": cost if math.isfinite(cost) else None,
        "shares": found.shares,
    }
