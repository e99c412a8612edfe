"""A dataset folder: one Parquet file a config and split, and the card that tells how to load them."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from toolscale.artifacts import EnvironmentSpec, Reject, Task, Trajectory
from toolscale.dataset.card import About, card
from toolscale.dataset.rows import (
    SCHEMAS,
    Row,
    environment_from,
    environment_id,
    environment_row,
    every_call_reads,
    reject_row,
    rejected_task,
    split_of,
    task_from,
    task_row,
    trajectory_row,
)
from toolscale.errors import UserError
from toolscale.whole import whole_folder

T = TypeVar("T")


def write_dataset(
    folder: Path,
    *,
    tasks: Sequence[Task],
    environments: Sequence[EnvironmentSpec],
    trajectories: Sequence[Trajectory],
    rejects: Sequence[Reject],
    rejected: Sequence[Task],
    about: About,
) -> None:
    """Write the dataset, all of it or nothing: it appears at `folder` whole, in place of an earlier one.

    Rows stand in a stable order, so equal input gives equal files. A trajectory with a call that no reader of OpenAI's
    chat format could read is left out: it would teach broken calls.

    Raises:
        UserError: `folder` holds something that is not a dataset.
    """
    folder = folder.resolve()
    refuse_foreign(folder)
    by_domain = {environment.domain: environment for environment in environments}
    ids = {domain: environment_id(environment) for domain, environment in by_domain.items()}
    every_task = {task.id: task for task in (*tasks, *rejected)}
    ordered = sorted(tasks, key=lambda task: (task.domain, task.lineage.depth, task.id))
    domain_of = {task.id: task.domain for task in tasks}
    tables: dict[tuple[str, str], Sequence[Row]] = {
        ("tasks", split): [
            task_row(task, ids[task.domain]) for task in ordered if split_of(_root(task, every_task)) == split
        ]
        for split in ("train", "eval")
    }
    tables["environments", "train"] = [environment_row(by_domain[domain]) for domain in sorted(by_domain)]
    tables["trajectories", "train"] = [
        trajectory_row(trajectory, by_domain[domain_of[trajectory.task_id]])
        for trajectory in sorted(trajectories, key=lambda each: (each.task_id, each.attempt))
        if every_call_reads(trajectory)
    ]
    refused = [reject_row(reject) for reject in (*rejects, *map(rejected_task, rejected))]
    tables["rejects", "train"] = sorted(
        refused, key=lambda row: (row["domain"], row["stage"], row["check"], row["raw"])
    )
    with whole_folder(folder) as made:
        for (config, split), rows in tables.items():
            (made / config).mkdir(exist_ok=True)
            _write_rows(made / config / f"{split}.parquet", SCHEMAS[config], rows)
        (made / "README.md").write_text(card(tables, about), encoding="utf-8")


def refuse_foreign(folder: Path) -> None:
    """See that a dataset may be written to `folder`: it is missing, empty, or holds a dataset and nothing else.

    Raises:
        UserError: it holds something that would be lost.
    """
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file; choose a folder with --out")
    found = {path.name for path in folder.iterdir()} if folder.exists() else set()
    if foreign := sorted(found - {*SCHEMAS, "README.md"}):
        raise UserError(f"{folder} holds {foreign[0]}, which is no part of a dataset; choose another folder with --out")
    if found and not any((folder / "tasks").glob("*.parquet")):
        raise UserError(f"{folder} is not empty and holds no dataset; choose another folder with --out")


def _write_rows(file: Path, schema: pa.Schema, rows: Sequence[Row]) -> None:
    """Write a file of one row group, or of none where there are no rows: `datasets` cannot read an empty row group."""
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        if rows:
            writer.write_table(pa.Table.from_pylist(list(rows), schema=schema))


def read_dataset(folder: Path) -> list[tuple[Task, EnvironmentSpec]]:
    """The tasks of a dataset folder, all splits, each with the environment that its row names.

    Tasks of one environment share one object. A domain may have several environments, where datasets were merged.

    Raises:
        UserError: the folder is not a dataset of ours; says which file, row or column is at fault.
    """
    environments = dict(
        _decoded(folder, "environments", _named_environment, row) for row in _rows(folder, "environments")
    )
    tasks = [_decoded(folder, "tasks", _placed_task, row) for row in _rows(folder, "tasks")]
    for task, environment in tasks:
        if environment not in environments:
            raise UserError(f"{folder}: no environment `{environment}`, where task {task.id} plays; add its row")
    return [(task, environments[environment]) for task, environment in tasks]


def _named_environment(row: Row) -> tuple[str, EnvironmentSpec]:
    return row["id"], environment_from(row)


def _placed_task(row: Row) -> tuple[Task, str]:
    """A task, and the id of its environment."""
    return task_from(row), row["environment"]


def _rows(folder: Path, config: str) -> Iterable[Row]:
    files = sorted((folder / config).glob("*.parquet"))
    if not files:
        raise UserError(
            f"{folder}/{config} holds no Parquet file; a dataset has tasks/*.parquet, environments/*.parquet"
        )
    for file in files:
        try:
            # One thread: pyarrow's own may abort the process if it ends while they wind down.
            yield from pq.ParquetFile(file).read(use_threads=False).to_pylist()
        except (OSError, pa.ArrowInvalid) as error:
            raise UserError(f"{file} cannot be read as Parquet ({error}); build or download it again") from error


def _decoded(folder: Path, config: str, decode: Callable[[Row], T], row: Row) -> T:
    try:
        return decode(row)
    except (KeyError, TypeError, ValueError) as error:
        name = row.get("id", "a row without id")
        reason = str(error).splitlines()[0]
        raise UserError(f"{folder}/{config}: {name} is not a row of this dataset's form: {reason}") from error


def _root(task: Task, every_task: dict[str, Task]) -> str:
    """The id of the first task that a task descends from."""
    while task.lineage.parent is not None:
        if task.lineage.parent not in every_task:
            return task.lineage.parent
        task = every_task[task.lineage.parent]
    return task.id
