"""Gate: an agent solves the task at least once in eight attempts."""

from collections.abc import Sequence

from toolscale.artifacts import Attempt, GateOutcome
from toolscale.checkers.gates.outcomes import outcome


def pass_at_8(attempts: Sequence[Attempt]) -> GateOutcome:
    """Pass if one attempt solved the task. Attempts that the simulated user spoiled count neither way."""
    counted = [attempt for attempt in attempts if not attempt.user_fault]
    if any(attempt.verdict.solved for attempt in counted):
        return outcome("pass_at_8", [])
    if not counted:
        return outcome("pass_at_8", [f"no attempt counts: {len(attempts)} made, all spoiled by the simulated user"])
    return outcome("pass_at_8", [f"no agent solved it in {len(counted)} attempts"])
