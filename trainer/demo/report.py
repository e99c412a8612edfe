"""The demo's report: `report.json` for programs, and `report.html` with the curves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainer.config import Config
from trainer.demo.figures import figure
from trainer.demo.page import write_figures, write_page
from trainer.output.metrics import MetricsRecord
from trainer.report.curves import speed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trainer.grpo import TrainingResult

_TEMPLATE = Path(__file__).with_name("report.html.j2")
_LINE = "#3f6fb5"

Interval = dict[str, float]
"""`pass_rate`, and `low` and `high` of its 95% Wilson interval."""


@dataclass(frozen=True)
class Report:
    """What a demo came to."""

    settings: Config
    seconds: float
    """Of wall time, all of the demo."""
    raw: Interval | None
    """Of the checkpoint as it came; None where that was not evaluated."""
    before: Interval
    after: Interval
    lines: Sequence[MetricsRecord]
    """The training's metrics."""

    @classmethod
    def of(cls, settings: Config, result: "TrainingResult", lines: Sequence[MetricsRecord], seconds: float) -> "Report":
        """From a training that evaluated the policy before GRPO and after it."""
        assert result.before is not None
        assert result.after is not None
        raw = None if result.raw is None else _interval(result.raw)
        return cls(settings, seconds, raw, _interval(result.before), _interval(result.after), lines)

    @property
    def rates(self) -> list[tuple[str, Interval]]:
        """What was evaluated, in the order in which it came to be."""
        trained = [("before GRPO", self.before), ("after GRPO", self.after)]
        return trained if self.raw is None else [("as it came", self.raw), *trained]

    @property
    def steps(self) -> list[MetricsRecord]:
        """The metrics of GRPO's steps."""
        return [line for line in self.lines if line["kind"] == "train"]

    @property
    def trajectories_per_second(self) -> float:
        """Played and learned from, over the wall time of all steps."""
        played = sum(line["rollouts"] for line in self.steps)
        return float(played / max(1e-9, sum(line["seconds"]["step"] for line in self.steps)))

    def as_json(self) -> dict[str, Any]:
        """What `report.json` holds."""
        return {
            "seed": self.settings.seed,
            "dtype": self.settings.model.dtype,
            "seconds": round(self.seconds, 1),
            "raw": self.raw,
            "before": self.before,
            "after": self.after,
            "steps": len(self.steps),
            "trajectories_per_second": round(self.trajectories_per_second, 3),
        }


CURVES: dict[str, tuple[str, Callable[[MetricsRecord], float | None]]] = {
    "solved": ("Share of the rollouts that solve their task", lambda line: line["solved"]),
    "reward": ("Mean reward", lambda line: line["reward_mean"]),
    "mismatch": ("KL between engine and trainer, a token", lambda line: line.get("mismatch_kl")),
    "entropy": ("Entropy of the policy, nats a token", lambda line: line.get("entropy")),
    "length": ("Tokens that a rollout sampled", lambda line: line["sampled_tokens"]),
    "speed": ("Sampled tokens a second, learning included", speed),
}
"""Name -> what a curve shows, and its value at a step; None where nothing was learned from."""


def write_report(report: Report, folder: Path) -> None:
    """Write `report.json` and `report.html` into a folder that is there."""
    write_figures(folder / "report.json", report.as_json())
    write_page(_TEMPLATE, folder / "report.html", report, {"rates": _rates(report), "curves": _curves(report)})


def _interval(evaluated: Mapping[str, float]) -> Interval:
    return {name: evaluated[name] for name in ("pass_rate", "low", "high")}


def _rates(report: Report) -> "Figure":
    """The pass rates with their intervals."""
    from trainer.rollout.decoding import Decoding

    drawn = figure(6.4, 2.4)
    axes = drawn.add_subplot()
    shown = report.rates[::-1]
    for place, (_, each) in enumerate(shown):
        reach = [[each["pass_rate"] - each["low"]], [each["high"] - each["pass_rate"]]]
        axes.errorbar([each["pass_rate"]], [place], xerr=reach, fmt="o", color=_LINE, capsize=4)
    axes.set_yticks(range(len(shown)), [name for name, _ in shown])
    axes.set_ylim(-0.6, len(shown) - 0.4)
    axes.set_xlim(0, 1)
    played = [line for line in report.lines if line["kind"] == "evaluation"]
    axes.set_xlabel(f"pass rate on held-out tasks, {Decoding.read(played[-1])}, with its 95% interval")
    axes.spines[["top", "right"]].set_visible(False)
    return drawn


def _curves(report: Report) -> "Figure":
    """What the steps were like, a small plot each."""
    drawn = figure(9.6, 5.4)
    for place, (title, value) in enumerate(CURVES.values()):
        axes = drawn.add_subplot(2, 3, place + 1)
        found = [(line["step"], value(line)) for line in report.steps]
        known = [(step, height) for step, height in found if height is not None]
        axes.plot([step for step, _ in known], [height for _, height in known], color=_LINE, marker=".")
        axes.set_title(title, fontsize=9, loc="left")
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)
        if place >= 3:
            axes.set_xlabel("step")
    return drawn
