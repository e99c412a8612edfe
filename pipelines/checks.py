"""Asset checks: what must hold of what the stages gave. Each reads what was stored, not what was computed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import dagster as dg

from pipelines.assets.release import local_folder
from pipelines.domains import DOMAINS
from pipelines.factory import Factory
from toolscale.artifacts import DatabaseSchema, Entry, EnvironmentSpec, Function, Task
from toolscale.checkers import GateContext
from toolscale.checkers.agents import AGENTS
from toolscale.checkers.gates.acts import idle_solvers
from toolscale.dataset import read_dataset
from toolscale.dataset.audit import audit
from toolscale.dataset.folder import doubles_in
from toolscale.environment import Sandbox
from toolscale.synthesis.acceptance import signature_problems
from toolscale.synthesis.assembly import database_of
from toolscale.synthesis.entries import entry_problems
from toolscale.synthesis.sources import functions_module

LEAST_FUNCTIONS = 4


@dg.asset_check(asset="entries", additional_ins={"schema": dg.AssetIn("schema")}, partitions_def=DOMAINS, blocking=True)
def entries_fit_together(entries: list[Entry], schema: DatabaseSchema) -> dg.AssetCheckResult:
    """Every entry fits the schema, no key occurs twice, and every reference leads to an entry."""
    return _result(entry_faults(entries, schema), entries=len(entries))


@dg.asset_check(asset="functions", partitions_def=DOMAINS, blocking=True)
def functions_make_a_module(functions: list[Function]) -> dg.AssetCheckResult:
    """There are at least four functions, some of which write; each keeps to the sandbox, and together they compile."""
    return _result(function_faults(functions), functions=len(functions))


@dg.asset_check(
    asset="verified_tasks",
    additional_ins={"environment": dg.AssetIn("environment")},
    partitions_def=DOMAINS,
    blocking=True,
)
def golden_calls_solve_and_idleness_does_not(
    verified_tasks: list[Task], environment: EnvironmentSpec
) -> dg.AssetCheckResult:
    """Every task is solved by its golden calls, and by none of the agents that do nothing for the user."""
    return _result(task_faults(verified_tasks, environment), tasks=len(verified_tasks))


@dg.asset_check(
    asset="dataset",
    additional_ins={"verified": dg.AssetIn("verified_tasks", partition_mapping=dg.AllPartitionMapping())},
)
def dataset_is_whole_and_passes_the_audit(
    factory: dg.ResourceParam[Factory], verified: dict[str, list[Task]]
) -> dg.AssetCheckResult:
    """The dataset holds every kept task once, and each passes the audit from the files alone."""
    return _result(dataset_faults(factory, verified))


def entry_faults(entries: Sequence[Entry], schema: DatabaseSchema) -> Iterator[str]:
    """What is wrong with a database, one sentence a fault."""
    if not entries:
        yield "there are no entries"
    for (table, key), count in Counter((entry.table, entry.key) for entry in entries).items():
        if count > 1:
            yield f"{table}/{key}: {count} entries have this key"
    known = [entry for entry in entries if entry.table in schema.tables]
    yield from (f"there is no table `{entry.table}`" for entry in entries if entry.table not in schema.tables)
    yield from entry_problems(database_of(schema, known), schema, {})


def function_faults(functions: Sequence[Function]) -> Iterator[str]:
    """What is wrong with a domain's functions, one sentence a fault."""
    if len(functions) < LEAST_FUNCTIONS:
        yield f"{len(functions)} functions were accepted; a domain needs at least {LEAST_FUNCTIONS}"
    if not any(function.kind == "write" for function in functions):
        yield "no function writes, so no task could change anything"
    faults = [f"{function.name}: {problem}" for function in functions for problem in signature_problems(function)]
    yield from faults
    if not faults:
        try:
            functions_module(functions)
        except ValueError as error:
            yield str(error)


def task_faults(tasks: Sequence[Task], environment: EnvironmentSpec) -> Iterator[str]:
    """What is wrong with kept tasks, one sentence a fault."""
    if not tasks:
        yield "no task was kept"
    with Sandbox(environment) as sandbox:
        context = GateContext(sandbox)
        for task in tasks:
            verdict = context.judge(task, task.golden_calls, task.communicate_info)
            if not verdict.solved:
                yield f"{task.id}: its golden calls do not solve it: {'; '.join(verdict.reasons[:3])}"
            for agent in idle_solvers(task, context):
                yield f"{task.id}: {(AGENTS[agent].__doc__ or agent).splitlines()[0]} That solves it."


def dataset_faults(factory: Factory, verified: dict[str, list[Task]]) -> Iterator[str]:
    """What is wrong with a dataset on disk, given the kept tasks of each domain, one sentence a fault."""
    folder = local_folder(factory.dataset)
    kept = Counter(task.id for domain in factory.domains or verified for task in verified.get(domain, []))
    written = Counter(task.id for task, _ in read_dataset(folder))
    kept -= Counter(doubles_in(folder))
    if written != kept:
        missing, extra = (kept - written).total(), (written - kept).total()
        yield f"{folder}: {missing} kept tasks are missing, {extra} rows are not of a kept task"
    report = audit(folder).as_json()
    for failure in report["failures"]:
        yield f"{failure['task_id']} fails {failure['gate']}: {'; '.join(failure['reasons'][:2])}"
    if report["gates"]["pass_at_8"]["passed"] != written.total():
        yield f"{written.total() - report['gates']['pass_at_8']['passed']} tasks tell of no attempt that solved them"


def _result(faults: Iterator[str], **counts: Any) -> dg.AssetCheckResult:
    found = list(faults)
    listed = "\n".join(f"- {fault}" for fault in found[:20])
    return dg.AssetCheckResult(
        passed=not found,
        metadata={**counts, "faults": len(found), **({"first": dg.MetadataValue.md(listed)} if found else {})},
    )
