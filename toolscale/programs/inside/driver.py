"""Draws and solves with task programs. This file is the `functions.py` of a workshop, and runs in the sandbox alone.

A program makes no calls here: `solve` is followed over the outcomes of those that were made for it, up to the first
call beyond them, which is the answer. So what was called is known outside, where it was called.
"""

import json
import random
import types
from collections.abc import Callable
from functools import lru_cache
from typing import Any

MOST_CALLS = 40
MOST_FACTS = 30

Record = dict[str, Any]


class DeadEnd(Exception):  # noqa: N818 - it is not an error, it is where a draw leads nowhere
    """What was drawn makes no sensible request: nothing found, two equally good choices."""


class Refused(Exception):  # noqa: N818 - named after what happened to the call
    """A function refused a call; the text says why. `solve` may catch it."""


class Faulty(Exception):  # noqa: N818 - the program is, and the text says how
    """A program that breaks the contract."""


class _Pause(BaseException):
    """Leaves `solve` where it waits for the outcome of a call."""


def best(candidates: Any, key: Callable[[Any], Any]) -> Any:
    """The candidate with the smallest key. None, or a tie for the smallest, is a dead end."""
    ranked = sorted(candidates, key=key)
    if not ranked:
        raise DeadEnd("nothing to choose from")
    if len(ranked) > 1 and key(ranked[0]) == key(ranked[1]):
        raise DeadEnd("two choices are equally good")
    return ranked[0]


def only(candidates: Any) -> Any:
    """The one candidate. None, or several, is a dead end."""
    found = list(candidates)
    if len(found) != 1:
        raise DeadEnd(f"there are {len(found)} where there must be one")
    return found[0]


def dead_end(reason: str) -> None:
    """Say that what was drawn makes no sensible request."""
    raise DeadEnd(reason)


def draw_facts(
    db: Any, source: str, function: str, seed: str, user: list[str] | None, references: list[list[str]], facts: Record
) -> Any:
    """What a program's function draws: facts, or nothing.

    With a user, `[table, key]`, it sees only what is the user's or nobody's; `references` are the fields that point to
    other tables, `[table, field, target]`. `facts` are what was drawn before, for a twist.
    """
    drawing = _loaded(source)[function]
    world = db if user is None else _narrowed(db, user, references)
    rng = random.Random(seed)
    drawn = _run(drawing, world, rng) if function == "draw" else _run(drawing, world, rng, facts)
    if isinstance(drawn, dict) and len(drawn) > MOST_FACTS:
        raise Faulty(f"`{function}` returned {len(drawn):,} facts: at most {MOST_FACTS}")
    return drawn


def solve_goals(
    db: Any, sources: dict[str, str], goals: list[Record], outcomes: list[list[Any]], required: dict[str, list[str]]
) -> Record:
    """Follow the solution of goals over the outcomes of the calls so far, `[name, arguments, returned, result]`.

    `required` are the arguments that each function must be given; of others, None means: leave it out.

    Returns `{"call": [name, arguments]}` with the next call, or `{"told": [...]}`.
    """
    call = _Calls(outcomes, required)
    told: list[list[Any]] = []
    ending: Exception | None = None
    try:
        told = fulfilled(sources, goals, call)
    except _Pause:
        pass
    except Exception as error:
        ending = error
    if call.strayed:
        raise Faulty("`solve` makes other calls when it is followed again: it must go by facts and results alone")
    if call.wanted is not None:  # whatever `solve` made of it that it was left
        return {"call": call.wanted}
    if ending is not None:
        raise ending
    if call.made < len(outcomes):
        raise Faulty("`solve` makes fewer calls when it is followed again: it must go by facts and results alone")
    return {"told": told}


def fulfilled(
    sources: dict[str, str], goals: list[Record], call: Callable[..., Any], given: Record | None = None
) -> list[list[Any]]:
    """What a user with these goals is told, `[goal, turn, twist, name, value]` each.

    `given` are names that programs find in place of those that are there, such as another `best`.
    """
    told: list[list[Any]] = []
    for place, goal in enumerate(goals):
        if goal["joined"] == "if" and not _holds(goal["bound"], told):
            continue
        told += _fulfilled(_loaded(sources[goal["program"]], given), place, goal, call)
    return told


class _Calls:
    """What `solve` is given to make calls with."""

    def __init__(self, outcomes: list[list[Any]], required: dict[str, list[str]]) -> None:
        self._outcomes = outcomes
        self._required = required
        self.made = 0
        self.wanted: list[Any] | None = None
        self.strayed = False

    def __call__(self, name: str, /, **arguments: Any) -> Any:
        if self.wanted is not None or self.strayed:
            raise _Pause
        if self.made >= MOST_CALLS:
            raise Faulty(f"`solve` makes more than {MOST_CALLS} calls")
        needed = self._required.get(name, ())
        given = {key: value for key, value in arguments.items() if value is not None or key in needed}
        try:
            asked = json.loads(json.dumps([name, given]))
        except (TypeError, ValueError) as error:
            raise Faulty(f"`solve` calls `{name}` with what is not JSON: {error}") from None
        if self.made == len(self._outcomes):
            self.wanted = asked
            raise _Pause
        known, before, returned, result = self._outcomes[self.made]
        if [known, before] != asked:
            self.strayed = True
            raise _Pause
        self.made += 1
        if not returned:
            raise Refused(result)
        return result


def _fulfilled(program: Record, place: int, goal: Record, call: Callable[..., Any]) -> list[list[Any]]:
    """What the user of one goal is told."""
    facts: Record = dict(goal["facts"])
    for twist in goal["twists"]:
        facts |= {**twist["facts"], twist["name"]: True}
    for twist in goal["twists"]:
        if slot := twist["replaces"]:
            known = {name: value for name, value in facts.items() if name != slot}
            found = _run(program[f"find_{twist['name']}"], call, known)
            if found != facts.setdefault(slot, found):
                raise DeadEnd(f"what stands for `{slot}` leads to {found!r}, not to {facts[slot]!r}")
    told: list[list[Any]] = []
    for turn, value in enumerate([None, *goal["repeats"]]):
        wanted = facts if value is None else {**facts, goal["again"]: value}
        told += [[place, turn, "", name, each] for name, each in _answers(_run(program["solve"], call, dict(wanted)))]
    for twist in goal["twists"]:
        then = program.get(f"then_{twist['name']}")
        if then is not None:
            so_far = {name: value for _, _, _, name, value in told}
            further = _run(then, call, dict(facts), so_far)
            told += [[place, 0, twist["name"], name, each] for name, each in _answers(further)]
    return told


def _answers(returned: Any) -> list[tuple[str, Any]]:
    if returned is None:
        return []
    if not isinstance(returned, dict):
        raise Faulty(f"it must return an object from names of answers to values, not {type(returned).__name__}")
    return [(name, value) for name, value in returned.items() if value is not None]


def _holds(bound: Record, told: list[list[Any]]) -> bool:
    values = [
        value
        for place, turn, twist, name, value in told
        if (place, turn, twist, name) == (bound["goal"], 0, "", bound["answer"])
    ]
    if len(values) != 1 or isinstance(values[0], bool) or not isinstance(values[0], int | float):
        raise DeadEnd("there is no figure to hold against the bound")
    if bound["above"] is not None:
        return bool(values[0] > bound["above"])
    return bool(values[0] < bound["below"])


def _loaded(source: str, given: Record | None = None) -> Record:
    module: Record = {
        "__builtins__": globals()["__builtins__"],
        "__name__": "program",
        "DeadEnd": DeadEnd,
        "Refused": Refused,
        "best": best,
        "only": only,
        "dead_end": dead_end,
        **(given or {}),
    }
    _run(lambda: exec(_compiled(source), module))
    return module


@lru_cache(maxsize=64)
def _compiled(source: str) -> types.CodeType:
    """The code of a program: every draw, and every step of a solution, runs it anew."""
    return compile(source, "program.py", "exec", dont_inherit=True)


def _run(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a program's function returns; what it raises by mistake with the line that it stands on."""
    try:
        return function(*arguments)
    except (DeadEnd, Refused, Faulty):
        raise
    except Exception as error:
        lines = []
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == "program.py":
                lines.append(trace.tb_lineno)
            trace = trace.tb_next
        where = f"line {lines[-1]} of the source: " if lines else ""
        raise Faulty(f"{where}{type(error).__name__}: {error}") from None


def _narrowed(db: Any, user: list[str], references: list[list[str]]) -> dict[str, dict[str, Any]]:
    """The tables without what is other users', be it many references away; the records are the database's own."""
    table, key = user
    fields: dict[str, list[tuple[str, str]]] = {}
    for owned, field, target in references:
        fields.setdefault(owned, []).append((field, target))
    leading = _leading_to(table, references)

    def is_anothers(name: str, each: str, record: Any) -> bool:
        if name == table:
            return each != key
        mine = [record.get(field) for field, target in fields.get(name, ()) if target == table]
        if any(isinstance(owner, str) for owner in mine):
            return any(owner not in (None, key) for owner in mine)
        owners = _owners(db, table, fields, name, each) if name in leading else set()
        return bool(owners) and key not in owners

    return {
        name: {each: record for each, record in db[name].items() if not is_anothers(name, each, record)} for name in db
    }


def _leading_to(table: str, references: list[list[str]]) -> set[str]:
    """The tables whose records refer to that table's, directly or by way of others."""
    found = {table}
    while more := {owned for owned, _, target in references if target in found} - found:
        found |= more
    return found


def _owners(db: Any, table: str, fields: dict[str, list[tuple[str, str]]], name: str, key: str) -> set[str]:
    """The records of that table which are the nearest that a record leads to."""
    seen: set[tuple[str, str]] = set()
    level = {(name, key)}
    while level and not (found := {each for where, each in level if where == table}):
        seen |= level
        level = {
            (target, each)
            for where, known in level
            for field, target in fields.get(where, ())
            if target in db
            for each in _keys(db[where].get(known, {}).get(field))
        } - seen
    return found if level else set()


def _keys(value: Any) -> list[str]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]
