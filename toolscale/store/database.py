"""The database of the store.

SQLite by default; any SQLAlchemy URL of SQLite or Postgres. One thread writes, and commits whatever has gathered since
its last commit, so a thousand calls in flight cost a few dozen commits. A caller goes on only after the commit.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Literal, NamedTuple, Self, TypeVar

from sqlalchemy import Column, bindparam, event, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlmodel import Session, SQLModel, col, create_engine

from toolscale.errors import UserError
from toolscale.store.tables import ModelCall

Dimension = Literal["stage", "role", "domain", "model"]
Row = TypeVar("Row", bound=SQLModel)

_UPSERTS: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
_LARGEST_COMMIT = 500


class CachedAnswer(NamedTuple):
    """What the store knows of an answered call."""

    response: str
    prompt_tokens: int
    completion_tokens: int


class LedgerLine(NamedTuple):
    """Calls, tokens and dollars of one stage, role, domain or model."""

    name: str
    calls: int
    failed: int
    prompt_tokens: int
    completion_tokens: int
    dollars: float
    unpriced: int


class _Write(NamedTuple):
    rows: Sequence[SQLModel]
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[None]


class Store:
    """The database behind the gateway and the gates. Safe to share between threads and event loops."""

    def __init__(self, url: str) -> None:
        """Open the database, and make its file, folder and tables where they are missing.

        Raises:
            UserError: the URL is not one of SQLite's or Postgres's, or the database cannot be opened.
        """
        try:
            location = make_url(url)
        except ArgumentError:
            raise UserError(
                "the store's URL cannot be read: set TOOLSCALE_STORE_URL, such as sqlite:///toolscale.db"
            ) from None
        self.url = location.render_as_string(hide_password=True)
        backend = location.get_backend_name()
        if backend not in _UPSERTS:
            raise UserError(
                f"the store cannot live in {backend}: set TOOLSCALE_STORE_URL to a sqlite:// or postgresql:// URL"
            )
        self._local = backend == "sqlite"
        self._insert = _UPSERTS[backend]
        try:
            if self._local and location.database:
                Path(location.database).parent.mkdir(parents=True, exist_ok=True)
            self._engine = create_engine(location)
            if self._local:
                event.listen(self._engine, "connect", _set_up_sqlite)
            SQLModel.metadata.create_all(self._engine)
        except (SQLAlchemyError, OSError) as error:
            raise UserError(f"cannot open the store at {self.url}: {_cause(error)}") from error
        self._queue: SimpleQueue[_Write | None] = SimpleQueue()
        self._writer: threading.Thread | None = None
        self._lock = threading.Lock()

    async def find(self, key: str) -> CachedAnswer | None:
        """The answer to a call, if it was answered before."""
        return self._find(key) if self._local else await asyncio.to_thread(self._find, key)

    async def save(self, *rows: SQLModel) -> None:
        """Write rows, replacing those of the same primary key; returns once they are committed.

        Raises:
            UserError: the database refused them (disk full, file locked by another program, ...).
        """
        self._start_writer()
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        self._queue.put(_Write(rows, loop, done))
        await done

    def rows(self, table: type[Row], **equal: Any) -> list[Row]:
        """Rows of a table whose columns have the given values, such as ``rows(GateResult, domain="railway")``."""
        with Session(self._engine) as session:
            return list(session.scalars(select(table).filter_by(**equal)))

    def cost_by(self, dimension: Dimension, **equal: str) -> list[LedgerLine]:
        """The ledger summed by stage, role, domain or model; in the order of their names.

        Only calls whose columns have the given values count, such as ``cost_by("stage", domain="railway")``.
        """
        name = getattr(ModelCall, dimension)
        query = (
            select(
                name,
                func.count(),
                func.count().filter(col(ModelCall.status) != "ok"),
                func.coalesce(func.sum(ModelCall.prompt_tokens), 0),
                func.coalesce(func.sum(ModelCall.completion_tokens), 0),
                func.coalesce(func.sum(ModelCall.dollars), 0.0),
                func.count().filter(col(ModelCall.dollars).is_(None)),
            )
            .where(*(getattr(ModelCall, column) == value for column, value in equal.items()))
            .group_by(name)
            .order_by(name)
        )
        with self._engine.connect() as connection:
            return [LedgerLine(*row) for row in connection.execute(query)]

    def close(self) -> None:
        """Write what is waiting, and let go of the database."""
        with self._lock:
            writer, self._writer = self._writer, None
        if writer is not None:
            self._queue.put(None)
            writer.join()
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _find(self, key: str) -> CachedAnswer | None:
        with self._engine.connect() as connection:
            row = connection.execute(_ANSWER, {"key": key}).first()
        return CachedAnswer._make(row) if row else None

    def _start_writer(self) -> None:
        if self._writer is None:
            with self._lock:
                if self._writer is None:
                    self._writer = threading.Thread(target=self._write_until_closed, name="store", daemon=True)
                    self._writer.start()

    def _write_until_closed(self) -> None:
        while (first := self._queue.get()) is not None:
            writes, closing = [first], False
            while len(writes) < _LARGEST_COMMIT and not closing:
                try:
                    write = self._queue.get_nowait()
                except Empty:
                    break
                if write is None:
                    closing = True
                else:
                    writes.append(write)
            _tell(writes, self._commit(writes))
            if closing:
                return

    def _commit(self, writes: list[_Write]) -> UserError | None:
        """Write everything in one transaction; what went wrong, if anything did."""
        by_table: dict[type[SQLModel], dict[tuple[Any, ...], dict[str, Any]]] = {}
        for row in (row for write in writes for row in write.rows):
            values = row.model_dump()
            key = tuple(values[name] for name in _key_names(type(row)))
            by_table.setdefault(type(row), {})[key] = values
        try:
            with self._engine.begin() as connection:
                for table, rows in by_table.items():
                    connection.execute(_upsert(self._insert, table), list(rows.values()))
        except Exception as error:  # whatever it is, those who wait must hear of it, and the writer must go on
            return UserError(f"cannot write to the store at {self.url}: {_cause(error)}; mend that and run again")
        return None


_ANSWER = select(col(ModelCall.response), col(ModelCall.prompt_tokens), col(ModelCall.completion_tokens)).where(
    col(ModelCall.key) == bindparam("key"), col(ModelCall.status) == "ok"
)


@cache
def _key_names(table: type[SQLModel]) -> list[str]:
    return [column.name for column in _columns(table) if column.primary_key]


@cache
def _upsert(insert: Callable[..., Any], table: type[SQLModel]) -> Any:
    """An insert that replaces the row of the same primary key."""
    statement = insert(table)
    keys = _key_names(table)
    others = {column.name: statement.excluded[column.name] for column in _columns(table) if not column.primary_key}
    return statement.on_conflict_do_update(index_elements=keys, set_=others)


def _columns(table: type[SQLModel]) -> list[Column[Any]]:
    return list(SQLModel.metadata.tables[str(table.__tablename__)].columns)


def _tell(writes: list[_Write], error: UserError | None) -> None:
    """Wake everybody whose rows were in the commit: one wake-up for each event loop, not for each row."""
    waiting: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
    for write in writes:
        waiting.setdefault(write.loop, []).append(write.done)
    for loop, futures in waiting.items():
        with suppress(RuntimeError):  # the loop was closed meanwhile: nobody waits there any more
            loop.call_soon_threadsafe(_resolve, futures, error)


def _resolve(futures: list[asyncio.Future[None]], error: UserError | None) -> None:
    for future in futures:
        if future.done():
            continue
        if error is None:
            future.set_result(None)
        else:
            future.set_exception(error)


def _set_up_sqlite(connection: Any, _record: object) -> None:
    """Readers never wait for the writer (WAL), and a commit survives a power cut (synchronous = FULL)."""
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=30000"):
        connection.execute(f"PRAGMA {pragma}")


def _cause(error: Exception) -> str:
    """The driver's own words, without SQLAlchemy's statement and parameters, which may be long."""
    return " ".join(str(getattr(error, "orig", None) or error).split())
