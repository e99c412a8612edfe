"""Bookings: looking them up, making them, giving them up."""

from typing import Any, Literal

from ._prices import _quote, _refund, _zone_of_seats
from ._shared import (
    Database,
    _add_gift_card,
    _check_age,
    _find,
    _hours_before,
    _live_booking,
    _new_key,
    _now,
    _performance_of,
    _usable_card,
)

WRITES = {"book_seats", "cancel_booking", "file_complaint"}

GOODWILL = {"blocked_view": 25, "broken_seat": 25, "late_start": 10, "noisy_audience": 10, "poor_sound": 20}


def list_bookings(
    db: Database,
    member_id: str,
    status: Literal["confirmed", "on_resale", "sold", "cancelled", "used"] = "confirmed",
) -> list[dict[str, Any]]:
    """A member's bookings of one status, in order of performance. Tickets are used once the performance is over.

    member_id: whose bookings.
    status: which bookings.
    """
    _find(db, "members", member_id, "member")
    found = []
    for booking in db["bookings"].values():
        if booking["member_id"] == member_id and booking["status"] == status:
            performance, venue, show = _performance_of(db, booking)
            found.append(
                {
                    "booking_id": booking["booking_id"],
                    "title": show["title"],
                    "venue": venue["name"],
                    "kind_of_venue": venue["kind"],
                    "starts_at": performance["starts_at"],
                    "performance_status": performance["status"],
                    "seats": booking["seats"],
                    "total": booking["total"],
                    "currency": booking["currency"],
                }
            )
    return sorted(found, key=lambda each: (each["starts_at"], each["booking_id"]))


def get_booking(db: Database, booking_id: str) -> dict[str, Any]:
    """A booking in full: its performance, seats and price, until when it can be exchanged or put on resale (null: not
    at all), and what was requested or complained about.

    booking_id: such as BK-4F82A1.
    """
    booking = _find(db, "bookings", booking_id, "booking")
    performance, venue, show = _performance_of(db, booking)
    starts = performance["starts_at"]
    return {
        **booking,
        "tickets": len(booking["seats"]),
        "title": show["title"],
        "venue": venue["name"],
        "kind_of_venue": venue["kind"],
        "city": venue["city"],
        "starts_at": starts,
        "performance_status": performance["status"],
        "exchange_until": _hours_before(starts, 48) if venue["kind"] == "theatre" else None,
        "resale_until": None if venue["kind"] == "cinema" else _hours_before(starts, 24),
        "access": [each["kind"] for each in db["access_requests"].values() if each["booking_id"] == booking_id],
        "complaints": [each["problem"] for each in db["complaints"].values() if each["booking_id"] == booking_id],
    }


def book_seats(
    db: Database, member_id: str, performance_id: str, seats: list[str], gift_card_id: str | None = None
) -> dict[str, Any]:
    """Book free seats of one zone, paid by the card on file or whole by a gift card. The member must be of the age for
    which the show is rated.

    member_id: who books.
    performance_id: a scheduled performance.
    seats: such as C4 and C5, from find_seats; at most 8.
    gift_card_id: gift card of the member that covers the whole price; without it the card on file is charged.
    """
    member = _find(db, "members", member_id, "member")
    performance = _find(db, "performances", performance_id, "performance")
    if performance["status"] != "scheduled" or performance["starts_at"] <= _now():
        raise ValueError(f"nothing is sold for {performance_id}: it is {performance['status']}")
    show, venue = db["shows"][performance["show_id"]], db["venues"][performance["venue_id"]]
    _check_age(member, show["age_rating"], show["title"])
    zone = _zone_of_seats(performance, seats)
    quote = _quote(db, member_id, venue, zone["price"], len(seats))
    if gift_card_id is not None:
        card = _usable_card(db, gift_card_id, member_id, quote["total"], venue["currency"])
        card["balance"] = round(card["balance"] - quote["total"], 2)
    zone["free_seats"] = [seat for seat in zone["free_seats"] if seat not in seats]
    key = _new_key(db, "bookings", "BK")
    db["bookings"][key] = {
        "booking_id": key,
        "member_id": member_id,
        "performance_id": performance_id,
        "zone": zone["zone"],
        "seats": list(seats),
        "price_each": zone["price"],
        "discount_percent": quote["discount_percent"],
        "fee_total": quote["fee_total"],
        "protection_cost": 0.0,
        "total": quote["total"],
        "currency": venue["currency"],
        "gift_card_id": gift_card_id,
        "status": "confirmed",
        "booked_at": _now(),
        "refund_amount": None,
    }
    return {**db["bookings"][key], "title": show["title"], "starts_at": performance["starts_at"]}


def quote_refund(db: Database, booking_id: str) -> dict[str, Any]:
    """What a confirmed booking would bring back if it were cancelled now, until when, and why.

    booking_id: a confirmed booking.
    """
    booking = _live_booking(db, booking_id)
    return {"booking_id": booking_id, "paid": booking["total"], "currency": booking["currency"], **_refund(db, booking)}


def cancel_booking(
    db: Database, booking_id: str, refund_to: Literal["original_payment", "gift_card"]
) -> dict[str, Any]:
    """Cancel a confirmed booking that brings money back. Its seats become free again.

    booking_id: a confirmed booking.
    refund_to: back to what was paid with, or as a new gift card.
    """
    if refund_to not in ("original_payment", "gift_card"):
        raise ValueError("refund_to must be original_payment or gift_card")
    booking = _live_booking(db, booking_id)
    worth = _refund(db, booking)
    if not worth["refund"]:
        raise ValueError(f"a cancellation would bring nothing back: {worth['reason']}")
    performance, _, _ = _performance_of(db, booking)
    for zone in performance["zones"]:
        if zone["zone"] == booking["zone"]:
            zone["free_seats"] = zone["free_seats"] + booking["seats"]
    booking["status"], booking["refund_amount"] = "cancelled", worth["refund"]
    card = None
    if refund_to == "gift_card":
        member = booking["member_id"]
        card = _add_gift_card(db, member, member, worth["refund"], booking["currency"])["gift_card_id"]
    elif booking["gift_card_id"]:
        paid_with = db["gift_cards"][booking["gift_card_id"]]
        paid_with["balance"] = round(paid_with["balance"] + worth["refund"], 2)
    return {"booking_id": booking_id, "refund": worth["refund"], "currency": booking["currency"], "gift_card_id": card}


def file_complaint(
    db: Database,
    booking_id: str,
    problem: Literal["blocked_view", "broken_seat", "late_start", "noisy_audience", "poor_sound"],
) -> dict[str, Any]:
    """File a complaint about a performance of the last 14 days that the member has been to. Goodwill is paid at once as
    a gift card: a share of the tickets' price that depends on the problem.

    booking_id: a used booking without a complaint.
    problem: what was wrong.
    """
    if problem not in GOODWILL:
        raise ValueError(f"problem must be one of {', '.join(GOODWILL)}")
    booking = _find(db, "bookings", booking_id, "booking")
    performance, _, _ = _performance_of(db, booking)
    if booking["status"] != "used":
        raise ValueError(f"booking {booking_id} is {booking['status']}; complaints are about used tickets")
    if performance["starts_at"] < _hours_before(_now(), 14 * 24):
        raise ValueError("complaints are filed within 14 days of the performance")
    if any(each["booking_id"] == booking_id for each in db["complaints"].values()):
        raise ValueError(f"there is a complaint about {booking_id} already")
    goodwill = round(booking["price_each"] * len(booking["seats"]) * GOODWILL[problem] / 100, 2)
    key, member = _new_key(db, "complaints", "CP"), booking["member_id"]
    db["complaints"][key] = {
        "complaint_id": key,
        "member_id": member,
        "booking_id": booking_id,
        "problem": problem,
        "goodwill": goodwill,
        "filed_at": _now(),
    }
    card = _add_gift_card(db, member, member, goodwill, booking["currency"])
    return {**db["complaints"][key], "currency": booking["currency"], "gift_card_id": card["gift_card_id"]}
