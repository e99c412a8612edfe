"""Rows of the files that others' data comes in: Parquet, JSON, JSON lines, CSV, TSV; or of a data set of the Hub."""

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from toolscale.errors import UserError
from toolscale.input_files import files_in
from toolscale.questions.hub import fetch_split

SourceRow = dict[str, Any]

KINDS = (".parquet", ".jsonl", ".json", ".csv", ".tsv")

DOMAIN = "questions"
"""What rejects are filed under."""


def rows_at(where: str, *, split: str = "train") -> Iterator[SourceRow]:
    """The rows of a data set, in its order.

    Args:
        where: a file, a folder, or owner/name on the Hub.
        split: which split of a data set of the Hub.

    Raises:
        UserError: there is nothing, or nothing that can be read as rows.
    """
    place = Path(where)
    if not place.exists():
        yield from _of_the_hub(where, split)
        return
    files = table_files(place)
    if not files:
        raise UserError(f"{where} holds no data: {', '.join(KINDS)} are read")
    for file in files:
        yield from rows_of(file)


def table_files(place: Path, pattern: str = "*") -> list[Path]:
    """The tables at a place: the file itself, or those in the folder and below it, in the order of their names."""
    if place.is_file():
        return [place]
    return [path for path in files_in(place, pattern, deep=True) if path.suffix in KINDS]


def rows_of(file: Path) -> Iterator[SourceRow]:
    """The rows of a file.

    Raises:
        UserError: it cannot be read, or holds no rows.
    """
    try:
        rows = _parquet(file) if file.suffix == ".parquet" else _text(file, file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise UserError(f"{file} cannot be read ({reason}): download it again, or mend it") from None
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            raise UserError(f"{file}: row {number} is not an object with columns")
        yield row


def column(file: Path, row: SourceRow, *names: str) -> str:
    """The text in the first of these columns that a row has. Raises UserError where it has none of them."""
    for name in names:
        if row.get(name) is not None:
            return str(row[name])
    raise UserError(f"{file}: there is no column `{names[0]}`, only {', '.join(map(str, row))}")


def first_of(row: SourceRow, names: Iterable[str]) -> Any:
    """What stands in the first of these columns that the row has and that is not empty; None where none is."""
    return next((row[name] for name in names if row.get(name) not in (None, "")), None)


def _text(file: Path, text: str) -> Sequence[Any]:
    if file.suffix in (".csv", ".tsv"):
        return list(csv.DictReader(text.splitlines(keepends=True), delimiter="," if file.suffix == ".csv" else "\t"))
    if text.lstrip().startswith("["):
        return list(json.loads(text))
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def _parquet(file: Path) -> Sequence[Any]:
    import pyarrow.parquet as pq

    # One thread: pyarrow's own may abort the process if it ends while they wind down.
    rows: list[SourceRow] = pq.ParquetFile(file).read(use_threads=False).to_pylist()
    return rows


def _of_the_hub(name: str, split: str) -> Iterator[SourceRow]:
    if name.count("/") != 1 or name.startswith((".", "/", "~")):
        raise UserError(f"there is no {name}: give a file, a folder, or a data set of the Hub as owner/name")
    for file in fetch_split(name, split, KINDS):
        yield from rows_of(file)
