"""Out of a damaged SQLite file into a new one, row by row, whatever can still be read and is what it was."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlmodel import SQLModel

from toolscale.errors import UserError
from toolscale.store.database import Store
from toolscale.store.requests import part_hash
from toolscale.store.statements import is_as_written

_GAP = 20_000
"""Rows that cannot be read one after the other, after which nothing more is expected of a table."""


def salvage(damaged: Path, rescued: Path) -> dict[str, int]:
    """Rows saved, by table. The damaged file is only read.

    Raises:
        UserError: there is no such file, the new one is there already, or not even the list of tables can be read.
    """
    if not damaged.is_file():
        raise UserError(f"there is no file {damaged}")
    if rescued.exists():
        raise UserError(f"{rescued} is there already: name a file that is not")
    with closing(sqlite3.connect(f"{damaged.resolve().as_uri()}?mode=ro", uri=True)) as source:
        source.row_factory = sqlite3.Row
        source.execute("PRAGMA writable_schema=ON")  # else SQLite opens no file that has been cut short
        try:
            there = {name for (name,) in source.execute("select name from sqlite_master where type = 'table'")}
        except sqlite3.Error as error:
            raise UserError(f"nothing can be saved out of {damaged}: {error}") from None
        Store(f"sqlite:///{rescued}").close()
        saved = {}
        with closing(sqlite3.connect(rescued)) as target, target:
            for table in SQLModel.metadata.tables.values():
                if table.name in there and table.name != "store_format":
                    wanted = {column.name for column in table.columns}
                    saved[table.name] = _copy(source, target, table.name, wanted)
    return saved


def _copy(source: sqlite3.Connection, target: sqlite3.Connection, table: str, wanted: set[str]) -> int:
    saved = 0
    for row in _readable(source, table):
        values = {name: row[name] for name in row.keys() if name in wanted}  # noqa: SIM118 - a Row iterates values
        if _is_sound(table, values):
            names, places = ", ".join(f'"{name}"' for name in values), ", ".join("?" * len(values))
            sql = f"insert or ignore into {table} ({names}) values ({places})"
            saved += target.execute(sql, list(values.values())).rowcount
    return saved


def _readable(source: sqlite3.Connection, table: str) -> Iterator[sqlite3.Row]:
    """The rows of a table in order; where a page is damaged, on behind it."""
    scan = f"select rowid as row_number, * from {table} where rowid > ? order by rowid"
    last, failures = 0, 0
    while failures < _GAP:
        try:
            for row in source.execute(scan, [last]):
                if row["row_number"] <= last:  # a damaged tree can lead back to where it came from, for ever
                    raise sqlite3.DatabaseError("rows are out of order")
                last, failures = row["row_number"], 0
                yield row
            return
        except sqlite3.Error:
            last, failures = last + 1, failures + 1


def _is_sound(table: str, values: dict[str, Any]) -> bool:
    try:
        if table == "request_part":
            return bool(part_hash(values["body"]) == values["hash"])
        return table != "model_call" or is_as_written(values["key"], values["response"], values.get("checksum"))
    except (AttributeError, TypeError, UnicodeError):
        return False
