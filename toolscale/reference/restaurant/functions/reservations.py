"""Reservations, with their deposits, set menus and cancellation."""

import uuid
from datetime import datetime, timedelta
from typing import Any, Literal

from ._shared import Database, _check_open, _moment, _now, _positive, _row
from .menus import _check_allergies
from .restaurants import BOOKING_DAYS, _clash, _free_tables

WRITES = {"book_table", "change_reservation", "cancel_reservation", "choose_set_menu"}

DEPOSIT_SHARE: dict[str, float] = {"classic": 1.0, "silver": 1.0, "gold": 0.5, "platinum": 0.0}


def _check_table(
    db: Database, guest_id: str, table_id: str, date: str, time: str, party_size: int, moving: str | None
) -> dict[str, Any]:
    """The table's restaurant, if the guest may have the table then."""
    table = _row(db, "dining_tables", table_id)
    restaurant = _row(db, "restaurants", table["restaurant_id"])
    _positive(party_size, "party_size", 14)
    _check_open(restaurant, date, time, BOOKING_DAYS)
    if table_id not in [free["table_id"] for free in _free_tables(db, restaurant, date, time, party_size, moving)]:
        raise ValueError(f"table {table_id} is taken on {date} at {time} or does not suit a party of {party_size}")
    for row in db["reservations"].values():
        own = row["guest_id"] == guest_id and row["status"] == "confirmed" and row["reservation_id"] != moving
        if own and _clash(row, _moment(date, time), restaurant["sitting_minutes"]):
            raise ValueError(f"the guest holds another table at that time: {row['reservation_id']}")
    return restaurant


def _deposit(restaurant: dict[str, Any], guest: dict[str, Any], party_size: int) -> float:
    if party_size < restaurant["deposit_from_party"]:
        return 0.0
    return float(round(party_size * restaurant["deposit_per_head"] * DEPOSIT_SHARE[guest["tier"]], 2))


def _confirmed(db: Database, reservation_id: str) -> dict[str, Any]:
    reservation = _row(db, "reservations", reservation_id)
    if reservation["status"] != "confirmed":
        raise ValueError(f"reservation {reservation_id} is {reservation['status']}: nothing about it can change")
    return reservation


def _cancellation(db: Database, reservation: dict[str, Any]) -> dict[str, Any]:
    restaurant = _row(db, "restaurants", reservation["restaurant_id"])
    free_until = _moment(reservation["date"], reservation["time"]) - timedelta(hours=restaurant["free_cancel_hours"])
    late = datetime.now() > free_until
    fee = round(reservation["party_size"] * restaurant["late_fee_per_head"], 2) if late else 0.0
    return {
        "reservation_id": reservation["reservation_id"],
        "deposit": reservation["deposit"],
        "fee": fee,
        "refund": round(max(0.0, reservation["deposit"] - fee), 2),
        "currency": restaurant["currency"],
        "free_until": free_until.strftime("%Y-%m-%d %H:%M"),
    }


def get_reservation(db: Database, reservation_id: str) -> dict[str, Any]:
    """One reservation.

    reservation_id: The reservation's id, such as RSV-4C9A1F.
    """
    return dict(_row(db, "reservations", reservation_id))


def list_reservations(
    db: Database, guest_id: str, status: Literal["confirmed", "completed", "cancelled", "no_show"] = "confirmed"
) -> list[dict[str, Any]]:
    """A guest's reservations in one status, by date: where, when and for how many.

    guest_id: The guest's number.
    status: `confirmed` means upcoming.
    """
    _row(db, "guests", guest_id)
    houses = {row["restaurant_id"]: row for row in db["restaurants"].values()}
    found = [
        {field: row[field] for field in ("reservation_id", "restaurant_id", "date", "time", "party_size")}
        | {"restaurant": houses[row["restaurant_id"]]["name"], "currency": houses[row["restaurant_id"]]["currency"]}
        for row in db["reservations"].values()
        if row["guest_id"] == guest_id and row["status"] == status
    ]
    return sorted(found, key=lambda row: (row["date"], row["time"], row["reservation_id"]))


def quote_cancellation(db: Database, reservation_id: str) -> dict[str, Any]:
    """What cancelling a confirmed reservation now would cost, what of the deposit would come back, and until when
    cancelling is free.

    reservation_id: The reservation's id.
    """
    return _cancellation(db, _confirmed(db, reservation_id))


def book_table(db: Database, guest_id: str, table_id: str, date: str, time: str, party_size: int) -> dict[str, Any]:
    """Reserve a table for a guest. Parties from a size that the house sets pay a deposit.

    guest_id: The guest's number.
    table_id: The table's id, such as TBL-BOL-03.
    date: The day, YYYY-MM-DD.
    time: When the party sits down, HH:MM.
    party_size: How many people.
    """
    guest = _row(db, "guests", guest_id)
    restaurant = _check_table(db, guest_id, table_id, date, time, party_size, None)
    reservation_id = f"RSV-{uuid.uuid4().hex[:6].upper()}"
    db["reservations"][reservation_id] = {
        "reservation_id": reservation_id,
        "guest_id": guest_id,
        "restaurant_id": restaurant["restaurant_id"],
        "table_id": table_id,
        "date": date,
        "time": time,
        "party_size": party_size,
        "set_menu_id": None,
        "deposit": _deposit(restaurant, guest, party_size),
        "status": "confirmed",
        "cancellation_fee": None,
        "refund": None,
        "booked_at": _now(),
        "changed_at": None,
        "cancelled_at": None,
    }
    return {**db["reservations"][reservation_id], "currency": restaurant["currency"]}


def change_reservation(
    db: Database, reservation_id: str, table_id: str, date: str, time: str, party_size: int
) -> dict[str, Any]:
    """Give a confirmed reservation another table, day, time or party size at the same house; the deposit is worked out
    anew. A reservation can be changed once, and only while cancelling is free.

    reservation_id: The reservation's id.
    table_id: The table it shall have; its own if that stays.
    date: The day it shall be on, YYYY-MM-DD.
    time: The time it shall be at, HH:MM.
    party_size: How many people it shall be for.
    """
    reservation = _confirmed(db, reservation_id)
    guest_id = reservation["guest_id"]
    if reservation["changed_at"]:
        raise ValueError(f"reservation {reservation_id} was changed already, at {reservation['changed_at']}: only once")
    if datetime.now() > _moment(*_cancellation(db, reservation)["free_until"].split()):
        raise ValueError(f"reservation {reservation_id} is too near: it can be kept or cancelled, not changed")
    restaurant = _check_table(db, guest_id, table_id, date, time, party_size, reservation_id)
    if restaurant["restaurant_id"] != reservation["restaurant_id"]:
        raise ValueError(f"table {table_id} is at another house: cancel and book anew")
    wanted = {"table_id": table_id, "date": date, "time": time, "party_size": party_size}
    if all(reservation[field] == value for field, value in wanted.items()):
        raise ValueError(f"reservation {reservation_id} is like that already")
    menu_id = reservation["set_menu_id"]
    if menu_id and _row(db, "set_menus", menu_id)["smallest_party"] > party_size:
        raise ValueError(f"the set menu of reservation {reservation_id} is for larger parties")
    reservation.update(wanted)
    reservation["changed_at"] = _now()
    reservation["deposit"] = _deposit(restaurant, _row(db, "guests", guest_id), party_size)
    return {**reservation, "currency": restaurant["currency"]}


def cancel_reservation(db: Database, reservation_id: str) -> dict[str, Any]:
    """Cancel a confirmed reservation: free until the house's limit, for a fee a head after it.

    reservation_id: The reservation's id.
    """
    reservation = _confirmed(db, reservation_id)
    quote = _cancellation(db, reservation)
    reservation["status"] = "cancelled"
    reservation["cancellation_fee"] = quote["fee"]
    reservation["refund"] = quote["refund"]
    reservation["cancelled_at"] = _now()
    return {**reservation, "currency": quote["currency"]}


def choose_set_menu(db: Database, reservation_id: str, set_menu_id: str) -> dict[str, Any]:
    """Order a set menu for everybody at a confirmed reservation. Once chosen, it stays.

    reservation_id: The reservation's id.
    set_menu_id: The set menu's id, such as SET-BOL-2.
    """
    reservation = _confirmed(db, reservation_id)
    menu = _row(db, "set_menus", set_menu_id)
    if menu["restaurant_id"] != reservation["restaurant_id"]:
        raise ValueError(f"{menu['name']} ({set_menu_id}) is not served at the house of reservation {reservation_id}")
    if menu["smallest_party"] > reservation["party_size"]:
        raise ValueError(f"{menu['name']} is for parties of at least {menu['smallest_party']}")
    if reservation["set_menu_id"]:
        raise ValueError(f"set menu {reservation['set_menu_id']} is chosen for {reservation_id} already, and stays")
    notice = _moment(reservation["date"], reservation["time"]) - timedelta(hours=menu["notice_hours"])
    if datetime.now() > notice:
        raise ValueError(f"{menu['name']} must be chosen {menu['notice_hours']} hours before")
    dishes = {dish["dish_id"]: dish for dish in db["dishes"].values()}
    _check_allergies(db, reservation["guest_id"], [dishes[dish_id] for dish_id in menu["dish_ids"]])
    reservation["set_menu_id"] = set_menu_id
    return {**reservation, "menu_total": round(menu["price_per_head"] * reservation["party_size"], 2)}
