"""The format of a store, and how a store of an older one is brought up to date.

Each format is made from the one before by a step, all in one transaction: a store that is killed on the way, or whose
disk fills up, is of its old format still.
"""

import json
import logging
from collections.abc import Callable
from contextlib import closing

from sqlalchemy import Column, Connection, Integer, Table, inspect, text
from sqlalchemy.engine import Engine
from sqlmodel import SQLModel

from toolscale.errors import UserError
from toolscale.store.opening import writing
from toolscale.store.requests import divide
from toolscale.store.statements import checksum

_AT_ONCE = 500
_UNLIKELY = 1000
"""A format that no version will ever write, but a damaged disk may."""

_ADVISORY_LOCK = 7_011_520_111
"""Postgres's lock that only one program at a time holds to make or upgrade a store; the number means nothing."""

_format = Table("store_format", SQLModel.metadata, Column("version", Integer, primary_key=True))


def bring_up_to_date(engine: Engine) -> None:
    """Make the tables that are missing, and those of an older format new.

    Raises:
        UserError: the store was made by a newer version of this program; nothing has been changed.
    """
    with engine.connect() as connection:
        if _version(connection) == CURRENT and not _missing(connection):
            return
    with writing(engine).begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"select pg_advisory_xact_lock({_ADVISORY_LOCK})"))
        found = _version(connection)
        if found is not None and found < CURRENT:
            logging.getLogger(__name__).warning("the store is of format %d: making it %d, once", found, CURRENT)
            for step in _STEPS[found - 1 :]:
                step(connection)
        SQLModel.metadata.create_all(connection)
        connection.execute(_format.delete())
        connection.execute(_format.insert().values(version=CURRENT))
    if found is not None and found < CURRENT and engine.dialect.name == "sqlite":
        shrink(engine)


def shrink(engine: Engine) -> None:
    """Give the room of what was removed back to the disk."""
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM")
        return
    with closing(engine.raw_connection()) as pooled:
        for statement in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
            pooled.cursor().execute(statement)


def _version(connection: Connection) -> int | None:
    """The store's format; None if there is no store yet."""
    tables = inspect(connection).get_table_names()
    if _format.name not in tables:
        return 1 if "model_call" in tables else None
    version = connection.execute(_format.select()).scalar_one()
    if not 0 < version < _UNLIKELY:
        raise ValueError(f"it says that its format is {version}")
    if version > CURRENT:
        raise UserError(
            f"the store at {connection.engine.url.render_as_string(hide_password=True)} is of format {version}, and "
            f"this version of toolscale knows formats up to {CURRENT}: upgrade toolscale, or set TOOLSCALE_STORE_URL "
            "to another place"
        )
    return int(version)


def _missing(connection: Connection) -> bool:
    return not SQLModel.metadata.tables.keys() <= set(inspect(connection).get_table_names())


def _keep_each_message_once(connection: Connection) -> None:
    """Format 1 to 2: requests in parts; the task and the run that a call belongs to; a checksum for every answer."""
    for name, sql_type in {"task": "VARCHAR", "run": "VARCHAR", "checksum": "BIGINT"}.items():
        _add_column(connection, "model_call", name, sql_type)
    connection.exec_driver_sql("CREATE INDEX IF NOT EXISTS ix_model_call_task ON model_call (task)")
    connection.exec_driver_sql("CREATE INDEX IF NOT EXISTS ix_model_call_run ON model_call (run)")
    connection.exec_driver_sql(
        "CREATE TABLE IF NOT EXISTS request_part (hash VARCHAR NOT NULL PRIMARY KEY, body TEXT NOT NULL)"
    )
    calls = text("select key, request, response from model_call where key > :last order by key limit :limit")
    part = text("insert into request_part (hash, body) values (:hash, :body) on conflict (hash) do nothing")
    call = text("update model_call set request = :request, checksum = :checksum where key = :key")
    last = ""
    while rows := connection.execute(calls, {"last": last, "limit": _AT_ONCE}).all():
        last = rows[-1].key
        divided = []
        parts: dict[str, str] = {}
        for key, request, response in rows:
            whole = json.loads(request)
            kept, its_parts = divide(whole.get("messages", []), whole.get("params", {}))
            parts |= its_parts
            divided.append(
                {"key": key, "request": kept, "checksum": None if response is None else checksum(key, response)}
            )
        if parts:
            connection.execute(part, [{"hash": name, "body": body} for name, body in parts.items()])
        connection.execute(call, divided)


def _tell_cached_tokens(connection: Connection) -> None:
    """Format 2 to 3: of a call's prompt, what the provider had in its cache, and what it wrote there."""
    for name in ("cached_tokens", "cache_write_tokens"):
        _add_column(connection, "model_call", name, "INTEGER")


def _sum_by_indexes(connection: Connection) -> None:
    """Format 3 to 4: indexes that hold all that sums of the ledger and of kept tasks need."""
    summed = "role, model, status, prompt_tokens, completion_tokens, cached_tokens, dollars"
    new = {
        "ix_model_call_sums_by_domain": f"model_call (domain, stage, {summed})",
        "ix_model_call_sums_by_run": f"model_call (run, stage, domain, {summed})",
        "ix_model_call_created_at": "model_call (created_at)",
        "ix_gate_result_by_task": "gate_result (domain, task_id, gate, passed)",
    }
    there = set(inspect(connection).get_table_names())
    for name, on in new.items():
        if on.partition(" ")[0] in there:
            connection.exec_driver_sql(f"CREATE INDEX IF NOT EXISTS {name} ON {on}")
    for name in ("ix_model_call_domain", "ix_model_call_run", "ix_gate_result_domain"):
        connection.exec_driver_sql(f"DROP INDEX IF EXISTS {name}")


_STEPS: list[Callable[[Connection], None]] = [_keep_each_message_once, _tell_cached_tokens, _sum_by_indexes]
"""In order: the first makes format 2 of format 1. A step stays as it is once a store may have been through it."""

CURRENT = 1 + len(_STEPS)


def _add_column(connection: Connection, table: str, name: str, sql_type: str) -> None:
    if name not in {column["name"] for column in inspect(connection).get_columns(table)}:
        connection.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN {name} {sql_type}")
