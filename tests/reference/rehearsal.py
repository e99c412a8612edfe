"""Rehearses a reference domain: every program, evolved up to three times, in the real sandbox and past the gates.

Run as ``python -m tests.reference.rehearsal railway [--draws 10]``; the tests hold a domain to the same rules.
"""

from collections.abc import Iterable, Iterator
from random import Random
from typing import Any, NamedTuple

from toolscale.artifacts import Call, Database, DatabaseSchema, EnvironmentSpec, Function, Task, schema_problems
from toolscale.environment import Sandbox, Session
from toolscale.episodes.tools import tool_content
from toolscale.errors import UserError
from toolscale.reference import teacher
from toolscale.reference.agent import next_move
from toolscale.reference.domain import ReferenceDomain, reference_domain
from toolscale.reference.enact import CallResult, Script, advance, strictly
from toolscale.reference.program import Goal, Program, Reply, World
from toolscale.reference.recogniser import programs_in, understand
from toolscale.synthesis.drafts import as_task
from toolscale.synthesis.excerpt import Excerpts
from toolscale.synthesis.records import record_faults
from toolscale.synthesis.sources import functions_module

BROKEN = {"UnknownFunction", "ImportError", "ModuleNotFoundError", "NameError", "TypeError", "Killed", "Timeout"}
"""Ends of a call that no function means: its module or the solution is wrong, and drawing again helps nobody."""


class Rehearsed(NamedTuple):
    """One draft that a script made, where it came from, and what stood in the way of it."""

    program: str
    depth: int
    draft: dict[str, Any]
    dead_ends: tuple[str, ...] = ()

    @property
    def infeasible(self) -> bool:
        """Whether the teacher gave up."""
        return "infeasible" in self.draft


class Stage:
    """A reference domain in a sandbox, with what its teacher would see."""

    def __init__(self, name: str, seed: int = 0) -> None:
        self.domain: ReferenceDomain = reference_domain(name)
        self.database = whole_database(self.domain, seed)
        self.schema = DatabaseSchema(domain=name, json_schema=self.domain.schema)
        self.spec = environment(self.domain, self.database)
        self.sandbox = Sandbox(self.spec)
        self.everything = World(self.database, self.domain.identity)
        self._excerpts = Excerpts(self.schema, self.database)

    def world(self, seed: str, size: int, around: Task | None = None) -> World:
        """An excerpt of so many entries, around what a task touches if there is one, as a world."""
        focus = sorted(self.sandbox.run(around.golden_calls).operated) if around else ()
        return World(self._excerpts.draw(seed, size, focus), self.domain.identity)

    def enact(self, script_of: Any, session: Session | None = None) -> Any:
        """Run a script to its end against a fresh session; `script_of()` makes the script anew each time."""
        session, outcomes = session or Session(self.sandbox), []
        while True:
            call, end = advance(script_of(), outcomes)
            if call is None:
                return end
            assert isinstance(call, Call)
            outcome = session.call(call.name, dict(call.arguments))
            if outcome.error_type in BROKEN:
                raise UserError(
                    f"`{self.domain.name}`: the call of `{call.name}` ends with {outcome.error_type}: {outcome.error}"
                )
            outcomes.append(CallResult(outcome.result, outcome.error))

    def attempt(self, task: Task, seed: int) -> tuple[list[Call], list[str]]:
        """What the offline agent calls and says, told everything at once."""
        session = Session(self.sandbox)
        messages: list[dict[str, Any]] = [{"role": "user", "content": task.instruction}]
        calls: list[Call] = []
        while isinstance(move := next_move(messages, self.spec.tools(), seed), Call):
            calls.append(move)
            content = tool_content(session.call(move.name, dict(move.arguments)))
            messages.append({"role": "tool", "content": content})
        return calls, [move]


def whole_database(domain: ReferenceDomain, seed: int) -> Database:
    """All subjects' entries together."""
    database: Database = {table: {} for table in domain.schema["properties"]}
    for entries in domain.world(seed).values():
        for table, records in entries.items():
            database[table] |= records
    return database


def world_faults(domain: ReferenceDomain, seed: int) -> list[str]:
    """What is wrong with the schema, or with the entries: by the schema, in their references, or in a reader's eyes."""
    if problems := list(schema_problems(domain.schema)):
        return problems
    schema = DatabaseSchema(domain=domain.name, json_schema=domain.schema)
    known: Database = {table: {} for table in schema.tables}
    faults: list[str] = []
    for subject, records in domain.world(seed).items():
        found = [fault.said for fault in record_faults(records, schema, known)] or domain.implausible(records)
        faults += [f"{subject}: {said}" for said in found]
        for table, each in records.items():
            known.setdefault(table, {}).update(each)
    return faults


def environment(domain: ReferenceDomain, database: Database) -> EnvironmentSpec:
    """The domain as an environment, without the factory's detours."""
    functions: list[Function] = domain.functions
    return EnvironmentSpec(
        domain=domain.name,
        now=domain.now,
        policy=domain.policy,
        rules=domain.rules,
        functions=[function.spec() for function in functions],
        source=functions_module(functions),
        database=database,  # type: ignore[arg-type]
        json_schema=domain.schema,
    )


def rehearse(
    stage: Stage, programs: Iterable[Program], draws: int, size: int, depth: int = 3, error_rate: float = 0
) -> Iterator[Rehearsed]:
    """Drafts of the programs, `draws` each, and what evolution makes of each, up to so deep."""
    for program in programs:
        for index in range(draws):
            yield from _line_of(stage, program, f"{program.name}:{index}", size, depth, error_rate)


def _line_of(
    stage: Stage, program: Program, name: str, size: int, depth: int, error_rate: float
) -> Iterator[Rehearsed]:
    """One first draft and its evolutions, each from an excerpt around the one before."""
    world = stage.world(name, size)
    dead_ends: list[str] = []

    def first() -> Script[Any]:
        dead_ends.clear()  # the script is followed from its start after every call
        return teacher.propose(stage.domain, program, world, Random(name), error_rate=error_rate, dead_ends=dead_ends)

    draft = stage.enact(first)
    yield Rehearsed(program.name, 0, draft, tuple(dead_ends))
    for round_ in range(1, depth + 1):
        if "infeasible" in draft:
            return
        around = stage.world(f"{name} {round_}", size, as_task(stage.domain.name, "", draft))

        def harder(draft: dict[str, Any] = draft, around: World = around, round_: int = round_) -> Script[Any]:
            words = f"{draft['reason_for_call']}\n{draft['known_info']}"
            rng = Random(f"evolve {name} {round_}")
            persona = draft["persona"]
            dead_ends.clear()
            return teacher.evolve(
                stage.domain, words, around, rng, persona=persona, error_rate=error_rate, dead_ends=dead_ends
            )

        draft = stage.enact(harder)
        yield Rehearsed(program.name, round_, draft, tuple(dead_ends))


def wording_faults(stage: Stage, rehearsed: Rehearsed) -> list[str]:
    """What a reader of the words would get wrong: lines nobody understands or that two programs could have worded."""
    draft = rehearsed.draft
    faults = []
    for line in draft["reason_for_call"].splitlines():
        matches = {program.name for program, _ in programs_in(line, stage.domain)}
        if len(matches) > 1:
            faults.append(f"line fits several programs {sorted(matches)}: {line}")
    request = understand(stage.domain.name, f"{draft['reason_for_call']}\n{draft['known_info']}")
    understood = sum(1 + len(goal.twists) + len(goal.repeats) for goal in request.goals)
    if understood != len(draft["reason_for_call"].splitlines()):
        faults.append(f"not every line is understood: {draft['reason_for_call']!r}")
    elif rehearsed.program not in [goal.program.name for goal in request.goals]:
        faults.append(f"taken for another program: {draft['reason_for_call']!r}")
    spoken = " ".join(draft[field] for field in ("reason_for_call", "known_info", "unknown_info", "task_instructions"))
    faults += [f"names the function `{f.name}`" for f in stage.spec.functions if "_" in f.name and f.name in spoken]
    return faults


def refusal_faults(stage: Stage, goal: Goal) -> list[str]:
    """Why a refusal is none: giving in is neither refused by the functions nor against the rule that it names."""
    refusal = goal.program.refusal
    assert refusal is not None
    session = Session(stage.sandbox)

    def giving_in() -> Script[Reply]:
        def solution() -> Any:
            yield from refusal.giving_in(goal.facts)
            return Reply("")

        return strictly(solution())

    try:
        stage.enact(giving_in, session)
    except Exception as obstacle:
        return [] if type(obstacle).__name__ == "CallRefused" else [f"giving in fails with {obstacle!r}"]
    broken = {found.rule for found in stage.sandbox.broken_rules(session.replay)}
    return [] if refusal.rule in broken else [f"giving in breaks no rule `{refusal.rule}`: {sorted(broken)}"]


if __name__ == "__main__":
    from tests.reference.rehearsal_report import main

    raise SystemExit(main())
