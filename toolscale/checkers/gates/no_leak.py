"""Gate: nothing that the agent must communicate stands in what the user says."""

from toolscale.artifacts import GateOutcome, Task
from toolscale.checkers.context import GateContext
from toolscale.checkers.gates.outcomes import not_evaluated, outcome
from toolscale.checkers.wording import fold, stands_in


def no_leak(task: Task, context: GateContext) -> GateOutcome:
    """Look for each fact in the instruction, as it is written: a day that a user names may be the answer by chance."""
    if not task.instruction:
        return not_evaluated("no_leak", "the task carries no instruction", passed=True)
    said = fold(task.instruction)
    leaked = [info for info in task.communicate_info if stands_in(fold(info), said)]
    return outcome("no_leak", [f"the user says {info!r}, which the agent is to find out" for info in leaked])
