"""A part of the database that fits into a prompt: some entries, with what they refer to and what refers to them."""

from collections.abc import Iterable
from random import Random
from typing import Any, cast

from toolscale.artifacts import Database, DatabaseSchema, EntryRef, EnvironmentSpec

NEIGHBOURS = 6
"""At most so many entries of one table are drawn in because they refer to a chosen one."""


def excerpt(
    schema: DatabaseSchema, database: Database, *, seed: str, size: int = 60, focus: Iterable[EntryRef] = ()
) -> Database:
    """About `size` entries around the focus (or around entries drawn by the seed), closed under references.

    The same arguments give the same excerpt. Tables keep the schema's order, entries their keys' order.
    """
    rng = Random(seed)
    chosen: dict[EntryRef, None] = {}
    everything = [EntryRef(table, key) for table in schema.tables for key in sorted(database.get(table, {}))]
    waiting = [ref for ref in focus if ref.key in database.get(ref.table, {})]
    drawn = iter(rng.sample(everything, len(everything)))
    while len(chosen) < min(size, len(everything)):
        seed_entry = waiting.pop(0) if waiting else next(drawn)
        if seed_entry in chosen:
            continue
        for referrer in [seed_entry, *_referrers(schema, database, seed_entry, rng)]:
            _add_with_references(schema, database, referrer, chosen)
    return {
        table: {ref.key: database[table][ref.key] for ref in sorted(chosen) if ref.table == table}
        for table in schema.tables
    }


def _referrers(schema: DatabaseSchema, database: Database, target: EntryRef, rng: Random) -> list[EntryRef]:
    """Some of the entries that refer to the target."""
    found = []
    for reference in schema.references:
        if reference.target_table != target.table:
            continue
        keys = [
            key
            for key, record in sorted(database.get(reference.table, {}).items())
            if target.key in _as_list(record.get(reference.field))
        ]
        found += [EntryRef(reference.table, key) for key in rng.sample(keys, min(NEIGHBOURS, len(keys)))]
    return found


def _add_with_references(
    schema: DatabaseSchema, database: Database, ref: EntryRef, chosen: dict[EntryRef, None]
) -> None:
    if ref in chosen or ref.key not in database.get(ref.table, {}):
        return
    chosen[ref] = None
    for reference in schema.references:
        if reference.table == ref.table:
            for key in _as_list(database[ref.table][ref.key].get(reference.field)):
                if isinstance(key, str):
                    _add_with_references(schema, database, EntryRef(reference.target_table, key), chosen)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def database_in(environment: EnvironmentSpec) -> Database:
    """The environment's database as tables of records, which a synthesised environment's always is."""
    return cast(Database, environment.database)
