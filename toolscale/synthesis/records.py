"""Records before they enter the database: what is wrong with which of them, and what is left without these."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toolscale.artifacts import Database, DatabaseSchema, EntryRef
from toolscale.artifacts.bounded_schema import TooIntricate, errors_in, validator_of


class Fault(NamedTuple):
    """Why a record cannot stay, or all records of a table where there is no key."""

    table: str
    key: str | None
    said: str
    """One sentence that names the record, too."""


Dropped = dict[EntryRef, list[str]]
"""Record -> why it was dropped."""


def record_faults(records: Database, schema: DatabaseSchema, database: Database) -> Iterator[Fault]:
    """What a program finds wrong with new records, given the database that they are to join."""
    for table, of_table in records.items():
        if table not in schema.tables:
            yield Fault(table, None, f"there is no table `{table}`")
            continue
        validator = validator_of(schema.tables[table], formats=True)
        key_field = schema.primary_keys[table]
        for key, record in of_table.items():
            try:
                for error in errors_in(validator, record):
                    where = "/".join(str(part) for part in (table, key, *error.absolute_path))
                    yield Fault(table, key, f"{where}: {error.message[:200]}")
            except TooIntricate as error:
                yield Fault(table, key, f"{table}/{key}: {error}")
            if record.get(key_field) != key:
                yield Fault(table, key, f"{table}/{key}: its `{key_field}` is {record.get(key_field)!r}, not its key")
            if key in database.get(table, {}):
                yield Fault(table, key, f"{table}/{key}: the key is taken")
    for reference in schema.references:
        table, target_table = reference.table, reference.target_table
        known = database.get(target_table, {}).keys() | records.get(target_table, {}).keys()
        for key, record in records.get(table, {}).items():
            value = record.get(reference.field)
            for target in value if isinstance(value, list) else [value]:
                if target is not None and not (isinstance(target, str) and target in known):
                    yield Fault(table, key, f"{table}/{key}: `{reference.field}` {target!r} is not in {target_table}")


def without(
    records: Database, faults: Iterable[Fault], schema: DatabaseSchema, database: Database
) -> tuple[Database, Dropped]:
    """The records that no fault names and a program finds nothing wrong with; and why each other was dropped.

    What refers to a dropped record is dropped too, since its reference leads nowhere then.
    """
    dropped: Dropped = {}
    named = list(faults)
    while named:
        reasons: dict[EntryRef, list[str]] = defaultdict(list)
        for fault in named:
            for key in records.get(fault.table, {}) if fault.key is None else [fault.key]:
                reasons[EntryRef(fault.table, key)].append(fault.said)
        dropped |= reasons
        records = {
            table: {key: record for key, record in of_table.items() if EntryRef(table, key) not in dropped}
            for table, of_table in records.items()
        }
        records = {table: of_table for table, of_table in records.items() if of_table}
        named = list(record_faults(records, schema, database))
    return records, dropped


def referred_to(records: Database, schema: DatabaseSchema, database: Database) -> Database:
    """The existing records that new ones refer to."""
    found: Database = {}
    for reference in schema.references:
        for record in records.get(reference.table, {}).values():
            value = record.get(reference.field)
            for key in value if isinstance(value, list) else [value]:
                if isinstance(key, str) and key in database.get(reference.target_table, {}):
                    found.setdefault(reference.target_table, {})[key] = database[reference.target_table][key]
    return found
