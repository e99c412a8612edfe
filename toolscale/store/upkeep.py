"""Looking after a store that has grown: what is in it, and removing what was named."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, func, select, text
from sqlmodel import col

from toolscale.store.database import Store
from toolscale.store.formats import shrink
from toolscale.store.opening import writing
from toolscale.store.requests import references
from toolscale.store.tables import BatchCall, ModelCall, RequestPart, ToolList, Wording

_AT_ONCE = 500


class Selection(NamedTuple):
    """Calls, by all of what is given; nothing given selects nothing."""

    older_than: timedelta | None = None
    model: str | None = None
    stage: str | None = None
    domain: str | None = None
    failed: bool = False

    def where(self) -> list[ColumnElement[bool]]:
        """The conditions in SQL."""
        named = {ModelCall.model: self.model, ModelCall.stage: self.stage, ModelCall.domain: self.domain}
        conditions: list[ColumnElement[bool]] = [col(column) == value for column, value in named.items() if value]
        if self.older_than is not None:
            conditions.append(col(ModelCall.created_at) < datetime.now(UTC) - self.older_than)
        if self.failed:
            conditions.append(col(ModelCall.status) != "ok")
        return conditions


class Amount(NamedTuple):
    """How much of the store: its calls, and what was paid for their answers."""

    calls: int
    answers: int
    failed: int
    dollars: float
    """Of the calls with a known price."""


class Freed(NamedTuple):
    """What pruning removed."""

    removed: Amount
    parts: int
    """Messages, parameters, tool lists and wordings that belong to no other call."""
    bytes_before: int
    bytes_after: int


def stats(store: Store) -> dict[str, Any]:
    """Calls, answers and failures, in all and by stage, model and domain; room on disk; oldest and newest call."""
    with store.reading() as connection:
        oldest, newest = connection.execute(
            select(func.min(col(ModelCall.created_at)), func.max(col(ModelCall.created_at)))
        ).one()
        return {
            "store": store.url,
            **_amount(connection, [])._asdict(),
            "bytes": _bytes(store, connection),
            "oldest": oldest and oldest.isoformat(timespec="seconds"),
            "newest": newest and newest.isoformat(timespec="seconds"),
            **{f"by_{name}": _by(connection, name) for name in ("stage", "model", "domain")},
        }


def amount(store: Store, selection: Selection) -> Amount:
    """What pruning would remove."""
    where = selection.where()
    with store.reading() as connection:
        return _amount(connection, where) if where else Amount(0, 0, 0, 0.0)


def prune(store: Store, selection: Selection) -> Freed:
    """Remove the selected calls, and what only they referred to; then give the room back to the disk."""
    where = selection.where()
    with store.reading() as connection:
        before = _bytes(store, connection)
    with store.explained("write to"), writing(store.engine).begin() as connection:
        if connection.dialect.name == "postgresql":  # SQLite has one writer; here a part might be used while it goes
            connection.execute(text("lock table request_part, tool_list in share row exclusive mode"))
        removed = _amount(connection, where) if where else Amount(0, 0, 0, 0.0)
        if where:
            connection.execute(delete(ModelCall).where(*where))
        parts = _remove_orphans(connection)
    with store.explained("shrink"):
        shrink(store.engine)
    with store.reading() as connection:
        return Freed(removed, parts, before, _bytes(store, connection))


def _amount(connection: Connection, where: list[ColumnElement[bool]]) -> Amount:
    ok, dollars = func.count().filter(col(ModelCall.status) == "ok"), func.sum(col(ModelCall.dollars))
    query = select(func.count(), ok, func.count() - ok, dollars).select_from(ModelCall).where(*where)
    calls, answers, failed, paid = connection.execute(query).one()
    return Amount(calls, answers, failed, paid or 0.0)


def _by(connection: Connection, column: str) -> dict[str, dict[str, int]]:
    ok = func.count().filter(col(ModelCall.status) == "ok")
    kinds = (col(ModelCall.domain), col(ModelCall.stage), col(ModelCall.role), col(ModelCall.model))
    few = select(*kinds, func.count().label("calls"), ok.label("answers")).group_by(*kinds).subquery().c
    name = few[column]
    query = select(name, func.sum(few.calls), func.sum(few.answers)).group_by(name).order_by(name)
    return {
        name: {"calls": int(calls), "answers": int(answers), "failed": int(calls - answers)}
        for name, calls, answers in connection.execute(query)
    }


def _remove_orphans(connection: Connection) -> int:
    """Remove the parts and tool lists that no call refers to, and wordings of calls that are gone; how many."""
    used = {part for (request,) in connection.execute(select(col(ModelCall.request))) for part in references(request)}
    kept = set(connection.scalars(select(col(RequestPart.hash))))
    orphans = sorted(kept - used)
    for first in range(0, len(orphans), _AT_ONCE):
        connection.execute(delete(RequestPart).where(col(RequestPart.hash).in_(orphans[first : first + _AT_ONCE])))
    offered = [select(col(call.tools)).where(col(call.tools).is_not(None)) for call in (ModelCall, BatchCall)]
    lists = connection.execute(delete(ToolList).where(*(col(ToolList.hash).not_in(tools) for tools in offered)))
    asked = select(col(ModelCall.task)).where(col(ModelCall.stage) == "rewording", col(ModelCall.task).is_not(None))
    wordings = connection.execute(delete(Wording).where(col(Wording.task).not_in(asked)))
    return len(orphans) + lists.rowcount + wordings.rowcount


def _bytes(store: Store, connection: Connection) -> int:
    """Room on disk."""
    if connection.dialect.name == "postgresql":
        return int(connection.execute(text("select pg_database_size(current_database())")).scalar_one())
    file = str(store.engine.url.database)
    return sum(path.stat().st_size for path in map(Path, (file, f"{file}-wal")) if path.exists())
