"""Who waits for a table on an evening that is full."""

import uuid
from typing import Any

from ._shared import Database, _check_open, _now, _positive, _row
from .restaurants import BOOKING_DAYS, _free_tables

WRITES = {"join_waitlist", "leave_waitlist"}


def list_waitlist(db: Database, guest_id: str) -> list[dict[str, Any]]:
    """The places on waiting lists that a guest still holds, by date.

    guest_id: The guest's number.
    """
    _row(db, "guests", guest_id)
    houses = {row["restaurant_id"]: row["name"] for row in db["restaurants"].values()}
    waiting = [
        {**row, "restaurant": houses[row["restaurant_id"]]}
        for row in db["waitlist"].values()
        if row["guest_id"] == guest_id and row["status"] == "waiting"
    ]
    return sorted(waiting, key=lambda row: (row["date"], row["time"], row["entry_id"]))


def join_waitlist(
    db: Database, guest_id: str, restaurant_id: str, date: str, time: str, party_size: int
) -> dict[str, Any]:
    """Put a guest on the waiting list of a restaurant that has no table free for the party at that time.

    guest_id: The guest's number.
    restaurant_id: The restaurant's id.
    date: The day, YYYY-MM-DD.
    time: The time, HH:MM.
    party_size: How many people.
    """
    _row(db, "guests", guest_id)
    restaurant = _row(db, "restaurants", restaurant_id)
    _positive(party_size, "party_size", 14)
    _check_open(restaurant, date, time, BOOKING_DAYS)
    if _free_tables(db, restaurant, date, time, party_size):
        raise ValueError("a table is free at that time: book it instead")
    for row in db["waitlist"].values():
        waits = row["guest_id"] == guest_id and row["status"] == "waiting"
        if waits and (row["restaurant_id"], row["date"]) == (restaurant_id, date):
            raise ValueError(f"the guest is on that day's list already: {row['entry_id']}")
    entry_id = f"WTL-{uuid.uuid4().hex[:6].upper()}"
    db["waitlist"][entry_id] = {
        "entry_id": entry_id,
        "guest_id": guest_id,
        "restaurant_id": restaurant_id,
        "date": date,
        "time": time,
        "party_size": party_size,
        "status": "waiting",
        "joined_at": _now(),
    }
    return dict(db["waitlist"][entry_id])


def leave_waitlist(db: Database, entry_id: str) -> dict[str, Any]:
    """Give up a place on a waiting list.

    entry_id: The place's id, such as WTL-5415B3.
    """
    entry = _row(db, "waitlist", entry_id)
    if entry["status"] != "waiting":
        raise ValueError(f"{entry_id} was given up before")
    entry["status"] = "left"
    return dict(entry)
