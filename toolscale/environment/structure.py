"""When two JSON values are the same, and in what two databases differ."""

import marshal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, Literal, TypeGuard

from toolscale.artifacts import EntryRef, Json
from toolscale.artifacts.base import JsonPath


class Absent(Enum):
    """The type of ``ABSENT``: there is no value here, which is not the same as null."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent.ABSENT
Value = Json | Absent


def equal(a: Any, b: Any) -> bool:
    """Structural equality: 1 equals 1.0 but not true; the order of keys is nothing, the order of a list counts."""
    # Python's own comparison takes more for equal (true and 1), never less, and is far faster on a big entry.
    return bool(a == b) and (_same_bytes(a, b) or _same_structure(a, b))


def _same_bytes(a: Any, b: Any) -> bool:
    try:
        return marshal.dumps(a, 2) == marshal.dumps(b, 2)
    except ValueError:
        return False


def _same_structure(a: Any, b: Any) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, int | float) and isinstance(b, int | float):
        return a == b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same_structure(value, b[key]) for key, value in a.items())
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same_structure, a, b))
    return type(a) is type(b) and bool(a == b)


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One value within an entry that differs. The path is empty where the entry as a whole was added or removed."""

    path: JsonPath
    before: Value
    after: Value

    def as_json(self) -> dict[str, Json]:
        """``{path, before, after}``; a side that is absent is left out."""
        shown: dict[str, Json] = {"path": list(self.path)}
        if self.before is not ABSENT:
            shown["before"] = self.before
        if self.after is not ABSENT:
            shown["after"] = self.after
        return shown


@dataclass(frozen=True, slots=True)
class EntryChange:
    """One entry that was added, removed or changed, field by field."""

    table: str
    key: str
    kind: Literal["added", "removed", "changed"]
    fields: list[FieldChange] = field(default_factory=list)

    def as_json(self) -> dict[str, Json]:
        """``{table, key, kind, fields}``."""
        fields: list[Json] = [change.as_json() for change in self.fields]
        return {"table": self.table, "key": self.key, "kind": self.kind, "fields": fields}


def entries(database: Mapping[str, Json]) -> Iterator[tuple[EntryRef, Json]]:
    """A database as its entries.

    A table that is an object from key to record gives one entry for its own existence (empty key, ``{}``) and one for
    each record. Anything else (a list, a number, an object with an empty key) is one entry with the empty key.
    """
    for table, content in database.items():
        if _is_table(content):
            yield EntryRef(table, ""), {}
            for key, record in content.items():
                yield EntryRef(table, key), record
        else:
            yield EntryRef(table, ""), content


def entry_of(database: Mapping[str, Json], ref: EntryRef) -> Value:
    """The entry of that name, by the same reading as ``entries``."""
    content = database.get(ref.table, ABSENT)
    if _is_table(content):
        return {} if ref.key == "" else content.get(ref.key, ABSENT)
    return content if ref.key == "" else ABSENT


def diff(before: Mapping[str, Json], after: Mapping[str, Json]) -> list[EntryChange]:
    """In what two databases differ, entry by entry; empty if and only if they are equal."""
    old, new = dict(entries(before)), dict(entries(after))
    refs = [*old, *(ref for ref in new if ref not in old)]
    return [change for ref in refs if (change := entry_change(ref, old.get(ref, ABSENT), new.get(ref, ABSENT)))]


def entry_change(ref: EntryRef, before: Value, after: Value) -> EntryChange | None:
    """In what two states of one entry differ; None if in nothing."""
    if equal(before, after):
        return None
    if before is ABSENT:
        return EntryChange(*ref, "added", [FieldChange((), before, after)])
    if after is ABSENT:
        return EntryChange(*ref, "removed", [FieldChange((), before, after)])
    return EntryChange(*ref, "changed", list(_field_changes((), before, after)))


def _is_table(content: Any) -> TypeGuard[dict[str, Json]]:
    return isinstance(content, dict) and "" not in content


def _field_changes(path: JsonPath, before: Any, after: Any) -> Iterator[FieldChange]:
    if equal(before, after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            yield from _field_changes((*path, key), before.get(key, ABSENT), after.get(key, ABSENT))
    elif isinstance(before, list) and isinstance(after, list):
        for index in range(max(len(before), len(after))):
            old = before[index] if index < len(before) else ABSENT
            new = after[index] if index < len(after) else ABSENT
            yield from _field_changes((*path, index), old, new)
    else:
        yield FieldChange(path, before, after)
