"""Gate: the golden calls run without error, twice, with identical results and state, and solve their own task."""

from toolscale.artifacts import GateOutcome, Task
from toolscale.checkers.context import GateContext
from toolscale.checkers.gates.outcomes import outcome
from toolscale.environment import Replay


def replay(task: Task, context: GateContext) -> GateOutcome:
    """Run the golden calls on two fresh databases and compare everything they did."""
    if not task.golden_calls:
        return outcome("replay", ["the task has no golden calls: nothing shows that it can be solved"])
    golden = context.golden(task)
    return outcome("replay", golden.faults or _differences(golden.replay, task, context) or _own_verdict(task, context))


def _differences(first: Replay, task: Task, context: GateContext) -> list[str]:
    second = context.sandbox.run(task.golden_calls, task.start, fresh=True)
    reasons = [
        f"golden_calls[{position}] `{one.name}` did not do the same twice"
        for position, (one, other) in enumerate(zip(first.outcomes, second.outcomes, strict=True))
        if one.model_dump_json() != other.model_dump_json()
    ]
    return reasons if first.same_state(second) else [*reasons, "the database after the golden calls differed"]


def _own_verdict(task: Task, context: GateContext) -> list[str]:
    """A task that its own solution does not solve is broken, whatever its calls did."""
    return context.judge(task, task.golden_calls, task.communicate_info).reasons
