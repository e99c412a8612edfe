"""Where task programs run: two sandboxes, one that draws and sees the records, one that solves and sees none.

A solution is followed step by step. Its next call is read off the sandbox in which the program runs, made on a fresh
copy of the environment, and its outcome given back. So no program can claim a call that was not made, and one that does
not go by facts and results alone is found out.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Self

from toolscale.artifacts import (
    Call,
    CallOutcome,
    DatabaseSchema,
    EntryRef,
    EnvironmentSpec,
    Facts,
    FunctionSpec,
    Goal,
    Json,
    TaskProgram,
    Told,
    canonical_json,
)
from toolscale.environment import FATAL, Limits, Sandbox
from toolscale.environment.replay import not_run

DRAW, SOLVE = "draw_facts", "solve_goals"

LONGEST_FACT = 300
"""Characters of one."""

NEVER_BACK = "it never came back"
"""How the reason begins for what ran out of time."""

MOST_TOLD = 20
"""Answers that a request may have."""

_LIMITS = Limits(reply_bytes=256 << 10, reply_values=20_000, seconds=3.0, trajectory_seconds=120.0)
_HANGS = 3
"""Times that a process is started anew for the rest of a batch."""

_DEAD_ENDS = ("DeadEnd", "Refused")
_NAME = re.compile(r"[a-z]\w{0,62}")


@dataclass(frozen=True)
class Dead:
    """Why a draw makes no task: a dead end, or a fault of the program."""

    reason: str
    fault: bool = False
    tried: bool = True
    """Whether it ran: what hangs on some draws is not run again on others."""


@dataclass(frozen=True)
class Solution:
    """What a solution did and what it came to."""

    calls: tuple[CallOutcome, ...]
    told: tuple[Told, ...] = ()

    @property
    def made(self) -> list[Call]:
        """The calls that returned, which solve the task; what was looked up before and is as it was, once."""
        made: list[Call] = []
        seen = set[str]()
        for done in self.calls:
            found = canonical_json([done.name, done.arguments, done.result])
            if done.ok and (done.wrote or found not in seen):
                made.append(Call(name=done.name, arguments=done.arguments))
                seen.add(found)
        return made

    @property
    def wrote(self) -> bool:
        """Whether it changed anything."""
        return any(done.wrote for done in self.calls)

    @property
    def comes_to(self) -> str:
        """What is written and told, as text: all that the user has of it."""
        writes = [[done.name, done.arguments] for done in self.calls if done.ok and done.wrote]
        return canonical_json([writes, [[each.name, each.value] for each in self.told]])


@dataclass(frozen=True)
class User:
    """A user as the records know them, and the fields `(table, field)` that say of other records whose they are."""

    table: str
    key: str
    owners: tuple[tuple[str, str], ...] = field(default=(), compare=False)


class Workshop:
    """One domain's environment, ready to draw and solve. Close it, or use it as a context. Thread-safe."""

    def __init__(self, environment: Sandbox) -> None:
        spec = environment.spec
        self.environment = environment
        self.schema = DatabaseSchema(domain=spec.domain, json_schema=spec.json_schema or {})
        self._references: list[Json] = [[each.table, each.field, each.target_table] for each in self.schema.references]
        self._required = {function.name: function.parameters.get("required", []) for function in spec.functions}
        self._drawing = Sandbox(_of_the_driver(spec, DRAW, spec.database), _LIMITS)
        self._solving = Sandbox(_of_the_driver(spec, SOLVE, {}), _LIMITS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End both processes."""
        self._drawing.close()
        self._solving.close()

    def user(self, program: TaskProgram, facts: Facts) -> User | None:
        """Whose request it is, if its fact is the key of a record."""
        key = str(facts.get(program.user, ""))
        named = [table for table, field_ in self.schema.primary_keys.items() if field_ == program.user]
        tables = named or list(self.schema.tables)
        table = next((each for each in tables if key in self.records(each)), None)
        if table is None:
            return None
        owners = tuple((each.table, each.field) for each in self.schema.references if each.target_table == table)
        return User(table, key, owners)

    def record_of(self, user: User) -> Mapping[str, Any]:
        """The user's own record."""
        found = self.records(user.table)[user.key]
        return found if isinstance(found, Mapping) else {}

    def owner(self, key: str, user: User) -> str | None:
        """To which user of the same table the record with that key belongs, if it belongs to any.

        One that names no user belongs to whom the records that it refers to belong, however many references away; it is
        the user's if the nearest of these are the user's and others' as well.
        """
        for table, name in user.owners:
            record = self.records(table).get(key)
            if isinstance(record, Mapping) and isinstance(record.get(name), str):
                return str(record[name])
        for level in self._levels(key):
            if owners := [each for table, each in level if table == user.table]:
                return user.key if user.key in owners else owners[0]
        return None

    def behind(self, key: str, but: User | None = None) -> list[Mapping[str, Any]]:
        """The records with that key and all that they refer to, though not by way of the user's own record."""
        own = None if but is None else (but.table, but.key)
        return [self.records(table)[each] for level in self._levels(key, own) for table, each in level]

    def _levels(self, key: str, but: tuple[str, str] | None = None) -> Iterator[list[tuple[str, str]]]:
        """`(table, key)` of the records with that key, then of those that they refer to, and so on; each once."""
        seen: set[tuple[str, str]] = set() if but is None else {but}
        level = [(table, key) for table in self.schema.tables]
        while level := [
            place for place in dict.fromkeys(level) if place not in seen and place[1] in self.records(place[0])
        ]:
            yield level
            seen.update(level)
            level = [place for table, each in level for place in self._referred_to(table, each)]

    def _referred_to(self, table: str, key: str) -> Iterator[tuple[str, str]]:
        record = self.records(table)[key]
        for reference in self.schema.references if isinstance(record, Mapping) else ():
            if reference.table == table:
                found = record.get(reference.field)
                keys = found if isinstance(found, list) else [found]
                yield from ((reference.target_table, each) for each in keys if isinstance(each, str))

    def draw(
        self,
        program: TaskProgram,
        seeds: Sequence[str],
        *,
        function: str = "draw",
        facts: Facts | None = None,
        user: User | None = None,
        fresh: bool = False,
    ) -> list[Facts | Dead]:
        """What the program, or its function for a twist, draws with each seed; for the user alone, if one is given."""
        calls = [
            Call(
                name=DRAW,
                arguments={
                    "source": program.source,
                    "function": function,
                    "seed": seed,
                    "user": None if user is None else [user.table, user.key],
                    "references": [] if user is None else self._references,
                    "facts": dict(facts or {}),
                },
            )
            for seed in seeds
        ]
        return [_drawn(function, outcome) for outcome in self._drawing.run(calls, fresh=fresh).outcomes]

    def solve(self, programs: Mapping[str, TaskProgram], goals: Sequence[Goal]) -> Solution | Dead:
        """What an ideal agent does for a user with these goals."""
        return self.solve_all(programs, [goals])[0]

    def solve_all(self, programs: Mapping[str, TaskProgram], wanted: Sequence[Sequence[Goal]]) -> list[Solution | Dead]:
        """The same for many users, each on a fresh database; they go step by step beside one another."""
        done: dict[int, list[CallOutcome]] = {place: [] for place in range(len(wanted))}
        ended: dict[int, Solution | Dead] = {}
        while waiting := [place for place in done if place not in ended]:
            steps = [self._step(programs, wanted[place], done[place]) for place in waiting]
            for place, outcome in zip(waiting, self._followed(steps), strict=True):
                answer = outcome.result
                if not outcome.ok:
                    ended[place] = _dead(outcome)
                elif isinstance(answer, dict) and "call" in answer:
                    self._make(answer["call"], place, done, ended)
                else:
                    ended[place] = _solution(done[place], answer, programs, wanted[place])
        return [ended[place] for place in range(len(wanted))]

    def _step(self, programs: Mapping[str, TaskProgram], goals: Sequence[Goal], done: Sequence[CallOutcome]) -> Call:
        sources = {goal.program: programs[goal.program].source for goal in goals}
        outcomes = [[each.name, each.arguments, each.ok, each.result if each.ok else each.error] for each in done]
        told = [for_the_driver(goal, programs[goal.program]) for goal in goals]
        arguments = {"sources": sources, "goals": told, "outcomes": outcomes, "required": self._required}
        return Call(name=SOLVE, arguments=arguments)

    def _followed(self, steps: Sequence[Call]) -> list[CallOutcome]:
        """One outcome for each step. What one ends is gone on with in another process, but for a few times only."""
        outcomes: list[CallOutcome] = []
        for _ in range(_HANGS):
            rest = self._solving.run(steps[len(outcomes) :]).outcomes
            outcomes += [outcome for outcome in rest if outcome.error_type != "NotRun"]
            if len(outcomes) == len(steps):
                return outcomes
        return [*outcomes, *(not_run(step) for step in steps[len(outcomes) :])]

    def _make(
        self, call: Any, place: int, done: dict[int, list[CallOutcome]], ended: dict[int, Solution | Dead]
    ) -> None:
        """Make the call that a solution waits for."""
        name, arguments = call
        made = [Call(name=each.name, arguments=each.arguments) for each in done[place]]
        outcome = self.environment.run([*made, Call(name=name, arguments=arguments)]).outcomes[-1]
        if outcome.error_type in FATAL or outcome.error_type == "UnknownFunction":
            ended[place] = Dead(f"`{name}`: {outcome.error}", fault=True)
        else:
            done[place].append(outcome)

    def records(self, table: str) -> Mapping[str, Any]:
        """A table's records, by key."""
        records = self.environment.spec.database.get(table)
        return records if isinstance(records, dict) else {}


def entry_of_user(user: User) -> EntryRef:
    """The user's own record."""
    return EntryRef(user.table, user.key)


@cache
def driver() -> str:
    """The source of the driver."""
    return (files("toolscale.programs") / "inside" / "driver.py").read_text(encoding="utf-8")


def _of_the_driver(spec: EnvironmentSpec, function: str, database: Any) -> EnvironmentSpec:
    offered = FunctionSpec(name=function, description="Runs a task program.", parameters={}, kind="read")
    return EnvironmentSpec(
        domain=spec.domain, now=spec.now, seed=spec.seed, functions=[offered], source=driver(), database=database
    )


def for_the_driver(goal: Goal, program: TaskProgram) -> dict[str, Any]:
    """A goal as the driver takes it."""
    found = goal.model_dump(mode="json", include={"program", "facts", "repeats", "joined", "bound"})
    twists = [
        {"name": each.name, "facts": each.facts, "replaces": program.twist(each.name).replaces} for each in goal.twists
    ]
    return {**found, "again": program.again, "twists": twists}


def _drawn(function: str, outcome: CallOutcome) -> Facts | Dead:
    if not outcome.ok:
        return _dead(outcome)
    if outcome.wrote:
        table, key = outcome.wrote[0]
        return Dead(f"`{function}` changes the database (`{table}`, {key!r}): it must only read", fault=True)
    facts = outcome.result
    if facts is None:
        return Dead("nothing was drawn")
    if not isinstance(facts, dict):
        return Dead(f"`{function}` must return an object of facts, or None, not {type(facts).__name__}", fault=True)
    problem = next(_fact_problems(facts), None)
    return Dead(f"`{function}` returned {problem}", fault=True) if problem else dict(facts)  # type: ignore[arg-type]


def _fact_problems(facts: Mapping[str, Any]) -> Any:
    for name, value in facts.items():
        if not _NAME.fullmatch(name):
            yield f"a fact called {name[:80]!r}: names are small letters, digits and underscores"
        elif not isinstance(value, str | int | float | bool):
            yield f"`{name}` = {str(value)[:80]!r}: a fact is a string, a number or a truth value"
        elif isinstance(value, str) and (not value.strip() or len(value) > LONGEST_FACT):
            yield f"`{name}` with {len(value):,} characters: a fact has 1 to {LONGEST_FACT}"


def _dead(outcome: CallOutcome) -> Dead:
    if outcome.error_type == "Refused":
        return Dead(f"a function refused a call: {outcome.error}")
    if outcome.error_type in _DEAD_ENDS:
        return Dead(str(outcome.error))
    if outcome.error_type == "Timeout":
        return Dead(f"{NEVER_BACK}: {outcome.error}", fault=True)
    if outcome.error_type == "NotRun":
        return Dead("it was not tried again after it hung on other draws", fault=True, tried=False)
    return Dead(f"{outcome.error}", fault=True)


def _solution(
    done: Sequence[CallOutcome], answer: Any, programs: Mapping[str, TaskProgram], goals: Sequence[Goal]
) -> Solution | Dead:
    told: list[Told] = []
    for goal, turn, twist, name, value in answer["told"]:
        known = programs[goals[goal].program].answers
        if name not in known:
            return Dead(f"`{name}` is returned, but `answers` lists {', '.join(known) or 'nothing'}", fault=True)
        values = value if isinstance(value, list) else [value]
        if any(isinstance(each, bool) or not isinstance(each, str | int | float) for each in values):
            return Dead(
                f"the answer `{name}` is {str(value)[:80]!r}: a string or a number, or a list of them", fault=True
            )
        told += [Told(goal=goal, turn=turn, twist=twist, name=name, value=each) for each in values]
    if len(told) > MOST_TOLD:
        return Dead(f"{len(told):,} answers: at most {MOST_TOLD}", fault=True)
    return Solution(tuple(done), tuple(told))
