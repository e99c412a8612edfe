"""What an excerpt cannot show: how many records there are, in which states, how many belong together, their names."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from toolscale.artifacts import Database, DatabaseSchema

_MOST_STATES = 8
"""A field that knows more values than that says what a record is, not how it stands."""

_NAMES = ("name", "title")
_OF_PEOPLE = frozenset({"email", "e_mail", "phone"})
_MOST_NAMED = 60
_LONGEST = 900
"""Characters of the names of one table."""


def census(schema: DatabaseSchema, database: Database) -> dict[str, str]:
    """Table -> the number of its records, of those in each state, and of the records that they are shared among.

    Such as "60 (status: waiting 31, ready 29; of 40 members, 15 with several)".
    """
    return {table: _counted(schema, database, table) for table in schema.tables}


def _counted(schema: DatabaseSchema, database: Database, table: str) -> str:
    records = database.get(table, {})
    fields = schema.tables[table]["properties"]
    said = dict.fromkeys(
        [*_states(fields, records), *_shares(schema, database, table), *_called(schema, table, records)]
    )
    return f"{len(records)} ({'; '.join(said)})" if said else str(len(records))


def _states(fields: Mapping[str, Any], records: Mapping[str, Any]) -> Iterator[str]:
    for name, rules in fields.items():
        if isinstance(rules, dict) and len(rules.get("enum", [])) in range(2, _MOST_STATES + 1):
            found = Counter(str(record[name]) for _, record in sorted(records.items()) if name in record)
            if len(found) > 1:
                yield f"{name}: {', '.join(f'{value} {count}' for value, count in found.most_common())}"


def _called(schema: DatabaseSchema, table: str, records: Mapping[str, Any]) -> Iterator[str]:
    """The names of what is there for everybody, such as services: of a short table that refers to no other."""
    fields = schema.tables[table]["properties"]
    field = next((name for name in _NAMES if name in fields), None)
    refers = any(reference.table == table for reference in schema.references)
    if field is None or refers or _OF_PEOPLE & fields.keys() or len(records) > _MOST_NAMED:
        return
    names = [str(record[field]) for _, record in sorted(records.items()) if field in record]
    shown = [name for at, name in enumerate(names) if len(", ".join(names[: at + 1])) <= _LONGEST]
    if shown:
        more = len(names) - len(shown)
        yield f"{field}: {', '.join(shown)}{f' and {more} more' if more else ''}"


def _shares(schema: DatabaseSchema, database: Database, table: str) -> Iterator[str]:
    """Among how many others that they refer to the records are shared, where some have several."""
    for reference in schema.references:
        if reference.table == table and reference.target_table != table:
            held = [record.get(reference.field) for record in database.get(table, {}).values()]
            shares = Counter(key for key in held if isinstance(key, str)).values()
            several = sum(share > 1 for share in shares)
            if several:
                yield f"of {len(shares)} {reference.target_table}, {several} with several"
