"""Harder requests by code: what can be added to a user's goals, drawn from the programs of the domain.

| operator | what is added | what a program declares for it |
| --- | --- | --- |
| any | a sentence about a request | a twist with that operator |
| missing | a fact is described instead | a twist that `replaces` it |
| entities | the same for another | `again` |
| change_of_mind | another value at first, then the right one | `changes` |
| second_goal, refusal | another request of the same user | any program, one that refuses |
| condition | another request about the same, if an amount is more or less than a bound | an answer that is an amount |
| recovery | another request, since the first cannot be had | a program that refuses, one that shares a record with it |
| computed | the sum over all that is repeated | an answer that is an amount, a count or a quantity |
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from random import Random

from toolscale.artifacts import Bound, Fact, Goal, Operator, TaskProgram
from toolscale.programs.variants import another_value, drawn_twist
from toolscale.programs.workshop import Dead, Solution, Workshop

MOST_GOALS = 4
"""Requests that one user makes."""

MOST_REPEATS = 2
"""Repetitions of one of them."""

_TRIES = 4
_LEAST = 5
"""An amount on which something may hang: nobody minds whether it is one or two."""
_SUMMABLE = ("amount", "count", "quantity")


@dataclass(frozen=True)
class Harder:
    """Goals with one thing more, and what that is."""

    goals: tuple[Goal, ...]
    operator: Operator
    added: str


def harder(
    workshop: Workshop, programs: Mapping[str, TaskProgram], goals: Sequence[Goal], operator: Operator, seed: str
) -> Iterator[Harder]:
    """What an operator can add to goals, in an order that follows from the seed. None of it was solved yet."""
    rng = Random(f"{operator} {seed}")
    adding = _Adding(workshop, programs, tuple(goals), operator, seed, rng)
    ways = list(adding.ways())
    rng.shuffle(ways)
    ways.sort(key=lambda way: way.func.__name__ == "_if")  # a program's own conditions make more sense than any amount
    for way in ways:
        found = way()
        if found is not None:
            yield found


@dataclass(frozen=True)
class _Adding:
    """One operator at work on goals."""

    workshop: Workshop
    programs: Mapping[str, TaskProgram]
    goals: tuple[Goal, ...]
    operator: Operator
    seed: str
    rng: Random

    def ways(self) -> Iterator[partial[Harder | None]]:
        """All that may be tried; each draws only when it is called."""
        for place, goal in enumerate(self.goals):
            program = self.programs[goal.program]
            yield from self._twists(place, goal, program)
            if self.operator == "entities" and program.again and self._may_repeat(goal, program):
                yield partial(self._again, place)
            if self.operator == "change_of_mind" and program.changes and self._may_change(goal, program):
                yield partial(self._at_first, place)
            if self.operator == "computed" and goal.repeats and not goal.totals:
                for name in self._asked_sums(program):
                    yield partial(self._total, place, name)
        if len(self.goals) < MOST_GOALS:
            yield from self._further_goals()

    def _twists(self, place: int, goal: Goal, program: TaskProgram) -> Iterator[partial[Harder | None]]:
        taken = {each.name for each in goal.twists}
        replaced = {program.twist(name).replaces for name in taken}
        for twist in program.twists:
            if twist.operator != self.operator or twist.name in taken:
                continue
            if twist.replaces and (twist.replaces in replaced or goal.repeats or goal.at_first is not None):
                continue
            if goal.repeats and _goes_on(program, twist.name):
                continue  # "the same for another" would ask that of the other too
            yield partial(self._twisted, place, twist.name)

    def _twisted(self, place: int, name: str) -> Harder | None:
        goal = self.goals[place]
        program = self.programs[goal.program]
        drawn = drawn_twist(self.workshop, program, program.twist(name), goal, f"{self.seed}:{place}")
        if isinstance(drawn, Dead):
            return None
        return self._with(place, goal.model_copy(update={"twists": [*goal.twists, drawn]}), name)

    def _may_repeat(self, goal: Goal, program: TaskProgram) -> bool:
        described = any(program.twist(each.name).replaces == program.again for each in goal.twists)
        goes_on = any(_goes_on(program, each.name) for each in goal.twists)
        return len(goal.repeats) < MOST_REPEATS and not described and not goes_on and goal.at_first is None

    def _again(self, place: int) -> Harder | None:
        goal = self.goals[place]
        program = self.programs[goal.program]
        another = another_value(self.workshop, program, goal, program.again)
        if another is None or another in self._named(but=place):
            return None
        return self._with(
            place, goal.model_copy(update={"repeats": [*goal.repeats, another]}), f"another {program.again}"
        )

    def _may_change(self, goal: Goal, program: TaskProgram) -> bool:
        described = any(program.twist(each.name).replaces == program.changes for each in goal.twists)
        return goal.at_first is None and not described and not goal.repeats

    def _at_first(self, place: int) -> Harder | None:
        goal = self.goals[place]
        program = self.programs[goal.program]
        for other in self._confused(program, goal):
            wrong = goal.model_copy(update={"facts": {**goal.facts, program.changes: other}})
            if self._differ(wrong, goal):
                added = f"another {program.changes} at first"
                return self._with(place, goal.model_copy(update={"at_first": other}), added)
        return None

    def _confused(self, program: TaskProgram, goal: Goal) -> list[Fact]:
        """Values that a user may take for the one that they mean: of their own requests first, then of others'."""
        slot, user = program.changes, self.workshop.user(program, goal.facts)
        seeds = [f"{self.seed}:first:{number}" for number in range(_TRIES)]
        drawn = [*self.workshop.draw(program, seeds, user=user), *self.workshop.draw(program, seeds)]
        values = dict.fromkeys(facts[slot] for facts in drawn if not isinstance(facts, Dead) and slot in facts)
        return [
            value
            for value in values
            if value != goal.facts[slot] and (user is None or self.workshop.owner(str(value), user) in (None, user.key))
        ]

    def _differ(self, one: Goal, other: Goal) -> bool:
        """Whether both can be had, and come to something else."""
        found = self.workshop.solve_all(self.programs, [[one], [other]])
        done = [(each.made, each.told) for each in found if isinstance(each, Solution)]
        return len(done) == 2 and done[0] != done[1]

    def _asked_sums(self, program: TaskProgram) -> list[str]:
        return [
            name
            for name, answer in program.answers.items()
            if answer.kind in _SUMMABLE and all(name in wording.asks for wording in program.wordings)
        ]

    def _total(self, place: int, name: str) -> Harder | None:
        goal = self.goals[place]
        return self._with(place, goal.model_copy(update={"totals": [name]}), f"the total of {name}")

    def _further_goals(self) -> Iterator[partial[Harder | None]]:
        wanted = {goal.program for goal in self.goals}
        others = [program for program in self.programs.values() if program.name not in wanted]
        last = self.programs[self.goals[-1].program]
        for program in others:
            refuses = program.operator == "refusal"
            if self.operator == ("refusal" if refuses else "second_goal"):
                yield partial(self._further, program)
            elif self.operator == "recovery" and last.operator == "refusal" and not refuses:
                yield partial(self._instead, program)
            elif self.operator == "condition" and not refuses:
                yield partial(self._if, program)

    def _further(self, program: TaskProgram) -> Harder | None:
        other = self._goal(program, apart=True)
        return None if other is None else self._and(other, program.name)

    def _instead(self, program: TaskProgram) -> Harder | None:
        other = self._goal(program, apart=False)
        if other is None or not self._own(other) & self._own(self.goals[-1]):
            return None
        return self._and(other.model_copy(update={"joined": "instead"}), program.name)

    def _if(self, program: TaskProgram) -> Harder | None:
        if not self._figures:
            return None
        other = self._goal(program, apart=True)
        if other is None:
            return None
        about = self._tables(other)
        figures = [each for each in self._figures if about & self._tables(self.goals[each[0]])]
        if not figures:
            return None
        place, name, value = self.rng.choice(figures)
        figure = _round(value * self.rng.choice([0.6, 0.8, 1.25, 1.5]))
        if figure == value:
            return None
        bound = Bound(goal=place, answer=name, **{self.rng.choice(["above", "below"]): figure})
        return self._and(other.model_copy(update={"joined": "if", "bound": bound}), f"{program.name} on {name}")

    @cached_property
    def _figures(self) -> list[tuple[int, str, float]]:
        """The amounts that the goals come to: goal, answer, value. On what costs something, more may hang."""
        if any(goal.joined == "if" for goal in self.goals):
            return []
        solved = self.workshop.solve(self.programs, self.goals)
        if not isinstance(solved, Solution):
            return []
        return [
            (told.goal, told.name, float(told.value))
            for told in solved.told
            if not told.turn
            and not told.twist
            and not self.goals[told.goal].repeats
            and isinstance(told.value, int | float)
            and told.value >= _LEAST
            and self.programs[self.goals[told.goal].program].answers[told.name].kind == "amount"
        ]

    def _tables(self, goal: Goal) -> set[str]:
        """The tables that a goal is about: of the records that it names or changes, but for the users' own."""
        user = self.workshop.user(self.programs[goal.program], goal.facts)
        solved = self.workshop.solve(self.programs, [goal])
        calls = solved.calls if isinstance(solved, Solution) else ()
        named = {str(value) for value in goal.facts.values()}
        changed = {entry.table for done in calls for entry in done.wrote}
        said = {entry.table for done in calls for entry in done.looked_up if entry.key in named}
        return (changed | said) - ({user.table} if user else set())

    def _goal(self, program: TaskProgram, *, apart: bool) -> Goal | None:
        """A goal of another program for the same user; `apart` from what the user's other goals are about."""
        first = self.goals[0]
        user = self.workshop.user(self.programs[first.program], first.facts)
        if user is None:
            return None
        seeds = [f"{self.seed}:{program.name}:{number}" for number in range(_TRIES)]
        named = set().union(*map(self._own, self.goals))
        for seed, facts in zip(seeds, self.workshop.draw(program, seeds, user=user), strict=True):
            if isinstance(facts, Dead) or facts.get(program.user) != user.key:
                continue
            goal = Goal(program=program.name, draw=seed, facts=facts)
            if not apart or not named & self._own(goal):
                return goal
        return None

    def _own(self, goal: Goal) -> set[object]:
        """The user's own records that a goal names."""
        user = self.workshop.user(self.programs[goal.program], goal.facts)
        if user is None:
            return set()
        values = [
            *goal.facts.values(),
            *goal.repeats,
            *(value for each in goal.twists for value in each.facts.values()),
        ]
        return {
            value
            for value in values
            if isinstance(value, str) and value != user.key and self.workshop.owner(value, user) == user.key
        }

    def _named(self, but: int) -> set[object]:
        return set().union(*(self._own(goal) for place, goal in enumerate(self.goals) if place != but))

    def _with(self, place: int, goal: Goal, added: str) -> Harder:
        return Harder((*self.goals[:place], goal, *self.goals[place + 1 :]), self.operator, added)

    def _and(self, goal: Goal, added: str) -> Harder:
        return Harder((*self.goals, goal), self.operator, added)


def _round(figure: float) -> float:
    """A figure as people set one."""
    step = 10 if figure >= 100 else 5 if figure >= 20 else 1
    return float(max(step, step * round(figure / step)))


def _goes_on(program: TaskProgram, twist: str) -> bool:
    """Whether a twist has steps of its own after the request."""
    return f"def then_{twist}(" in program.source
