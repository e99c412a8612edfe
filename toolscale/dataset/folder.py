"""A dataset folder, read: one Parquet file a config and split, with the card that tells how to load them."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Literal, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from toolscale.artifacts import EnvironmentSpec, GateOutcome, Task
from toolscale.artifacts.base import Split
from toolscale.dataset.about import read_about
from toolscale.dataset.chats import whole_chat
from toolscale.dataset.instances import instance_from
from toolscale.dataset.rows import Row, environment_from, preference_from, task_from
from toolscale.dataset.views import parquet_files
from toolscale.errors import UserError
from toolscale.input_files import files_in
from toolscale.instances import Instance
from toolscale.preferences.preference import Preference

T = TypeVar("T")

CARD = "README.md"
SPLITS: tuple[Split, Split] = ("train", "eval")

ROWS_IN_A_GROUP = 1000
"""Rows that are turned into Arrow at once."""
ENVIRONMENTS_IN_A_GROUP = 100
"""Likewise; an environment with its whole database has as many bytes as a thousand other rows."""


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
    split: Split
    instance: Instance | None = None
    """What its row says of tools, prices and preference, where it does."""


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


def domains_in(folder: Path) -> list[str]:
    """The domain of each task of a dataset folder."""
    return [name for file in parquet_files(folder, "tasks") for name in _column(file, "domain")]


def splits_in(folder: Path) -> dict[str, str]:
    """Task id -> its split, for the tasks, questions or steps of a dataset folder."""
    files = [file for config in ("tasks", "questions", "steps") for file in files_in(folder / config, "*.parquet")]
    return {name: file.stem for file in files for name in _column(file, "id")}


AttemptsConfig = Literal["trajectories", "failed_attempts"]
"""The configs of attempts: those that solved their tasks, and those that did not."""


def read_trajectories(folder: Path, config: AttemptsConfig = "trajectories") -> Iterator[tuple[str, Row]]:
    """The attempts of a dataset folder as whole chats with `tools`, each with the split of its task.

    Datasets of earlier versions keep all of them in one file: what the file is called then says nothing.

    Raises:
        UserError: a file is missing or broken, or a chat's prompt is missing.
    """
    splits, prompts = splits_in(folder), _prompts_in(folder)
    for stem, row in read_rows(folder, config):
        yield splits.get(row["task_id"], stem), whole_chat(row, prompts)


def _prompts_in(folder: Path) -> dict[str, Row]:
    """Id -> the prompt's row; none in a dataset of an earlier version."""
    return {row["id"]: row for _, row in read_rows(folder, "prompts")} if (folder / "prompts").is_dir() else {}


def misplaced_in(folder: Path) -> int:
    """How many attempts lie in the file of another split than their task's, as earlier versions wrote them."""
    splits = splits_in(folder)
    return sum(
        splits.get(name, file.stem) != file.stem for file in attempt_files(folder) for name in _column(file, "task_id")
    )


def attempt_files(folder: Path) -> list[Path]:
    """The files of attempts, solved and failed."""
    return [file for config in ("trajectories", "failed_attempts") for file in files_in(folder / config, "*.parquet")]


def promptless_in(folder: Path) -> int:
    """How many attempts name a prompt that the dataset does not have."""
    prompts = _prompts_in(folder)
    new = [file for file in attempt_files(folder) if "prompt_id" in pq.read_schema(file).names]
    return sum(name not in prompts for file in new for name in _column(file, "prompt_id"))


def doubles_in(folder: Path) -> list[str]:
    """The ids of the tasks that were rejected as near-duplicates."""
    files = parquet_files(folder, "rejects")
    tables = [read_table(file, ["check", "raw"]) for file in files]
    found = [table.filter(pc.equal(table["check"], "distinct"))["raw"].to_pylist() for table in tables]
    return [json.loads(raw)["id"] for some in found for raw in some]


def read_placed(folder: Path, only: Sequence[str] | None = None) -> list[Placed]:
    """What `read_dataset` reads, with the split of each task: the name of its file. Else `only` the tasks of these ids.

    Those come in the order of the ids.
    """
    environments = dict(
        decoded(folder, "environments", _named_environment, row) for _, row in read_rows(folder, "environments")
    )
    gates = [GateOutcome(gate=gate, passed=True) for gate in read_about(folder).known_gates]

    def placed(stem: str, row: Row) -> Placed:
        split: Split = "train" if stem == "train" else "eval"
        task, named = task_from(row, gates), row["environment"]
        if named not in environments:
            raise UserError(f"{folder}: no environment `{named}`, where task {task.id} plays; add its row")
        return Placed(task, environments[named], split, instance_from(row, split))

    rows = read_rows(folder, "tasks", only)
    tasks = [decoded(folder, "tasks", partial(placed, stem), row) for stem, row in rows]
    if only is not None:
        tasks.sort(key=lambda each: only.index(each.task.id))
    return tasks


def _named_environment(row: Row) -> tuple[str, EnvironmentSpec]:
    return row["id"], environment_from(row)


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
