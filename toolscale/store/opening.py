"""Opening the database: SQLite by default, Postgres by URL."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.engine import URL, Engine, make_url
from sqlalchemy.exc import ArgumentError
from tenacity import retry, retry_if_exception, stop_after_delay, wait_random

from toolscale.errors import UserError

_PATIENCE_SECONDS = 30
"""How long a connection waits for another program's lock; ``?timeout=5`` in SQLite's URL says otherwise."""


def locate(url: str) -> URL:
    """Where the store lies.

    Raises:
        UserError: the URL is not one of SQLite's files or Postgres's databases.
    """
    try:
        location = make_url(url)
    except ArgumentError:
        raise UserError(
            "the store's URL cannot be read: set TOOLSCALE_STORE_URL, such as sqlite:///toolscale.db"
        ) from None
    backend = location.get_backend_name()
    if backend not in _CONNECT:
        raise UserError(
            f"the store cannot live in {backend}: set TOOLSCALE_STORE_URL to a sqlite:// or postgresql:// URL"
        )
    if backend == "sqlite" and location.database in {None, "", ":memory:"}:
        raise UserError(
            "a store in memory would forget what was paid for: set TOOLSCALE_STORE_URL to a file, "
            "such as sqlite:///toolscale.db"
        )
    return location


def connect_to(location: URL) -> Engine:
    """An engine for the store's database; SQLite's folder is made where it is missing.

    Raises:
        UserError: the driver is not installed.
        OSError: the folder cannot be made.
    """
    try:
        return _CONNECT[location.get_backend_name()](location)
    except ModuleNotFoundError as error:
        raise UserError(f"Postgres needs the package {error.name}: pip install 'toolscale[postgres]'") from None


def writing(engine: Engine) -> Engine:
    """The engine for transactions that read before they write: they take SQLite's only write lock at once."""
    return engine.execution_options(writes=True)


def _sqlite(location: URL) -> Engine:
    assert location.database is not None
    Path(location.database).parent.mkdir(parents=True, exist_ok=True)
    patience = {} if "timeout" in location.query else {"timeout": _PATIENCE_SECONDS}
    engine = create_engine(location, paramstyle="named", connect_args=patience)
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin)
    return engine


def _postgres(location: URL) -> Engine:
    """Times are UTC, as SQLite keeps them; a connection that the server has dropped meanwhile is opened anew."""
    return create_engine(location, pool_pre_ping=True, connect_args={"options": "-c timezone=UTC"})


_CONNECT = {"sqlite": _sqlite, "postgresql": _postgres}


def _begin(connection: Connection) -> None:
    options: Mapping[str, Any] = connection.get_execution_options()
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("writes") else "BEGIN")


def _set_up_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    """Readers never wait for the writer (WAL), a commit survives a power cut, and transactions begin where we say."""
    connection.isolation_level = None
    _use_wal(connection)
    connection.execute("PRAGMA synchronous=FULL")


def _is_busy(error: BaseException) -> bool:
    return getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY")


# SQLite itself does not wait for this lock, which two programs that make the same file at once both want.
@retry(retry=retry_if_exception(_is_busy), stop=stop_after_delay(10), wait=wait_random(0, 0.1), reraise=True)
def _use_wal(connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        connection.execute("PRAGMA journal_mode=WAL")
