"""Rehearses a reference domain: every program, with and without twists, in the real sandbox and past the gates.

Run as ``python -m tests.reference.rehearsal railway [--draws 10]``; the tests hold a domain to the same rules.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from toolscale.artifacts import Call, Database, DatabaseSchema, EnvironmentSpec, Function
from toolscale.environment import Sandbox, Session
from toolscale.reference import teacher
from toolscale.reference.domain import ReferenceDomain, reference_domain
from toolscale.reference.enact import Outcome, Script, advance
from toolscale.reference.program import World
from toolscale.reference.recogniser import programs_in, understand
from toolscale.synthesis.excerpt import excerpt
from toolscale.synthesis.sources import functions_module


class Rehearsed(NamedTuple):
    """One draft that a script made, and where it came from."""

    program: str
    twist: str
    draft: dict[str, Any]


class Stage:
    """A reference domain in a sandbox, with what its teacher would see."""

    def __init__(self, name: str, seed: int = 0) -> None:
        self.domain: ReferenceDomain = reference_domain(name)
        self.database = whole_database(self.domain, seed)
        self.schema = DatabaseSchema(domain=name, json_schema=self.domain.schema)
        self.spec = environment(self.domain, self.database)
        self.sandbox = Sandbox(self.spec)

    def world(self, seed: str, size: int) -> World:
        """An excerpt of so many entries, as a world."""
        return World(excerpt(self.schema, self.database, seed=seed, size=size), self.domain.identity)

    def enact(self, script_of: Any) -> Any:
        """Run a script to its end against a fresh session; `script_of()` makes the script anew each time."""
        session, outcomes = Session(self.sandbox), []
        while True:
            call, end = advance(script_of(), outcomes)
            if call is None:
                return end
            assert isinstance(call, Call)
            outcome = session.call(call.name, dict(call.arguments))
            outcomes.append(Outcome(outcome.result, outcome.error))


def whole_database(domain: ReferenceDomain, seed: int) -> Database:
    """All subjects' entries together."""
    database: Database = {table: {} for table in domain.schema["properties"]}
    for entries in domain.world(seed).values():
        for table, records in entries.items():
            database[table] |= records
    return database


def environment(domain: ReferenceDomain, database: Database) -> EnvironmentSpec:
    """The domain as an environment, without the factory's detours."""
    functions: list[Function] = domain.functions
    return EnvironmentSpec(
        domain=domain.name,
        now=domain.now,
        policy=domain.policy,
        functions=[function.spec() for function in functions],
        source=functions_module(functions),
        database=database,  # type: ignore[arg-type]
        json_schema=domain.schema,
    )


def rehearse(stage: Stage, draws: int, size: int) -> Iterator[Rehearsed]:
    """Drafts of every program, `draws` each, and one evolution of each draft; the teacher makes no mistakes."""
    for program in stage.domain.programs:
        for index in range(draws):
            name = f"{program.name}:{index}"
            world = stage.world(name, size)

            def first(world: World = world, program: Any = program, name: str = name) -> Script[Any]:
                return teacher.propose(stage.domain, program, world, Random(name), error_rate=0)

            draft = stage.enact(first)
            yield Rehearsed(program.name, "", draft)
            if "infeasible" in draft:
                continue
            words = f"{draft['reason_for_call']}\n{draft['known_info']}"

            def harder(world: World = world, words: str = words, name: str = name) -> Script[Any]:
                return teacher.evolve(stage.domain, words, world, Random(f"evolve {name}"), error_rate=0)

            evolved = stage.enact(harder)
            yield Rehearsed(program.name, evolved.get("added") or "nothing could be added", evolved)


def wording_faults(stage: Stage, rehearsed: Rehearsed) -> list[str]:
    """What a reader of the words would get wrong: lines nobody understands or that two programs could have worded."""
    draft = rehearsed.draft
    faults = []
    for line in draft["reason_for_call"].splitlines():
        matches = {program.name for program, _ in programs_in(line, stage.domain)}
        if len(matches) > 1:
            faults.append(f"line fits several programs {sorted(matches)}: {line}")
    request = understand(stage.domain.name, f"{draft['reason_for_call']}\n{draft['known_info']}")
    understood = sum(1 + len(goal.twists) for goal in request.goals)
    if understood != len(draft["reason_for_call"].splitlines()):
        faults.append(f"not every line is understood: {draft['reason_for_call']!r}")
    elif rehearsed.program not in [goal.program.name for goal in request.goals]:
        faults.append(f"taken for another program: {draft['reason_for_call']!r}")
    return faults


def main() -> None:
    """Print how each program fares, and what is wrong."""
    from toolscale.checkers import GateContext, run_gates
    from toolscale.synthesis.drafts import as_task

    parser = argparse.ArgumentParser()
    parser.add_argument("domain")
    parser.add_argument("--draws", type=int, default=6)
    parser.add_argument("--size", type=int, default=60)
    parser.add_argument("--show", type=int, default=2, help="how many drafts to show whole")
    options = parser.parse_args()
    stage = Stage(options.domain)
    context = GateContext(stage.sandbox)
    counts = {table: len(records) for table, records in stage.database.items()}
    print(
        f"{sum(counts.values())} entries {counts}; {len(stage.spec.functions)} functions, "
        f"{sum(f.kind == 'write' for f in stage.spec.functions)} writes; {len(stage.domain.programs)} programs"
    )
    feasible: Counter[str] = Counter()
    infeasible: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    operators: Counter[str] = Counter()
    faults: dict[str, Counter[str]] = {}
    for rehearsed in rehearse(stage, options.draws, options.size):
        label = rehearsed.program + (" +" if rehearsed.twist else "")
        noted = faults.setdefault(label, Counter())
        if "infeasible" in rehearsed.draft:
            infeasible[label] += 1
            continue
        feasible[label] += 1
        operators[rehearsed.twist.partition(":")[0] or "first"] += 1
        if options.show > 0:
            options.show -= 1
            print(rehearsed.draft)
        task = as_task(stage.domain.name, "", rehearsed.draft)
        wrong = wording_faults(stage, rehearsed)
        for outcome in run_gates(task, context):
            if not outcome.passed:
                wrong += [f"[{rehearsed.twist}] {outcome.gate}: {reason}" for reason in outcome.reasons[:2]]
        noted.update(wrong)
        passed[label] += not wrong
    for label, noted in faults.items():
        print(f"{label:42} made {feasible[label]:3}  dead ends {infeasible[label]:3}  passed {passed[label]:3}")
        for fault, count in noted.most_common(4):
            print(f"      {count}x {fault}")
    print(dict(operators), "passed", sum(passed.values()), "of", sum(feasible.values()))


if __name__ == "__main__":
    main()
