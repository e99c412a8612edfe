"""Asset checks: what must hold of what the stages gave. Each reads what was stored, not what was computed."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import dagster as dg

from pipelines.assets.release import local_folder
from pipelines.checked import note_passed, passed_before
from pipelines.domains import DOMAINS
from pipelines.factory import Factory
from pipelines.keys import key_faults
from pipelines.lineage import version_of
from pipelines.portions import Head, has_begun, read_portion
from pipelines.recipe import recipe
from pipelines.shown import markdown
from pipelines.storage import environment_folder, read_environment, read_rows, rows_file, stored_files
from toolscale.artifacts import DatabaseSchema, Entry, EnvironmentSpec, Function, Rule, Task
from toolscale.checkers import GateContext, pass_at_8
from toolscale.checkers.agents import AGENTS
from toolscale.checkers.gates.acts import idle_solvers
from toolscale.dataset.audit import audited, first_of_each
from toolscale.dataset.by_domain import DomainRows, by_domain
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
    additional_deps=[
        dg.AssetDep(asset, partition_mapping=dg.AllPartitionMapping()) for asset in ("verified_tasks", "environment")
    ],
)
def dataset_is_whole_and_passes_the_audit(
    context: dg.AssetCheckExecutionContext, factory: dg.ResourceParam[Factory]
) -> dg.AssetCheckResult:
    """Read from its files, the dataset holds every kept task once and unchanged, and a sample passes the audit.

    A domain that passed is checked again once its rows, or the code that checks them, have changed.
    """
    known = factory.domains or context.instance.get_dynamic_partitions(DOMAINS.name or "")
    return _result(dataset_faults(factory, known))


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


def dataset_faults(factory: Factory, domains: Iterable[str]) -> Iterator[str]:
    """What is wrong with a dataset on disk, given the domains that it may be of, one sentence a fault."""
    folder = local_folder(factory.dataset)
    if misplaced := misplaced_in(folder):
        yield f"{folder}: {misplaced} attempts lie in another split than their tasks"
    doubles, passed = set(doubles_in(folder)), passed_before(factory)
    code = code_of_check(factory)
    released = {domain for domain in domains if has_begun(factory.data_root, domain)}
    sound: dict[str, str] = {}
    for rows in by_domain(folder):
        domain = rows.domain
        released.discard(domain)
        ready = read_portion(factory.data_root, domain)
        mark = checked_by(code, ready[0]) if ready and rows.are(ready[1]) else ""
        faults = [] if mark and passed.get(domain) == mark else list(domain_faults(factory.data_root, rows, doubles))
        yield from faults
        if mark and not faults:
            sound[domain] = mark
    for domain in sorted(released):
        yield from _missing(folder, [task for task in _verified(factory.data_root, domain) if task.id not in doubles])
    note_passed(factory, sound)


def code_of_check(factory: Factory) -> str:
    """The version of what a domain's rows are checked by."""
    return recipe(domain_faults).version(factory, factory.settings())


def checked_by(code: str, rows: Head) -> str:
    """The mark of a domain's rows that passed this check."""
    return version_of([code, rows.made_of])


def domain_faults(data_root: str, rows: DomainRows, doubles: Collection[str]) -> Iterator[str]:
    """What is wrong with the rows of a domain in a dataset, one sentence a fault."""
    verified = {task.id: task for task in _verified(data_root, rows.domain)}
    placed = rows.placed
    written = Counter(task.id for task, _ in placed)
    yield from _missing(rows.folder, [task for name, task in verified.items() if name not in {*written, *doubles}])
    if extra := sum(count - (name in verified) for name, count in written.items()):
        yield f"{rows.folder}: {extra} rows of {rows.domain} are not of a kept task"
    for task, _ in placed:
        if _as_rows_tell(task) != _as_rows_tell(verified.get(task.id, task)):
            yield f"{task.id} is not the task that passed the gates"
        if not pass_at_8(task.attempts).passed:
            yield f"{task.id} tells of no attempt that solved it"
    if environment_folder(data_root, rows.domain).exists():
        made, _ = read_environment(data_root, rows.domain)
        if any(spec != made for spec in {id(spec): spec for _, spec in placed}.values()):
            yield f"{rows.domain}: the environment is not the one in which its tasks passed the gates"
    for failed in audited(first_of_each(placed, AUDITED)):
        for gate in failed.failures:
            yield f"{failed.task.id} fails {gate.gate}: {'; '.join(gate.reasons[:2])}"


def _missing(folder: Path, tasks: Sequence[Task]) -> Iterator[str]:
    if tasks:
        yield f"{folder}: {len(tasks)} kept tasks of {tasks[0].domain} are missing"


def _verified(data_root: str, domain: str) -> list[Task]:
    file = rows_file(data_root, "verified_tasks", domain)
    return read_rows(file, Task) if file.exists() else []


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
