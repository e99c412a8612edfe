"""A dataset folder read domain by domain, so that memory holds one: rows stand in the order of their domains."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import merge
from itertools import groupby
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from toolscale.artifacts import EnvironmentSpec, GateOutcome, Task
from toolscale.dataset.about import read_about
from toolscale.dataset.folder import decoded
from toolscale.dataset.portions import Portion, Table
from toolscale.dataset.rows import environment_from, task_from
from toolscale.dataset.views import parquet_files
from toolscale.errors import UserError


@dataclass(frozen=True)
class DomainRows:
    """The tasks and the environment of a domain, as they stand in a dataset."""

    folder: Path
    domain: str
    tables: dict[Table, pa.Table]
    gates: list[GateOutcome]
    """Those that every task of the dataset passed."""

    def are(self, portion: Portion) -> bool:
        """Whether they are the rows of a portion, value by value."""
        own = {table: rows for table, rows in portion.tables.items() if table[0] in _CONFIGS}
        return own.keys() == self.tables.keys() and all(rows.equals(self.tables[table]) for table, rows in own.items())

    @cached_property
    def placed(self) -> list[tuple[Task, EnvironmentSpec]]:
        """The tasks, each with the environment that its row names.

        Raises:
            UserError: a row has another form, or names an environment that is not there.
        """
        worlds = {
            row["id"]: decoded(self.folder, "environments", environment_from, row) for row in self._rows("environments")
        }
        found = []
        for row in self._rows("tasks"):
            task = decoded(self.folder, "tasks", lambda row: task_from(row, self.gates), row)
            if row["environment"] not in worlds:
                raise UserError(f"{self.folder}: no environment `{row['environment']}`, where task {task.id} plays")
            found.append((task, worlds[row["environment"]]))
        return found

    def _rows(self, config: str) -> Iterator[dict[str, object]]:
        return (row for table, rows in self.tables.items() if table[0] == config for row in rows.to_pylist())


_CONFIGS = ("tasks", "environments")


def by_domain(folder: Path) -> Iterator[DomainRows]:
    """The domains of a dataset folder that was written here, one after the other.

    Raises:
        UserError: a file is missing or broken.
    """
    gates = [GateOutcome(gate=gate, passed=True) for gate in read_about(folder).known_gates]
    files = [(config, file) for config in _CONFIGS for file in parquet_files(folder, config)]
    in_order = merge(*(_of_each(config, file) for config, file in files), key=lambda each: each[0])
    for domain, found in groupby(in_order, key=lambda each: each[0]):
        yield DomainRows(folder, domain, {table: rows for _, table, rows in found}, gates)


def _of_each(config: str, file: Path) -> Iterator[tuple[str, Table, pa.Table]]:
    """The rows of each domain of a file."""
    begun: list[pa.Table] = []
    name = ""
    for group in _groups(file):
        first = 0
        for domain, run in groupby(group["domain"].to_pylist()):
            rows = group.slice(first, sum(1 for _ in run))
            first += rows.num_rows
            if begun and domain != name:
                yield name, (config, file.stem), pa.concat_tables(begun)  # type: ignore[misc]
                begun = []
            name = domain
            begun.append(rows)
    if begun:
        yield name, (config, file.stem), pa.concat_tables(begun)  # type: ignore[misc]


def _groups(file: Path) -> Iterator[pa.Table]:
    try:
        with pq.ParquetFile(file) as opened:
            for place in range(opened.num_row_groups):
                yield opened.read_row_group(place, use_threads=False)
    except (OSError, pa.ArrowInvalid) as error:
        raise UserError(f"{file} cannot be read as Parquet ({error}); build or download it again") from error
