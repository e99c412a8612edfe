"""The railway's policy as predicates on calls (docs/environment-format.md)."""

from datetime import datetime
from typing import Any

Record = dict[str, Any]
Database = dict[str, dict[str, Record]]


def _booking(call: Record, database: Database) -> Record:
    return database["bookings"][call["arguments"]["booking_id"]]


def _train(booking: Record, database: Database) -> Record:
    return database["services"][booking["service_id"]]


def _disrupted(booking: Record, database: Database) -> bool:
    train = _train(booking, database)
    return bool(train["status"] == "cancelled" or train["delay_minutes"] >= 60)


def _added(table: str, before: Database, after: Database) -> list[Record]:
    return [record for key, record in after[table].items() if key not in before[table]]


def saver_stays_as_it_is(before: Database, call: Record, after: Database) -> str | None:
    """Saver tickets are neither exchanged, refunded nor upgraded, unless the train is disrupted."""
    if call["name"] in ("cancel_booking", "exchange_booking", "upgrade_booking"):
        booking = _booking(call, before)
        if booking["fare_id"].startswith("FR-SAVER") and not _disrupted(booking, before):
            return f"{booking['booking_id']} is a saver ticket"
    return None


def no_cancellation_for_nothing(before: Database, call: Record, after: Database) -> str | None:
    """A cancellation that brings no money back is not made."""
    if call["name"] == "cancel_booking" and not _booking(call, after)["refund_amount"]:
        return f"{call['arguments']['booking_id']} was cancelled without a refund"
    return None


def standard_is_refunded_until_the_day_before(before: Database, call: Record, after: Database) -> str | None:
    """Standard: refund of 70% until 24 hours before departure."""
    if call["name"] != "cancel_booking":
        return None
    booking = _booking(call, before)
    train = _train(booking, before)
    departure = datetime.fromisoformat(train["departures"][train["stops"].index(booking["origin"])])
    late = (departure - datetime.now()).total_seconds() < 24 * 3600
    if booking["fare_id"].startswith("FR-STANDARD") and late and not _disrupted(booking, before):
        return f"{booking['booking_id']} leaves in less than 24 hours"
    return None


def an_exchange_keeps_stations_and_fare(before: Database, call: Record, after: Database) -> str | None:
    """An exchange keeps stations, fare and class."""
    if call["name"] == "exchange_booking":
        old, new = _booking(call, before), _booking(call, after)
        changed = [field for field in ("origin", "destination", "fare_id") if old[field] != new[field]]
        return f"{', '.join(changed)} changed with the exchange" if changed else None
    return None


def a_seat_for_each_traveller(before: Database, call: Record, after: Database) -> str | None:
    """Seats are free of charge, one for each traveller."""
    for seat in _added("reservations", before, after):
        booking = after["bookings"][seat["booking_id"]]
        held = sum(each["booking_id"] == seat["booking_id"] for each in after["reservations"].values())
        if held > booking["travellers"]:
            return f"{held} seats for {booking['travellers']} travellers of {booking['booking_id']}"
    return None


def a_bicycle_for_each_traveller(before: Database, call: Record, after: Database) -> str | None:
    """At most one bicycle a traveller."""
    if call["name"] == "add_bicycles":
        booking = _booking(call, after)
        if booking["bicycles"] > booking["travellers"]:
            return f"{booking['bicycles']} bicycles for {booking['travellers']} travellers"
    return None


def compensation_as_laid_down(before: Database, call: Record, after: Database) -> str | None:
    """Compensation: 25% of the price from 60 minutes of delay, 50% from 120; none for extraordinary causes, for amounts
    under 4.00 EUR, or for a journey that was claimed for before."""
    for claim in _added("claims", before, after):
        booking = after["bookings"][claim["booking_id"]]
        delay = _train(booking, after)["delay_minutes"]
        percent = 50 if delay >= 120 else 25 if delay >= 60 else 0
        if claim["amount"] != round(booking["price_total"] * percent / 100, 2) or claim["amount"] < 4:
            return f"{claim['amount']} EUR for {delay} minutes"
        causes = [each for each in after["disruptions"].values() if each["service_id"] == booking["service_id"]]
        if any(each["extraordinary"] for each in causes):
            return f"the delay of {booking['booking_id']} had an extraordinary cause"
        if any(each["booking_id"] == claim["booking_id"] for each in before["claims"].values()):
            return f"{booking['booking_id']} was claimed for before"
    return None


def points_and_vouchers_are_spent_once(before: Database, call: Record, after: Database) -> str | None:
    """A voucher is used up whole; nobody pays with points that they do not have."""
    overdrawn = [key for key, each in after["passengers"].items() if each["points"] < 0]
    revived = [
        key
        for key, each in before["vouchers"].items()
        if each["status"] == "used" and after["vouchers"].get(key, each)["status"] != "used"
    ]
    if overdrawn or revived:
        return f"overdrawn or used twice: {overdrawn + revived}"
    return None
