"""Runs solutions against a conversation: what was called is read off it, what comes next is asked of the solution.

The offline model keeps nothing between requests. Every request replays the solution over the outcomes that the
conversation already holds and answers with the next call, or with the end.
"""

from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple, TypeVar

from toolscale.artifacts import Call
from toolscale.reference.program import CallRefused, Choice, DeadEnd, Reply, Solution

T = TypeVar("T")
Script = Generator[Call, Any, T]
"""A solution whose choices are settled: it yields calls, is sent their results, and returns its end."""


class CallResult(NamedTuple):
    """What came back from a call: a result, or the message of its refusal."""

    result: Any = None
    error: str | None = None


def advance(script: Script[T], outcomes: Sequence[CallResult]) -> tuple[Call | None, T | None]:
    """Replay a script over the outcomes so far: the next call it wants, or what it returns.

    Raises:
        DeadEnd, CallRefused: whatever the script does not catch.
    """
    try:
        call = next(script)
        for outcome in outcomes:
            call = script.send(outcome.result) if outcome.error is None else script.throw(CallRefused(outcome.error))
    except StopIteration as end:
        return None, end.value
    return call, None


def _as_it_is(call: Call) -> Call:
    return call


def followed(
    solution: Solution, decide: Callable[[Choice], Any], adapt: Callable[[Call], Call] = _as_it_is
) -> Script[Reply]:
    """The solution with its choices settled by `decide` and its calls made as `adapt` says; refusals reach it."""
    answer: Any = None
    refusal: CallRefused | None = None
    while True:
        try:
            step = solution.throw(refusal) if refusal else solution.send(answer)
        except StopIteration as end:
            reply: Reply = end.value
            return reply
        refusal = None
        if isinstance(step, Choice):
            answer = decide(step)
        else:
            try:
                answer = yield adapt(step)
            except CallRefused as error:
                refusal = error


def strictly(solution: Solution) -> Script[Reply]:
    """The solution as the teacher follows it: the best candidate, and a dead end where none is best.

    Raises:
        DeadEnd: a choice has no candidates, or two that are equally good.
    """
    return followed(solution, _only_best)


def _only_best(choice: Choice) -> Any:
    if not choice.candidates:
        raise DeadEnd("nothing to choose from")
    ranked = sorted(choice.candidates, key=choice.key)
    if len(ranked) > 1 and choice.key(ranked[0]) == choice.key(ranked[1]):
        raise DeadEnd("two choices are equally good")
    return ranked[0]
