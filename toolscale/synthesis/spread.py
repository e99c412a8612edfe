"""Whether a table's records are spread as those of a real place are, in figures that its writer can act on.

Programs see what a reader of forty records does not: four animals for all of them, a state that never occurs, dates of
another year. What nobody could mend by writing other records is no shortfall.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import date, datetime
from math import ceil
from typing import Any

from toolscale.artifacts import Database, DatabaseSchema, Json, Reference

ENOUGH = 12
"""Records from which on a table can be said to be spread in any way."""

PER_STATE = 5
"""A table with so many records for each state has each of them."""

MOST_STATES = 10
"""An enumeration of more is a catalogue, of which a place need not have everything."""

FEW = 1 / 5
"""Share of the records that references drawn at random would lead to: fewer are too few."""

LEANING = 3 / 4
"""Most of many records that may refer to one and the same; where there are few to refer to, more may."""

A_HANDFUL = 5
"""So many may always refer to one and the same."""

NEAR = 180
"""Days around the present in which something of every dated table happens."""

ONE_SIDED = 1 / 50
"""At least so much of what is dated lies ahead of the present, and as much behind it: an archive has little ahead."""

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)")
_LONG_AGO = re.compile(
    r"birth|born|since|found|open|join|acquir|bought|built|hire|establish|regist|expir|valid|until", re.IGNORECASE
)
"""In names of fields whose dates say nothing of when things happen."""
_CODE = re.compile(r"[A-Z]{2,4}")

Records = Mapping[str, Mapping[str, Json]]
"""Key -> record, of one table."""


def shortfalls(
    schema: DatabaseSchema,
    new: Database,
    old: Database,
    now: datetime,
    *,
    judged: Collection[str],
    finished: Collection[str],
) -> list[str]:
    """What new records leave to be desired, beside those that are there; one sentence with figures each.

    Args:
        judged: tables that can be judged, though more of them may be written.
        finished: tables of which no more is written, which must have all that such a table has.
    """
    whole = {table: {**old.get(table, {}), **new.get(table, {})} for table in schema.tables}
    found: list[str] = []
    for table in schema.tables:
        if new.get(table) and (table in finished or table in judged):
            found += _unevenly_referring(schema, table, new, whole)
            found += _alike(schema, table, whole[table])
            found += _doubles(schema.primary_keys[table], table, new[table], old.get(table, {}))
            found += _far_from(now, table, whole[table])
        if new.get(table) and table in finished:
            found += _missing_states(schema, table, whole[table])
    if set(finished) >= schema.tables.keys() and _one_sided(new, now):
        found += [said for said in [_one_sided(whole, now)] if said]
    return found


def references_of(schema: DatabaseSchema, table: str) -> list[Reference]:
    """The fields of a table that refer to others."""
    return [reference for reference in schema.references if reference.table == table]


def referred(records: Records, field: str) -> Counter[str]:
    """Key -> how many times the records refer to it in a field."""
    values = (record.get(field) for record in records.values())
    return Counter(
        key for value in values for key in (value if isinstance(value, list) else [value]) if isinstance(key, str)
    )


def states_of(schema: DatabaseSchema, table: str) -> dict[str, list[Any]]:
    """The fields that always have one of a few values -> these values."""
    properties = schema.tables[table]["properties"]
    return {
        field: rules["enum"]
        for field, rules in properties.items()
        if isinstance(rules, dict) and isinstance(rules.get("enum"), list) and None not in rules["enum"]
    }


def dates_of(records: Records) -> dict[str, list[date]]:
    """The fields that say when things happen -> the days that they name."""
    found: dict[str, list[date]] = {}
    for record in records.values():
        for field, value in record.items():
            if isinstance(value, str) and _DATE.match(value) and not _LONG_AGO.search(field):
                try:
                    found.setdefault(field, []).append(date.fromisoformat(value[:10]))
                except ValueError:
                    continue
    return found


def _unevenly_referring(schema: DatabaseSchema, table: str, new: Database, whole: Database) -> Iterator[str]:
    for _, field, target, *_ in references_of(schema, table):
        said = _leaning(table, field, target, referred(whole[table], field), len(whole[target]))
        # What earlier records lean on, new ones that do not cannot mend.
        if said and _leaning(table, field, target, referred(new[table], field), len(whole[target])):
            yield said


def _leaning(table: str, field: str, target: str, counts: Counter[str], targets: int) -> str:
    total = counts.total()
    if total < ENOUGH or targets < 3:
        return ""
    (key, most), *_ = counts.most_common(1)
    if len(counts) < FEW * targets * (1 - (1 - 1 / targets) ** total):
        return (
            f"{total} `{table}` refer in `{field}` to only {len(counts)} of {targets} `{target}`: spread them over more"
        )
    bound = max(A_HANDFUL, int(total * max(LEANING, min(0.8, 6 / targets))))
    if most > bound:
        return (
            f"{most} of {total} `{table}` refer in `{field}` to one of {targets} `{target}`, {key}: at most "
            f"{bound} may, the rest to others"
        )
    return ""


def _missing_states(schema: DatabaseSchema, table: str, records: Records) -> Iterator[str]:
    for field, states in states_of(schema, table).items():
        met = [record.get(field) for record in records.values()]
        lacking = [state for state in states if state not in met]
        if lacking and len(states) <= MOST_STATES and len(records) >= max(ENOUGH, PER_STATE * len(states)):
            named = ", ".join(f"`{state}`" for state in lacking)
            yield f"none of {len(records)} `{table}` has the `{field}` {named}: let each state occur"


def _alike(schema: DatabaseSchema, table: str, records: Records) -> Iterator[str]:
    known = {reference.field for reference in references_of(schema, table)} | states_of(schema, table).keys()
    for field in schema.tables[table]["properties"]:
        values = [record[field] for record in records.values() if record.get(field) is not None]
        if field in known or len(values) < ENOUGH or len({json.dumps(value) for value in values}) > 1:
            continue
        value = values[0]
        resting = value in (0, 1, "") or isinstance(value, list | dict) or _CODE.fullmatch(str(value))
        if not resting and "enum" not in schema.tables[table]["properties"][field]:
            yield f"all {len(values)} `{table}` have the same `{field}`, {value!r}: let it differ"


def _doubles(key_field: str, table: str, new: Records, old: Records) -> Iterator[str]:
    def content(record: Mapping[str, Json]) -> str:
        return json.dumps({field: value for field, value in record.items() if field != key_field}, sort_keys=True)

    met = Counter(content(record) for record in (*old.values(), *new.values()))
    doubles = [key for key, record in new.items() if met[content(record)] > 1]
    if len(new) >= ENOUGH and len(doubles) > len(new) / 4:
        named = ", ".join(doubles[:6])
        yield f"{len(doubles)} of {len(new)} `{table}` repeat another in all but the key ({named}): make them differ"


def _far_from(now: datetime, table: str, records: Records) -> Iterator[str]:
    by_field = dates_of(records)
    days = sorted(day for each in by_field.values() for day in each)
    if len(days) >= ENOUGH and min(abs((day - now.date()).days) for day in days) > NEAR:
        named = ", ".join(f"`{field}`" for field in by_field)
        yield (
            f"the dates of `{table}` ({named}) lie from {days[0]} to {days[-1]}, none within {NEAR} days of "
            f"the present, {now.date()}: date them around it"
        )


def _one_sided(database: Database, now: datetime) -> str:
    days = [
        (day - now.date()).days
        for records in database.values()
        for each in dates_of(records).values()
        for day in each
        if abs((day - now.date()).days) <= 2 * NEAR
    ]
    ahead = sum(day > 0 for day in days)
    behind = sum(day < 0 for day in days)
    if len(days) < ENOUGH or min(ahead, behind) >= ONE_SIDED * len(days):
        return ""
    return (
        f"of {len(days)} dates around the present, {now.date()}, {ahead} lie ahead of it and {behind} behind it: "
        f"at least {ceil(ONE_SIDED * len(days))} must lie on either side"
    )
