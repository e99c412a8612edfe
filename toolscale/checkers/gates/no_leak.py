"""Gate 5: nothing that the agent must communicate stands in what the user says."""

from toolscale.artifacts import GateOutcome, Task
from toolscale.checkers.gates.context import GateContext, not_evaluated, outcome
from toolscale.checkers.said import fact_of, is_said


def no_leak(task: Task, context: GateContext) -> GateOutcome:
    """Look for each fact in the instruction, with the matching that process fidelity uses."""
    if not task.instruction:
        return not_evaluated("no_leak", "the task carries no instruction", passed=True)
    now = context.sandbox.spec.now
    leaked = [info for info in task.communicate_info if is_said(fact_of(info), task.instruction, now)]
    return outcome("no_leak", [f"the user says {info!r}, which the agent is to find out" for info in leaked])
