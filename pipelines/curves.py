"""Curves of a training, for Dagster's pages."""

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

from pipelines.pictures import curve

DRAWN = {
    "reward_mean": "mean reward R",
    "solved": "share of rollouts that solved their task",
    "explained_variance": "share of the returns' variance that PPO's critic explained",
    "mismatch_kl": "KL between the engine's and the trainer's numerics",
    "entropy": "entropy of the sampled tokens, nats",
    "sampled_tokens": "sampled tokens a rollout",
}
"""Figure of a step -> what it is. Those that a training does not tell are left out."""


def curves(lines: Sequence[Mapping[str, Any]]) -> dict[str, dg.MarkdownMetadataValue]:
    """Name -> picture over the steps so far; `pass_rate` is that of the evaluations."""
    steps = [line for line in lines if line["kind"] == "train"]
    drawn = {name: _points(steps, name) for name in DRAWN}
    found = {f"curve_{name}": curve(points, DRAWN[name]) for name, points in drawn.items() if len(points) > 1}
    evaluations = _points([line for line in lines if line["kind"] == "evaluation"], "pass_rate")
    if len(evaluations) > 1:
        found["curve_pass_rate"] = curve(evaluations, "held-out tasks solved, greedy")
    return found


def _points(lines: Sequence[Mapping[str, Any]], name: str) -> list[tuple[float, float]]:
    return [(line["step"], line[name]) for line in lines if isinstance(line.get(name), int | float)]
