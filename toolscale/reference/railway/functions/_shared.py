"""What several themes need: looking entries up, times, the state of a booking, and means of payment."""

import uuid
from datetime import date, datetime, timedelta
from typing import Any

Database = dict[str, dict[str, Any]]

POINTS_A_EURO = 100


def _now() -> str:
    return datetime.now().strftime("%Y-%m-%dT%H:%M")


def _shift(moment: str, minutes: int) -> str:
    return (datetime.fromisoformat(moment) + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M")


def _minutes(earlier: str, later: str) -> int:
    return int((datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds() // 60)


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError(f"{text!r} is not a date; write it as YYYY-MM-DD") from None


def _find(db: Database, table: str, key: str, what: str) -> dict[str, Any]:
    if key not in db[table]:
        raise ValueError(f"there is no {what} {key}")
    record: dict[str, Any] = db[table][key]
    return record


def _new_key(prefix: str) -> str:
    return f"{prefix}-{uuid.uuid4().hex[:6].upper()}"


def _leg(service: dict[str, Any], origin: str, destination: str) -> tuple[int, int]:
    stops = service["stops"]
    if origin not in stops or destination not in stops or stops.index(origin) >= stops.index(destination):
        raise ValueError(f"{service['service_id']} does not run from {origin} to {destination}; it calls at {stops}")
    return stops.index(origin), stops.index(destination)


def _departure(service: dict[str, Any], booking: dict[str, Any]) -> str:
    return str(service["departures"][service["stops"].index(booking["origin"])])


def _confirmed(db: Database, booking_id: str) -> dict[str, Any]:
    booking = _find(db, "bookings", booking_id, "booking")
    if booking["status"] != "confirmed":
        raise ValueError(f"booking {booking_id} is {booking['status']}; only a confirmed booking allows this")
    return booking


def _upcoming(db: Database, booking_id: str) -> tuple[dict[str, Any], dict[str, Any]]:
    booking = _confirmed(db, booking_id)
    service = db["services"][booking["service_id"]]
    if service["status"] == "cancelled":
        raise ValueError(f"{service['service_id']} is cancelled: exchange the booking or cancel it for a full refund")
    if _departure(service, booking) <= _now():
        raise ValueError(f"the train of booking {booking_id} has already left")
    return booking, service


def _disrupted(service: dict[str, Any]) -> bool:
    return bool(service["status"] == "cancelled" or service["delay_minutes"] >= 60)


def _take_points(db: Database, passenger_id: str, amount: float) -> int:
    passenger, points = db["passengers"][passenger_id], round(amount * POINTS_A_EURO)
    if passenger["points"] < points:
        raise ValueError(f"{points} points are needed, the passenger has {passenger['points']}")
    passenger["points"] -= points
    return points


def _issue_voucher(db: Database, passenger_id: str, amount: float) -> str:
    key = _new_key("VC")
    until = (datetime.now() + timedelta(days=365)).date().isoformat()
    db["vouchers"][key] = {
        "voucher_id": key,
        "passenger_id": passenger_id,
        "amount": amount,
        "valid_until": until,
        "status": "open",
    }
    return key
