"""One thread writes, and commits whatever has gathered since its last commit.

So a thousand calls in flight cost a few dozen commits. A caller goes on only after the commit.
"""

import asyncio
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from sqlalchemy.engine import Engine
from sqlmodel import SQLModel

from toolscale.errors import UserError
from toolscale.store.statements import Insert, Values, insert
from toolscale.store.troubles import explain

_LARGEST_COMMIT = 500

Rows = Sequence[tuple[type[SQLModel], Values]]


class _Write(NamedTuple):
    rows: Rows
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[None]


class Writer:
    """The thread that writes. Safe to share between threads and event loops; it starts with the first write."""

    def __init__(self, engine: Engine) -> None:
        self.trouble: str | None = None
        """Why the last commit failed, in one line; None if it did not."""
        self._engine = engine
        self._insert = cache(lambda table: insert(table, engine.dialect))
        self._queue: SimpleQueue[_Write | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    async def write(self, rows: Rows) -> None:
        """Returns once the rows are committed. Raises ``UserError`` if the database refused them."""
        self._start()
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        self._queue.put(_Write(rows, loop, done))
        await done

    def close(self) -> None:
        """Write what is waiting, and end the thread; a later write starts another."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(None)
            thread.join()

    def _start(self) -> None:
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._write_until_closed, name="store", daemon=True)
                    self._thread.start()

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
            self._commit(writes)
            _tell(writes, self.trouble)
            if closing:
                return

    def _commit(self, writes: list[_Write]) -> None:
        """Write everything in one transaction."""
        try:
            by_table: dict[type[SQLModel], dict[tuple[Any, ...], Values]] = {}
            for table, values in (row for write in writes for row in write.rows):
                key = tuple(values[name] for name in self._insert(table).key_names)
                by_table.setdefault(table, {})[key] = values
            with self._engine.begin() as connection:
                for table, rows in by_table.items():
                    statement: Insert = self._insert(table)
                    connection.exec_driver_sql(statement.sql, [statement.bound(values) for values in rows.values()])
            self.trouble = None
        except Exception as error:  # whatever it is, those who wait must hear of it, and the writer must go on
            place = self._engine.url.render_as_string(hide_password=True)
            self.trouble = f"cannot write to the store at {place}: {explain(error, self._engine.url)}"


def _tell(writes: list[_Write], trouble: str | None) -> None:
    """Wake everybody whose rows were in the commit: one wake-up for each event loop, not for each row."""
    waiting: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
    for write in writes:
        waiting.setdefault(write.loop, []).append(write.done)
    for loop, futures in waiting.items():
        with suppress(RuntimeError):  # the loop was closed meanwhile: nobody waits there any more
            loop.call_soon_threadsafe(_resolve, futures, trouble)


def _resolve(futures: list[asyncio.Future[None]], trouble: str | None) -> None:
    for future in futures:
        if future.done():
            continue
        if trouble is None:
            future.set_result(None)
        else:
            future.set_exception(UserError(trouble))
