"""Pruning golden calls of reads that nothing needs, before a task meets the gates.

A teacher looks around more than the task asks for: that makes the golden calls a worse example. A read is dropped if no
fact to tell and no later argument can come from it, the policy does not name it, and the verdict asks for nothing less
without it. What a condition or a choice ("if it is free", "the cheapest") hangs on leaves no trace in arguments and
facts; so where the user states one, or nothing is written (a refusal has its reasons), every read stays.
"""

from collections.abc import Sequence
from dataclasses import replace

from toolscale.artifacts import CallOutcome, GoldenCall, Task, canonical_json, task_id
from toolscale.checkers import GateContext
from toolscale.checkers.asked import leaves_a_choice
from toolscale.checkers.gates import grounded
from toolscale.checkers.needed import needs
from toolscale.checkers.results import holds, is_value, readable
from toolscale.checkers.said import fact_of
from toolscale.checkers.values import leaves


def pruned(task: Task, context: GateContext) -> Task:
    """The task without the reads that nothing needs, an id of its own, and `lineage.pruned` saying what was dropped.

    The verdict on any trajectory stays what it was: the same end state, facts, and entries to look at.
    """
    golden = context.golden(task)
    if golden.faults or not golden.wrote or leaves_a_choice(task.instruction) or task.user_scenario is None:
        return task
    if not all(any(_shows(done, info) for done in golden.replay.outcomes) for info in task.communicate_info):
        return task  # what was worked out may come from any read
    kept = _needed(task, context)
    if len(kept) == len(task.golden_calls):
        return task
    dropped = [call for at, call in enumerate(task.golden_calls) if at not in kept]
    shorter = _with_calls(task, kept)
    if len(grounded(shorter, context).reasons) > len(grounded(task, context).reasons):
        return task
    return shorter.model_copy(
        update={
            "id": task_id(task.domain, task.user_scenario, shorter.golden_calls, task.communicate_info),
            "lineage": task.lineage.model_copy(update={"pruned": [_as_text(call) for call in dropped]}),
        }
    )


def _needed(task: Task, context: GateContext) -> list[int]:
    """The positions of the calls that stay: all that do something, and each read without which less is asked for."""
    replay, spec = context.golden(task).replay, context.sandbox.spec
    wanted = set(needs(task, replay, spec))
    bounded = {limit.call for limit in task.limits}
    kept = list(range(len(task.golden_calls)))
    for at in reversed(range(len(task.golden_calls))):
        if at in bounded or not _only_looks(replay.outcomes[at], context) or _tells(at, task, replay.outcomes):
            continue
        rest = [other for other in kept if other != at]
        without = replace(replay, outcomes=tuple(replay.outcomes[other] for other in rest))
        if set(needs(task, without, spec)) == wanted:
            kept = rest
    return kept


def _tells(at: int, task: Task, outcomes: Sequence[CallOutcome]) -> bool:
    """Whether a fact to tell, or an argument of a later call, may come from what the call shows."""
    done, text = outcomes[at], readable(outcomes[at].result)
    given = [value for _, value in leaves(dict(done.arguments))]
    later = (value for other in outcomes[at + 1 :] for _, value in leaves(dict(other.arguments)))
    found = (value for value in later if value is not None and not isinstance(value, bool) and value not in given)
    return any(_shows(done, info) for info in task.communicate_info) or any(holds(text, value) for value in found)


def _shows(done: CallOutcome, info: str) -> bool:
    fact = fact_of(info)
    return holds(readable(done.result), info) or any(is_value(fact, value) for _, value in leaves(done.result))


def _only_looks(done: CallOutcome, context: GateContext) -> bool:
    """Whether a call looks at records and does nothing else; one that looks at none may hand over to a person."""
    return not context.facts.is_write(done) and bool(done.looked_up or done.scanned)


def _with_calls(task: Task, kept: list[int]) -> Task:
    calls = [task.golden_calls[at].model_copy(update={"action_id": str(position)}) for position, at in enumerate(kept)]
    limits = [limit.model_copy(update={"call": kept.index(limit.call)}) for limit in task.limits if limit.call in kept]
    return task.model_copy(update={"golden_calls": calls, "limits": limits})


def _as_text(call: GoldenCall) -> str:
    return f"{call.name}({canonical_json(call.arguments)})"
