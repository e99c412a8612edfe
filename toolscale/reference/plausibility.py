"""What somebody of the trade would find odd in a set of entries, and how an entry is made odd.

What can be said in comparisons lies in the domain's `plausible.yaml`, beside its schema:

    exams:
      holds:
        07:30 <= starts_at.clock <= 18:00: an exam at {starts_at.clock}
        points is set exactly when status is completed: points go with a completed course, and only with one
        booked_on <= exam_id.day if status is open, late: it was booked after the exam
      spoiled: {starts_at: 2027-01-12T03:00}

Left of the colon stands what holds of every natural entry, right of it what is said of one for which it does not.
A name is a field, or `today` or `now`; `.clock`, `.day` and `.age` are parts of a moment and the years since a day, and
any other name after a field is a field of the entry that it refers to. What is null or not among the entries is not
judged. What `holds` cannot say, a domain reckons in Python.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import eq, le, lt, ne
from pathlib import Path
from random import Random
from string import Formatter
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.documents import read_document
from toolscale.reference.moments import NOW, TODAY, age
from toolscale.reference.program import Record

Entries = Mapping[str, Mapping[str, Record]]
OddityCheck = Callable[[Record, Entries], Iterator[str]]

_COMPARED = {"<": lt, "<=": le, "==": eq, "!=": ne}
_PARTS: Mapping[str, Callable[[str], Any]] = {
    "clock": lambda moment: moment[11:],
    "day": lambda moment: moment[:10],
    "age": age,
}
_LITERAL = re.compile(r"\d\d:\d\d|\d{4}-\d\d.*")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


@dataclass(frozen=True)
class TableRules:
    """What is natural in a table's entries, and the fields that make one of them odd."""

    holds: dict[str, str] = field(default_factory=dict)
    spoiled: dict[str, Any] = field(default_factory=dict)


class Plausibility:
    """A domain's judgement of what is natural.

    ``reckoned`` holds the rules that are code; they are asked after those of the file. ``spoilt`` are blemishes that
    depend on the entry. One is drawn among the tables and then within one, or among all entries at once.
    """

    def __init__(
        self,
        schema: Mapping[str, Any],
        file: Path,
        reckoned: Mapping[str, OddityCheck],
        spoilt: Mapping[str, Callable[[Record], Record]] | None = None,
        *,
        by_table: bool = False,
        in_file_order: bool = False,
    ) -> None:
        self._tables = read_document(file, dict[str, TableRules])
        self._conditions = {
            name: [(_condition(text), sentence) for text, sentence in table.holds.items()]
            for name, table in self._tables.items()
        }
        self._fields = {
            name: table["additionalProperties"]["properties"] for name, table in schema["properties"].items()
        }
        if unknown := (self._tables.keys() | reckoned.keys()) - self._fields.keys():
            raise ValueError(f"{file}: the schema has no such tables: {', '.join(sorted(unknown))}")
        self._reckoned, self._spoilt = reckoned, spoilt or {}
        self._by_table = by_table
        spoilable = [name for name, table in self._tables.items() if table.spoiled or name in self._spoilt]
        self._spoilable = spoilable if in_file_order else sorted(spoilable)

    def implausible(self, entries: Database) -> list[str]:
        """One sentence for each oddity, judged on these entries alone; empty if all is natural."""
        return [
            f"{table} {key}: {oddity}"
            for table in self._tables
            for key, record in entries.get(table, {}).items()
            for oddity in self._oddities(table, record, entries)
        ]

    def blemish(self, entries: Database, rng: Random) -> None:
        """Make one entry odd in place: valid by the schema, its references whole, but nobody would believe it."""
        tables = [name for name in self._spoilable if entries.get(name)]
        if self._by_table:
            table = rng.choice(tables)
            key = rng.choice(sorted(entries[table]))
        else:
            table, key = rng.choice([(name, key) for name in tables for key in sorted(entries[name])])
        record: Any = entries[table][key]
        if table in self._spoilt:
            record.update(self._spoilt[table](record))
        else:
            fields = self._fields[table]
            record.update({name: _typed(value, fields[name]) for name, value in self._tables[table].spoiled.items()})

    def _oddities(self, table: str, record: Record, entries: Entries) -> Iterator[str]:
        seen = _Seen(self._fields, entries, table, record)
        for holds, sentence in self._conditions[table]:
            if not holds(seen):
                yield _WORDING.vformat(sentence, (), {"": seen})
        if table in self._reckoned:
            yield from self._reckoned[table](record, entries)


class _Seen:
    """An entry among others: its fields, and those of what it refers to."""

    def __init__(self, fields: Mapping[str, Any], entries: Entries, table: str, record: Record) -> None:
        self._fields, self._entries = fields, entries
        self._table, self._record = table, record

    def __getitem__(self, path: str) -> Any:
        if path in self._record:
            return self._record[path]
        if path in ("today", "now"):
            return TODAY.isoformat() if path == "today" else NOW
        table, record = self._table, self._record
        *heads, last = path.split(".")
        if last in _PARTS:
            value = self[".".join(heads)]
            return None if value is None else _PARTS[last](value)
        for head in heads:
            target = self._fields[table][head]["x-references"].partition(".")[0]
            found: Any = self._entries.get(target, {}).get(record[head] or "")
            if found is None:
                return None
            table, record = target, found
        return record[last]


Test = Callable[[_Seen], bool]


class _Wording(Formatter):
    """Fills a sentence's slots, in which dots are those of a path through entries."""

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> tuple[Any, str]:
        return kwargs[""][field_name], field_name


_WORDING = _Wording()


def _condition(text: str) -> Test:
    """Claims, perhaps only under other ones, or always together with them."""
    claims, exactly, others = text.partition(" exactly when ")
    if exactly:
        one, other = _claims(claims), _claims(others)
        return lambda seen: one(seen) == other(seen)
    claims, under, others = text.partition(" if ")
    stated, given = _claims(claims), _claims(others) if under else None
    return stated if given is None else lambda seen: not given(seen) or stated(seen)


def _claims(text: str) -> Test:
    tests = [_claim(each) for each in text.split(" and ")]
    return tests[0] if len(tests) == 1 else lambda seen: all(test(seen) for test in tests)


def _claim(text: str) -> Test:
    """A chain of comparisons, or what a field is."""
    field, _, words = text.partition(" is ")
    if words == "set":
        return lambda seen: seen[field] is not None
    if words == "not set":
        return lambda seen: seen[field] is None
    if words:
        negated, values = words.startswith("not "), words.removeprefix("not ").split(", ")
        return lambda seen: (_written(seen[field]) in values) != negated
    parts = re.split(r" (<=|<|==|!=) ", text)
    terms, signs = [_term(each) for each in parts[::2]], [_COMPARED[each] for each in parts[1::2]]

    def ordered(seen: _Seen) -> bool:
        values = [term(seen) for term in terms]
        return all(
            left is None or right is None or compared(left, right)
            for left, compared, right in zip(values[:-1], signs, values[1:], strict=True)
        )

    return ordered


def _term(text: str) -> Callable[[_Seen], Any]:
    if _NUMBER.fullmatch(text):
        number = float(text)
        return lambda seen: number
    return (lambda seen: text) if _LITERAL.fullmatch(text) else (lambda seen: seen[text])


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _typed(value: Any, field: Mapping[str, Any]) -> Any:
    """A value of the file as the schema wants it."""
    if value == "null":
        return None
    kinds = field["type"]
    if "boolean" in kinds:
        return value == "true"
    if "integer" in kinds:
        return int(value)
    if "number" in kinds:
        return float(value) if "." in value else int(value)
    return value
