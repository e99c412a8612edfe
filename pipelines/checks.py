"""Asset checks: what must hold of what the stages gave. Each reads what was stored, not what was computed."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import dagster as dg

from pipelines.assets.release import local_folder
from pipelines.domains import DOMAINS
from pipelines.factory import Factory
from pipelines.keys import key_faults
from pipelines.shown import markdown
from pipelines.storage import stored_files
from toolscale.artifacts import DatabaseSchema, Entry, EnvironmentSpec, Function, Rule, Task
from toolscale.checkers import GateContext, pass_at_8
from toolscale.checkers.agents import AGENTS
from toolscale.checkers.gates.acts import idle_solvers
from toolscale.dataset import read_dataset
from toolscale.dataset.audit import audit
from toolscale.dataset.folder import doubles_in, misplaced_in
from toolscale.environment import Sandbox, not_checkable_in, rules_in
from toolscale.python_source import parsed
from toolscale.synthesis.acceptance import import_problems, signature_problems
from toolscale.synthesis.assembly import database_of
from toolscale.synthesis.records import record_faults
from toolscale.synthesis.sources import functions_module, rules_module

LEAST_FUNCTIONS = 4
AUDITED = 20
"""Tasks of each domain that a release is audited by. All of them passed the same gates when they were generated, and
every row is compared with what passed; `toolscale audit` runs them all again."""


@dg.asset_check(asset="entries", additional_ins={"schema": dg.AssetIn("schema")}, partitions_def=DOMAINS, blocking=True)
def entries_fit_together(entries: list[Entry], schema: DatabaseSchema) -> dg.AssetCheckResult:
    """Every entry fits the schema, no key occurs twice, and every reference leads to an entry."""
    return _result(entry_faults(entries, schema), entries=len(entries))


@dg.asset_check(asset="functions", partitions_def=DOMAINS, blocking=True)
def functions_make_a_module(functions: list[Function]) -> dg.AssetCheckResult:
    """There are at least four functions, some of which write; each keeps to the sandbox, and together they compile."""
    return _result(function_faults(functions), functions=len(functions))


@dg.asset_check(asset="rules", partitions_def=DOMAINS, blocking=True)
def rules_speak_for_the_policy(rules: list[Rule]) -> dg.AssetCheckResult:
    """Some predicate or some sentence for a judge stands for the policy; the predicates make one module of rules."""
    return _result(rule_faults(rules), rules=len(rules))


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


@dg.asset_check(asset="trajectories", partitions_def=DOMAINS, blocking=True)
def no_key_is_in_the_data(
    context: dg.AssetCheckExecutionContext, factory: dg.ResourceParam[Factory]
) -> dg.AssetCheckResult:
    """Nothing that was stored of the domain, kept or refused, holds a key: models and endpoints may say one back."""
    files = stored_files(factory.data_root, context.partition_key)
    return _result(key_faults(files), files=len(files))


@dg.asset_check(
    asset="dataset",
    additional_ins={
        "verified": dg.AssetIn("verified_tasks", partition_mapping=dg.AllPartitionMapping()),
        "environments": dg.AssetIn("environment", partition_mapping=dg.AllPartitionMapping()),
    },
)
def dataset_is_whole_and_passes_the_audit(
    factory: dg.ResourceParam[Factory], verified: dict[str, list[Task]], environments: dict[str, EnvironmentSpec]
) -> dg.AssetCheckResult:
    """Read from its files, the dataset holds every kept task once and unchanged, and a sample passes the audit."""
    return _result(dataset_faults(factory, verified, environments))


def entry_faults(entries: Sequence[Entry], schema: DatabaseSchema) -> Iterator[str]:
    """What is wrong with a database, one sentence a fault."""
    if not entries:
        yield "there are no entries"
    for (table, key), count in Counter((entry.table, entry.key) for entry in entries).items():
        if count > 1:
            yield f"{table}/{key}: {count} entries have this key"
    known = [entry for entry in entries if entry.table in schema.tables]
    yield from (f"there is no table `{entry.table}`" for entry in entries if entry.table not in schema.tables)
    yield from (fault.said for fault in record_faults(database_of(schema, known), schema, {}))


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


def rule_faults(rules: Sequence[Rule]) -> Iterator[str]:
    """What is wrong with the rules of a policy, one sentence a fault."""
    if not rules:
        yield "neither a program nor a judge sees to the policy"
    try:
        module = rules_module(rules)
        stated, left = rules_in(module), not_checkable_in(module)
        yield from import_problems(parsed(module))
    except ValueError as error:
        yield str(error)
    else:
        if stated.keys() != {rule.name for rule in rules if rule.by == "program"}:
            yield f"the module has the rules {', '.join(stated) or '(none)'}, not those of the rows"
        if len(left) != sum(rule.by == "judge" for rule in rules):
            yield f"the module leaves {len(left)} sentences to a judge, not those of the rows"


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


def dataset_faults(
    factory: Factory, verified: Mapping[str, list[Task]], environments: Mapping[str, EnvironmentSpec]
) -> Iterator[str]:
    """What is wrong with a dataset on disk, given what was kept of each domain, one sentence a fault."""
    folder = local_folder(factory.dataset)
    passed = {task.id: task for domain in factory.domains or verified for task in verified.get(domain, [])}
    rows = read_dataset(folder)
    kept, written = Counter(passed.keys()), Counter(task.id for task, _ in rows)
    kept -= Counter(doubles_in(folder))
    if written != kept:
        missing, extra = (kept - written).total(), (written - kept).total()
        yield f"{folder}: {missing} kept tasks are missing, {extra} rows are not of a kept task"
    if misplaced := misplaced_in(folder):
        yield f"{folder}: {misplaced} attempts lie in another split than their tasks"
    for task, _ in rows:
        if _as_rows_tell(task) != _as_rows_tell(passed.get(task.id, task)):
            yield f"{task.id} is not the task that passed the gates"
        if not pass_at_8(task.attempts).passed:
            yield f"{task.id} tells of no attempt that solved it"
    for spec in {id(spec): spec for _, spec in rows}.values():
        if spec != environments.get(spec.domain, spec):
            yield f"{spec.domain}: the environment is not the one in which its tasks passed the gates"
    for failure in audit(folder, of_each=AUDITED).as_json()["failures"]:
        yield f"{failure['task_id']} fails {failure['gate']}: {'; '.join(failure['reasons'][:2])}"


def _as_rows_tell(task: Task) -> Task:
    """A task without what its gates said as it passed them: a dataset says once which gates all of its tasks passed."""
    return task.model_copy(update={"gates": [gate.model_copy(update={"reasons": []}) for gate in task.gates]})


def _result(faults: Iterator[str], **counts: Any) -> dg.AssetCheckResult:
    found = list(faults)
    listed = "\n".join(f"- {fault}" for fault in found[:20])
    return dg.AssetCheckResult(
        passed=not found,
        metadata={**counts, "faults": len(found), **({"first": markdown(listed)} if found else {})},
    )
