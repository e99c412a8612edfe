"""Gate: the task has one right end. Attempts that did all that was asked and agree on another end speak against it.

Attempts fail alike because an agent is weak far more often than because a task is ambiguous, so an attempt is a rival
to the golden calls only if nothing that a program can see is wrong with it; `docs/gates.md` argues each condition.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from toolscale.artifacts import Attempt, Call, CallOutcome, GateOutcome, Task
from toolscale.checkers.context import GateContext
from toolscale.checkers.gates.outcomes import outcome
from toolscale.checkers.phrasing import worded
from toolscale.checkers.values import leaves, written
from toolscale.checkers.wording import fold
from toolscale.environment import ABSENT, Replay, state_differences

AGREEING = 2
"""Rivals that must have reached the same end."""


@dataclass(frozen=True)
class JudgedAttempt:
    """An attempt as it was judged, and the calls it made."""

    attempt: Attempt
    calls: Sequence[Call]


def ambiguous(task: Task, made: Sequence[JudgedAttempt], context: GateContext) -> GateOutcome:
    """Passed unless at least two rivals agree on an end state, and no fewer than the attempts that solved the task."""
    golden = context.golden(task).replay
    solved = sum(each.attempt.verdict.solved for each in made if not each.attempt.user_fault)
    ends: list[tuple[Replay, list[int]]] = []
    for each in made:
        if not _did_all_but_differs(each.attempt):
            continue
        replay = context.sandbox.run(each.calls, task.start)
        if _is_rival(task, golden, replay, context):
            agreeing = next((indices for end, indices in ends if end.same_state(replay)), None)
            if agreeing is None:
                ends.append((replay, [each.attempt.index]))
            else:
                agreeing.append(each.attempt.index)
    reasons = [
        _reason(golden, end, indices, context)
        for end, indices in ends
        if len(indices) >= AGREEING and len(indices) >= solved
    ]
    return outcome("ambiguous", reasons)


def _did_all_but_differs(attempt: Attempt) -> bool:
    """True if the verdict has nothing against the attempt but the state that it left."""
    verdict = attempt.verdict
    ended_well = not attempt.user_fault and attempt.termination == "done"
    return ended_well and verdict.fidelity and verdict.completeness and not verdict.execution


def _is_rival(task: Task, golden: Replay, replay: Replay, context: GateContext) -> bool:
    """True if a replay may be as right as the golden one: the same writes, by the policy, nothing against the words."""
    if not replay.ok:
        return False
    ours, theirs = _writes(golden, context), _writes(replay, context)
    if Counter(call.name for call in ours) != Counter(call.name for call in theirs):
        return False
    if _contradicts(task, ours, theirs, context):
        return False
    return not context.sandbox.spec.rules or not context.sandbox.broken_rules(replay)


def _writes(replay: Replay, context: GateContext) -> list[CallOutcome]:
    return [done for done in replay.outcomes if done.ok and context.facts.is_write(done)]


def _contradicts(task: Task, ours: Sequence[CallOutcome], theirs: Sequence[CallOutcome], context: GateContext) -> bool:
    """True if the user said what a golden write was given, and did not say what the rival gave in its place."""
    said, now = fold(task.instruction), context.sandbox.spec.now
    by_name: dict[str, list[CallOutcome]] = defaultdict(list)
    for call in theirs:
        by_name[call.name].append(call)
    for call in ours:
        golden_leaves = dict(leaves(call.arguments))
        rival_leaves = dict(leaves(by_name[call.name].pop(0).arguments))
        for path, value in golden_leaves.items():
            other = rival_leaves.get(path)
            if value != other and worded(value, said, now) and not worded(other, said, now):
                return True
    return False


def _reason(golden: Replay, end: Replay, attempts: Sequence[int], context: GateContext) -> str:
    """Both ends, where they differ."""
    who = ", ".join(map(str, attempts))
    apart = ends_apart(golden, end, context)
    return f"after the golden calls or after attempts {who}, which did all that was asked as well: {apart}"


def ends_apart(golden: Replay, end: Replay, context: GateContext) -> str:
    """Where the golden end and another one differ, with what stands there after either."""
    return "; ".join(
        f"{change.table}/{change.key}{f' `{written(field.path)}`' if field.path else ''}: "
        f"{_value(field.before)} or {_value(field.after)}"
        for change in state_differences(golden, end, context.sandbox.spec)
        for field in change.fields
    )


def _value(value: object, most: int = 200) -> str:
    text = "nothing" if value is ABSENT else repr(value)
    return text if len(text) <= most else f"{text[: most - 3]}..."
