"""Limits that a user states ("at most 80 euros"), held against what the golden calls did."""

import re
from collections.abc import Iterator
from decimal import Decimal

from toolscale.artifacts import CallOutcome, Json, StatedLimit, Task
from toolscale.checkers.asked import may_lapse
from toolscale.checkers.said.numbers import numbers_in
from toolscale.checkers.said.text import plain
from toolscale.checkers.values import leaves, written
from toolscale.environment import Replay

_STATED = re.compile(
    r"\b(?:at most|no more than|not more than|not over|not above|up to|maximum(?: of)?|at least|no less than|"
    r"not less than|"
    r"cheaper than|less than|under|below)\b"
)
_REACH = 12
"""Characters between the words of a limit and its number."""


def broken_limits(task: Task, replay: Replay) -> Iterator[str]:
    """A sentence for each limit that is not as its author says it is, or that a golden call breaks.

    The author says which value is meant: from the words alone it cannot be told ("under 80 a night").
    """
    for limit in task.limits:
        if fault := _fault(limit, task.instruction, replay):
            yield f"the limit {limit.says!r}: {fault}"
    if task.limits and not may_lapse(task.instruction):
        for number in _stated(task.instruction):
            if not any(number in _numbers(limit.says) for limit in task.limits):
                yield f"the user states a limit of {number}, which none of the task's limits covers"


def _fault(limit: StatedLimit, instruction: str, replay: Replay) -> str:
    if " ".join(limit.says.split()).casefold() not in " ".join(instruction.split()).casefold():
        return "the user does not say so"
    bounds = [bound for bound in (limit.at_most, limit.at_least, limit.equal) if bound is not None]
    if not bounds:
        return "it bounds nothing; give it `at_most`, `at_least` or `equal`"
    if unsaid := [bound for bound in bounds if _decimal(bound) not in _numbers(limit.says)]:
        return f"its words do not say {unsaid[0]}"
    if not 0 <= limit.call < len(replay.outcomes):
        return f"there is no golden call {limit.call}"
    done = replay.outcomes[limit.call]
    value = _value_at(done, limit.field)
    place = f"`{limit.field}` of golden_calls[{limit.call}] `{done.name}`"
    if value is None:
        return f"{place} is no number, neither in its result nor in its arguments"
    return "" if _keeps(limit, value) else f"{place} is {value}"


def _keeps(limit: StatedLimit, value: Decimal) -> bool:
    return (
        (limit.at_most is None or value <= _decimal(limit.at_most))
        and (limit.at_least is None or value >= _decimal(limit.at_least))
        and (limit.equal is None or value == _decimal(limit.equal))
    )


def _value_at(done: CallOutcome, field: str) -> Decimal | None:
    for whole in (done.result, dict(done.arguments)):
        for path, value in leaves(whole):
            if written(path) == field and (number := _number(value)) is not None:
                return number
    return None


def _number(value: Json) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if not isinstance(value, str):
        return _decimal(value)
    found = numbers_in(plain(value))
    return next(iter(found[0].values)) if len(found) == 1 and len(found[0].values) == 1 else None


def _decimal(number: float) -> Decimal:
    return Decimal(str(number))


def _numbers(words: str) -> set[Decimal]:
    return {value for mention in numbers_in(plain(words)) for value in mention.values}


def _stated(instruction: str) -> Iterator[Decimal]:
    """The amounts of money that stand right behind the words of a limit."""
    text = plain(instruction)
    for mention in numbers_in(text):
        before = list(_STATED.finditer(text, max(0, mention.start - 40), mention.start))
        if before and mention.start - before[-1].end() <= _REACH and mention.currencies and len(mention.values) == 1:
            yield next(iter(mention.values))
