"""When a court is free and what it costs."""

from typing import Any

from ._shared import Database, _hours_until, _shift

MOST_BOOKINGS = 4


def _court_price(db: Database, court: dict[str, Any], member: dict[str, Any], minutes: int) -> float:
    discount = db["plans"][member["plan_id"]]["court_discount_percent"]
    return float(round(court["hourly_rate"] * minutes / 60 * (100 - discount) / 100, 2))


def _slot(db: Database, club: dict[str, Any], starts: str, minutes: int) -> None:
    if minutes not in (60, 90, 120):
        raise ValueError("courts are booked for 60, 90 or 120 minutes")
    if starts[14:] not in ("00", "30"):
        raise ValueError("courts are booked from the full or the half hour")
    ends = _shift(starts, minutes)
    if starts[11:] < club["opens"] or ends[11:] > club["closes"] or ends[:10] != starts[:10]:
        raise ValueError(f"{club['name']} is open from {club['opens']} to {club['closes']}")
    if not 0 < _hours_until(starts) <= 21 * 24:
        raise ValueError("courts are booked from now to 21 days ahead")


def _free(db: Database, court_id: str, starts: str, minutes: int, apart_from: str = "") -> bool:
    ends = _shift(starts, minutes)
    taken = [
        (each["starts"], _shift(each["starts"], each["minutes"]))
        for each in db["court_bookings"].values()
        if each["court_id"] == court_id and each["status"] == "confirmed" and each["booking_id"] != apart_from
    ]
    taken += [
        (each["starts"], _shift(each["starts"], 120))
        for each in db["fixtures"].values()
        if each["court_id"] == court_id and each["status"] == "scheduled" and each["fixture_id"] != apart_from
    ]
    return all(ends <= begin or end <= starts for begin, end in taken)
