"""Catalogues: tables of facts that a person edits without Python, and hears of what is wrong with a line."""

from pathlib import Path
from typing import NamedTuple

import pytest

from toolscale.errors import UserError
from toolscale.reference.catalogues import Number, Words, read_table, record_of, table_of
from toolscale.reference.documents import read_document


class Shelf(NamedTuple):
    """A row of all kinds of fields."""

    code: str
    height: Number
    price: float
    labels: Words
    opened: str | None
    locked: bool


HEADER = "code,height,price,labels,opened,locked\n"


def _file(folder: Path, text: str, name: str = "shelves.csv") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_a_field_says_what_a_cell_means(tmp_path: Path) -> None:
    rows = read_table(_file(tmp_path, HEADER + "NO,12,3,red; light blue,07:30,yes\n007,12.0,2.5,,,no\n"), Shelf)
    assert rows == (
        Shelf("NO", 12, 3.0, ("red", "light blue"), "07:30", True),
        Shelf("007", 12.0, 2.5, (), None, False),
    )
    assert [type(row.height) for row in rows] == [int, float]
    assert table_of(rows)["NO"] == record_of(rows[0])
    assert record_of(rows[0])["labels"] == ["red", "light blue"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("NO,twelve,3,,,yes\n", "line 2: height"),
        ("NO,12,,,,yes\n", "line 2: price"),
        ("NO,12,3,,,yes\nSE,12,3,,,perhaps\n", "line 3: locked"),
        ("NO,12,3,,,yes,more\n", "line 2: cells beyond the header"),
    ],
)
def test_what_is_wrong_is_told_with_file_line_and_field(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(UserError, match=rf"shelves\.csv, {told}"):
        read_table(_file(tmp_path, HEADER + text), Shelf)


def test_a_table_without_a_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="line 2: opened"):
        read_table(_file(tmp_path, "code,height,price,labels,locked\nNO,12,3,,yes\n"), Shelf)


def test_a_document_nests_and_needs_no_quotes(tmp_path: Path) -> None:
    file = _file(tmp_path, "NO: [07:30, 16:16]\nSE: []\n", "hours.yaml")
    assert read_document(file, dict[str, tuple[str, ...]]) == {"NO": ("07:30", "16:16"), "SE": ()}
    with pytest.raises(UserError, match=r"hours\.yaml: NO\.0"):
        read_document(file, dict[str, tuple[int, ...]])
