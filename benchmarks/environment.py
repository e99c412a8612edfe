"""What an environment costs: a reset, a call and a verdict, in CPU milliseconds, children included.

Run with ``python benchmarks/environment.py [--json]``. The databases are those of reference domains as they are, and
one that is scaled to the size of tau2-bench's retail, 2.8 MB as JSON; the calls are golden calls of the domain's own
tasks. A verdict is a replay on a fresh state, compared with that of the golden calls; it is given for a task of which
that replay has been made (every trajectory after the first), and with it, which is what tau2-bench does each time.
"""

import argparse
import importlib
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from toolscale.artifacts import Call, Database, DatabaseSchema, EnvironmentSpec
from toolscale.environment import Sandbox, Session
from toolscale.reference import teacher
from toolscale.reference.domain import ReferenceDomain, reference_domain
from toolscale.reference.enact import CallResult, advance
from toolscale.reference.program import World
from toolscale.synthesis.excerpt import Excerpts
from toolscale.synthesis.sources import functions_module

TAU2_BYTES = 2_800_000
TAU2 = {"reset": 38.7, "call": 0.15, "verdict": 151.0}
"""tau2-bench's retail environment on the same kind of machine, recorded; replace it by measuring where it is there."""

TASKS = 24
"""Tasks whose golden calls are timed, one program each."""


def environment(domain: ReferenceDomain, size: int = 0) -> EnvironmentSpec:
    """The domain's environment, its database repeated under other keys until it has so many bytes as JSON."""
    database: Database = {table: {} for table in domain.schema["properties"]}
    for entries in domain.world(0).values():
        for table, records in entries.items():
            database[table] |= records
    schema = DatabaseSchema(domain=domain.name, json_schema=domain.schema)
    original = {table: dict(records) for table, records in database.items()}
    for copy in range(1, max(1, size // len(json.dumps(original)) + 1)):
        for table, records in original.items():
            keys = {schema.primary_keys[table], *(each.field for each in schema.references if each.table == table)}
            database[table] |= {f"{key}~{copy}": _renamed(record, keys, copy) for key, record in records.items()}
    return EnvironmentSpec(
        domain=domain.name,
        now=domain.now,
        policy=domain.policy,
        functions=[function.spec() for function in domain.functions],
        source=functions_module(domain.functions),
        database=database,
        json_schema=domain.schema,
    )


def _renamed(record: dict[str, Any], keys: set[str], copy: int) -> dict[str, Any]:
    def other(value: Any) -> Any:
        if isinstance(value, list):
            return [other(each) for each in value]
        return f"{value}~{copy}" if isinstance(value, str) else value

    return {field: other(value) if field in keys else value for field, value in record.items()}


def solutions(domain: ReferenceDomain, spec: EnvironmentSpec, sandbox: Sandbox) -> list[list[Call]]:
    """The golden calls of some tasks, from the offline teacher."""
    schema = DatabaseSchema(domain=domain.name, json_schema=domain.schema)
    excerpts = Excerpts(schema, spec.database)  # type: ignore[arg-type]
    found: list[list[Call]] = []
    for program in domain.programs:
        world = World(excerpts.draw(program.name), domain.identity)
        session, outcomes = Session(sandbox), list[CallResult]()
        while True:
            script = teacher.propose(domain, program, world, Random(program.name), error_rate=0)
            call, draft = advance(script, outcomes)
            if call is None:
                break
            done = session.call(call.name, dict(call.arguments))
            outcomes.append(CallResult(done.result, done.error))
        calls = [Call(**each) for each in (draft or {}).get("golden_calls", [])]
        if len(calls) > 1 and sandbox.run(calls).ok:
            found.append(calls)
        if len(found) == TASKS:
            break
    return found


def measure(name: str, size: int = 0, repeats: int = 4) -> dict[str, Any]:
    """The figures of one domain."""
    domain = reference_domain(name)
    spec = environment(domain, size)
    with Sandbox(spec) as sandbox:
        tasks = solutions(domain, spec, sandbox)

        golden_replays = [sandbox.run(calls) for calls in tasks]

        def verdict(calls: list[Call]) -> None:
            golden, replay = golden_replays[tasks.index(calls)], sandbox.run(calls, fresh=True)
            if not (golden.same_state(replay) and golden.operated <= replay.operated):
                raise RuntimeError(f"{name}: golden calls do not replay alike")

        def verdict_with_golden(calls: list[Call]) -> None:
            sandbox.run(calls, fresh=True)
            verdict(calls)

        def timed(work: Callable[[list[Call]], object]) -> float:
            used = _cpu(sandbox)
            for _ in range(repeats):
                for calls in tasks:
                    work(calls)
            return (_cpu(sandbox) - used) / repeats / len(tasks) * 1000

        one = timed(lambda calls: sandbox.run(calls[:1], fresh=True))
        every = timed(lambda calls: sandbox.run(calls, fresh=True))
        length = statistics.mean(map(len, tasks))
        call = (every - one) / (length - 1)
        return {
            "database_bytes": len(json.dumps(spec.database)),
            "golden_calls": round(length, 2),
            "reset": round(one - call, 2),
            "call": round(call, 3),
            "verdict": round(timed(verdict), 2),
            "verdict_with_golden": round(timed(verdict_with_golden), 2),
        }


def _cpu(sandbox: Sandbox) -> float:
    """CPU seconds of this process, of the environment's warm process, and of every child that it has buried."""
    warm = sandbox._template._process
    below = Path(f"/proc/{warm.pid}/stat").read_text().rpartition(")")[2].split()[11:15] if warm else []
    return time.process_time() + sum(map(int, below)) / os.sysconf("SC_CLK_TCK")


def tau2() -> dict[str, float] | None:
    """tau2-bench's retail, measured the same way, where it is installed with its data."""
    try:
        retail = importlib.import_module("tau2.domains.retail.environment")
    except ImportError:
        return None

    get_environment, get_tasks = retail.get_environment, retail.get_tasks

    def milliseconds(work: Callable[[], object], repeats: int) -> float:
        began = time.process_time()
        for _ in range(repeats):
            work()
        return (time.process_time() - began) / repeats * 1000

    task = next(each for each in get_tasks() if len(each.evaluation_criteria.actions or []) >= 4)
    actions = task.evaluation_criteria.actions
    world = get_environment()

    def replayed() -> Any:
        fresh = get_environment()
        for action in actions:
            fresh.make_tool_call(action.name, requestor="assistant", **action.arguments)
        return fresh.get_db_hash()

    read = next(action for action in actions if action.name.startswith(("get_", "find_")))
    call = milliseconds(lambda: world.make_tool_call(read.name, requestor="assistant", **read.arguments), 200)
    return {
        "reset": round(milliseconds(get_environment, 10), 2),
        "call": round(call, 3),
        "verdict": round(milliseconds(lambda: replayed() == replayed(), 5), 2),
    }


def main() -> None:
    """Measure, and print a table or one JSON object."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--domains", default="ecommerce,finance", help="with commas; the first is scaled as well")
    parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")
    options = parser.parse_args()
    names = options.domains.split(",")
    found: dict[str, dict[str, Any]] = {name: measure(name) for name in names}
    found[f"{names[0]}, scaled"] = scaled = measure(names[0], TAU2_BYTES)
    here = tau2()
    theirs = here or TAU2
    ratio = round(theirs["verdict"] / scaled["verdict_with_golden"], 1)
    if options.as_json:
        print(json.dumps({"ours": found, "tau2": theirs, "tau2_measured": here is not None, "verdict_ratio": ratio}))
        return
    print("| CPU ms | database, KB | golden calls | reset | call | verdict | with the golden calls |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, one in found.items():
        kilobytes = f"{one['database_bytes'] / 1000:.0f}"
        figures = (one[each] for each in ("golden_calls", "reset", "call", "verdict", "verdict_with_golden"))
        print(f"| {name} | {kilobytes} | {' | '.join(map(str, figures))} |")
    whose = "tau2-bench retail" + ("" if here else ", recorded")
    print(f"| {whose} | {TAU2_BYTES / 1000:.0f} | | {theirs['reset']} | {theirs['call']} | | {theirs['verdict']} |")
    print(f"tau2-bench's verdict costs {ratio} times ours with the golden calls replayed anew.", file=sys.stderr)


if __name__ == "__main__":
    main()
