"""How a dataset folder gets pass rates of further models: into its column `pass_rates`, and its card."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from toolscale.dataset.card import card
from toolscale.dataset.columns import SCHEMAS
from toolscale.dataset.contents import read_contents
from toolscale.dataset.folder import CARD, ROWS_IN_A_GROUP, read_table
from toolscale.dataset.pass_rates import PassRate, merged
from toolscale.dataset.views import parquet_files
from toolscale.whole import whole_folder

COLUMN = "pass_rates"
_AFTER = "pass_rate"
"""The column beside which it stands where a folder of an earlier version lacks it."""


def add_pass_rates(folder: Path, rates: Mapping[str, PassRate]) -> None:
    """Add a rate to each of these tasks (by id) of a dataset folder, and tell them in its card: all of it or nothing.

    Every other column and every other file stays as it is. A task that the folder does not have is passed over. Folders
    of earlier versions, which lack the column, get it.

    Raises:
        UserError: the folder is no dataset of ours, or cannot be written.
    """
    if not rates:
        return
    tables = {file.relative_to(folder): read_table(file) for file in parquet_files(folder, "tasks")}
    changed = {name: with_rates for name, table in tables.items() if (with_rates := _with(table, rates)) is not table}
    if not changed:
        return
    with whole_folder(folder) as made:
        shutil.copytree(folder, made, dirs_exist_ok=True)
        for name, table in changed.items():
            _write(made / name, table)
        (made / CARD).unlink(missing_ok=True)
        with read_contents(made) as contents:
            (made / CARD).write_text(card(contents), encoding="utf-8")


def see_that_it_takes_pass_rates(folder: Path) -> None:
    """See that rates can be added to a folder later on, before anything is paid for them. Raises ``UserError``."""
    with read_contents(folder) as contents:
        card(contents)


def _with(table: pa.Table, rates: Mapping[str, PassRate]) -> pa.Table:
    """The table with the rates of its tasks; the very table where that changes nothing."""
    kind = SCHEMAS["tasks"].field(COLUMN)
    at = table.schema.get_field_index(COLUMN)
    before = table[COLUMN].to_pylist() if at >= 0 else [None] * table.num_rows
    after = [
        merged(entries or (), rates[task]) if task in rates else entries or []
        for task, entries in zip(table["id"].to_pylist(), before, strict=True)
    ]
    column = pa.chunked_array([pa.array(after, kind.type)])
    if at >= 0:
        return table if table[COLUMN].equals(column) else table.set_column(at, kind, column)
    # What others note of a table's columns, such as `datasets` does, would not know this one.
    beside = table.schema.get_field_index(_AFTER)
    return table.add_column(beside + 1 or table.num_columns, kind, column).replace_schema_metadata(None)


def _write(file: Path, table: pa.Table) -> None:
    """In row groups, or in none where there are no rows: `datasets` cannot read an empty row group."""
    file.unlink()
    with pq.ParquetWriter(file, table.schema, compression="zstd") as writer:
        if table.num_rows:
            writer.write_table(table, row_group_size=ROWS_IN_A_GROUP)
