"""Ticketed evenings and the seats sold for them."""

import uuid
from datetime import datetime
from typing import Any

from ._shared import Database, _moment, _positive, _row

WRITES = {"buy_tickets"}


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
    event = _row(db, "events", event_id)
    currencies = {row["restaurant_id"]: row["currency"] for row in db["restaurants"].values()}
    return {**event, "currency": currencies[event["restaurant_id"]]}


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
        "bought_at": datetime.now().isoformat(timespec="seconds"),
    }
    return dict(db["tickets"][ticket_id])
