"""What makes a request harder: one complication at a time, generic over what a domain declares.

| operator | what is added | what a domain declares for it |
| --- | --- | --- |
| constraint, condition, change_of_mind | a sentence about this request | `Program.twists` |
| lookup, condition, distractor | a sentence that suits any request | `ReferenceDomain.twists` |
| missing | an id is replaced by a description that the agent must resolve | `ReferenceDomain.descriptions` |
| entities | the same once more, for another entry | `Program.again` (or a twist that names another entry) |
| second_goal | another request | any program without a refusal |
| refusal | a request that the policy forbids | a program with a refusal |
| recovery | a first wish that the policy forbids, and what is wanted then | a refusal and a program of like calls |
| computed | a figure that has to be worked out | `computed.Figure` |
| dependent | a further step with what the request led to | a twist of the domain that `takes` it |
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

from toolscale.artifacts import Operator
from toolscale.reference.domain import ReferenceDomain
from toolscale.reference.program import DeadEnd, Described, Description, Facts, Goal, Program, Twist, World, calls, pick
from toolscale.templates.template import slots

MOST_GOALS = 3
"""Requests that one user makes at the most."""

WEIGHTS: Mapping[Operator, int] = {
    "second_goal": 4,
    "entities": 3,
    "condition": 2,
    "missing": 3,
    "refusal": 2,
    "lookup": 2,
    "constraint": 2,
    "change_of_mind": 2,
    "distractor": 1,
    "computed": 18,
    "dependent": 20,
    "recovery": 6,
}
"""How often an operator is chosen among those that apply; what rarely applies weighs much, so that there is some of it.
The operator that a prompt asks for is not read: with hand-written complications it would mostly not apply."""

_TRIES = 12


class Complication(NamedTuple):
    """One thing that could be added; `add` draws it and returns the harder goals."""

    operator: Operator
    name: str
    add: Callable[[Random], list[Goal]]


def complicate(
    domain: ReferenceDomain, goals: Sequence[Goal], user: Mapping[str, Any], world: World, rng: Random
) -> tuple[list[Goal], str]:
    """The goals with one complication more, and what it was.

    Raises:
        DeadEnd: what was drawn does not fit; draw again.
    """
    options: dict[Operator, list[Complication]] = {}
    for option in complications(domain, goals, user, world):
        options.setdefault(option.operator, []).append(option)
    if not options:
        raise DeadEnd("nothing can be added")
    operators = sorted(options)
    operator = rng.choices(operators, [WEIGHTS[each] for each in operators])[0]
    candidates = options[operator]
    for chosen in rng.sample(candidates, min(len(candidates), _TRIES)):
        with suppress(DeadEnd, KeyError):  # a KeyError is a fact that is not known yet
            return chosen.add(rng), f"{chosen.operator}: {chosen.name}"
    raise DeadEnd(f"nothing fits as {operator}")


def complications(
    domain: ReferenceDomain, goals: Sequence[Goal], user: Mapping[str, Any], world: World
) -> list[Complication]:
    """All that could be added to the goals."""
    found = []
    taken = {twist.name for goal in goals for twist, _ in goal.twists}
    spoken = taken | {goal.program.name for goal in goals}
    ruled_out = {name for names in domain.once if spoken & names for name in names}
    for index, goal in enumerate(goals):
        twists = (*goal.program.twists, *(() if goal.program.refusal else domain.twists))
        found += [
            _twist(goals, index, twist, world)
            for twist in twists
            if twist.name not in taken | ruled_out
            and re.match(twist.suits, goal.program.name)
            # "Only if ..." suits what can be left undone, and what must stay as it is may not be what is described.
            and not (twist.before and not calls(goal.program.solve, domain.writes))
            and not (twist.operator == "distractor" and any(each.described for each in goals))
            and _leads_to(goals, index, twist)
            and not (twist.operator == "computed" and any(each.operator == "computed" for each, _ in goal.twists))
        ]
        found += [
            _description(goals, index, description, world)
            for description in domain.descriptions
            if description.slot in goal.drawn and not goal.repeats and _worded_as_text(goal.program, description.slot)
        ]
        one_outcome = any(twist.takes and not twist.of_all for twist, _ in goal.twists)
        if goal.program.again and not goal.described and len(goal.repeats) < 2 and not one_outcome:
            found.append(_again(goals, index, world.narrowed_to(user[domain.identity])))
    if len(goals) < MOST_GOALS:
        others = [each for each in domain.programs if each.name not in spoken | ruled_out]
        found += [_goal(domain, goals, program, user[domain.identity], world) for program in others]
        found += [
            _recovery(domain, goals, index, program, user[domain.identity], world)
            for program in others
            for index, goal in enumerate(goals)
            if _stands_in_for(domain, goal, program)
        ]
    return found


def _leads_to(goals: Sequence[Goal], index: int, twist: Twist) -> bool:
    """Whether a request leads to what a twist goes on from, so that its words can mean nothing else."""
    if not twist.takes:
        return True
    led_to = [1 + len(each.repeats) for each in goals if calls(each.program.solve, frozenset(twist.takes))]
    if twist.of_all:
        return index == len(goals) - 1 and sum(led_to) > 1
    goal = goals[index]
    return not goal.repeats and bool(calls(goal.program.solve, frozenset(twist.takes)))


def _stands_in_for(domain: ReferenceDomain, goal: Goal, program: Program) -> bool:
    """Whether one of a request and a program is refused and the other does the same kind of thing."""
    if goal.instead or bool(goal.program.refusal) == bool(program.refusal):
        return False
    refused, made = (goal.program, program) if goal.program.refusal else (program, goal.program)
    assert refused.refusal is not None
    tried = calls(refused.refusal.giving_in, domain.writes)
    return not calls(refused.solve, domain.writes) and bool(tried & calls(made.solve, domain.writes))


def _recovery(
    domain: ReferenceDomain, goals: Sequence[Goal], index: int, program: Program, user: Any, world: World
) -> Complication:
    """A first wish that cannot be met, and what the user wants then: one of the two is there already.

    What can be the same in both is: the booking, the day, the journey. Else one has nothing to do with the other.
    """
    goal = goals[index]

    def add(rng: Random) -> list[Goal]:
        drawn = program.draw(world.narrowed_to(user), rng)
        shared = {slot: value for slot, value in goal.facts.items() if slot in drawn and slot != domain.identity}
        if drawn[domain.identity] != user or not shared:
            raise DeadEnd("the two have nothing to do with each other")
        facts = {**drawn, **shared}
        others = [*goals[:index], *goals[index + 1 :]]
        if any(_same_entry(domain, each, program, facts) or _described_alike(each, facts, world) for each in others):
            raise DeadEnd("what is wanted then concerns an entry of another goal")
        other = Goal(program, facts)
        if goal.program.refusal:
            if index < len(goals) - 1:
                raise DeadEnd("something else was asked for in between")
            return [*goals, replace(other, instead=True)]
        return [*goals[:index], other, replace(goal, instead=True), *goals[index + 1 :]]

    return Complication("recovery", f"{program.name}, with {goal.program.name}", add)


def _twist(goals: Sequence[Goal], index: int, twist: Twist, world: World) -> Complication:
    def add(rng: Random) -> list[Goal]:
        goal = goals[index]
        conditions = [other for other in (twist, *(other for other, _ in goal.twists)) if other.operator == "condition"]
        if twist in conditions and len(conditions) > 1 and any(each.before for each in conditions):
            raise DeadEnd("one request hangs on one condition")
        drawn = twist.draw(world, rng, goal.facts)
        if twist.operator == "change_of_mind" and {**goal.facts, **twist.sets, **drawn} == goal.facts:
            raise DeadEnd("the user wants this already")
        return _with(goals, index, goal.with_twist(twist, drawn))

    return Complication(twist.operator, twist.name, add)


def _description(goals: Sequence[Goal], index: int, description: Description, world: World) -> Complication:
    def add(rng: Random) -> list[Goal]:
        goal = goals[index]
        described = Described(description, description.draw(world, rng, goal.facts))
        return _with(goals, index, replace(goal, described=(*goal.described, described)))

    return Complication("missing", description.slot, add)


def _again(goals: Sequence[Goal], index: int, world: World) -> Complication:
    goal = goals[index]
    slot = goal.program.again

    def add(rng: Random) -> list[Goal]:
        known = {goal.drawn[slot], *goal.repeats}
        drawn: list[str] = []
        for _ in range(_TRIES):
            with suppress(DeadEnd):
                drawn.append(goal.program.draw(world, rng)[slot])
        another = pick(rng, [value for value in drawn if value not in known])
        return _with(goals, index, replace(goal, repeats=(*goal.repeats, another)))

    return Complication("entities", f"another {slot}", add)


def _goal(domain: ReferenceDomain, goals: Sequence[Goal], program: Program, user: Any, world: World) -> Complication:
    def add(rng: Random) -> list[Goal]:
        facts = program.draw(world.narrowed_to(user), rng)
        if facts[domain.identity] != user:
            raise DeadEnd("the other goal is somebody else's")
        if any(_same_entry(domain, goal, program, facts) or _described_alike(goal, facts, world) for goal in goals):
            raise DeadEnd("the other goal concerns the same entry, which may be another one by then")
        if any(_overlap(_days(_told(goal), domain), _days(facts, domain)) for goal in goals):
            raise DeadEnd("nobody is in two places at once")
        return [*goals, Goal(program, facts)]

    return Complication("refusal" if program.refusal else "second_goal", program.name, add)


def _same_entry(domain: ReferenceDomain, goal: Goal, program: Program, facts: Facts) -> bool:
    """Whether another program would be about the entry that a goal is about, as far as the words name it."""
    slots_of_entries = {goal.program.again, program.again, *domain.matters} - {""}
    return any(facts[slot] in (goal.drawn.get(slot), *goal.repeats) for slot in slots_of_entries if slot in facts)


def _described_alike(goal: Goal, facts: Facts, world: World) -> bool:
    """Whether a goal describes, without its id, the entry that another request would name."""
    for description, drawn in goal.described:
        if description.slot in facts:
            with suppress(DeadEnd):
                if description.draw(world, Random(0), facts) == drawn:
                    return True
    return False


def _told(goal: Goal) -> Facts:
    """All that a goal's words say, descriptions included."""
    return goal.facts | {slot: value for each in goal.described for slot, value in each.drawn.items()}


def _days(facts: Facts, domain: ReferenceDomain) -> list[str]:
    """The days on which a request has its user travel."""
    return sorted(str(facts[slot]) for slot in domain.away if slot in facts)


def _overlap(one: Sequence[str], other: Sequence[str]) -> bool:
    return bool(one and other) and one[0] <= other[-1] and other[0] <= one[-1]


def _with(goals: Sequence[Goal], index: int, goal: Goal) -> list[Goal]:
    return [*goals[:index], goal, *goals[index + 1 :]]


def _worded_as_text(program: Program, slot: str) -> bool:
    return all(slot in slots(template) for template in program.voices.values())
