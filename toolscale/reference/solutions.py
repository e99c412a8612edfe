"""Follows the solutions of task programs against a conversation: as the agent does, and as the blind solver.

The programs are this package's own, so their sources run in this process; those of other authors run in the sandbox
alone. What was called is read off the conversation, so nothing is kept between requests.
"""

import builtins
import datetime as datetime_module
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime
from functools import cache
from random import Random
from types import ModuleType
from typing import Any, Self

from toolscale.artifacts import Call, FactKind, Goal, TaskProgram
from toolscale.programs.inside.driver import DeadEnd, Faulty, Refused, best, fulfilled
from toolscale.programs.workshop import for_the_driver
from toolscale.reference.domain import ReferenceDomain
from toolscale.reference.enact import CallResult
from toolscale.reference.slips import BROKEN_OFF, OVERLOOKED, UNSAID, GivenUp, chosen, impossible, made

Told = tuple[int, int, str, str, Any]
"""An answer: goal, turn, twist, name and value."""

MOST_CALLS = 60
"""Calls after which a solution is given up."""


class Left(BaseException):
    """Ends a solution where it stands."""


class _Next(Left):
    """It wants a call that has not been made."""

    def __init__(self, call: Call) -> None:
        super().__init__(call.name)
        self.call = call


class _Ends(Left):
    """The agent gives up, and says so."""


def carelessly_solved(
    domain: ReferenceDomain, goals: Sequence[Goal], outcomes: Sequence[CallResult], rng: Random
) -> Call | str:
    """The next call of a careless agent for these goals, or what it says in the end."""
    understood = overlook(domain, goals, rng)

    def choose(candidates: Iterable[Any], key: Callable[[Any], Any]) -> Any:
        try:
            return chosen(candidates, key, rng)
        except GivenUp as end:
            raise _Ends(str(end)) from None

    results = iter(outcomes)

    def call(name: str, /, **arguments: Any) -> Any:
        try:
            wanted = made(_call(name, arguments), rng)
        except GivenUp as end:
            raise _Ends(str(end)) from None
        outcome = next(results, None)
        if outcome is None:
            raise _Next(wanted)
        if outcome.error is not None:
            raise Refused(outcome.error)
        return outcome.result

    try:
        told = solved(domain, understood, call, choose)
    except _Next as step:
        return step.call
    except _Ends as end:
        return str(end)
    except (DeadEnd, Refused) as obstacle:
        return impossible(obstacle)
    except (Faulty, LookupError, TypeError, ValueError, AttributeError):
        # A slip earlier on left the solution with results that it cannot work with.
        return BROKEN_OFF
    return _reply(domain, understood, told, rng)


def solved(
    domain: ReferenceDomain, goals: Sequence[Goal], call: Callable[..., Any], choose: Callable[..., Any]
) -> list[Told]:
    """What the user is told, where `call` makes the calls and `choose` takes the best."""
    programs = {program.name: program for program in domain.task_programs}
    sources = {goal.program: programs[goal.program].source for goal in goals}
    wanted = [for_the_driver(goal, programs[goal.program]) for goal in goals]
    given = {"best": choose, "__builtins__": _with_clocks_at(domain.now)}
    return [tuple(each) for each in fulfilled(sources, wanted, call, given)]


@cache
def _with_clocks_at(now: datetime) -> dict[str, Any]:
    """What every program can name, where `datetime` says that it is `now`, as it does in the sandbox."""

    class Day(date):
        @classmethod
        def today(cls) -> Self:
            return cls(now.year, now.month, now.day)

    class Moment(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Self:
            return cls.combine(now.date(), now.time(), tz)

        today = utcnow = now

    standing = ModuleType("datetime")
    standing.__dict__.update(vars(datetime_module), date=Day, datetime=Moment)

    def importing(name: str, *rest: Any, **named: Any) -> Any:
        return standing if name == "datetime" else __import__(name, *rest, **named)

    return {**vars(builtins), "__import__": importing}


def overlook(domain: ReferenceDomain, goals: Sequence[Goal], rng: Random) -> list[Goal]:
    """The goals as a careless reader takes them."""
    programs = {program.name: program for program in domain.task_programs}
    understood = [_half_read(programs[goal.program], goal, rng) for goal in goals]
    if len(understood) > 1 and rng.random() < OVERLOOKED:
        understood.pop()
    return understood


def _half_read(program: TaskProgram, goal: Goal, rng: Random) -> Goal:
    """The goal without what was overlooked; what is only described has to be found in any case."""
    changed: dict[str, Any] = {
        "twists": [each for each in goal.twists if program.twist(each.name).replaces or rng.random() >= OVERLOOKED]
    }
    if goal.repeats and rng.random() < OVERLOOKED:
        changed["repeats"] = goal.repeats[:-1]
    if goal.at_first is not None and rng.random() < OVERLOOKED:
        changed["facts"] = {**goal.facts, program.changes: goal.at_first}
    if goal.bound is not None and rng.random() < OVERLOOKED:
        changed |= {"joined": "also", "bound": None}
    return goal.model_copy(update=changed)


def writes_led_to(domain: ReferenceDomain, goals: Sequence[Goal], result: Callable[[Call], Any]) -> list[Call]:
    """The writes that the goals lead to, each for itself, where `result` says what a call returned."""
    found: list[Call] = []

    def call(name: str, /, **arguments: Any) -> Any:
        counted.append(name)
        if len(counted) > MOST_CALLS:
            raise Left
        wanted = _call(name, arguments)
        if name in domain.writes:
            found.append(wanted)
        return result(wanted)

    for goal in goals:
        counted: list[str] = []
        with suppress(Left, DeadEnd, Refused, Faulty, LookupError, TypeError, ValueError, AttributeError):
            solved(domain, [goal.model_copy(update={"joined": "also", "bound": None})], call, best)
    return found


def _call(name: str, arguments: dict[str, Any]) -> Call:
    return Call(name=name, arguments={key: value for key, value in arguments.items() if value is not None})


def _reply(domain: ReferenceDomain, goals: Sequence[Goal], told: Sequence[Told], rng: Random) -> str:
    """What the agent says in the end, perhaps without a particular."""
    sentences = list(_sentences(domain, goals, told))
    if sentences and rng.random() < UNSAID:
        sentences.pop(rng.randrange(len(sentences)))
    return " ".join(["I have seen to it.", *sentences])


def _sentences(domain: ReferenceDomain, goals: Sequence[Goal], told: Sequence[Told]) -> Iterator[str]:
    programs = {program.name: program for program in domain.task_programs}
    answers: dict[tuple[int, int, str, str], list[Any]] = {}
    for place, turn, twist, name, value in told:
        values = value if isinstance(value, list) else [value]
        answers.setdefault((place, turn, twist, name), []).extend(values)
    for (place, turn, _, name), values in answers.items():
        goal, program = goals[place], programs[goals[place].program]
        of = f" for {goal.repeats[turn - 1]}" if turn else ""
        answer = program.answers[name]
        yield f"As for {answer.called}{of}: {', '.join(_written(each, answer.kind) for each in values)}."
    for place, goal in enumerate(goals):
        for name in goal.totals:
            turns = [answers.get((place, turn, "", name), []) for turn in range(1 + len(goal.repeats))]
            figures = [value for values in turns for value in values if isinstance(value, int | float)]
            answer = programs[goal.program].answers[name]
            yield f"As for {answer.called}, in total: {_written(round(sum(figures), 2), answer.kind)}."


def _written(value: object, kind: FactKind) -> str:
    """A value as people write one of its kind."""
    if kind == "amount" and isinstance(value, int | float):
        return f"{value:.2f}"
    return value if isinstance(value, str) else json.dumps(value)
