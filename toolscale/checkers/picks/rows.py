"""A function's result as rows to pick from: the entries of its lists, and the keys of its objects."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from toolscale.artifacts import Json
from toolscale.artifacts.base import JsonPath

EACH = "*"
"""Stands in a place for the position or the key of an entry."""

MOST_ROWS = 1000
"""Entries of one result that are looked at, in all its lists. Nobody picks from more, and results are hostile."""
MOST_FIELDS = 200
"""Fields of an entry, and of all that holds it."""

ListedEntry = dict[JsonPath, Json]
"""One entry of a list: the place of each field, the position in lists left out, and its value.

The fields of what holds the list count too, so that the items of two orders are told apart by their orders. A list of
plain values is one field.
"""


class ListedEntries(NamedTuple):
    """Entries that stand in one list, or in the same list of several entries."""

    place: JsonPath
    """The place of an entry; where the places of its own fields begin."""
    rows: tuple[ListedEntry, ...]


def listings(result: Json) -> list[ListedEntries]:
    """The lists of a result that have at least two entries."""
    found: dict[JsonPath, list[ListedEntry]] = {}
    for place, row in islice(_rows(result, (), {}), MOST_ROWS):
        found.setdefault(place, []).append(row)
    return [ListedEntries(place, tuple(rows)) for place, rows in found.items() if len(rows) > 1]


def _rows(value: Json, place: JsonPath, around: ListedEntry) -> Iterator[tuple[JsonPath, ListedEntry]]:
    """Every entry of every list, with its place; of each list all entries before what stands in them."""
    if isinstance(value, dict) and not _is_listing(value):
        own = _row(around, {}, value, place)
        for name, member in value.items():
            if isinstance(member, dict | list):
                yield from _rows(member, (*place, name), own)
        return
    if not isinstance(value, dict | list):
        return
    inside = (*place, EACH)
    keyed: Iterable[tuple[Json, Json]] = value.items() if isinstance(value, dict) else ((None, each) for each in value)
    entries: list[tuple[ListedEntry, Json]] = []
    for key, member in islice(keyed, MOST_ROWS):
        named: ListedEntry = {(*inside, EACH): key} if isinstance(key, str) else {}
        entries.append((_row(around, named, member, inside), member))
    yield from ((inside, row) for row, _ in entries)
    for row, member in entries:
        yield from _rows(member, inside, row)


def _row(around: ListedEntry, named: ListedEntry, value: Json, place: JsonPath) -> ListedEntry:
    own = {**named, **dict(islice(_fields(value, place), MOST_FIELDS))}
    return {**own, **dict(islice(around.items(), max(0, MOST_FIELDS - len(own))))}


def _is_listing(value: dict[str, Json]) -> bool:
    """Whether an object's keys name entries, each an object or a number, rather than fields."""
    return bool(value) and (
        all(isinstance(member, dict) for member in value.values())
        or all(isinstance(member, int | float) for member in value.values())
    )


def _fields(value: Json, place: JsonPath) -> Iterator[tuple[JsonPath, Json]]:
    """What an entry says of itself: its values, those of objects in it, and lists of plain values, whole."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _fields(member, (*place, key))
    elif not isinstance(value, list) or not any(isinstance(member, dict | list) for member in value):
        yield place, value
