"""Vectors, calls and trajectories for the rewards' tests."""

from toolscale.artifacts import Call, CallOutcome, Json, Trajectory
from toolscale.rewards import RewardVector


def call(function: str, /, **arguments: Json) -> Call:
    return Call(name=function, arguments=arguments)


def trajectory(*names: str, **values: object) -> Trajectory:
    """An episode in which functions of these names were called."""
    return Trajectory.model_validate({"task_id": "t", "calls": [CallOutcome(name=name) for name in names], **values})


def vector(
    *calls: int, solved: bool = True, dollars: float = 0.0, seconds: float = 0.0, tools: str | None = None
) -> RewardVector:
    """So many calls of tools `a`, `b`, ..., unless they are named."""
    named = tuple("abcdefghij"[: len(calls)]) if tools is None else tuple(tools.split())
    return RewardVector(named, calls, solved, dollars, seconds)
