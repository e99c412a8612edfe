"""A dataset folder as tables for SQL, and the ready views over them, of which card and report have their figures."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from toolscale.artifacts import DIFFICULTIES, GATES
from toolscale.dataset.rows import SCHEMAS
from toolscale.errors import UserError
from toolscale.input_files import files_in
from toolscale.query import View
from toolscale.query.tables import quoted

if TYPE_CHECKING:
    import pyarrow as pa

MANY_CALLS = 6
"""Golden calls from which on a task counts as long."""

TABLES = {
    "tasks": "A kept task: what the user says, golden calls, gates, attempts, pass rate.",
    "environments": "A domain: database, functions, policy, rules, as JSON and source.",
    "trajectories": "An attempt that solved a kept task, as a chat, in the split of its task.",
    "rejects": "Something that a stage refused, with the reasons.",
    "preferences": "What a user may prefer, and the vector that it comes to.",
}


def dataset_views(folder: Path | None) -> list[View]:
    """The tables of a dataset folder and the ready views over them.

    A table that the folder lacks is empty. Without a folder, whoever names one is told to name a folder.
    """
    return [*_tables(folder), *(View(name, says, sql) for name, (says, sql) in READY.items())]


def dataset_files(folder: Path | None) -> list[Path]:
    """The files that the tables read."""
    return files_in(folder, "*.parquet", deep=True) if folder else []


def parquet_files(folder: Path, config: str) -> list[Path]:
    """The files of a config, in the order of their names. Raises UserError where there is none."""
    files = files_in(folder / config, "*.parquet")
    if not files:
        raise UserError(
            f"{folder}/{config} holds no Parquet file; a dataset has tasks/*.parquet, environments/*.parquet"
        )
    return files


def _tables(folder: Path | None) -> Iterator[View]:
    for name, says in TABLES.items():
        schema = SCHEMAS[name] if "split" in SCHEMAS[name].names else SCHEMAS[name].append(_split())
        files = files_in(folder / name, "*.parquet") if folder else []
        if folder is None:
            yield View(name, says, load=_unnamed, schema=schema)
        elif files:
            yield View(name, says, _TRAJECTORIES if name == "trajectories" else _split_of_file(name), schema=schema)
            yield View(f"_{name}", "", _parquet(files))
        else:
            yield View(name, says, load=schema.empty_table, schema=schema)
    for name in sorted({file.parent.name for file in dataset_files(folder)} - set(TABLES)):
        yield View(name, "A row of the folder of this name.", _split_of_file(name))
        yield View(f"_{name}", "", _parquet([file for file in dataset_files(folder) if file.parent.name == name]))


def _parquet(files: list[Path]) -> str:
    """The rows of some files, with the name of the file as their split."""
    listed = f"[{', '.join(map(quoted, files))}]"
    return f"select * from read_parquet({listed}, filename = '_file', union_by_name = true)"


def _split_of_file(name: str) -> str:
    """Its rows with the split that the file's name says, whether they have such a column or not."""
    named = "split" in SCHEMAS[name].names if name in SCHEMAS else True
    left_out = "_file, split" if named else "_file"
    rows = f"select * exclude ({left_out}), parse_filename(_file, true) as split from _{name}"
    return rows + _NO_DIFFICULTY * (name == "tasks")


_NO_DIFFICULTY = " union all by name select null::varchar[] as difficulty where false"
"""Datasets of earlier versions have no such column: its values are null then."""


_TRAJECTORIES = """
select attempt.* exclude (_file), coalesce(task.split, parse_filename(_file, true)) as split
from _trajectories attempt
left join (select id, any_value(split) as split from tasks group by id) task on task.id = attempt.task_id
"""
"""Datasets of earlier versions hold all attempts in one file: the split is the task's."""


def _split() -> "pa.Field":
    import pyarrow as pa

    return pa.field("split", pa.string())


def _unnamed() -> "pa.Table":
    raise UserError("which dataset? Name its folder, such as data/demo")


_GATES_IN_ORDER = f"[{', '.join(map(quoted, GATES))}]"

_REFUSED = "from rejects where stage = 'verified_tasks'"

_SHAPE = f"""
select
    task.id as task_id, domain, split, lineage.depth as depth,
    coalesce(len(evaluation_criteria.actions), 0) as golden_calls,
    coalesce(len(list_distinct([call.name for call in evaluation_criteria.actions])), 0) as functions,
    coalesce(len(evaluation_criteria.actions), 0) >= {MANY_CALLS} as many_calls,
    coalesce(list_has_any([call.name for call in evaluation_criteria.actions], writing), false) as writes,
    len(evaluation_criteria.communicate_info) as facts,
    array_to_string([
        concat(call.name, '(', array_to_string(json_keys(call.arguments), ', '), ')')
        for call in evaluation_criteria.actions
    ], '; ') as skeleton,
    pass_rate
from tasks task
left join (
    select environment, list(name) filter (where kind = 'write') as writing from functions group by environment
) using (environment)
"""

_DIFFICULTIES = f"""
with named as (
    select unnest([{", ".join(map(quoted, DIFFICULTIES))}]) as difficulty,
        unnest(range({len(DIFFICULTIES)})) as position
),
counted as (
    select named.difficulty, position, lineage.depth as depth, count(*) as of_depth,
        count(*) filter (where list_contains(task.difficulty, named.difficulty)) as tasks
    from tasks task cross join named group by all
)
select difficulty, depth, tasks, of_depth, tasks / of_depth as share from counted order by position, depth
"""

_FACTS = """
select
    count(*) as tasks,
    count(distinct (domain, skeleton)) as skeletons,
    coalesce(avg(golden_calls) filter (where depth > 0), 0) as golden_calls_evolved,
    coalesce(avg(many_calls::int), 0) as with_many_calls,
    coalesce(avg(writes::int), 0) as with_writes,
    coalesce(avg((not writes and facts > 0)::int), 0) as read_only_with_facts
from shape
"""

_GATES = f"""
with refused as (select domain, "check" as gate, count(*) as refused {_REFUSED} group by all),
named as (
    select gate, list_position({_GATES_IN_ORDER}, gate) as position
    from (select unnest({_GATES_IN_ORDER}) as gate union select gate from refused)
),
counted as (
    select domain, gate, position, coalesce(refused, 0) as refused, proposed
    from domains cross join named left join refused using (domain, gate)
)
select
    domain, position, gate, refused,
    proposed - sum(refused) over (partition by domain order by position nulls last, gate)::bigint as remaining
from counted order by domain, position nulls last, gate
"""

_DOMAINS = f"""
with task as (
    select domain, count(*) as kept, avg(golden_calls) as golden_calls, avg(pass_rate) as pass_rate
    from shape group by domain
),
refused as (select domain, count(*) as refused {_REFUSED} group by domain),
environment as (
    select domain, sum(json_array_length(functions))::bigint as functions, sum(list_sum([
        case json_type(entries) when 'OBJECT' then len(json_keys(entries))
            when 'ARRAY' then json_array_length(entries) else 0 end
        for entries in map_values(from_json(database, '"MAP(VARCHAR, JSON)"'))
    ]))::bigint as entries
    from environments group by domain
)
select
    domain, coalesce(functions, 0) as functions, coalesce(entries, 0) as entries,
    coalesce(kept, 0) + coalesce(refused, 0) as proposed, coalesce(kept, 0) as kept, golden_calls, pass_rate
from environment full join task using (domain) full join refused using (domain)
order by domain
"""

_BY_GATE = ", ".join(f'count(*) filter (where "check" = {quoted(gate)}) as {gate}' for gate in GATES)

READY = {
    "domains": (
        "A domain: its functions and entries, tasks proposed and kept, golden calls a task, mean pass rate.",
        _DOMAINS,
    ),
    "funnel": (
        "A domain: tasks proposed, how many each gate refused first, tasks kept.",
        f"select domain, proposed, coalesce(columns(refused.* exclude (domain)), 0), kept from domains "
        f"left join (select domain, {_BY_GATE} {_REFUSED} group by domain) refused using (domain) order by domain",
    ),
    "gates": (
        "A gate in a domain, in their order: tasks that it refused first, and tasks that remained.",
        _GATES,
    ),
    "refusals": (
        "A check of a stage in a domain: how much it refused.",
        'select domain, stage, "check", count(*) as refused from rejects group by all order by all',
    ),
    "splits": (
        "A split: its tasks, and those of which intent, entities or both are not in `train`.",
        "select split, count(id) as tasks, count(*) filter (where unseen_intent) as intent_unseen, "
        "count(*) filter (where unseen_entities) as entities_unseen, "
        "count(*) filter (where unseen_intent and unseen_entities) as both_unseen "
        "from (select unnest(['train', 'eval']) as split) left join tasks using (split) group by split "
        "order by split desc",
    ),
    "shape": (
        "A task in figures: depth, golden calls, functions, facts to tell; and its calls without their values.",
        _SHAPE,
    ),
    "depths": (
        "How often tasks were made harder: tasks, and their means; `many_calls` is the share with "
        f"{MANY_CALLS} golden calls or more.",
        "select depth, count(*) as tasks, avg(golden_calls) as golden_calls, avg(functions) as functions, "
        "avg(many_calls::int) as many_calls, avg(pass_rate) as pass_rate from shape group by depth order by depth",
    ),
    "difficulties": (
        "A type of difficulty at a depth of evolution: tasks that have it, of how many at that depth, and their share.",
        _DIFFICULTIES,
    ),
    "facts": ("The whole dataset in one row: tasks, distinct skeletons, shares from 0 to 1.", _FACTS),
    "pass_rates": (
        "How many tasks were solved in so many of their attempts, by domain, split and depth.",
        "select domain, split, lineage.depth as depth, len([a for a in attempts if a.solved]) as solved, "
        "len(attempts) as attempts, count(*) as tasks from tasks group by all order by all",
    ),
    "attempts": (
        "An attempt at a kept task, and its verdict.",
        "select task_id, domain, split, depth, a.* from (select id as task_id, domain, split, "
        "lineage.depth as depth, unnest(attempts) as a from tasks)",
    ),
    "golden_calls": (
        "A golden call of a task: its place, function, whether that reads or writes, arguments as JSON.",
        "select task_id, called.domain, split, position, call.name as name, kind, call.arguments as arguments "
        "from (select id as task_id, domain, split, environment, "
        "generate_subscripts(evaluation_criteria.actions, 1) - 1 as position, "
        "unnest(evaluation_criteria.actions) as call from tasks) called "
        "left join functions on functions.environment = called.environment and functions.name = call.name",
    ),
    "functions": (
        "A function that a domain offers.",
        "select domain, environment, f ->> 'name' as name, f ->> 'kind' as kind, f ->> 'description' as description, "
        "f -> 'parameters' as parameters from "
        "(select domain, id as environment, unnest(json_extract(functions, '$[*]')) as f from environments)",
    ),
    "functions_used": (
        "A function: how many golden calls name it, in how many tasks; 0 of one that no task needs.",
        "select functions.domain, functions.name, any_value(functions.kind) as kind, "
        "count(distinct task_id) as tasks, count(task_id) as calls from functions "
        "left join golden_calls using (domain, name) group by all order by all",
    ),
}
"""Ready view -> what a row of it is, and its query."""
