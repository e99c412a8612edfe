"""SQL that is compiled once and handed to the driver as it is: a call must cost the gateway next to nothing."""

import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

from sqlalchemy import Column, ColumnElement, bindparam, literal_column, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect
from sqlmodel import SQLModel, col

from toolscale.store.tables import ModelCall, RequestPart, ToolList

Values = dict[str, Any]


class Insert(NamedTuple):
    """How rows of one table are written."""

    sql: str
    names: list[str]
    key_names: list[str]
    convert: list[tuple[str, Callable[[Any], Any]]]
    """Columns whose values the driver does not take as Python has them."""

    def bound(self, values: Values) -> Values:
        """The values as the driver takes them."""
        if not self.convert:
            return values
        bound = {name: values[name] for name in self.names}
        for name, conversion in self.convert:
            bound[name] = conversion(bound[name])
        return bound


def insert(table: type[SQLModel], dialect: Dialect) -> Insert:
    """An insert that replaces the row of the same primary key; but an answer that was paid for is never replaced."""
    columns = list(SQLModel.metadata.tables[str(table.__tablename__)].columns)
    keys = [column.name for column in columns if column.primary_key]
    statement: Any = _INSERT[dialect.name](table)
    if table is RequestPart or table is ToolList:  # named after their content: there is nothing to replace
        statement = statement.on_conflict_do_nothing(index_elements=keys)
    else:
        others = {column.name: statement.excluded[column.name] for column in columns if not column.primary_key}
        unpaid = col(ModelCall.status) != _OK if table is ModelCall else None
        statement = statement.on_conflict_do_update(index_elements=keys, set_=others, where=unpaid)
    names = [column.name for column in columns]
    sql = str(statement.compile(dialect=dialect, column_keys=names))
    return Insert(sql, names, keys, [(c.name, convert) for c in columns if (convert := _conversion(c, dialect))])


def values_of(row: SQLModel) -> Values:
    """The values of a row, with what the store adds to a call."""
    if not isinstance(row, ModelCall):
        return row.__dict__
    values = dict(row.__dict__)
    if row.response is not None:
        values["checksum"] = checksum(row.key, row.response)
    if row.error is not None:  # others' words: no driver takes half a surrogate pair, nor Postgres a NUL
        values["error"] = row.error.encode("utf-8", "replace").decode().replace("\0", "")
    return values


def checksum(key: str, response: str) -> int:
    """CRC-32 of both: it tells an answer that a bad disk has altered, or that a damaged index gives for another's."""
    return zlib.crc32(response.encode(), zlib.crc32(key.encode()))


def is_as_written(key: str, response: str, expected: int | None) -> bool:
    """Whether this is the answer that was written for the key; up to format 3 checksums were of the answer alone."""
    return expected is None or expected in {checksum(key, response), zlib.crc32(response.encode())}


def find_answer(dialect: Dialect) -> str:
    """The query for the answer of a key: response, tokens of prompt and completion, seconds, checksum."""
    call = ModelCall
    took = (col(call.prompt_tokens), col(call.completion_tokens), col(call.seconds))
    answer = select(col(call.response), *took, col(call.checksum))
    return str(answer.where(col(call.key) == bindparam("key"), col(call.status) == _OK).compile(dialect=dialect))


_OK: ColumnElement[str] = literal_column("'ok'")
_INSERT = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


def _conversion(column: Column[Any], dialect: Dialect) -> Callable[[Any], Any] | None:
    return column.type.dialect_impl(dialect).bind_processor(dialect)
