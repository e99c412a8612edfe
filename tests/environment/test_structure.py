"""What makes two databases equal, and what a diff between them says."""

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from toolscale.artifacts import EntryRef
from toolscale.environment.structure import ABSENT, EntryChange, diff, entries, entry_of, equal

scalars = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, 1.0, 2.5]) | st.sampled_from(["", "a", "b"])
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["", "a", "b", "c"]), inner, max_size=3)
    ),
    max_leaves=8,
)
databases = st.dictionaries(st.sampled_from(["t", "u", "v"]), values, max_size=3)


def reordered(value: Any) -> Any:
    """The same value with every object's keys the other way round, and whole numbers as floats."""
    if isinstance(value, dict):
        return {key: reordered(value[key]) for key in reversed(value)}
    if isinstance(value, list):
        return [reordered(member) for member in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def applied(database: dict[str, Any], changes: list[EntryChange]) -> dict[str, Any]:
    """The database after the changes, rebuilt from its entries by following each field's path."""
    state: dict[EntryRef, Any] = dict(entries(copy.deepcopy(database)))
    for change in changes:
        ref = EntryRef(change.table, change.key)
        holder: Any = {"entry": state.pop(ref, ABSENT)}
        for field in reversed(change.fields):
            inner, last = holder, "entry"
            for step in field.path:
                inner, last = inner[last], step  # type: ignore[assignment]
            if field.after is not ABSENT:
                if isinstance(inner, list) and last == len(inner):  # type: ignore[comparison-overlap]
                    inner.append(copy.deepcopy(field.after))
                else:
                    inner[last] = copy.deepcopy(field.after)
            else:
                del inner[last]
        if "entry" in holder:
            state[ref] = holder["entry"]
    rebuilt: dict[str, Any] = {}
    for (table, key), entry in sorted(state.items(), key=lambda pair: pair[0]):
        if key == "":
            rebuilt[table] = copy.deepcopy(entry)
        else:
            rebuilt[table][key] = entry
    return rebuilt


@given(databases, databases)
def test_a_diff_is_empty_if_and_only_if_the_databases_are_equal(a: dict[str, Any], b: dict[str, Any]) -> None:
    assert (diff(a, b) == []) == equal(a, b)


@given(databases)
def test_key_order_and_the_kind_of_number_are_nothing(a: dict[str, Any]) -> None:
    assert equal(a, reordered(a))
    assert diff(a, reordered(a)) == []


@given(databases, databases)
def test_equality_is_symmetric(a: dict[str, Any], b: dict[str, Any]) -> None:
    assert equal(a, b) == equal(b, a)


@given(databases, databases)
def test_the_other_way_round_a_diff_names_the_same_entries_with_sides_swapped(
    a: dict[str, Any], b: dict[str, Any]
) -> None:
    opposite = {"added": "removed", "removed": "added", "changed": "changed"}
    there = {
        (c.table, c.key, opposite[c.kind]): {(f.path, str(f.after), str(f.before)) for f in c.fields}
        for c in diff(a, b)
    }
    back = {(c.table, c.key, c.kind): {(f.path, str(f.before), str(f.after)) for f in c.fields} for c in diff(b, a)}
    assert there == back


@given(databases, databases)
def test_applying_a_diff_to_what_was_gives_what_is(a: dict[str, Any], b: dict[str, Any]) -> None:
    assert equal(applied(a, [_grown(change) for change in diff(a, b)]), b)


def _grown(change: EntryChange) -> EntryChange:
    """Fields in the order in which ``applied`` can follow them backwards: a list shrinks from its end, grows to it."""
    grown = [f for f in change.fields if f.before is ABSENT]
    return EntryChange(
        change.table, change.key, change.kind, [*reversed(grown), *(f for f in change.fields if f not in grown)]
    )


@given(databases)
def test_an_entry_is_found_by_its_name(a: dict[str, Any]) -> None:
    for ref, entry in entries(a):
        assert equal(entry_of(a, ref), entry)
    assert entry_of(a, EntryRef("nowhere", "")) is ABSENT


def test_truth_is_not_a_number() -> None:
    assert not equal(True, 1)
    assert not equal(0, False)
    assert not equal(None, 0)
    assert equal({"a": [1, 2.0]}, {"a": [1.0, 2]})
    assert not equal([1, 2], [2, 1])


def test_a_diff_says_which_field_of_which_entry_changed() -> None:
    before: dict[str, Any] = {"trains": {"T1": {"seats": 3, "stops": ["Bern", "Chur"]}}, "bookings": {}}
    after: dict[str, Any] = {"trains": {"T1": {"seats": 2, "stops": ["Bern"]}}, "bookings": {"B1": {"paid": True}}}
    assert [change.as_json() for change in diff(before, after)] == [
        {
            "table": "trains",
            "key": "T1",
            "kind": "changed",
            "fields": [
                {"path": ["seats"], "before": 3, "after": 2},
                {"path": ["stops", 1], "before": "Chur"},
            ],
        },
        {"table": "bookings", "key": "B1", "kind": "added", "fields": [{"path": [], "after": {"paid": True}}]},
    ]
