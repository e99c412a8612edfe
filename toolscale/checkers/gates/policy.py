"""Gate: no golden call breaks the policy: by predicates (``rules.py``), and by a judge where no program can tell.

The judge is asked once, when a task is made (`synthesis/judgement.py`), and what it said is part of the gate's outcome.
Whoever puts a task to the gates again runs the predicates and leaves the judge's word as it was recorded.
"""

from collections.abc import Sequence

from toolscale.artifacts import GateOutcome, Task
from toolscale.checkers.context import GateContext
from toolscale.checkers.gates.outcomes import not_evaluated, outcome
from toolscale.environment import not_checkable_in, rules_in

JUDGED = "judged by "
"""How a reason begins that a model gave, whose name follows."""


def policy(task: Task, context: GateContext) -> GateOutcome:
    """Hold every predicate against the state before and after each golden call."""
    source = context.sandbox.spec.rules
    if not rules_in(source):
        left = not_checkable_in(source)
        why = f"a judge reads {what_is_left(left)}, when tasks are made" if left else "the environment states no rules"
        return not_evaluated("policy", why, passed=True)
    golden = context.golden(task)
    return outcome(
        "policy",
        [
            f"golden_calls[{broken.position}] `{task.golden_calls[broken.position].name}` breaks `{broken.rule}`: "
            f"{broken.reason}"
            for broken in context.sandbox.broken_rules(golden.replay)
        ],
    )


def what_is_left(sentences: Sequence[str]) -> str:
    """What of a policy is left to a judge, in words."""
    count = len(sentences)
    return f"the {'sentence' if count == 1 else f'{count} sentences'} that no program can check"


def with_recorded_judgement(now: GateOutcome, task: Task, context: GateContext) -> GateOutcome:
    """What the predicates say of a task now, with what a judge said of it when it was made.

    A model's word cannot be had again for nothing, nor would it have to be the same: it stays as it was recorded.
    """
    left = not_checkable_in(context.sandbox.spec.rules)
    recorded = next((gate for gate in task.gates if gate.gate == "policy"), None)
    if not left or recorded is None or not now.passed:
        return now
    said = [reason for reason in recorded.reasons if reason.startswith(JUDGED)]
    if not recorded.passed and not said:
        return now  # what refused it then was a predicate, and none does now
    kept = f"{JUDGED}a model when the task was made, not again: it keeps {what_is_left(left)}"
    return GateOutcome(gate="policy", passed=recorded.passed, reasons=said or [kept])
