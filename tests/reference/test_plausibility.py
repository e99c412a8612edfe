"""Plausibility: what a domain's file says of natural entries is asked of each, and a blemish breaks it."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from toolscale.reference.moments import day
from toolscale.reference.plausibility import Plausibility
from toolscale.reference.schemas import (
    CLOCK,
    DATE,
    FLAG,
    MOMENT,
    database,
    key,
    money,
    one_of,
    optional,
    reference,
    table,
    whole,
)

SCHEMA = database(
    trips=table(trip_id=key("T"), starts_at=MOMENT, places=whole()),
    bookings=table(
        booking_id=key("B"),
        trip_id=reference("trips.trip_id"),
        people=whole(),
        price=money(),
        wakes=CLOCK,
        booked_on=DATE,
        returned_on=optional(DATE),
        status=one_of(("open", "returned")),
        insured=FLAG,
    ),
)
RULES = """
trips:
  holds:
    06:00 <= starts_at.clock <= 20:00: nobody leaves at {starts_at.clock}
bookings:
  holds:
    1 <= price <= 90.5: nobody pays {price:.2f}
    people <= trip_id.places: "{people} people on {trip_id.places} places"
    booked_on <= today and booked_on <= returned_on: it was booked too late
    returned_on is set exactly when status is returned: its state and its day do not match
    insured is true if 50 < price: what is dear is insured
  spoiled: {price: 900.0, status: returned}
"""
TRIP = {"trip_id": "T1", "starts_at": "2026-12-01T08:00", "places": 4}
BOOKING = {
    **{"booking_id": "B1", "trip_id": "T1", "people": 2, "price": 40.0, "wakes": "07:00", "booked_on": day(-3)},
    **{"returned_on": None, "status": "open", "insured": False},
}


def _judge(folder: Path, rules: str = RULES) -> Plausibility:
    file = folder / "plausible.yaml"
    file.write_text(rules, encoding="utf-8")
    return Plausibility(SCHEMA, file, {})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, []),
        ({"price": 90.51, "insured": True}, ["bookings B1: nobody pays 90.51"]),
        ({"price": 60.0}, ["bookings B1: what is dear is insured"]),
        ({"people": 5}, ["bookings B1: 5 people on 4 places"]),
        ({"people": 5, "trip_id": "T2"}, []),
        ({"booked_on": day(1)}, ["bookings B1: it was booked too late"]),
        ({"status": "returned"}, ["bookings B1: its state and its day do not match"]),
        ({"status": "returned", "returned_on": day(-1)}, []),
        ({"status": "returned", "returned_on": day(-4)}, ["bookings B1: it was booked too late"]),
    ],
)
def test_what_does_not_hold_is_said(tmp_path: Path, changes: dict[str, Any], said: list[str]) -> None:
    assert _judge(tmp_path).implausible({"trips": {"T1": TRIP}, "bookings": {"B1": {**BOOKING, **changes}}}) == said


def test_a_part_of_a_moment_is_judged_and_said(tmp_path: Path) -> None:
    late = {**TRIP, "starts_at": "2026-12-01T23:10"}
    assert _judge(tmp_path).implausible({"trips": {"T1": late}}) == ["trips T1: nobody leaves at 23:10"]


def test_a_blemish_has_the_types_of_the_schema(tmp_path: Path) -> None:
    judge, entries = _judge(tmp_path), {"trips": {"T1": dict(TRIP)}, "bookings": {"B1": dict(BOOKING)}}
    judge.blemish(entries, Random(0))
    assert entries["bookings"]["B1"] == {**BOOKING, "price": 900.0, "status": "returned"}
    assert judge.implausible(entries)


def test_a_table_that_the_schema_does_not_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no such tables: voyages"):
        _judge(tmp_path, "voyages: {}")
