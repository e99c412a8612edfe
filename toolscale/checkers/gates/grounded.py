"""Gate 2: every golden argument comes from somewhere an agent can see, and so does every id that it must tell.

That is the instruction, an earlier result, or an enumeration in the function's parameters. Booleans and null are
enumerations by nature. Facts of other kinds may be worked out, or worded by the teacher.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolscale.artifacts import GateOutcome, GoldenCall, Json, Task
from toolscale.checkers.facts import EnvironmentFacts
from toolscale.checkers.gates.context import GateContext, not_evaluated, outcome
from toolscale.checkers.parameters import enumerated, is_named_property
from toolscale.checkers.phrasing import worded
from toolscale.checkers.results import holds, readable
from toolscale.checkers.said import fact_of
from toolscale.checkers.values import Path, containers, leaves, written
from toolscale.checkers.wording import fold
from toolscale.environment import equal

_FREE_TEXT_WORDS = 4


@dataclass(frozen=True)
class _Argument:
    """One leaf of a golden call's arguments, or one key that the caller chose."""

    call: GoldenCall
    position: int
    path: Path
    value: Json


def grounded(task: Task, context: GateContext) -> GateOutcome:
    """Trace every leaf of every golden argument, and every id to tell, to its source, and name those that have none."""
    if not task.instruction:
        return not_evaluated("grounded", "the task carries no instruction", passed=True)
    facts = context.facts
    instruction = fold(task.instruction)
    results: list[str] = []
    reasons = []
    for position, (call, done) in enumerate(zip(task.golden_calls, context.golden(task).replay.outcomes, strict=True)):
        for argument in _arguments(call, position, facts):
            if not _has_source(argument, instruction, results, facts):
                reasons.append(_reason(argument, facts.is_write(done)))
        results.append(readable(done.result))
    if task.golden_calls:
        reasons += [
            f"the id {info!r} is to be told, and no golden call shows it"
            for info in task.communicate_info
            if fact_of(info).kind == "id" and not any(holds(result, info) for result in results)
        ]
    return outcome("grounded", reasons)


def _arguments(call: GoldenCall, position: int, facts: EnvironmentFacts) -> Iterator[_Argument]:
    arguments: dict[str, Json] = call.arguments
    parameters = facts.parameters.get(call.name, {})
    for path, value in leaves(arguments):
        if value is not None and not isinstance(value, bool):
            yield _Argument(call, position, path, value)
    for path, container in containers(arguments):
        for key in container if path and isinstance(container, dict) else ():
            if not is_named_property(parameters, (*path, key)):
                yield _Argument(call, position, (*path, key), key)


def _has_source(argument: _Argument, instruction: str, results: list[str], facts: EnvironmentFacts) -> bool:
    parameters = facts.parameters.get(argument.call.name, {})
    if any(equal(argument.value, value) for value in enumerated(parameters, argument.path)):
        return True
    if worded(argument.value, instruction, facts.spec.now):
        return True
    return any(holds(result, argument.value) for result in results)


def _reason(argument: _Argument, written_down: bool) -> str:
    call = f"golden_calls[{argument.position}] `{argument.call.name}`"
    place = f"{call} argument `{written(argument.path)}`: {argument.value!r}"
    free_text = isinstance(argument.value, str) and len(argument.value.split()) >= _FREE_TEXT_WORDS
    if free_text and written_down:
        return f"{place} is free text that only a model could word, and it would be written into the database"
    return f"{place} is neither in the instruction, nor in an earlier result, nor an enumerated value"
