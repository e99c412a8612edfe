"""Results as rows: every entry of every list, with what holds it, and no more of it than is worth looking at."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from toolscale.artifacts import Json
from toolscale.checkers.picks.rows import EACH, MOST_FIELDS, MOST_ROWS, listings

PLAIN = st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=2)
RESULTS: st.SearchStrategy[Any] = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("xyz", max_size=2), inner, max_size=4),
    max_leaves=20,
)


def entries_of_lists(value: Json) -> int:
    """Entries of all lists in a value."""
    inside = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return (len(inside) if isinstance(value, list) else 0) + sum(map(entries_of_lists, inside))


def stands_in(value: Json, result: Json) -> bool:
    inside: list[Json] = [*result, *result.values()] if isinstance(result, dict) else []
    return value == result or any(
        stands_in(value, member) for member in inside or (result if isinstance(result, list) else [])
    )


@settings(max_examples=50)
@given(RESULTS)
def test_what_a_row_holds_stands_in_the_result(result: Json) -> None:
    for listing in listings(result):
        assert all(stands_in(value, result) for row in listing.rows for value in row.values())


@settings(max_examples=50)
@given(st.lists(st.dictionaries(st.text("xyz", min_size=1), PLAIN), min_size=2, max_size=6))
def test_the_entries_of_a_flat_list_are_its_rows(result: list[Json]) -> None:
    (listing, *_) = listings(result)
    assert [{place[-1]: value for place, value in row.items()} for row in listing.rows] == result


def test_entries_of_lists_in_entries_carry_what_holds_them() -> None:
    result: Json = {
        "member": "M",
        "orders": [
            {"order": "A", "items": [{"sku": "1", "sizes": ["S", "M"]}, {"sku": "2", "sizes": []}]},
            {"order": "B", "items": [{"sku": "1", "sizes": ["S"]}]},
        ],
    }
    places = {listing.place: listing.rows for listing in listings(result)}
    assert set(places) == {
        ("orders", EACH),
        ("orders", EACH, "items", EACH),
        ("orders", EACH, "items", EACH, "sizes", EACH),
    }
    told = [sorted(json.dumps(value) for value in row.values()) for row in places["orders", EACH, "items", EACH]]
    assert told == [
        ['"1"', '"A"', '"M"', '["S", "M"]'],
        ['"2"', '"A"', '"M"', "[]"],
        ['"1"', '"B"', '"M"', '["S"]'],
    ]


def test_only_so_much_of_a_result_is_looked_at_as_anybody_picks_from() -> None:
    wide: Json = {f"field{number}": number for number in range(3 * MOST_FIELDS)}
    result: Json = {"head": wide, "rows": [{"key": str(number), "rest": wide} for number in range(2 * MOST_ROWS)]}
    found = {listing.place: listing.rows for listing in listings(result)}
    assert sum(map(len, found.values())) <= MOST_ROWS
    assert all(len(row) <= MOST_FIELDS + 1 for rows in found.values() for row in rows)
    assert ("rows", EACH, "key") in found["rows", EACH][0]
