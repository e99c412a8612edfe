"""Asking the environment itself: whether a value is as far as a function goes, or is named where it refuses another."""

from collections.abc import Iterator
from datetime import timedelta

from toolscale.artifacts import Call, GoldenCall, Json, Task
from toolscale.artifacts.base import JsonPath
from toolscale.checkers.context import GateContext
from toolscale.checkers.derived import Sources, limits_asked, said_figures
from toolscale.checkers.results import holds, readable
from toolscale.checkers.said.moments import moment_of
from toolscale.checkers.values import replaced
from toolscale.environment import Replay, equal

_CENT = 0.01
_MOST_WISHES = 6
"""Values that the user says of which each is tried in the place of a golden one."""


def found_by_asking(
    task: Task, position: int, path: JsonPath, value: Json, sources: Sources, context: GateContext
) -> bool:
    """Whether whoever asks the environment is told the value.

    "As many instalments as you allow" is the number beyond which the function refuses, or the policy's rules do. "For
    nine, or for as many as can be" is the number that the refusal of nine names.
    """
    asked = limits_asked(sources.words)
    if any(_refusal(task, position, path, value, _beside(value, way), context) is not None for way in asked):
        return True
    for wish in _wishes(value, sources):
        refusal = _refusal(task, position, path, value, wish, context)
        if refusal and holds(readable(refusal), value):
            return True
    return False


def _refusal(task: Task, position: int, path: JsonPath, value: Json, other: Json, context: GateContext) -> str | None:
    """What is said against the golden call with another value in the place of its own; None if nothing is."""
    if other is None or equal(other, value):
        return None
    call = task.golden_calls[position]
    before: list[Call | GoldenCall] = [*task.golden_calls[:position]]
    tried = context.sandbox.run(
        [*before, Call(name=call.name, arguments=replaced(call.arguments, path, other))], task.start
    )
    if not tried.ok:
        return (tried.outcomes[-1].error or "") if tried.alive else None
    return _broken(tried, position, context)


def _broken(tried: Replay, position: int, context: GateContext) -> str | None:
    if not context.sandbox.spec.rules:
        return None
    return next((broken.reason for broken in context.sandbox.broken_rules(tried) if broken.position == position), None)


def _beside(value: Json, way: int) -> Json:
    """The next value in that direction: one more, a cent more, a day later."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value + way
    if isinstance(value, float):
        return round(value + way * (1 if value.is_integer() else _CENT), 2)
    moment = moment_of(value) if isinstance(value, str) else None
    if moment is None or moment.day is None or moment.clock is not None:
        return None
    return (moment.day + timedelta(way)).isoformat()


def _wishes(value: Json, sources: Sources) -> Iterator[Json]:
    """Other values of its sort that the user says."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return
    if isinstance(value, str):
        moment = moment_of(value)
        if moment is not None and moment.day is not None and moment.clock is None:
            yield from (day.isoformat() for day in sorted(sources.days)[:_MOST_WISHES])
        return
    for number in sorted(said_figures(sources.words))[:_MOST_WISHES]:
        yield int(number) if number == int(number) and isinstance(value, int) else float(number)
