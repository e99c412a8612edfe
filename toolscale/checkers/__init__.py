"""A verdict on a trajectory, and the gates a task must pass."""

from toolscale.checkers.gates import (
    PROGRAM_GATES,
    Examination,
    GateContext,
    examine,
    pass_at_8,
    run_gates,
    was_evaluated,
)
from toolscale.checkers.verdict import GoldenReplay, judge, judge_replay
from toolscale.checkers.wording import communicated, fold

__all__ = [
    "PROGRAM_GATES",
    "Examination",
    "GateContext",
    "GoldenReplay",
    "communicated",
    "examine",
    "fold",
    "judge",
    "judge_replay",
    "pass_at_8",
    "run_gates",
    "was_evaluated",
]
