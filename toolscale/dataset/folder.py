"""A dataset folder: one Parquet file a config and split, and the card that tells how to load them."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from toolscale.artifacts import EnvironmentSpec, Reject, Task, Trajectory
from toolscale.dataset.about import ABOUT, About
from toolscale.dataset.card import card
from toolscale.dataset.contents import read_contents
from toolscale.dataset.plots import FOLDER, write_plots
from toolscale.dataset.rows import (
    SCHEMAS,
    Row,
    as_json,
    environment_from,
    environment_id,
    environment_row,
    every_call_reads,
    preference_from,
    preference_row,
    reject_row,
    rejected_task,
    task_from,
    task_row,
    trajectory_row,
)
from toolscale.dataset.splits import Split, placements, reject_split
from toolscale.dataset.views import parquet_files
from toolscale.errors import UserError
from toolscale.input_files import files_in
from toolscale.orchestration.preferences import Preference
from toolscale.whole import whole_folder

T = TypeVar("T")

CARD = "README.md"
SPLITS: tuple[Split, Split] = ("train", "eval")

ROWS_IN_A_GROUP = 1000
"""Rows that are turned into Arrow at once."""


def write_dataset(
    folder: Path,
    *,
    tasks: Sequence[Task],
    environments: Sequence[EnvironmentSpec],
    trajectories: Sequence[Trajectory],
    rejects: Sequence[Reject],
    rejected: Sequence[Task],
    about: About,
    preferences: Sequence[Preference] = (),
) -> None:
    """Write the dataset, all of it or nothing: it appears at `folder` whole, in place of an earlier one.

    Splits follow the task: its trajectories, and what was refused of its kin, are in the file of its split. Rows stand
    in a stable order, so equal input gives equal files. A trajectory with a call that no reader of OpenAI's chat format
    could read is left out: it would teach broken calls. Without preferences there is no such config.

    Raises:
        UserError: `folder` holds something that is not a dataset.
    """
    folder = folder.resolve()
    refuse_foreign(folder)
    by_domain = {environment.domain: environment for environment in environments}
    ids = {domain: environment_id(environment) for domain, environment in by_domain.items()}
    placed = placements(tasks, by_domain, rejected)
    ordered = sorted(tasks, key=lambda task: (task.domain, task.lineage.depth, task.id))
    tables: dict[tuple[str, str], Sequence[Row]] = {
        ("tasks", split): [
            task_row(task, ids[task.domain], placed[task.id]) for task in ordered if placed[task.id].split == split
        ]
        for split in SPLITS
    }
    tables["environments", "train"] = [environment_row(by_domain[domain]) for domain in sorted(by_domain)]
    refused: list[tuple[Split, Row]] = [
        (reject_split(reject, placed), reject_row(reject)) for reject in (*rejects, *map(rejected_task, rejected))
    ]
    refused.sort(key=lambda each: [each[1][column] for column in ("domain", "stage", "check", "raw", "reasons")])
    for split in SPLITS:
        tables["rejects", split] = [row for where, row in refused if where == split]
        if preferences:
            chosen = sorted((one for one in preferences if one.split == split), key=lambda one: one.id)
            tables["preferences", split] = [preference_row(one) for one in chosen]
    domain_of = {task.id: task.domain for task in tasks}
    lessons: dict[str, list[tuple[Trajectory, EnvironmentSpec]]] = {split: [] for split in SPLITS}
    for trajectory in sorted(trajectories, key=lambda each: (each.task_id, each.attempt)):
        if every_call_reads(trajectory):
            environment = by_domain[domain_of[trajectory.task_id]]
            lessons[placed[trajectory.task_id].split].append((trajectory, environment))
    with whole_folder(folder) as made:
        for config in {config for config, _ in tables} | {"trajectories"}:
            (made / config).mkdir()
        for (config, name), rows in tables.items():
            write_rows(made / config / f"{name}.parquet", SCHEMAS[config], rows)
        for split in SPLITS:
            file = made / "trajectories" / f"{split}.parquet"
            write_rows(file, SCHEMAS["trajectories"], _lesson_rows(lessons[split]))
        (made / ABOUT).write_text(about.model_dump_json(indent=1) + "\n", encoding="utf-8")
        with read_contents(made) as contents:
            write_plots(contents, made)
            (made / CARD).write_text(card(contents), encoding="utf-8")


def _lesson_rows(lessons: Iterable[tuple[Trajectory, EnvironmentSpec]]) -> Iterator[Row]:
    """Rows of trajectories, one after the other: all at once they would fill the memory."""
    tools: dict[str, str] = {}
    for trajectory, environment in lessons:
        if environment.domain not in tools:
            tools[environment.domain] = as_json(environment.tools())
        yield trajectory_row(trajectory, environment, tools[environment.domain])


def refuse_foreign(folder: Path) -> None:
    """See that a dataset may be written to `folder`: it is missing, empty, or holds a dataset and nothing else.

    Raises:
        UserError: it holds something that would be lost.
    """
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file; choose a folder with --out")
    found = {path.name for path in folder.iterdir()} if folder.exists() else set()
    if foreign := sorted(found - {*SCHEMAS, CARD, ABOUT, FOLDER}):
        raise UserError(
            f"{folder} holds {foreign[0]}, which is no part of a dataset and would be lost; choose another "
            f"folder with --out, such as {folder / 'dataset'}"
        )
    if found and not files_in(folder / "tasks", "*.parquet"):
        raise UserError(f"{folder} is not empty and holds no dataset; choose another folder with --out")


def write_rows(file: Path, schema: pa.Schema, rows: Iterable[Row]) -> None:
    """Write a file of row groups, or of none where there are no rows: `datasets` cannot read an empty row group."""
    left = iter(rows)
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        while group := list(islice(left, ROWS_IN_A_GROUP)):
            writer.write_table(pa.Table.from_pylist(group, schema=schema))


@dataclass(frozen=True)
class Placed:
    """A task of a dataset, the environment that its row names, and the split that it stands in."""

    task: Task
    environment: EnvironmentSpec
    split: str


def read_dataset(folder: Path) -> list[tuple[Task, EnvironmentSpec]]:
    """The tasks of a dataset folder, all splits, each with the environment that its row names.

    Tasks of one environment share one object. A domain may have several environments, where datasets were merged.

    Raises:
        UserError: the folder is not a dataset of ours; says which file, row or column is at fault.
    """
    return [(placed.task, placed.environment) for placed in read_placed(folder)]


def preferences_of(folder: Path) -> list[Preference]:
    """The preferences of a dataset folder, both splits; none where it has no such config.

    Raises:
        UserError: a row has another form.
    """
    if not (folder / "preferences").is_dir():
        return []
    return [decoded(folder, "preferences", preference_from, row) for _, row in read_rows(folder, "preferences")]


def ids_in(folder: Path) -> set[str]:
    """The ids of the tasks of a dataset folder."""
    return {name for file in parquet_files(folder, "tasks") for name in _column(file, "id")}


def splits_in(folder: Path) -> dict[str, str]:
    """Task id -> its split, for the tasks, questions or steps of a dataset folder."""
    files = [file for config in ("tasks", "questions", "steps") for file in files_in(folder / config, "*.parquet")]
    return {name: file.stem for file in files for name in _column(file, "id")}


def read_trajectories(folder: Path) -> Iterator[tuple[str, Row]]:
    """The attempts of a dataset folder, each with the split of its task.

    Datasets of earlier versions keep all of them in one file: what the file is called then says nothing.

    Raises:
        UserError: a file is missing or broken.
    """
    splits = splits_in(folder)
    for stem, row in read_rows(folder, "trajectories"):
        yield splits.get(row["task_id"], stem), row


def misplaced_in(folder: Path) -> int:
    """How many attempts lie in the file of another split than their task's, as earlier versions wrote them."""
    splits = splits_in(folder)
    files = parquet_files(folder, "trajectories")
    return sum(splits.get(name, file.stem) != file.stem for file in files for name in _column(file, "task_id"))


def doubles_in(folder: Path) -> list[str]:
    """The ids of the tasks that were rejected as near-duplicates."""
    return [json.loads(row["raw"])["id"] for _, row in read_rows(folder, "rejects") if row["check"] == "distinct"]


def read_placed(folder: Path, only: Sequence[str] | None = None) -> list[Placed]:
    """What `read_dataset` reads, with the split of each task: the name of its file. Else `only` the tasks of these ids.

    Those come in the order of the ids.
    """
    environments = dict(
        decoded(folder, "environments", _named_environment, row) for _, row in read_rows(folder, "environments")
    )
    rows = read_rows(folder, "tasks", only)
    tasks = [(split, *decoded(folder, "tasks", _placed_task, row)) for split, row in rows]
    if only is not None:
        tasks.sort(key=lambda each: only.index(each[1].id))
    for _, task, environment in tasks:
        if environment not in environments:
            raise UserError(f"{folder}: no environment `{environment}`, where task {task.id} plays; add its row")
    return [Placed(task, environments[environment], split) for split, task, environment in tasks]


def _named_environment(row: Row) -> tuple[str, EnvironmentSpec]:
    return row["id"], environment_from(row)


def _placed_task(row: Row) -> tuple[Task, str]:
    """A task, and the id of its environment."""
    return task_from(row), row["environment"]


def read_rows(folder: Path, config: str, only: Sequence[str] | None = None) -> Iterable[tuple[str, Row]]:
    """The rows of a config as they stand, each with its split; else `only` those of these ids.

    Raises:
        UserError: there are none, or a file is broken.
    """
    for file in parquet_files(folder, config):
        rows = read_table(file)
        if only is not None:
            rows = rows.filter(pc.is_in(rows["id"], value_set=pa.array(only, pa.string())))
        yield from ((file.stem, row) for row in rows.to_pylist())


def _column(file: Path, name: str) -> list[str]:
    values: list[str] = read_table(file, [name])[name].to_pylist()
    return values


def read_table(file: Path, columns: list[str] | None = None) -> pa.Table:
    """All of a Parquet file, or some of its columns. Raises UserError where it is broken."""
    try:
        # One thread: pyarrow's own may abort the process if it ends while they wind down.
        return pq.ParquetFile(file).read(columns, use_threads=False)
    except (OSError, pa.ArrowInvalid) as error:
        raise UserError(f"{file} cannot be read as Parquet ({error}); build or download it again") from error


def decoded(folder: Path, config: str, decode: Callable[[Row], T], row: Row) -> T:
    try:
        return decode(row)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        name = row.get("id", "a row without id")
        reason = str(error).splitlines()[0]
        raise UserError(f"{folder}/{config}: {name} is not a row of this dataset's form: {reason}") from error
