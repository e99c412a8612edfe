"""The database in parts, each written in one call: subject by subject, and within a subject table by table."""

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from toolscale.artifacts import DatabaseSchema, Subject
from toolscale.artifacts.needs import in_order_of_needs

BATCH = 60
"""Most records that are asked for at once: some 6,000 tokens, which any model can say in one answer."""


class Part(NamedTuple):
    """What one call writes."""

    subject: Subject
    number: int
    """Among the parts of its subject, from 1."""
    of: int
    wanted: dict[str, int]
    """Table -> how many records; empty where the schema does not say."""
    alone: frozenset[str]
    """Tables that no other subject writes."""
    finished: frozenset[str]
    """Tables that no later part writes."""


def parts_of(subjects: Sequence[Subject], schema: DatabaseSchema, scale: float = 1) -> list[Part]:
    """The parts in the order in which they are written, so that each finds what its records refer to.

    Args:
        scale: multiplies what the schema says of each table.
    """
    wanted = {
        subject.name: {
            table: max(1, round(scale * count))
            for table in schema.in_order
            if (count := schema.records.get(subject.name, {}).get(table, 0))
        }
        for subject in subjects
    }
    batches = [
        (subject, number, parts)
        for subject in in_order(subjects, schema)
        for parts in [_batches(wanted[subject.name])]
        for number in range(len(parts))
    ]
    written_by = {name: frozenset(tables or schema.tables) for name, tables in wanted.items()}
    later: frozenset[str] = frozenset()
    found: list[Part] = []
    for subject, number, parts in reversed(batches):
        others = frozenset().union(*(tables for name, tables in written_by.items() if name != subject.name))
        everything = frozenset(schema.tables)
        part = Part(subject, number + 1, len(parts), parts[number], everything - others, everything - later)
        later |= frozenset(part.wanted or schema.tables)
        found.append(part)
    return found[::-1]


def in_order(subjects: Sequence[Subject], schema: DatabaseSchema) -> list[Subject]:
    """The subjects, each after those that write what its records refer to and it does not write itself."""
    tables = {subject.name: schema.records.get(subject.name, {}).keys() for subject in subjects}

    def before(optional: bool) -> dict[str, set[str]]:
        targets = schema.targets(optional=optional)
        lacking = {
            name: {t for table in own for t in targets.get(table, ()) if t not in own} for name, own in tables.items()
        }
        return {name: {each for each, own in tables.items() if own & lacking[name]} for name in tables}

    by_name = {subject.name: subject for subject in subjects}
    return [by_name[name] for name in in_order_of_needs(list(by_name), before(False), before(True))]


def _batches(wanted: dict[str, int]) -> list[dict[str, int]]:
    """Runs of about equal length through the tables; one of nothing where nothing is said."""
    total = sum(wanted.values())
    count = max(1, math.ceil(total / BATCH))
    ends = list(accumulate(wanted.values()))
    starts = [end - size for end, size in zip(ends, wanted.values(), strict=True)]
    return [
        {
            table: overlap
            for table, start, end in zip(wanted, starts, ends, strict=True)
            if (overlap := min(end, to) - max(start, first)) > 0
        }
        for first, to in pairwise(total * number // count for number in range(count + 1))
    ]
