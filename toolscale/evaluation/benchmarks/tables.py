"""Rows of the files that benchmarks come in: JSON, JSON lines, Parquet, CSV, TSV."""

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from toolscale.errors import UserError

Row = dict[str, Any]

KINDS = (".parquet", ".jsonl", ".json", ".csv", ".tsv")


def table_files(place: Path, pattern: str = "*") -> list[Path]:
    """The tables at a place: the file itself, or those in the folder and below it, in the order of their names."""
    if place.is_file():
        return [place]
    return sorted(path for path in place.rglob(pattern) if path.suffix in KINDS and path.is_file())


def rows_of(file: Path) -> Iterator[Row]:
    """The rows of a file.

    Raises:
        UserError: it cannot be read, or holds no rows.
    """
    try:
        rows = _parquet(file) if file.suffix == ".parquet" else _text(file, file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(f"{file} cannot be read ({reason}): download it again, or mend it") from None
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            raise UserError(f"{file}: row {number} is not an object with columns")
        yield row


def column(file: Path, row: Row, *names: str) -> str:
    """The text in the first of these columns that a row has. Raises UserError where it has none of them."""
    for name in names:
        if row.get(name) is not None:
            return str(row[name])
    raise UserError(f"{file}: there is no column `{names[0]}`, only {', '.join(map(str, row))}")


def _text(file: Path, text: str) -> Sequence[Any]:
    if file.suffix in (".csv", ".tsv"):
        return list(csv.DictReader(text.splitlines(keepends=True), delimiter="," if file.suffix == ".csv" else "\t"))
    if text.lstrip().startswith("["):
        read = json.loads(text)
        return read if isinstance(read, list) else [read]
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def _parquet(file: Path) -> Sequence[Any]:
    import pyarrow.parquet as pq

    # One thread: pyarrow's own may abort the process if it ends while they wind down.
    rows: list[Row] = pq.ParquetFile(file).read(use_threads=False).to_pylist()
    return rows
