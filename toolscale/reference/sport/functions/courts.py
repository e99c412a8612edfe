"""Clubs and courts: finding them, booking them."""

from typing import Any, Literal

from ._courts import MOST_BOOKINGS, _court_price, _free, _slot
from ._shared import Database, _charge, _find, _may_play, _moment, _new_key

WRITES = {"book_court"}


def find_club(db: Database, city: str) -> list[dict[str, Any]]:
    """The clubs in a city, with opening hours and telephone of the desk.

    city: such as Hamburg.
    """
    return [dict(each) for each in db["clubs"].values() if each["city"].lower() == city.strip().lower()]


def search_courts(
    db: Database,
    member_id: str,
    club_id: str,
    sport: Literal["tennis", "padel", "badminton", "squash"],
    day: str,
    start: str,
    minutes: int,
) -> list[dict[str, Any]]:
    """Courts of a club that are free at a time, with the price for this member in EUR, the cheapest first.

    member_id: for whom; the plan's discount is taken off.
    club_id: from find_club.
    sport: what is played.
    day: YYYY-MM-DD, at most 21 days ahead.
    start: HH:MM, a full or half hour.
    minutes: 60, 90 or 120.
    """
    member, club = _find(db, "members", member_id, "member"), _find(db, "clubs", club_id, "club")
    starts = _moment(day, start)
    _slot(db, club, starts, minutes)
    found = [
        {
            "court_id": each["court_id"],
            "name": each["name"],
            "surface": each["surface"],
            "indoor": each["indoor"],
            "price": _court_price(db, each, member, minutes),
        }
        for each in db["courts"].values()
        if each["club_id"] == club_id and each["sport"] == sport and _free(db, each["court_id"], starts, minutes)
    ]
    return sorted(found, key=lambda each: (each["price"], each["court_id"]))


def book_court(
    db: Database,
    member_id: str,
    court_id: str,
    day: str,
    start: str,
    minutes: int,
    pay_by: Literal["card", "credit"] = "card",
) -> dict[str, Any]:
    """Book and pay a court. A member has at most four courts booked at a time.

    member_id: who plays.
    court_id: from search_courts.
    day: YYYY-MM-DD.
    start: HH:MM.
    minutes: 60, 90 or 120.
    pay_by: card on file, or credit of the account.
    """
    member, court = _find(db, "members", member_id, "member"), _find(db, "courts", court_id, "court")
    starts = _moment(day, start)
    _slot(db, db["clubs"][court["club_id"]], starts, minutes)
    _may_play(db, member, day)
    held = [e for e in db["court_bookings"].values() if e["member_id"] == member_id and e["status"] == "confirmed"]
    if len(held) >= MOST_BOOKINGS:
        raise ValueError(f"{MOST_BOOKINGS} courts are booked already; cancel one, or book when one has been played")
    if not _free(db, court_id, starts, minutes):
        raise ValueError(f"{court['name']} is taken at that time")
    price = _court_price(db, court, member, minutes)
    _charge(member, price, pay_by)
    key = _new_key("CB")
    db["court_bookings"][key] = {
        "booking_id": key,
        "member_id": member_id,
        "court_id": court_id,
        "starts": starts,
        "minutes": minutes,
        "guests": 0,
        "price": price,
        "paid_by": pay_by,
        "status": "confirmed",
        "refund": None,
        "refund_to": None,
    }
    return {**db["court_bookings"][key], "court": court["name"]}
