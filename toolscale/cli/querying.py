"""Asking a dataset and the ledger in SQL."""

import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolscale.errors import UserError
from toolscale.printable import in_one_line
from toolscale.terminal import say, say_json

if TYPE_CHECKING:
    from toolscale.query import QueryResult, Tables

SHOWN = 100
"""Rows that are printed as a table."""

_WORD = 10
"""Characters of a text that are left of it where room is short."""


def query(
    sql: Annotated[
        str, typer.Argument(help="One SELECT statement. Without it, list tables and views with their columns.")
    ] = "",
    folder: Annotated[
        Path | None, typer.Argument(metavar="[PATH]", help="The dataset; by default the one in the data root.")
    ] = None,
    views: Annotated[bool, typer.Option("--views", help="List tables and views with their columns.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per row.")] = False,
    csv: Annotated[Path | None, typer.Option(help="Write the rows to this CSV file.")] = None,
    parquet: Annotated[Path | None, typer.Option(help="Write the rows to this Parquet file.")] = None,
) -> None:
    """Ask a dataset, and the ledger of all model calls, in SQL (DuckDB's). Only reads.

    Such as: select domain, avg(pass_rate) from tasks group by domain
    """
    from toolscale.dataset.opened import open_tables, outline

    if views or not sql:
        with outline() as tables:
            _list(tables, as_json)
        return
    for file in filter(None, (csv, parquet)):
        if file.is_dir() or not file.parent.is_dir():
            raise UserError(f"{file}: no file can be written there; name one in a folder that exists")
    with open_tables(folder) as tables:
        if parquet:
            say(f"{parquet}: {_write_parquet(tables, sql, parquet):,} rows")
        elif csv:
            frame = tables.frame(sql)
            frame.to_csv(csv, index=False)
            say(f"{csv}: {len(frame):,} rows")
        elif as_json:
            answer = tables.answer(sql)
            for row in answer.rows:
                say_json({name: _plain(value) for name, value in zip(answer.columns, row, strict=True)})
        else:
            _show(tables.answer(sql))


def _list(tables: "Tables", as_json: bool) -> None:
    if not as_json:
        say("What a query may name: the tables and ready views of a dataset, then those of the store.")
    for name in tables.names:
        view, columns = tables.views[name], dict(tables.columns(name))
        if as_json:
            say_json({"name": name, "says": view.says, "columns": columns})
        else:
            say("", name, *_wrapped(view.says), *_wrapped(", ".join(columns)))


def _wrapped(text: str) -> list[str]:
    from textwrap import wrap

    return wrap(text, width=80, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)


def _write_parquet(tables: "Tables", sql: str, file: Path) -> int:
    import pyarrow.parquet as pq

    rows = 0
    with tables.arrow(sql) as batches, pq.ParquetWriter(file, batches.schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)
            rows += batch.num_rows
    return rows


def _show(answer: "QueryResult") -> None:
    """A table as wide as the terminal at most; where the columns do not fit, each row as a list of its values."""
    from rich.cells import cell_len, set_cell_size

    from toolscale.console import console

    rows = [row for row, _ in zip(answer.rows, range(SHOWN + 1), strict=False)]
    names = [in_one_line(name) for name in answer.columns]
    cells = [[_cell(value) for value in row] for row in rows[:SHOWN]]
    figures = [any(_is_figure(row[at]) for row in rows) for at in range(len(names))]
    room = console().width
    widths = _widths([[cell_len(cell) for cell in column] for column in zip(names, *cells, strict=True)], figures, room)
    if widths is None:
        longest = max(map(cell_len, names))
        for row in cells:
            lines = zip(names, row, strict=True)
            say(*(_cut(f"{set_cell_size(name, longest)}  {cell}", room) for name, cell in lines), "")
    else:
        for line in (names, *cells):
            shown = [_cut(cell, width) for cell, width in zip(line, widths, strict=True)]
            padded = [
                " " * (width - cell_len(cell)) + cell if right else set_cell_size(cell, width)
                for cell, width, right in zip(shown, widths, figures, strict=True)
            ]
            say("  ".join(padded).rstrip())
    if len(rows) > SHOWN:
        say(f"the first {SHOWN} rows; a limit in the SQL, --json, --csv or --parquet give others", error=True)


def _widths(sizes: Sequence[Sequence[int]], figures: Sequence[bool], room: int) -> list[int] | None:
    """The columns' widths: figures whole, and words cut where there is no room for all; None where it is too little."""
    wanted = [max(column) for column in sizes]
    widths = [want if whole else min(want, _WORD) for want, whole in zip(wanted, figures, strict=True)]
    left = room - sum(widths) - 2 * (len(widths) - 1)
    if left < 0:
        return None
    # The shortest first: what they do not need is left to the longest.
    by_need = sorted(range(len(wanted)), key=lambda at: wanted[at])
    for rank, at in enumerate(by_need):
        more = min(wanted[at] - widths[at], left // (len(by_need) - rank))
        widths[at] += more
        left -= more
    return widths


def _cut(text: str, width: int) -> str:
    from rich.cells import cell_len, set_cell_size

    return text if cell_len(text) <= width else set_cell_size(text, width - 1) + "\N{HORIZONTAL ELLIPSIS}"


def _is_figure(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _cell(value: Any) -> str:
    """A value on one line; a fraction to six places."""
    match value:
        case None:
            return ""
        case float():
            return f"{value:.6f}".rstrip("0").rstrip(".")
        case dict() | list() | tuple():
            return in_one_line(json.dumps(_plain(value), ensure_ascii=False))
        case _:
            return in_one_line(str(value))


def _plain(value: Any) -> Any:
    """A value as JSON has it: no figure that is none, and times as text."""
    match value:
        case dict():
            return {str(name): _plain(each) for name, each in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
        case float():
            return value if value - value == 0 else None
        case None | bool() | int() | str():
            return value
        case _:
            return str(value)
