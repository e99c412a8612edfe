"""What several themes need: looking records up, times, gift cards, and the state of a booking."""

import uuid
from datetime import date, datetime, timedelta
from typing import Any

Database = dict[str, dict[str, Any]]


def _now() -> str:
    return datetime.now().strftime("%Y-%m-%dT%H:%M")


def _today() -> date:
    return datetime.now().date()


def _hours_before(moment: str, hours: int) -> str:
    return (datetime.fromisoformat(moment) - timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M")


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


def _new_key(db: Database, table: str, prefix: str) -> str:
    while (key := f"{prefix}-{uuid.uuid4().hex[:6].upper()}") in db[table]:
        pass
    return key


def _add_gift_card(db: Database, member_id: str, bought_by: str, amount: float, currency: str) -> dict[str, Any]:
    key = _new_key(db, "gift_cards", "GC")
    db["gift_cards"][key] = {
        "gift_card_id": key,
        "member_id": member_id,
        "bought_by": bought_by,
        "balance": round(amount, 2),
        "currency": currency,
        "valid_until": (_today() + timedelta(days=3 * 365)).isoformat(),
        "extended": False,
    }
    return dict(db["gift_cards"][key])


def _usable_card(db: Database, gift_card_id: str, member_id: str, amount: float, currency: str) -> dict[str, Any]:
    card = _find(db, "gift_cards", gift_card_id, "gift card")
    if card["member_id"] != member_id:
        raise ValueError(f"gift card {gift_card_id} belongs to another member")
    if card["valid_until"] < _today().isoformat():
        raise ValueError(f"gift card {gift_card_id} expired on {card['valid_until']}")
    if card["currency"] != currency:
        raise ValueError(f"gift card {gift_card_id} is in {card['currency']}, the price is in {currency}")
    if card["balance"] < amount:
        raise ValueError(f"gift card {gift_card_id} holds {card['balance']:.2f} {currency}, {amount:.2f} are due")
    return card


def _check_age(member: dict[str, Any], rating: int, name: str) -> None:
    born, today = member["birth_date"], _today().isoformat()
    if int(today[:4]) - int(born[:4]) - (today[5:] < born[5:]) < rating:
        raise ValueError(f"{name} is for ages from {rating}")


def _performance_of(db: Database, booking: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    performance = db["performances"][booking["performance_id"]]
    return performance, db["venues"][performance["venue_id"]], db["shows"][performance["show_id"]]


def _live_booking(db: Database, booking_id: str) -> dict[str, Any]:
    booking = _find(db, "bookings", booking_id, "booking")
    if booking["status"] != "confirmed":
        raise ValueError(f"booking {booking_id} is {booking['status']}; only a confirmed booking allows this")
    return booking


def _upcoming(db: Database, booking_id: str, hours: int) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    booking = _live_booking(db, booking_id)
    performance, venue, show = _performance_of(db, booking)
    if performance["status"] != "scheduled":
        raise ValueError(f"the performance is {performance['status']}; the booking can be cancelled for a full refund")
    until = _hours_before(performance["starts_at"], hours)
    if _now() > until:
        raise ValueError(f"this was possible until {until}")
    return performance, venue, show
