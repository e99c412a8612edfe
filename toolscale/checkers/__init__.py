"""A verdict on a trajectory, and the gates a task must pass."""

from toolscale.checkers.context import GateContext
from toolscale.checkers.difficulty import difficulty_of
from toolscale.checkers.examination import examined, still_holds
from toolscale.checkers.gates import (
    Examination,
    Inaction,
    JudgedAttempt,
    ambiguous,
    distinct,
    examine,
    inaction,
    open_ends,
    pass_at_8,
    run_gates,
    was_evaluated,
    with_recorded_judgement,
)
from toolscale.checkers.verdict import GoldenReplay, judge, judges_at_once, solves
from toolscale.checkers.wording import fold

__all__ = [
    "Examination",
    "GateContext",
    "GoldenReplay",
    "Inaction",
    "JudgedAttempt",
    "ambiguous",
    "difficulty_of",
    "distinct",
    "examine",
    "examined",
    "fold",
    "inaction",
    "judge",
    "judges_at_once",
    "open_ends",
    "pass_at_8",
    "run_gates",
    "solves",
    "still_holds",
    "was_evaluated",
    "with_recorded_judgement",
]
