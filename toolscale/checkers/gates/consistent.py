"""Gate: the task does not contradict itself: the user's limits, facts that a write outdates, who the user is."""

from toolscale.artifacts import GateOutcome, Task
from toolscale.checkers.context import GateContext
from toolscale.checkers.gates.outcomes import not_evaluated, outcome
from toolscale.checkers.limits import broken_limits
from toolscale.checkers.persona import contradictions
from toolscale.checkers.stale import stale_facts


def consistent(task: Task, context: GateContext) -> GateOutcome:
    """Hold what the user says against what the golden calls do, what they read, and the user's own record."""
    if not task.instruction:
        return not_evaluated("consistent", "the task carries no instruction", passed=True)
    replay, spec = context.golden(task).replay, context.sandbox.spec
    faults = [*broken_limits(task, replay), *stale_facts(task, replay, spec), *contradictions(task, spec)]
    return outcome("consistent", faults)
