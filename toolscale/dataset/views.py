"""A dataset folder as tables for SQL, with the ready views over them."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from toolscale.dataset.columns import LATER, SCHEMAS
from toolscale.dataset.ready_views import READY
from toolscale.errors import UserError
from toolscale.input_files import files_in
from toolscale.query import View
from toolscale.query.tables import quoted

if TYPE_CHECKING:
    import pyarrow as pa

TABLES = {
    "tasks": "A kept task: what the user says, golden calls, gates, attempts, pass rate.",
    "environments": "A domain: database, functions, policy, rules, as JSON and source.",
    "prompts": "What the chats of a domain begin with: the system prompt, and the tools as JSON.",
    "trajectories": "An attempt that solved a kept task, as a chat from the user's first message on.",
    "failed_attempts": "An attempt that failed at a kept task, as a chat, with what was wrong.",
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
    old = folder is not None and _is_old(folder)
    for name, says in TABLES.items():
        schema = SCHEMAS[name] if "split" in SCHEMAS[name].names else SCHEMAS[name].append(_split())
        files = files_in(folder / name, "*.parquet") if folder else []
        if folder is None:
            yield View(name, says, load=_unnamed, schema=schema)
        elif files:
            yield View(name, says, _sql(name, old), schema=schema)
            yield View(f"_{name}", "", _parquet(files, _lacking(name, files)))
        elif old and name == "prompts":
            yield View(name, says, _OLD_PROMPTS, schema=schema)
        else:
            yield View(name, says, load=schema.empty_table, schema=schema)
    for name in sorted({file.parent.name for file in dataset_files(folder)} - set(TABLES)):
        yield View(name, "A row of the folder of this name.", _split_of_file(name))
        yield View(f"_{name}", "", _parquet([file for file in dataset_files(folder) if file.parent.name == name]))


def _is_old(folder: Path) -> bool:
    """Whether the attempts of a dataset are of earlier versions, with their prompts in them."""
    files = files_in(folder / "trajectories", "*.parquet")
    return "prompt_id" in _lacking("trajectories", files) if files else False


def _lacking(name: str, files: list[Path]) -> dict[str, str]:
    """The columns that datasets of earlier versions lack, with their types. Of a broken file the query will tell."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    later = LATER.get(name, frozenset())
    try:
        there = set(pq.read_schema(files[0]).names) if later else set()
    except (OSError, pa.ArrowInvalid):
        return {}
    return {column: _in_sql(SCHEMAS[name].field(column).type) for column in sorted(later - there)}


def _in_sql(kind: "pa.DataType") -> str:
    """An Arrow type as DuckDB writes it."""
    import pyarrow as pa

    if pa.types.is_list(kind):
        return f"{_in_sql(kind.value_type)}[]"
    if pa.types.is_struct(kind):
        return f"struct({', '.join(f'{field.name} {_in_sql(field.type)}' for field in kind)})"
    return {"string": "varchar", "int64": "bigint"}.get(str(kind), str(kind))


def _parquet(files: list[Path], lacking: Mapping[str, str] | None = None) -> str:
    """The rows of some files, with the name of the file as their split, and nulls for what they lack."""
    listed = f"[{', '.join(map(quoted, files))}]"
    nulls = "".join(f", null::{kind} as {name}" for name, kind in (lacking or {}).items())
    return f"select *{nulls} from read_parquet({listed}, filename = '_file', union_by_name = true)"


def _sql(name: str, old: bool) -> str:
    if name not in ("trajectories", "failed_attempts"):
        return _split_of_file(name)
    listed = _OLD_CHATS if old else "attempt.* exclude (_file)"
    return (
        f"select {listed}, coalesce(task.split, parse_filename(_file, true)) as split from _{name} attempt "
        "left join (select id, any_value(split) as split from tasks group by id) task on task.id = attempt.task_id"
    )


def _split_of_file(name: str) -> str:
    """Its rows with the split that the file's name says, whether they have such a column or not."""
    named = "split" in SCHEMAS[name].names if name in SCHEMAS else True
    left_out = "_file, split" if named else "_file"
    return f"select * exclude ({left_out}), parse_filename(_file, true) as split from _{name}"


_OLD_PROMPT = "domain || '-' || md5(coalesce(messages[1].content, '') || tools)"

_OLD_CHATS = f"""
task_id, domain, attempt, {_OLD_PROMPT} as prompt_id, list_filter(messages, lambda m: m.role <> 'system') as messages,
calls, prompt_tokens, completion_tokens
"""

_OLD_PROMPTS = f"""
select {_OLD_PROMPT} as id, any_value(domain) as domain, any_value(messages[1].content) as system_prompt,
    any_value(tools) as tools, 'train' as split
from _trajectories group by id
"""
"""Datasets of earlier versions hold all attempts in one file, whole chats with their prompts: their splits are those of
the tasks, and they are shown as those of today."""


def _split() -> "pa.Field":
    import pyarrow as pa

    return pa.field("split", pa.string())


def _unnamed() -> "pa.Table":
    raise UserError("which dataset? Name its folder, such as data/demo")
