"""The store's tables for SQL: the ledger without what was said, and every other table as it is.

A table is read through SQLAlchemy, whatever database the store is in, when a query first names it. Sums over the whole
ledger that a command needs are better left to the store (`Store.cost_by`): it does not give its rows away for them.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from toolscale.query import View

if TYPE_CHECKING:
    import pyarrow as pa
    from sqlalchemy import Column

CALLS = "calls"

_UNSAID = ("request", "response", "checksum", "tools")
"""Columns of a call that are long, or say nothing without what is."""

_AT_ONCE = 20_000

_SUMS = """
    count(*) as calls,
    count(*) filter (where status <> 'ok') as failed,
    sum(prompt_tokens) as prompt_tokens,
    sum(completion_tokens) as completion_tokens,
    sum(cached_tokens) as cached_tokens,
    sum(dollars) as dollars,
    count(*) filter (where dollars is null) as unpriced
"""


def ledger_views(url: Callable[[], str]) -> list[View]:
    """The store's tables and the ready views over them.

    `url` says where the store is when it is first asked for. A query that names one of them raises UserError where
    there is no store.
    """
    return [
        _table(CALLS, "A model call: who asked whom, for what, tokens, dollars, seconds, status.", "model_call", url),
        *(_table(name, says, name, url) for name, says in _TABLES.items()),
        *(View(name, says, sql) for name, (says, sql) in _READY.items()),
    ]


_TABLES = {
    "model_call": "A model call with request and response in full, as the store keeps it; large.",
    "request_part": "A message or long parameter that calls refer to by its hash; large.",
    "tool_list": "The tools that calls were offered, by their hash.",
    "gate_result": "How a task fared at a gate, whether it was kept or not.",
    "attempt": "An attempt at a task and its verdict, whether the task was kept or not.",
    "batch_job": "A batch of calls that was sent to be answered later.",
    "batch_call": "A call of such a batch.",
    "wording": "What a model said when it was asked to reword a request.",
    "known_mode": "How typed answers are asked for at an endpoint.",
}

_READY = {
    **{
        f"cost_by_{name}": (
            f"Calls, tokens and dollars of all runs by {name}; `unpriced` calls have no known price.",
            f"select {name}, {_SUMS} from calls group by {name} order by {name}",
        )
        for name in ("stage", "model", "domain", "role")
    },
    "failures": (
        "Calls that got no answer, by stage, model and class of error, with the latest of them.",
        "select stage, model, status, count(*) as calls, max(created_at) as latest, "
        "arg_max(error, created_at) as error from calls where status <> 'ok' "
        "group by stage, model, status order by calls desc, stage, model, status",
    ),
    "cache": (
        "Answers that the store would give again for nothing, by stage and model, with what they cost.",
        "select stage, model, count(*) as answers, sum(prompt_tokens + completion_tokens) as tokens, "
        "sum(dollars) as dollars, min(created_at) as oldest, max(created_at) as newest "
        "from calls where status = 'ok' group by stage, model order by stage, model",
    ),
}


def _table(name: str, says: str, of: str, url: Callable[[], str]) -> View:
    columns = [column for column in _columns(of) if name != CALLS or column.name not in _UNSAID]
    schema = _schema(columns)
    return View(name, says, load=partial(_read, columns, schema, url), schema=schema)


def _columns(table: str) -> "list[Column[Any]]":
    from sqlmodel import SQLModel

    import toolscale.store.tables  # noqa: F401 - it fills the metadata

    return list(SQLModel.metadata.tables[table].columns)


def _schema(columns: "Sequence[Column[Any]]") -> "pa.Schema":
    import pyarrow as pa

    kinds = {int: pa.int64(), float: pa.float64(), bool: pa.bool_(), datetime: pa.timestamp("us")}
    of = [getattr(column.type, "impl_instance", column.type).python_type for column in columns]
    return pa.schema([(column.name, kinds.get(kind, pa.string())) for column, kind in zip(columns, of, strict=True)])


def _read(columns: "Sequence[Column[Any]]", schema: "pa.Schema", url: Callable[[], str]) -> "pa.Table":
    import pyarrow as pa
    from sqlalchemy import select

    from toolscale.store import Store

    with Store.existing(url()) as store, store.reading() as connection:
        found = connection.execution_options(yield_per=_AT_ONCE).execute(select(*columns))
        batches = [
            pa.RecordBatch.from_arrays(
                [pa.array(values, field.type) for values, field in zip(zip(*rows, strict=True), schema, strict=True)],
                schema=schema,
            )
            for rows in found.partitions()
        ]
    return pa.Table.from_batches(batches, schema)
