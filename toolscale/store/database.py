"""The database of the store: what was answered, what it cost, how tasks fared."""

import asyncio
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, TypeVar

from sqlalchemy import BigInteger, Float, Select, cast, func, select
from sqlalchemy.engine import Connection
from sqlalchemy.pool import PoolProxiedConnection
from sqlmodel import Session, SQLModel, col

from toolscale.errors import UserError
from toolscale.store.formats import bring_up_to_date
from toolscale.store.opening import connect_to, locate
from toolscale.store.requests import divide, references, whole
from toolscale.store.statements import find_answer, is_as_written, values_of
from toolscale.store.tables import ModelCall, RequestPart, ToolList
from toolscale.store.troubles import DAMAGED, explain
from toolscale.store.writer import Writer

Dimension = Literal["stage", "role", "domain", "model"]
TableRow = TypeVar("TableRow", bound=SQLModel)


class CachedAnswer(NamedTuple):
    """What the store knows of an answered call."""

    response: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float


class LedgerLine(NamedTuple):
    """Calls, tokens and dollars of one stage, role, domain or model."""

    name: str
    calls: int
    failed: int
    prompt_tokens: int
    completion_tokens: int
    dollars: float
    unpriced: int
    cached_tokens: int = 0
    """Of the prompt tokens, those that the provider had in its cache."""


class Store:
    """The database behind the gateway and the gates. Safe to share between threads, event loops and processes.

    Every method raises ``UserError`` where the database cannot be read or written: disk full, file damaged, locked by
    another program, ...: one line that says where and what to do.
    """

    def __init__(self, url: str) -> None:
        """Open the database: its file, folder and tables are made where they are missing, an older format upgraded.

        Raises:
            UserError: the URL is not one of SQLite's or Postgres's, or the database cannot be opened.
        """
        self._location = locate(url)
        self.url = self._location.render_as_string(hide_password=True)
        self._local = self._location.get_backend_name() == "sqlite"
        with self.explained("open"):
            self.engine = connect_to(self._location)
            bring_up_to_date(self.engine)
        self._answer = find_answer(self.engine.dialect)
        self._writer = Writer(self.engine)
        self._reader: PoolProxiedConnection | None = None
        self._lock = threading.Lock()

    @classmethod
    def existing(cls, url: str) -> Self:
        """Open a store that is there already; for commands that only look.

        Raises:
            UserError: there is none yet, or it cannot be opened.
        """
        location = locate(url)
        if location.get_backend_name() == "sqlite" and not Path(str(location.database)).exists():
            raise UserError(f"there is no store at {location.database} yet: no run has been made there")
        return cls(url)

    async def find(self, key: str) -> CachedAnswer | None:
        """The answer to a call, if it was answered before.

        Where the last answer could not be written, this fails too: else each further call would be paid for in vain.
        """
        if self._writer.trouble is not None:
            raise UserError(self._writer.trouble)
        with self.explained("read"):
            found = self._find_here(key) if self._local else await asyncio.to_thread(self._find_there, key)
        if found is None:
            return None
        response, prompt_tokens, completion_tokens, seconds, expected = found
        if not is_as_written(key, response, expected):
            told = DAMAGED.format(file=self._location.database)
            raise UserError(f"cannot read the store at {self.url}: the answer of call {key[:12]} was altered; {told}")
        return CachedAnswer(response, prompt_tokens, completion_tokens, seconds)

    async def save(self, *rows: SQLModel) -> None:
        """Write rows, replacing those of the same primary key; returns once they are committed.

        A call that was answered is never replaced: another program may have paid for it meanwhile.
        """
        await self._writer.write([(type(row), values_of(row)) for row in rows])

    async def save_call(
        self, call: ModelCall, messages: Sequence[Any], params: Mapping[str, Any], *others: SQLModel
    ) -> None:
        """Write a call with its request, and rows that belong to it; returns once they are committed."""
        call.request, parts = divide(messages, params)
        kept: list[tuple[type[SQLModel], dict[str, Any]]] = [
            (RequestPart, {"hash": name, "body": body}) for name, body in parts.items()
        ]
        await self._writer.write([*kept, *((type(row), values_of(row)) for row in (call, *others))])

    def rows(self, table: type[TableRow], **equal: Any) -> list[TableRow]:
        """Rows of a table whose columns have the given values, such as ``rows(GateResult, domain="railway")``."""
        with self.explained("read"), Session(self.engine) as session:
            return list(session.scalars(select(table).filter_by(**equal)))

    def read(self, query: Select[Any]) -> list[Any]:
        """The rows of a query of one's own, such as those of ``toolscale.traces``."""
        with self.explained("read"), Session(self.engine) as session:
            return list(session.execute(query))

    def request_of(self, call: ModelCall) -> dict[str, Any]:
        """What was sent: ``{"messages": [...], "params": {...}, "tools": [...] or None}``."""
        with self.reading() as connection:
            part = select(col(RequestPart.hash), col(RequestPart.body))
            found = connection.execute(part.where(col(RequestPart.hash).in_(list(references(call.request)))))
            request = whole(call.request, {name: body for name, body in found})  # noqa: C416 - for the types
            tools = connection.execute(select(col(ToolList.tools)).where(col(ToolList.hash) == call.tools)).scalar()
        return {**request, "tools": None if tools is None else json.loads(tools)}

    def cost_by(self, dimension: Dimension, **equal: str | Sequence[str]) -> list[LedgerLine]:
        """The ledger summed by stage, role, domain or model; in the order of their names.

        Only calls whose columns have the given values count, such as ``cost_by("stage", domain="railway")``; of
        several values, any will do.
        """
        call = ModelCall
        groups = select(
            *(col(call.domain), col(call.stage), col(call.role), col(call.model)),
            func.count().label("calls"),
            func.count().filter(col(call.status) != "ok").label("failed"),
            func.coalesce(func.sum(call.prompt_tokens), 0).label("prompt_tokens"),
            func.coalesce(func.sum(call.completion_tokens), 0).label("completion_tokens"),
            func.coalesce(func.sum(call.dollars), 0.0).label("dollars"),
            func.count().filter(col(call.dollars).is_(None)).label("unpriced"),
            func.coalesce(func.sum(call.cached_tokens), 0).label("cached_tokens"),
        ).group_by(col(call.domain), col(call.stage), col(call.role), col(call.model))  # in the order of an index
        only = [col(getattr(call, column)).in_(_each(wanted)) for column, wanted in equal.items()]
        few = groups.where(*only).subquery().c
        kinds = {figure: Float if figure == "dollars" else BigInteger for figure in LedgerLine._fields[1:]}
        name, sums = few[dimension], [cast(func.sum(few[figure]), kind) for figure, kind in kinds.items()]
        query = select(name, *sums).group_by(name).order_by(name)
        with self.reading() as connection:
            return [LedgerLine(*row) for row in connection.execute(query)]

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection for queries of one's own."""
        with self.explained("read"), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def explained(self, doing: str) -> Iterator[None]:
        """Turns an error of the database into one line for the user: "cannot <doing> the store at ..."."""
        try:
            yield
        except UserError:
            raise
        except Exception as error:
            line = f"cannot {doing} the store at {self.url}: {explain(error, self._location)}"
            raise UserError(line) from error

    def close(self) -> None:
        """Write what is waiting, and let go of the database; a later use opens it again."""
        self._writer.close()
        with self._lock:
            if self._reader is not None:
                self._reader.close()
                self._reader = None
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _find_here(self, key: str) -> Any:
        """Straight from the driver: it takes microseconds, and is asked before every call."""
        with self._lock:
            if self._reader is None:
                self._reader = self.engine.raw_connection()
            cursor = self._reader.cursor()
            try:
                return cursor.execute(self._answer, {"key": key}).fetchone()
            finally:
                cursor.close()

    def _find_there(self, key: str) -> Any:
        with self.engine.connect() as connection:
            return connection.exec_driver_sql(self._answer, {"key": key}).first()


def _each(wanted: str | Sequence[str]) -> Sequence[str]:
    return [wanted] if isinstance(wanted, str) else wanted
