"""Gate: no golden call breaks the policy, as far as the environment states its rules as predicates (``rules.py``)."""

from toolscale.artifacts import GateOutcome, Task
from toolscale.checkers.gates.context import GateContext, not_evaluated, outcome


def policy(task: Task, context: GateContext) -> GateOutcome:
    """Hold every rule against the state before and after each golden call."""
    if not context.sandbox.spec.rules:
        return not_evaluated("policy", "the environment states no rules", passed=True)
    golden = context.golden(task)
    return outcome(
        "policy",
        [
            f"golden_calls[{broken.position}] `{task.golden_calls[broken.position].name}` breaks `{broken.rule}`: "
            f"{broken.reason}"
            for broken in context.sandbox.broken_rules(golden.replay)
        ],
    )
