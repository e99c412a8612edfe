"""How many records there are, in which states, and how many of them belong together: what an excerpt cannot show."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from toolscale.artifacts import Database, DatabaseSchema

_MOST_STATES = 8
"""A field that knows more values than that says what a record is, not how it stands."""


def census(schema: DatabaseSchema, database: Database) -> dict[str, str]:
    """Table -> the number of its records, of those in each state, and of the records that they are shared among.

    Such as "60 (status: waiting 31, ready 29; of 40 members, 15 with several)".
    """
    return {table: _counted(schema, database, table) for table in schema.tables}


def _counted(schema: DatabaseSchema, database: Database, table: str) -> str:
    records = database.get(table, {})
    said = dict.fromkeys([*_states(schema.tables[table]["properties"], records), *_shares(schema, database, table)])
    return f"{len(records)} ({'; '.join(said)})" if said else str(len(records))


def _states(fields: Mapping[str, Any], records: Mapping[str, Any]) -> Iterator[str]:
    for name, rules in fields.items():
        if isinstance(rules, dict) and len(rules.get("enum", [])) in range(2, _MOST_STATES + 1):
            found = Counter(str(record[name]) for _, record in sorted(records.items()) if name in record)
            if len(found) > 1:
                yield f"{name}: {', '.join(f'{value} {count}' for value, count in found.most_common())}"


def _shares(schema: DatabaseSchema, database: Database, table: str) -> Iterator[str]:
    """Among how many others that they refer to the records are shared, where some have several."""
    for reference in schema.references:
        if reference.table == table and reference.target_table != table:
            held = [record.get(reference.field) for record in database.get(table, {}).values()]
            shares = Counter(key for key in held if isinstance(key, str)).values()
            several = sum(share > 1 for share in shares)
            if several:
                yield f"of {len(shares)} {reference.target_table}, {several} with several"
