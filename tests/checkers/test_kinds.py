"""What kind of value a bare number is, is told by where it stands in the golden results."""

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolscale.artifacts import CallOutcome, EnvironmentSpec, FactKind, Task
from toolscale.checkers.kinds import facts_of
from toolscale.checkers.said import Fact, fact_of, is_said

SCHEMA: dict[str, Any] = {
    "stations": {"properties": {"highest": {"type": "number", "description": "°C"}}},
    "rooms": {"properties": {"rate": {"type": "number", "description": "EUR a night, without meals"}}},
    "codes": {"properties": {"value": {"type": "number", "description": "percent, or EUR"}}},
}


def facts(results: list[Any], *info: str, said: dict[str, FactKind] | None = None) -> list[Fact]:
    """The facts of a task whose golden calls returned these results."""
    spec = EnvironmentSpec(
        domain="shop", now=datetime(2026, 1, 1), functions=[], source="", database={}, json_schema=SCHEMA
    )
    task = Task(id="t", communicate_info=list(info), fact_kinds=said or {})
    return facts_of(task, [CallOutcome(name="look", arguments={}, result=result) for result in results], spec)


@pytest.mark.parametrize(
    ("result", "kind", "unit"),
    [
        ({"price": 74.0}, "amount", ""),
        ({"price_per_night": 74.0}, "amount", ""),
        ({"fee": 74}, "amount", ""),
        ({"total": 74.0, "lines": [{"unit_price": 37.0}]}, "amount", ""),
        ({"rate": 74.0}, "amount", ""),
        ({"points_balance": 74}, "count", ""),
        ({"seatsLeft": 74, "seats": 74}, "count", ""),
        ({"distance_km": 74}, "quantity", "km"),
        ({"temperature_c": 74}, "quantity", "°c"),
        ({"delay_minutes": 74}, "quantity", "minutes"),
        ({"highest": 74}, "quantity", "°c"),
        ({"dose": {"amount": 74, "unit": "mg"}}, "quantity", "mg"),
    ],
)
def test_a_bare_number_is_of_the_kind_that_its_place_tells(result: Any, kind: FactKind, unit: str) -> None:
    assert facts([result], "74.0") == [Fact("74.0", kind, unit)]


@pytest.mark.parametrize(
    "results",
    [
        [{"price": 74.0}, {"points": 74}],
        [{"price": 74.0, "grade": 74}],
        [{"total": 74.0}],
        [{"price_level": 74}],
        [{"value": 74.0}],
        [{"amount": 74, "unit": "pieces"}],
        [{"price": 75.0}],
        ["The price is 74.0."],
        [],
    ],
)
def test_where_places_disagree_or_one_does_not_tell_the_form_decides(results: list[Any]) -> None:
    assert facts(results, "74.0") == [Fact("74.0", "number")]


def test_a_form_that_tells_its_kind_keeps_it() -> None:
    results = [{"price": 3.0, "seats": 3, "fee": "2026-12-03", "balance": "10:30"}]
    for info in ("3 EUR", "3 km", "2026-12-03", "10:30", "LV-3"):
        assert facts(results, info) == [fact_of(info)]


def test_what_the_author_says_goes_before_the_place() -> None:
    assert facts([{"price": 74.0}], "74.0", said={"74.0": "count"}) == [Fact("74.0", "count")]
    assert facts([{"distance_km": 74}], "74", said={"74": "quantity"}) == [Fact("74", "quantity", "km")]


@pytest.mark.parametrize(
    ("result", "info", "said", "not_said"),
    [
        (
            {"price": 74.0},
            "74.0",
            ["It costs 74.", "€74.00", "74 per night", "Price per ticket: 74.00", "74 a person"],
            ["You have 74 points.", "It is 74 km away.", "74 seats are left.", "your ticket 74"],
        ),
        (
            {"fee": 0.0},
            "0.0",
            ["It is free of charge.", "There is no cancellation fee.", "EUR 0.00"],
            ["No seats left."],
        ),
        ({"seats": 3}, "3", ["There are 3 seats left.", "three"], ["It is 3 km away.", "Terminal 3", "It costs €3."]),
        (
            {"distance_km": 12},
            "12",
            ["It is 12 km away.", "Distance: 12", "12 kilometres", "12000 m"],
            ["It takes 12 minutes.", "It costs €12.", "12 miles", "gate 12"],
        ),
    ],
)
def test_the_kind_says_what_a_number_may_stand_for(
    result: Any, info: str, said: list[str], not_said: list[str]
) -> None:
    (fact,) = facts([result], info)
    assert [message for message in said if not is_said(fact, message)] == []
    assert [message for message in not_said if is_said(fact, message)] == []


NUMBERS = st.sampled_from([3, 3.0, 12, 74.0, 0])
NAMES = st.sampled_from(["price", "total", "seats", "distance_km", "grade", "highest", "unit", "value", "points_cost"])
RESULTS = st.lists(st.dictionaries(NAMES, NUMBERS | st.sampled_from(["km", "3", "74.0"]), max_size=4), max_size=3)
FACTS = st.sampled_from(["3", "3.0", "74.00", "3 km", "EUR 12", "2026-12-03", "LV-3", "Anna Keller", "0"])


@given(RESULTS, st.lists(FACTS, max_size=3, unique=True))
def test_kinds_that_are_published_change_nothing(results: list[Any], info: list[str]) -> None:
    found = facts(results, *info)
    assert facts(results, *info, said={fact.text: fact.kind for fact in found}) == found
