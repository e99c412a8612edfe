"""The curves of a training: one small SVG each, so that a page of any width can lay them out."""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from trainer.output.metrics import MetricsRecord
from trainer.sequence import SPOILED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = ("#3f6fb5", "#c0562f", "#5b8c3a", "#8a5fb0", "#7a7a7a", "#b8892b")
_INK, _SOFT = "#1f2933", "#5b6875"
_MOST_DOTS = 200
_ENDINGS = ("done", "turn_limit", "message_limit", "length_limit", "context_limit", "malformed")

Value = Callable[[MetricsRecord], float | None]
Points = list[tuple[int, float]]


@dataclass(frozen=True)
class Curve:
    """A plot of some figures of the steps."""

    title: str
    lines: Mapping[str, Value]
    """What a line is called, and its value at a step; None where there is none."""
    kind: str = "train"


def _named(name: str) -> Value:
    return lambda line: line.get(name)


def _second(name: str) -> Value:
    return lambda line: line["seconds"].get(name)


def speed(line: MetricsRecord) -> float | None:
    """Tokens a second that a step sampled, in rollouts that count; `sampled_tokens` is a mean over these."""
    seconds = line["seconds"].get("step")
    counted = line["rollouts"] - sum(line.get(spoiled, 0) for spoiled in SPOILED)
    return line["sampled_tokens"] * counted / seconds if seconds else None


CURVES = (
    Curve("Held-out tasks solved (95% interval)", {"pass rate": _named("pass_rate")}, kind="evaluation"),
    Curve("Rollouts that solve their task", {"solved": _named("solved")}),
    Curve("Mean reward", {"reward": _named("reward_mean")}),
    Curve("How rollouts end", {name.replace("_", " "): _named(f"ending_{name}") for name in _ENDINGS}),
    Curve("Entropy, nats a token", {"entropy": _named("entropy")}),
    Curve("KL between engine and trainer, a token", {"mismatch": _named("mismatch_kl")}),
    Curve("Share of tokens that the clip cut off", {"clipped": _named("clip_share")}),
    Curve("Norm of the gradient", {"norm": _named("grad_norm")}),
    Curve("KL to the starting checkpoint, a token", {"KL": _named("reference_kl")}),
    Curve("Variance of the returns that the critic explains", {"explained": _named("explained_variance")}),
    Curve("Tokens of a rollout", {"sampled": _named("sampled_tokens"), "all": _named("all_tokens")}),
    Curve("Calls of a rollout", {"calls": _named("calls")}),
    Curve("Dollars a rollout", {"dollars": _named("dollars")}),
    Curve("Seconds of a step", {name: _second(name) for name in ("rollouts", "update", "weights", "record")}),
    Curve("Sampled tokens a second", {"speed": speed}),
    Curve("Loss of the warm start", {"loss": _named("loss")}, kind="sft"),
)


@dataclass(frozen=True)
class Drawn:
    """A curve on the page."""

    title: str
    svg: Markup
    values: dict[int, str]
    """Step -> what its points say."""


def drawn(lines: Sequence[MetricsRecord]) -> list[Drawn]:
    """Every curve that has something to show: a line that is 0 at all steps is left out, and so is a plot of none."""
    made = []
    for curve in CURVES:
        found = [line for line in lines if line["kind"] == curve.kind and line["step"] >= 0]
        plotted = {name: _points(found, value) for name, value in curve.lines.items()}
        plotted = {name: points for name, points in plotted.items() if any(height for _, height in points)}
        if plotted:
            made.append(Drawn(curve.title, _svg(curve, plotted, found), _told(plotted)))
    return made


def _points(lines: Sequence[MetricsRecord], value: Value) -> Points:
    found = [(line["step"], value(line)) for line in lines]
    return [(step, height) for step, height in found if height is not None]


def _told(plotted: Mapping[str, Points]) -> dict[int, str]:
    said: dict[int, list[str]] = {}
    for name, points in plotted.items():
        for step, height in points:
            said.setdefault(step, []).append(f"{name} {height:.4g}")
    return {step: f"step {step}: {', '.join(each)}" for step, each in said.items()}


def _svg(curve: Curve, plotted: Mapping[str, Points], lines: Sequence[MetricsRecord]) -> Markup:
    # No pyplot: it keeps figures alive and picks a backend by the machine.
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    with rc_context(
        {
            **{"svg.fonttype": "none", "svg.hashsalt": curve.title, "font.size": 9, "text.color": _INK},
            **{"axes.edgecolor": _SOFT, "xtick.color": _SOFT, "ytick.color": _SOFT},
        }
    ):
        figure = Figure(figsize=(3.6, 2.2))
        FigureCanvasSVG(figure)
        axes = figure.add_axes((0.14, 0.13, 0.83, 0.77))
        for (name, points), colour in zip(plotted.items(), _COLOURS, strict=False):
            _draw(axes, name, points, colour, links=curve.kind == "train")
        if curve.kind == "evaluation":
            _interval(axes, lines)
        if len(plotted) > 1:
            axes.legend(frameon=False, fontsize=8)
        axes.set_ylim(bottom=min(0.0, *(height for points in plotted.values() for _, height in points)))
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.yaxis.set_major_locator(MaxNLocator(4))
        axes.spines[["top", "right"]].set_visible(False)
        written = io.StringIO()
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    text = written.getvalue()
    return Markup(text[text.index("<svg") :])


def _draw(axes: "Axes", name: str, points: Points, colour: str, *, links: bool) -> None:
    """A line, with dots that lead to the rollouts of their steps."""
    axes.plot([step for step, _ in points], [height for _, height in points], color=colour, linewidth=1.3, label=name)
    dots = points[:: 1 + len(points) // _MOST_DOTS]
    put = axes.scatter([step for step, _ in dots], [height for _, height in dots], s=9, color=colour)
    if links:
        put.set_urls([f"#step={step}" for step, _ in dots])


def _interval(axes: "Axes", lines: Sequence[MetricsRecord]) -> None:
    steps, low, high = ([line[name] for line in lines] for name in ("step", "low", "high"))
    axes.fill_between(steps, low, high, color=_COLOURS[0], alpha=0.15, linewidth=0)
    axes.set_ylim(0, 1)
