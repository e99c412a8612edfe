"""Queries over tables and views, each made when a query first names it.

DuckDB may read the files that it is given, and nothing else: no other file, no network, no extension. One SELECT at a
time is let in, for a statement such as COPY could write to those files.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from toolscale.errors import UserError
from toolscale.printable import in_one_line
from toolscale.query.views import View

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import pyarrow as pa

MEMORY = "2GB"
"""Most that a query may hold; nothing is spilt to the disk."""

_AT_ONCE = 1000


@dataclass(frozen=True)
class QueryResult:
    """What a query came to."""

    columns: Sequence[str]
    rows: Iterator[tuple[Any, ...]]
    """Read as they are asked for; a later query ends them."""


class Tables:
    """Tables and views that SQL may name. For one thread."""

    def __init__(self, views: Iterable[View], files: Iterable[Path] = (), *, threads: int = 1) -> None:
        """Open a database in memory.

        Args:
            views: what may be named.
            files: those that the views read.
            threads: how many DuckDB may use. With one, sums of fractions come out the same each time.
        """
        self.views = {view.name: view for view in views}
        self._made: set[str] = set()
        self._connection = _confined(files, threads)

    @property
    def names(self) -> list[str]:
        """What may be named."""
        return [name for name, view in self.views.items() if view.says]

    def answer(self, sql: str) -> QueryResult:
        """The rows of a query, as Python has them.

        Raises:
            UserError: it is not one SELECT, it names what is not there, or it failed.
        """
        with _told_plainly():
            self._prepare(sql)
            cursor = self._connection.execute(sql)
            return QueryResult([column[0] for column in cursor.description or ()], _rows(cursor))

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """All rows of a query at once. Raises UserError as `answer` does."""
        return list(self.answer(sql).rows)

    def frame(self, sql: str) -> "pd.DataFrame":
        """The rows of a query as a data frame. Raises UserError as `answer` does."""
        with _told_plainly():
            self._prepare(sql)
            found: pd.DataFrame = self._connection.sql(sql).df()
            return found

    def arrow(self, sql: str) -> "pa.RecordBatchReader":
        """The rows of a query as Arrow, batch by batch. Raises UserError as `answer` does."""
        with _told_plainly():
            self._prepare(sql)
            return self._connection.sql(sql).to_arrow_reader(_AT_ONCE)

    def columns(self, name: str) -> list[tuple[str, str]]:
        """The columns of a table or view, each with its type. Raises UserError where there is none of that name."""
        return [(column, kind) for column, kind, *_ in self.rows(f'describe "{name}"')]

    def close(self) -> None:
        """Let go of everything."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _prepare(self, sql: str) -> None:
        """Make what a query names. Raises UserError unless it is one SELECT."""
        for name in self._named(sql):
            self._make(name)

    def _named(self, sql: str) -> list[str]:
        """The tables that a query names."""
        ((parsed,),) = self._connection.execute("select json_serialize_sql(?::varchar)", [sql]).fetchall()
        tree = json.loads(parsed)
        if tree["error"]:
            syntax = tree["error_type"] == "parser"
            raise UserError(f"the SQL is not right: {tree['error_message']}" if syntax else _ONE_SELECT)
        if len(tree["statements"]) != 1:
            raise UserError(_ONE_SELECT)
        return list(dict.fromkeys(name.lower() for name in _tables_in(tree)))

    def _make(self, name: str) -> None:
        if name in self._made or name not in self.views:
            return
        self._made.add(name)  # at once: a subquery of the view may have its name
        view = self.views[name]
        if view.load is not None:
            self._connection.register(name, view.load())
        else:
            for other in self._named(view.sql):
                self._make(other)
            self._connection.execute(f'create view "{name}" as {view.sql}')


_NO_TABLE = re.compile(r"Table with name (.+) does not exist")

_ONE_SELECT = "give one SELECT: a query reads, and nothing else"


def _confined(files: Iterable[Path], threads: int) -> "duckdb.DuckDBPyConnection":
    import duckdb

    connection = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "memory_limit": MEMORY,
            "python_enable_replacements": False,
            "temp_directory": "",
            "threads": threads,
        },
    )
    connection.execute(f"set allowed_paths = [{', '.join(map(quoted, files))}]")
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    return connection


def quoted(value: object) -> str:
    """A text as SQL has it."""
    return "'" + str(value).replace("'", "''") + "'"


def _tables_in(tree: Any) -> Iterator[str]:
    """The names of all tables in a parsed query, those of its own subqueries too."""
    if isinstance(tree, dict):
        if tree.get("type") == "BASE_TABLE":
            yield str(tree["table_name"])
        for part in tree.values():
            yield from _tables_in(part)
    elif isinstance(tree, list):
        for part in tree:
            yield from _tables_in(part)


def _rows(cursor: "duckdb.DuckDBPyConnection") -> Iterator[tuple[Any, ...]]:
    with _told_plainly():
        while rows := cursor.fetchmany(_AT_ONCE):
            yield from rows


@contextmanager
def _told_plainly() -> Iterator[None]:
    import duckdb

    try:
        yield
    except RecursionError:
        raise UserError("the SQL is nested too deeply: simplify it") from None
    except duckdb.OutOfMemoryException:
        raise UserError(f"the query needs more than {MEMORY} of memory: narrow it, or group before you sort") from None
    except duckdb.PermissionException:
        raise UserError(
            "the query reads another file: it may read only the tables and views that `toolscale query --views` lists"
        ) from None
    except duckdb.CatalogException as error:
        missing = _NO_TABLE.search(str(error))
        if missing is None:
            raise UserError(f"the SQL is not right: {_first_of(error)}") from None
        raise UserError(f"there is no table or view {missing[1]}: `toolscale query --views` lists them") from None
    except duckdb.Error as error:
        raise UserError(f"the SQL is not right: {_first_of(error)}") from None


def _first_of(error: Exception) -> str:
    """What DuckDB says, without the lines that show where."""
    return in_one_line(str(error).partition("\n\nLINE ")[0])
