"""How the benchmarks print rows of figures."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

_WIDE = 160


def show(title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows that have the same columns; the first says what a row is about."""
    first, *_ = rows[0]
    table = Table(title=title)
    for name in rows[0]:
        table.add_column(name.replace("_", " "), justify="left" if name == first else "right")
    for row in rows:
        table.add_row(*["none" if value is None else str(value) for value in row.values()])
    console = Console()
    if not console.is_terminal:  # a file is as wide as its rows
        console.width = _WIDE
    console.print(table)
