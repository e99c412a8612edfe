"""Which entries a call changed, found by comparing bytes.

``marshal`` writes a record in C, in about a microsecond, and equal bytes mean an equal record. Different bytes may
still be an equal record (1 and 1.0): the parent, which has the initial database, decides that by structure.
"""

import json
import marshal
import math
from collections.abc import Iterator
from typing import Any

from .access import Database, Key, Table, is_table

THE_TABLE = ""
"""The key under which a table's own existence, or the content of one that holds no records, is reported."""

_MAX_NESTING = 100
_MAX_BITS = 10_000  # json refuses integers of more than 4,300 digits
_Change = tuple[str, str] | tuple[str, str, Any]


class Snapshots:
    """What the database looked like after the previous call, entry by entry as bytes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._entries: dict[str, dict[str, bytes]] = {}
        self._whole: dict[str, bytes] = {}
        self._tables: dict[str, Table] = {}
        for name, content in dict.items(database):
            self._entries[name] = {key: _as_bytes(entry) for key, entry in _entries_of(content)}
            if type(content) is Table:
                self._tables[name] = content
                self._whole[name] = _as_bytes(list(dict.values(content)))

    def take_changes(self) -> list[_Change]:
        """Every entry that differs from the last time, as (table, key, record), or (table, key) where it is gone.

        A call is asked about the entries that it or an earlier one got hold of: a function may have kept some.
        """
        found: list[_Change] = []
        contents = {_as_key(name): (name, content) for name, content in dict.items(self._database)}
        for name in [name for name in self._entries if name not in contents]:
            found += [(name, key) for key in self._entries.pop(name)]
            self._tables.pop(name, None)
        for name, (raw_name, content) in contents.items():
            known = self._tables.get(name)
            if content is not known or known is None:
                if raw_name in self._database.touched or name not in self._entries:
                    found += self._compare(name, dict(_entries_of(content)))
                self._adopt(name, raw_name, content)
            elif "" in dict.keys(known):
                found += self._compare(name, dict(_entries_of(content)))
            elif known.touched or known.all_touched:
                found += self._compare_touched(name, known)
        return found

    def _adopt(self, name: str, raw_name: Any, content: Any) -> None:
        """From the next call on, a table that a function replaced by a plain object is watched like any other."""
        self._tables.pop(name, None)
        if not is_table(content):
            return
        table = self._database.adopted(name, dict(dict.items(content)))
        # Whoever built the object may still hold it or its records.
        table.all_touched = True
        dict.__setitem__(self._database, raw_name, table)
        self._tables[name] = table
        self._whole[name] = b""

    def _compare_touched(self, name: str, table: Table) -> Iterator[_Change]:
        """The changed ones among the entries that functions got hold of, in this call or an earlier one."""
        before = self._entries[name]
        for key in table.touched:
            entry = dict.get(table, key, _GONE)
            if entry is _GONE or _as_bytes(entry) != before.get(key):
                yield from self._compare_one(name, _as_key(key), entry, before)
        if table.all_touched:
            whole = _as_bytes(list(dict.values(table)))
            if whole != self._whole[name]:
                yield from self._compare(name, dict(_entries_of(table)))
                self._whole[name] = _as_bytes(list(dict.values(table)))

    def _compare(self, name: str, after: dict[str, Any]) -> Iterator[_Change]:
        before = self._entries.setdefault(name, {})
        for key in [key for key in before if key not in after]:
            yield from self._compare_one(name, key, _GONE, before)
        for key, entry in after.items():
            yield from self._compare_one(name, key, entry, before)

    def _compare_one(self, name: str, key: str, entry: Any, before: dict[str, bytes]) -> Iterator[_Change]:
        if entry is _GONE:
            if before.pop(key, None) is not None:
                yield name, key
            return
        after = _as_bytes(entry)
        if before.get(key) != after:
            before[key] = after
            yield name, key, plain(entry)


_GONE = object()


def _entries_of(content: Any) -> Iterator[tuple[str, Any]]:
    """A table as entries: its own existence and its records; or all of it at once, where it holds no records."""
    if is_table(content):
        yield THE_TABLE, {}
        for key, record in dict.items(content):
            yield _as_key(key), record
    else:
        yield THE_TABLE, content


def _as_bytes(entry: Any) -> bytes:
    try:
        return marshal.dumps(entry, 2)
    except ValueError:
        # Nothing that came from JSON fails here, so this costs only functions that store what is not JSON.
        _forget_keys(entry, 0)
    try:
        return marshal.dumps(entry, 2)
    except ValueError:
        return b"json:" + json.dumps(plain(entry)).encode()


def _forget_keys(value: Any, depth: int) -> None:
    """Turn keys that a function copied from a table into a record back into strings, in place."""
    if depth > _MAX_NESTING:
        return
    if isinstance(value, list):
        value[:] = [str(member) if isinstance(member, Key) else member for member in value]
        for member in value:
            _forget_keys(member, depth + 1)
    elif isinstance(value, dict):
        for key, member in list(dict.items(value)):
            if isinstance(key, Key) or isinstance(member, Key):
                del value[key]
                value[str(key) if isinstance(key, Key) else key] = str(member) if isinstance(member, Key) else member
            _forget_keys(member, depth + 1)


def plain(value: Any, depth: int = 0) -> Any:
    """The value as JSON says it; what JSON cannot say becomes its text, as ``json.dumps(default=str)`` has it."""
    if type(value) is str and value.isascii():
        return value
    if depth > _MAX_NESTING:
        return "nested too deeply"
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.encode(value, "utf-8", "replace").decode()
    if isinstance(value, int):
        return int(value) if value.bit_length() < _MAX_BITS else "a number too long"
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {_as_key(key): plain(member, depth + 1) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(member, depth + 1) for member in value]
    return plain(str(value), depth)


def _as_key(key: Any) -> str:
    if isinstance(key, str):
        return str.encode(key, "utf-8", "replace").decode()
    return json.dumps(key) if key is None or isinstance(key, bool | int | float) else str(key)
