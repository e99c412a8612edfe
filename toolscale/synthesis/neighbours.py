"""What the writer of a table sees of those that it may refer to, and of what it wrote before."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from random import Random
from typing import Any

from toolscale.artifacts import Database, DatabaseSchema, Json
from toolscale.synthesis.spread import dates_of, references_of, referred, states_of

SHOWN = 40_000
"""Characters of all neighbours together, some 13,000 tokens: a writer must agree with what it cannot look up."""

KEYS_SHOWN = 6_000
"""Characters of a table's keys that are taken already."""

MOST_FIELDS = 20
LONGEST_VALUE = 120
_CONTACT = frozenset({"email", "idn-email", "uri", "uri-reference", "iri", "hostname", "ipv4", "ipv6", "uuid"})


def neighbours(schema: DatabaseSchema, database: Database, tables: Sequence[str], *, seed: str) -> list[str]:
    """The records that records of these tables may refer to, directly or not: a text a table.

    Each has a line a record: its key and the fields that tell it from others. What is too large altogether is drawn
    by the seed, alike much of each large table, and says so.
    """
    seen = [table for table in _referred_to(schema, tables) if database.get(table)]
    lines = {table: _lines(schema, table, database[table]) for table in seen}
    left = SHOWN
    texts: dict[str, str] = {}
    for done, table in enumerate(sorted(seen, key=lambda table: sum(map(len, lines[table])))):
        drawn = _drawn(lines[table], left // (len(seen) - done), Random(f"{seed}:{table}"))
        left -= sum(map(len, drawn))
        texts[table] = _headed(schema, table, drawn, len(database[table]))
    return [texts[table] for table in seen]


def so_far(schema: DatabaseSchema, database: Database, tables: Sequence[str], now: datetime) -> list[str]:
    """What there is of the tables themselves: figures, the keys that are taken, and the latest records in full."""
    return [_summary(schema, database, table, now) for table in tables if database.get(table)]


def _referred_to(schema: DatabaseSchema, tables: Sequence[str]) -> list[str]:
    """The tables that others refer to, directly or not, in the order in which they are written."""
    found: set[str] = set()
    waiting = list(tables)
    while waiting:
        targets = {reference.target_table for reference in references_of(schema, waiting.pop())} - found
        found |= targets
        waiting += targets
    return [table for table in schema.in_order if table in found]


def _lines(schema: DatabaseSchema, table: str, records: Mapping[str, Mapping[str, Json]]) -> list[str]:
    """The names of the fields, then a line a record."""
    fields = _telling(schema, table, records)
    rows = ([record.get(field) for field in fields] for record in records.values())
    return [f"{line}\n" for line in map(_json, [fields, *rows])]


def _telling(schema: DatabaseSchema, table: str, records: Mapping[str, Mapping[str, Json]]) -> list[str]:
    """The fields that matter to whoever refers to a record: key, owners, states, dates, amounts, then short texts."""
    properties = schema.tables[table]["properties"]
    known = {schema.primary_keys[table]: 0} | {each.field: 1 for each in references_of(schema, table)}

    def short(field: str) -> bool:
        values = [record.get(field) for record in records.values()]
        return all(not isinstance(value, dict) and len(_json(value)) <= LONGEST_VALUE for value in values)

    def weight(field: str) -> int:
        rules = properties[field] if isinstance(properties[field], dict) else {}
        if field in known:
            return known[field]
        tells = {"enum", "format", "minimum", "maximum"} & rules.keys()
        return 2 if tells or rules.get("type") in ("boolean", "integer", "number") or "name" in field else 3

    candidates = [
        field
        for field, rules in properties.items()
        if not (isinstance(rules, dict) and rules.get("format") in _CONTACT) and (field in known or short(field))
    ]
    return sorted(candidates, key=weight)[:MOST_FIELDS]


def _drawn(lines: Sequence[str], room: int, rng: Random) -> list[str]:
    """The head and as many lines as there is room for, in the order in which they stand."""
    head, *rows = lines
    if sum(map(len, lines)) <= room:
        return list(lines)
    size = max(1, (room - len(head)) * len(rows) // max(1, sum(map(len, rows))))
    chosen = sorted(rng.sample(range(len(rows)), min(size, len(rows))))
    return [head, *(rows[index] for index in chosen)]


def _headed(schema: DatabaseSchema, table: str, lines: Sequence[str], total: int) -> str:
    shown = len(lines) - 1
    how_many = f"all {total}" if shown == total else f"{shown} drawn from {total}"
    return f"`{table}` ({how_many}):\n```\n{''.join(lines)}```"


def _summary(schema: DatabaseSchema, database: Database, table: str, now: datetime) -> str:
    records = database[table]
    latest = dict(list(records.items())[-2:])
    lines = [f"`{table}`: {len(records)} so far", *_figures(schema, database, table, now)]
    return "\n".join([*lines, f"keys that are taken: {_keys(records)}", f"the latest: {_json(latest)}"])


def _figures(schema: DatabaseSchema, database: Database, table: str, now: datetime) -> Iterator[str]:
    records = database[table]
    for field, states in states_of(schema, table).items():
        counts = Counter(str(record.get(field)) for record in records.values())
        yield f"`{field}`: {', '.join(f'{state} {counts[str(state)]}' for state in states)}"
    for reference in references_of(schema, table):
        counts = referred(records, reference.field)
        if counts:
            most = ", ".join(f"{key} ({times})" for key, times in counts.most_common(3))
            targets = len(database.get(reference.target_table, {}))
            yield f"`{reference.field}`: {len(counts)} of {targets} `{reference.target_table}`, most often {most}"
    for field, days in dates_of(records).items():
        ahead = sum(day > now.date() for day in days)
        yield f"`{field}`: {min(days)} to {max(days)}, {ahead} of {len(days)} ahead of the present"


def _keys(records: Mapping[str, Any]) -> str:
    keys = list(records)
    room = KEYS_SHOWN // (max(map(len, keys)) + 2)
    if len(keys) <= room:
        return ", ".join(keys)
    return f"{', '.join(keys[: room // 2])} ... {', '.join(keys[-room // 2 :])} ({len(keys)} in all)"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
