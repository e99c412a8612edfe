"""Ticketed evenings, and the seats sold for them."""

import uuid
from datetime import datetime, timedelta
from typing import Any, Literal

from ._shared import Database, _moment, _now, _positive, _row

WRITES = {"buy_tickets", "return_tickets"}

FULL_DAYS = 7
HALF_DAYS = 2


def _evening(db: Database, event_id: str) -> dict[str, Any]:
    """The evening with its house and currency."""
    event = _row(db, "events", event_id)
    house = _row(db, "restaurants", event["restaurant_id"])
    return {**event, "restaurant": house["name"], "currency": house["currency"]}


def _back_per_seat(event: dict[str, Any]) -> float:
    """What a seat that is given back today brings."""
    days = (_moment(event["date"], "00:00").date() - datetime.now().date()).days
    share = 1.0 if days >= FULL_DAYS else 0.5 if days >= HALF_DAYS else 0.0
    return float(round(event["price_per_seat"] * share, 2))


def list_events(db: Database, restaurant_id: str | None = None, seats: int = 1) -> list[dict[str, Any]]:
    """Coming ticketed evenings, at one restaurant or at all, that still have so many seats; without their prices.

    restaurant_id: The restaurant's id; all restaurants if left out.
    seats: How many seats are needed.
    """
    _positive(seats, "seats", 8)
    if restaurant_id is not None:
        _row(db, "restaurants", restaurant_id)
    places = {row["restaurant_id"]: row for row in db["restaurants"].values()}
    return [
        {field: event[field] for field in ("event_id", "restaurant_id", "title", "date", "time", "seats_left")}
        | {field: places[event["restaurant_id"]][field] for field in ("city", "country")}
        for event in db["events"].values()
        if restaurant_id in (None, event["restaurant_id"])
        and event["seats_left"] >= seats
        and _moment(event["date"], event["time"]) > datetime.now()
    ]


def get_event(db: Database, event_id: str) -> dict[str, Any]:
    """One ticketed evening with its price a seat.

    event_id: The event's id, such as EVT-BOL-1.
    """
    return _evening(db, event_id)


def list_tickets(db: Database, guest_id: str, status: Literal["valid", "returned"] = "valid") -> list[dict[str, Any]]:
    """A guest's tickets for evenings: what, where, when, and for how many seats.

    guest_id: The guest's number.
    status: Whether the tickets are valid or were given back.
    """
    _row(db, "guests", guest_id)
    return [
        {"ticket_id": ticket["ticket_id"], "seats": ticket["seats"]}
        | {field: _evening(db, ticket["event_id"])[field] for field in ("title", "restaurant", "date", "time")}
        for ticket in db["tickets"].values()
        if ticket["guest_id"] == guest_id and ticket["status"] == status
    ]


def get_ticket(db: Database, ticket_id: str) -> dict[str, Any]:
    """One ticket with its evening, what a seat that is given back today brings, and the last days on which all or half
    of the price comes back.

    ticket_id: The ticket's id, such as TKT-AD85EF.
    """
    ticket = _row(db, "tickets", ticket_id)
    event = _evening(db, ticket["event_id"])
    day = _moment(event["date"], "00:00").date()
    return {
        **ticket,
        **{field: event[field] for field in ("title", "restaurant", "date", "time", "price_per_seat", "currency")},
        "back_per_seat": _back_per_seat(event),
        "full_refund_until": (day - timedelta(days=FULL_DAYS)).isoformat(),
        "half_refund_until": (day - timedelta(days=HALF_DAYS)).isoformat(),
    }


def buy_tickets(db: Database, guest_id: str, event_id: str, seats: int) -> dict[str, Any]:
    """Buy seats for a ticketed evening.

    guest_id: The guest's number.
    event_id: The event's id, such as EVT-BOL-1.
    seats: How many seats, at most eight.
    """
    _row(db, "guests", guest_id)
    event = _row(db, "events", event_id)
    _positive(seats, "seats", 8)
    if _moment(event["date"], event["time"]) <= datetime.now():
        raise ValueError(f"{event['title']} is over")
    if event["seats_left"] < seats:
        raise ValueError(f"{event['title']} has only {event['seats_left']} seats left")
    event["seats_left"] -= seats
    ticket_id = f"TKT-{uuid.uuid4().hex[:6].upper()}"
    db["tickets"][ticket_id] = {
        "ticket_id": ticket_id,
        "guest_id": guest_id,
        "event_id": event_id,
        "seats": seats,
        "paid": round(seats * event["price_per_seat"], 2),
        "refunded": 0.0,
        "status": "valid",
        "bought_at": _now(),
    }
    return dict(db["tickets"][ticket_id])


def return_tickets(db: Database, ticket_id: str, seats: int) -> dict[str, Any]:
    """Give seats of a ticket back: for their price until seven days before the evening, for half of it until two days
    before; later nothing comes back, and tickets are kept.

    ticket_id: The ticket's id.
    seats: How many of its seats; the ticket is valid for the others.
    """
    ticket = _row(db, "tickets", ticket_id)
    if ticket["status"] != "valid":
        raise ValueError(f"ticket {ticket_id} was given back before")
    _positive(seats, "seats", ticket["seats"])
    event = _row(db, "events", ticket["event_id"])
    refund = round(seats * _back_per_seat(event), 2)
    if not refund:
        raise ValueError(f"{event['title']} is less than {HALF_DAYS} days away: nothing comes back, the ticket is kept")
    event["seats_left"] += seats
    ticket["refunded"] = round(ticket["refunded"] + refund, 2)
    if seats == ticket["seats"]:
        ticket["status"] = "returned"
    else:
        ticket["seats"] -= seats
        ticket["paid"] = round(ticket["seats"] * event["price_per_seat"], 2)
    return {**ticket, "refund": refund}
