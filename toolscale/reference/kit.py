"""The kit that the domains' programs share: what is drawn, what is found, what is told, and what a refusal would break.

Each returns a part of a program: a draw from the world, a draw of a twist, steps that find an entry, or a solution. A
domain writes its own only where it must say more than which table, which function and which fields.
"""

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any

from toolscale.reference.program import DeadEnd, Facts, Record, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sums import shown

Draw = Callable[[World, Random], Facts]
"""Draws what a request is about."""

More = Callable[[World, Random, Facts], Facts]
"""Draws what a twist, or another name for an entry, adds to the facts of a request."""


def anything(record: Record) -> bool:
    """Suits whatever comes."""
    return True


def known(world: World, table: str, key: str) -> Record:
    """A record that must be in sight; a dead end if it is not."""
    record = world.get(table, key)
    if record is None:
        raise DeadEnd(f"{key} is out of sight")
    return record


def theirs(world: World, table: str, user: str) -> list[Record]:
    """The records of a table that belong to a user."""
    return [row for row in world.rows(table) if row[world.identity] == user]


def latest_first(moment: str) -> tuple[int, ...]:
    """A key that puts later ISO dates, times and moments before earlier ones."""
    return tuple(-ord(letter) for letter in moment)


def clock(moment: str) -> str:
    """The time of day in a moment: 2026-11-24T07:48 is 07:48."""
    return moment[11:16]


# What a request is about.


def somebody(table: str) -> Draw:
    """A draw of any user, for requests that say no more than that."""
    return lambda world, rng: {world.identity: pick(rng, world.rows(table))[world.identity]}


def a_record(
    table: str, key: str, suits: Callable[[Record], bool] = anything, *, slot: str = "", **more: Sequence[Any]
) -> Draw:
    """A draw of a record that suits and of whose it is, and of one value for each further slot."""

    def draw(world: World, rng: Random) -> Facts:
        row = pick(rng, [row for row in world.rows(table) if suits(row)])
        drawn = {name: rng.choice(values) for name, values in more.items()}
        return {world.identity: row[world.identity], slot or key: row[key], **drawn}

    return draw


# What a twist adds.


def one_of(slot: str, *values: Any) -> More:
    """A draw of one of the values, another than the request has."""
    return lambda world, rng, facts: {slot: pick(rng, [value for value in values if value != facts.get(slot)])}


def unless(slot: str, value: Any) -> More:
    """No facts, but a dead end if the user wants that already: nobody changes their mind to the same."""

    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        if facts.get(slot) == value:
            raise DeadEnd(f"{slot} is {value} already")
        return {}

    return draw


def another_of_theirs(slot: str, table: str, key: str, suits: Callable[[Record], bool] = anything) -> More:
    """A draw of a record of the same user that the request does not name."""

    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        own = [row[key] for row in theirs(world, table, facts[world.identity]) if suits(row)]
        return {slot: pick(rng, [each for each in own if each not in facts.values()])}

    return draw


# What is found.


def only(candidates: Iterable[Record], **wanted: Any) -> Steps:
    """The one candidate with these values; a dead end if there is none, or another one just like it."""
    rows = [row for row in candidates if all(row[field] == value for field, value in wanted.items())]
    return (yield choose(rows, key=lambda row: 0))


def listed(function: str, key: str, *by: str, where: Facts | None = None, **fields: str) -> Callable[[Facts], Steps]:
    """Steps that list entries and find the one that the user describes; they return its key.

    ``by`` names the facts that the function is called with, ``where`` its fixed arguments, and ``fields`` says which
    field of the list must equal which fact.
    """

    def find(facts: Facts) -> Steps:
        rows = yield do(function, **{name: facts[name] for name in by}, **(where or {}))
        row = yield from only(rows, **{field: facts[slot] for field, slot in fields.items()})
        return row[key]

    return find


# What is told.


def told(text: str, *facts: str) -> Reply:
    """A reply of which the user must hear these facts."""
    return Reply(text, facts)


def tells(function: str, *by: str, text: str, tell: Sequence[str], **named: str) -> Callable[[Facts], Solution]:
    """A solution that looks one entry up and tells of it.

    ``by`` names the facts that the function is called with; ``named`` gives an argument the fact of another name. Slots
    of ``text`` and of what to ``tell`` are the entry's fields and the facts; figures with a fraction are sums.
    """

    def solution(facts: Facts) -> Solution:
        found = yield do(function, **_arguments(facts, by, named))
        values = {
            name: shown(value) if isinstance(value, float) else value for name, value in {**facts, **found}.items()
        }
        return Reply(text.format_map(values), tuple(each.format_map(values) for each in tell))

    return solution


def just(function: str, *by: str, where: Facts | None = None, **named: str) -> Callable[[Facts], Steps]:
    """Steps that make one call, as of an agent that does at once what it is asked for.

    ``by`` names the facts that the function is called with, ``named`` gives an argument the fact of another name, and
    ``where`` are arguments that no fact says.
    """

    def steps(facts: Facts) -> Steps:
        yield do(function, **_arguments(facts, by, named), **(where or {}))

    return steps


def must(condition: object, why: str) -> None:
    """A dead end unless the condition holds."""
    if not condition:
        raise DeadEnd(why)


def _arguments(facts: Facts, by: Sequence[str], named: dict[str, str]) -> dict[str, Any]:
    return {name: facts[name] for name in by} | {argument: facts[slot] for argument, slot in named.items()}
