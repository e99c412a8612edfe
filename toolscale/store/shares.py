"""Several processes spend one budget: each notes what it draws before a call goes out, and sees what the others drew.

The notes never fall behind what is paid, so their sum is at least what the budget has lost. A process that is killed
leaves its note behind: what it had paid counts, and what it had in flight counts as if it were so for ever.
"""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, text
from sqlmodel import col

from toolscale.store.database import Store
from toolscale.store.opening import writing
from toolscale.store.tables import BudgetShare, ModelCall

_PAID = "paid"
"""The member that stands for all who are done."""


class Drawn(NamedTuple):
    """What was paid of a budget, and what is held for calls in flight."""

    calls: int = 0
    dollars: float = 0.0
    calls_out: int = 0
    dollars_out: float = 0.0


class Share:
    """What one process draws on the budget of a run."""

    def __init__(self, store: Store, run: str) -> None:
        self._store, self._run, self._member = store, run, uuid.uuid4().hex
        self._noted = Drawn()

    def settle(self, draw: Callable[[Drawn], Drawn]) -> None:
        """Note what `draw` says that this process has drawn, given what all others have; nobody settles meanwhile."""
        with self._alone() as connection:
            self._begin(connection)
            drawn = draw(self._sum(connection, col(BudgetShare.member) != self._member))
            if drawn != self._noted:
                self._note(connection, self._member, drawn)
        self._noted = drawn

    def close(self, hand_over: Callable[[], Drawn]) -> None:
        """Count what was paid here among what those who are done have paid, so that a run has few shares."""
        with self._alone() as connection:
            self._begin(connection)
            drawn = hand_over()
            done = self._sum(connection, col(BudgetShare.member) == _PAID)
            self._note(connection, _PAID, Drawn(done.calls + drawn.calls, done.dollars + drawn.dollars))
            self._noted = Drawn(0, 0.0, drawn.calls_out, drawn.dollars_out)
            self._note(connection, self._member, self._noted)

    @contextmanager
    def _alone(self) -> Iterator[Connection]:
        """A transaction that no other one on this budget overlaps."""
        with self._store.explained("write to"), writing(self._store.engine).begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("select pg_advisory_xact_lock(hashtextextended(:run, 0))"), {"run": self._run})
            yield connection

    def _begin(self, connection: Connection) -> None:
        """The first to draw notes what the ledger says was paid before, by processes that had no shares."""
        of_run = col(BudgetShare.run) == self._run
        if connection.execute(select(func.count()).select_from(BudgetShare).where(of_run)).scalar_one():
            return
        paid = select(func.count(), func.sum(ModelCall.dollars))
        calls, dollars = connection.execute(paid.where(col(ModelCall.run) == self._run)).one()
        self._note(connection, _PAID, Drawn(calls, dollars or 0.0))

    def _sum(self, connection: Connection, of: ColumnElement[bool]) -> Drawn:
        figures = [func.coalesce(func.sum(getattr(BudgetShare, name)), 0) for name in Drawn._fields]
        found: Any = connection.execute(select(*figures).where(col(BudgetShare.run) == self._run, of)).one()
        return Drawn(int(found[0]), float(found[1]), int(found[2]), float(found[3]))

    def _note(self, connection: Connection, member: str, drawn: Drawn) -> None:
        of_member = col(BudgetShare.run) == self._run, col(BudgetShare.member) == member
        connection.execute(delete(BudgetShare).where(*of_member))
        if drawn != Drawn() or member == _PAID:
            connection.execute(insert(BudgetShare).values(run=self._run, member=member, **drawn._asdict()))
