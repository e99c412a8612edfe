"""Catalogues: a domain's tables of facts, as CSV and YAML files that nobody needs Python to edit.

They lie in the domain's folder `catalogue`. A CSV file is a table: its header names the fields of a row, several words
in a cell are separated by semicolons, and an empty cell is None, or no words. A YAML file is for what nests. In both,
the field's type says what a text means, so that `NO` is a country and `07:30` a time without any quotes.
"""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

from pydantic import BeforeValidator, TypeAdapter

from toolscale.reference.documents import typed

T = TypeVar("T")


def _split(cell: Any) -> Any:
    return tuple(each.strip() for each in cell.split(";")) if isinstance(cell, str) else cell or ()


def _number(text: Any) -> Any:
    return float(text) if "." in str(text) else text


Words = Annotated[tuple[str, ...], BeforeValidator(_split)]
"""Several words in one cell."""
Number = Annotated[int | float, BeforeValidator(_number)]
"""A number that is whole unless it is written with a point."""


def read_table(file: Path, row: type[T]) -> tuple[T, ...]:
    """The rows of a CSV file, each a named tuple of that type.

    Raises:
        UserError: a cell is not of its field's type, or the header does not name the fields; says the line.
    """
    with file.open(encoding="utf-8-sig", newline="") as lines:
        reader, form = csv.DictReader(lines, restkey="cells beyond the header", strict=True), TypeAdapter(row)
        return tuple(
            typed(form, {name: cell or None for name, cell in cells.items()}, f"{file}, line {reader.line_num}")
            for cells in reader
        )


def record_of(row: NamedTuple) -> dict[str, Any]:
    """The row as a record of the database, which has lists where the row has tuples."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in row._asdict().items()}


def table_of(rows: Iterable[NamedTuple]) -> dict[str, Any]:
    """The rows as a table of the database; the first field is the key."""
    return {row[0]: record_of(row) for row in rows}
