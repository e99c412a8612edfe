"""Curves of a training as pictures for Dagster's pages."""

import base64
import io
from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

DRAWN = {
    "reward_mean": "mean reward R",
    "solved": "share of rollouts that solved their task",
    "mismatch_kl": "KL between the engine's and the trainer's numerics",
    "entropy": "entropy of the sampled tokens, nats",
    "sampled_tokens": "sampled tokens a rollout",
}
"""Figure of a step -> what it is. Those that a training does not tell are left out."""


def curves(lines: Sequence[Mapping[str, Any]]) -> dict[str, dg.MarkdownMetadataValue]:
    """Name -> picture over the steps; `pass_rate` of the evaluations stands with its interval."""
    steps = [line for line in lines if line["kind"] == "train"]
    drawn = {name: _points(steps, name) for name in DRAWN}
    found = {name: _picture(points, DRAWN[name]) for name, points in drawn.items() if len(points) > 1}
    evaluations = _points([line for line in lines if line["kind"] == "evaluation"], "pass_rate")
    if len(evaluations) > 1:
        found["pass_rate"] = _picture(evaluations, "held-out tasks solved, greedy")
    return found


def _points(lines: Sequence[Mapping[str, Any]], name: str) -> list[tuple[int, float]]:
    return [(line["step"], line[name]) for line in lines if isinstance(line.get(name), int | float)]


def _picture(points: Sequence[tuple[int, float]], label: str) -> dg.MarkdownMetadataValue:
    # No pyplot: it keeps figures alive. Imported here, since it takes half a second.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 2.8), dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.plot([step for step, _ in points], [value for _, value in points], color="#3f6fb5")
    axes.set(xlabel="step", ylabel=label)
    axes.spines[["top", "right"]].set_visible(False)
    written = io.BytesIO()
    figure.savefig(written, format="png")
    return dg.MetadataValue.md(f"![{label}](data:image/png;base64,{base64.b64encode(written.getvalue()).decode()})")
