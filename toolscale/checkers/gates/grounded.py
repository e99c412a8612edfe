"""Gate: every golden argument comes from somewhere an agent can see, and so does every id that it must tell.

That is what the user says, an earlier result, the present, the policy, or an enumeration in the function's parameters:
as it stands there, or as it follows from it (`checkers/derived`). Booleans and null are enumerations by nature. Facts
of other kinds may be worked out, or worded by the teacher.

What a read is given to search by (a bound, a filter) enters no verdict and needs no source, unless it names an entry or
a fact to tell was worked out from it; what the read only gives back is then no source for others.

What a write is given and no program can trace may still follow from the words. Attempts tell: they have not seen the
golden calls, so where several solved the task, each with that value, the value is there to be found.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolscale.artifacts import Attempt, Call, CallOutcome, GateOutcome, GoldenCall, Json, Task
from toolscale.artifacts.base import JsonPath
from toolscale.checkers.context import GateContext
from toolscale.checkers.derived import Sources, derivable
from toolscale.checkers.facts import EnvironmentFacts
from toolscale.checkers.gates.outcomes import not_evaluated, outcome, undecided
from toolscale.checkers.gates.probing import found_by_asking
from toolscale.checkers.parameters import enumerated, is_named_property
from toolscale.checkers.results import holds, readable
from toolscale.checkers.said import fact_of
from toolscale.checkers.values import containers, leaves, written
from toolscale.environment import equal

AGREEING = 2
"""Solved attempts that must have given a write a value which no program can trace."""

_FREE_TEXT_WORDS = 4


@dataclass(frozen=True)
class _Argument:
    """One leaf of a golden call's arguments, or one key that the caller chose."""

    call: GoldenCall
    position: int
    path: JsonPath
    value: Json

    def __str__(self) -> str:
        return f"golden_calls[{self.position}] `{self.call.name}` argument `{written(self.path)}`: {self.value!r}"


def grounded(task: Task, context: GateContext, solved: Sequence[Sequence[Call]] | None = None) -> GateOutcome:
    """Trace every leaf of every golden argument, and every id to tell, to its source, and name those that have none.

    Where all that is left are arguments that no program can trace, the outcome is undecided (`is_undecided`) until
    enough attempts solved the task. `solved` are the calls of those that did; without them, as in a row of a dataset,
    the attempts that the task carries stand for themselves: who solved it left what the golden calls leave.
    """
    if not task.instruction:
        return not_evaluated("grounded", "the task carries no instruction", passed=True)
    tracing = _Tracing(task, context)
    untraced = list(tracing.untraced())
    untold = tracing.untold_ids()
    if untold or any(context.facts.names_an_entry(argument.value) for argument in untraced):
        return outcome("grounded", [_unsaid(argument) for argument in untraced] + untold)
    found_by = [(argument, _agreeing(argument, task, solved)) for argument in untraced]
    if any(count < AGREEING for _, count in found_by):
        return undecided("grounded", [_unsaid(argument) for argument in untraced])
    reasons = [f"{argument} is what {count} solved attempts found" for argument, count in found_by]
    return GateOutcome(gate="grounded", passed=True, reasons=reasons)


class _Tracing:
    """Follows the arguments of a task's golden calls back to their sources."""

    def __init__(self, task: Task, context: GateContext) -> None:
        self.task, self.context, self.facts = task, context, context.facts
        self.outcomes = context.golden(task).replay.outcomes
        self.spec = context.sandbox.spec

    def untraced(self) -> Iterator[_Argument]:
        """The arguments that need a source and have none, in the order of the calls."""
        results: list[Json] = []
        texts: list[str] = []
        for position, (call, done) in enumerate(zip(self.task.golden_calls, self.outcomes, strict=True)):
            searching = not self.facts.is_write(done)
            sources = Sources(self.task.instruction, self.spec.now, tuple(results), self.spec.policy, searching)
            without = [
                argument
                for argument in _arguments(call, position, self.facts)
                if not self._listed(argument)
                and not any(holds(text, argument.value) for text in texts)
                and not derivable(argument.value, sources)
            ]
            if without and searching and not self._tells_what_was_worked_out(position):
                yield from (argument for argument in without if self.facts.names_an_entry(argument.value))
            else:
                yield from (argument for argument in without if not self._asked_for(argument, sources))
            results.append(_less(done.result, [argument.value for argument in without]))
            texts.append(readable(results[-1]))

    def untold_ids(self) -> list[str]:
        """Ids that are to be told and stand in no result."""
        if not self.task.golden_calls:
            return []
        texts = [readable(done.result) for done in self.outcomes]
        return [
            f"the id {info!r} is to be told, and no golden call shows it: look it up first"
            for info in self.task.communicate_info
            if fact_of(info).kind == "id" and not any(holds(text, info) for text in texts)
        ]

    def _listed(self, argument: _Argument) -> bool:
        parameters = self.facts.parameters.get(argument.call.name, {})
        return any(equal(argument.value, value) for value in enumerated(parameters, argument.path))

    def _asked_for(self, argument: _Argument, sources: Sources) -> bool:
        return found_by_asking(self.task, argument.position, argument.path, argument.value, sources, self.context)

    def _tells_what_was_worked_out(self, position: int) -> bool:
        """Whether a fact to tell stands in this result alone: not in the database, and in no result of another call."""
        own, others = self.outcomes[position], [*self.outcomes[:position], *self.outcomes[position + 1 :]]
        told = [info for info in self.task.communicate_info if holds(readable(own.result), info)]
        return any(
            not holds(self.facts.readable_recitation, info)
            and not any(holds(readable(done.result), info) for done in others)
            for info in told
        )


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


def _less(result: Json, values: Sequence[Json]) -> Json:
    """A result without the values that its call was given and that have no source: it only gives them back."""
    if isinstance(result, dict):
        return {key: _less(member, values) for key, member in result.items()}
    if isinstance(result, list):
        return [_less(member, values) for member in result]
    return None if any(equal(result, value) for value in values) else result


def _agreeing(argument: _Argument, task: Task, solved: Sequence[Sequence[Call]] | None) -> int:
    """How many attempts that solved the task gave a call of that function that value, where that is known."""
    if solved is None:
        return sum(_solved(attempt) for attempt in task.attempts)
    return sum(any(_gives(call, argument) for call in calls) for calls in solved)


def _solved(attempt: Attempt) -> bool:
    return attempt.verdict.solved and not attempt.user_fault


def _gives(call: Call | CallOutcome, argument: _Argument) -> bool:
    given = (value for _, value in leaves(dict(call.arguments)))
    return call.name == argument.call.name and any(equal(value, argument.value) for value in given)


def _unsaid(argument: _Argument) -> str:
    if isinstance(argument.value, str) and len(argument.value.split()) >= _FREE_TEXT_WORDS:
        return f"{argument} is free text that only a model could word: let the instruction say it word for word"
    return (
        f"{argument} is neither said, nor in an earlier result, nor an enumerated value, and follows from none of "
        "these: say it in the instruction, or look it up first"
    )
