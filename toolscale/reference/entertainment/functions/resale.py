"""Tickets from member to member, and the waiting list for what is sold out."""

from typing import Any, Literal

from ._prices import _zone
from ._shared import Database, _check_age, _find, _live_booking, _new_key, _now, _performance_of, _upcoming

WRITES = {"list_for_resale", "withdraw_listing", "buy_resale", "join_waitlist", "leave_waitlist"}

SELLER_SHARE = 95


def search_resale(db: Database, performance_id: str) -> list[dict[str, Any]]:
    """Open resale offers for a performance, the cheapest ticket first. An offer is bought whole.

    performance_id: a performance.
    """
    _find(db, "performances", performance_id, "performance")
    found = []
    for listing in db["resale_listings"].values():
        booking = db["bookings"][listing["booking_id"]]
        if listing["status"] == "open" and booking["performance_id"] == performance_id:
            found.append(
                {
                    "listing_id": listing["listing_id"],
                    "seller_id": listing["seller_id"],
                    "zone": booking["zone"],
                    "seats": booking["seats"],
                    "price_each": listing["price_each"],
                    "total": round(listing["price_each"] * len(booking["seats"]), 2),
                    "currency": booking["currency"],
                }
            )
    return sorted(found, key=lambda each: (each["price_each"], each["listing_id"]))


def list_for_resale(db: Database, booking_id: str, price_each: float) -> dict[str, Any]:
    """Offer the tickets of a theatre or concert booking to other members, until 24 hours before and for no more than
    was paid for each. The seller receives 95% of the price once they are sold.

    booking_id: a confirmed booking.
    price_each: price of a ticket, in the booking's currency.
    """
    _, venue, _ = _upcoming(db, booking_id, 24)
    booking = _live_booking(db, booking_id)
    if venue["kind"] == "cinema":
        raise ValueError("cinema tickets are not resold; they are refunded until two hours before")
    if not 0 < price_each <= booking["price_each"]:
        raise ValueError(f"tickets are resold for at most the {booking['price_each']:.2f} that each did cost")
    key = _new_key(db, "resale_listings", "RS")
    booking["status"] = "on_resale"
    db["resale_listings"][key] = {
        "listing_id": key,
        "seller_id": booking["member_id"],
        "booking_id": booking_id,
        "price_each": round(price_each, 2),
        "status": "open",
        "listed_at": _now(),
    }
    payout = round(price_each * len(booking["seats"]) * SELLER_SHARE / 100, 2)
    return {**db["resale_listings"][key], "payout_if_sold": payout, "currency": booking["currency"]}


def withdraw_listing(db: Database, booking_id: str) -> dict[str, Any]:
    """Take a booking off resale, as long as it is not sold; it is confirmed again.

    booking_id: a booking that is on resale.
    """
    booking = _find(db, "bookings", booking_id, "booking")
    for listing in db["resale_listings"].values():
        if listing["booking_id"] == booking_id and listing["status"] == "open":
            listing["status"], booking["status"] = "withdrawn", "confirmed"
            return {**listing, "booking_status": "confirmed", "seats": booking["seats"]}
    raise ValueError(f"booking {booking_id} is {booking['status']}, there is no open offer of it")


def buy_resale(db: Database, member_id: str, listing_id: str) -> dict[str, Any]:
    """Buy an open resale offer whole, charged to the card on file, without booking fee and discount. The buyer
    must be of the age for the show. The seller's tickets become void, and the buyer has a booking of their own.

    member_id: who buys; not the seller.
    listing_id: from search_resale.
    """
    member = _find(db, "members", member_id, "member")
    listing = _find(db, "resale_listings", listing_id, "resale offer")
    if listing["status"] != "open":
        raise ValueError(f"offer {listing_id} is {listing['status']}")
    if listing["seller_id"] == member_id:
        raise ValueError("nobody buys their own offer")
    sold = db["bookings"][listing["booking_id"]]
    performance, venue, show = _performance_of(db, sold)
    if performance["status"] != "scheduled" or performance["starts_at"] <= _now():
        raise ValueError(f"the performance is {performance['status']}")
    _check_age(member, show["age_rating"], show["title"])
    listing["status"], sold["status"] = "sold", "sold"
    key = _new_key(db, "bookings", "BK")
    db["bookings"][key] = {
        **sold,
        "booking_id": key,
        "member_id": member_id,
        "price_each": listing["price_each"],
        "discount_percent": 0,
        "fee_total": 0.0,
        "protection_cost": 0.0,
        "total": round(listing["price_each"] * len(sold["seats"]), 2),
        "gift_card_id": None,
        "status": "confirmed",
        "booked_at": _now(),
    }
    return {
        **db["bookings"][key],
        "title": show["title"],
        "venue": venue["name"],
        "starts_at": performance["starts_at"],
    }


def join_waitlist(
    db: Database,
    member_id: str,
    performance_id: str,
    zone: Literal["standard", "premium", "stalls", "circle", "gallery"],
    tickets: int,
) -> dict[str, Any]:
    """Put a member on the waiting list for a zone of a performance that has fewer free seats than they want.

    member_id: who waits.
    performance_id: a scheduled performance.
    zone: zone of the house.
    tickets: how many, 1 to 8.
    """
    _find(db, "members", member_id, "member")
    performance = _find(db, "performances", performance_id, "performance")
    if performance["status"] != "scheduled" or performance["starts_at"] <= _now():
        raise ValueError(f"the performance is {performance['status']}")
    if not 1 <= tickets <= 8:
        raise ValueError("1 to 8 tickets can be waited for")
    free = len(_zone(performance, zone)["free_seats"])
    if free >= tickets:
        raise ValueError(f"there are {free} free seats in the {zone}: book them instead")
    waiting = [
        each for each in db["waitlist"].values() if (each["performance_id"], each["zone"]) == (performance_id, zone)
    ]
    if any(each["member_id"] == member_id for each in waiting):
        raise ValueError("the member is on this waiting list already")
    key = _new_key(db, "waitlist", "WT")
    db["waitlist"][key] = {
        "wait_id": key,
        "member_id": member_id,
        "performance_id": performance_id,
        "zone": zone,
        "tickets": tickets,
        "joined_at": _now(),
    }
    return {**db["waitlist"][key], "ahead": len(waiting)}


def leave_waitlist(db: Database, wait_id: str) -> dict[str, Any]:
    """Take a member off a waiting list.

    wait_id: from get_member.
    """
    waiting = _find(db, "waitlist", wait_id, "place on a waiting list")
    performance, venue, show = _performance_of(db, waiting)
    if performance["starts_at"] < _now():
        raise ValueError("the performance is over, the list is closed")
    del db["waitlist"][wait_id]
    return {**waiting, "title": show["title"], "venue": venue["name"], "starts_at": performance["starts_at"]}
