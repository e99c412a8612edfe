"""What can still be done with a booking: other seats, another performance, protection, access, another holder."""

from typing import Any, Literal

from ._prices import _zone_of_seats
from ._shared import Database, _find, _live_booking, _new_key, _now, _upcoming

WRITES = {"change_seats", "exchange_booking", "add_protection", "request_access", "transfer_booking"}


def _vacate(performance: dict[str, Any], booking: dict[str, Any]) -> None:
    for zone in performance["zones"]:
        if zone["zone"] == booking["zone"]:
            zone["free_seats"] = zone["free_seats"] + booking["seats"]


def _surcharge(booking: dict[str, Any], price: float) -> float:
    more = (price - booking["price_each"]) * len(booking["seats"]) * (100 - booking["discount_percent"]) / 100
    return float(max(0.0, round(more, 2)))


def change_seats(db: Database, booking_id: str, seats: list[str]) -> dict[str, Any]:
    """Move a booking to other free seats of the same performance, until two hours before. The difference to a dearer
    zone is charged to the card on file; a cheaper zone gives nothing back.

    booking_id: a confirmed booking.
    seats: as many free seats as the booking has, all in one zone.
    """
    performance, _, _ = _upcoming(db, booking_id, 2)
    booking = _live_booking(db, booking_id)
    if len(seats) != len(booking["seats"]):
        raise ValueError(f"the booking is for {len(booking['seats'])} seats")
    zone = _zone_of_seats(performance, seats)
    surcharge = _surcharge(booking, zone["price"])
    _vacate(performance, booking)
    zone["free_seats"] = [seat for seat in zone["free_seats"] if seat not in seats]
    booking["seats"], booking["zone"] = list(seats), zone["zone"]
    if surcharge:
        booking["price_each"], booking["total"] = zone["price"], round(booking["total"] + surcharge, 2)
    return {"booking_id": booking_id, "seats": booking["seats"], "surcharge": surcharge, "total": booking["total"]}


def exchange_booking(db: Database, booking_id: str, performance_id: str, seats: list[str]) -> dict[str, Any]:
    """Exchange theatre tickets for another performance of the same show at the same house, until 48 hours before. The
    house's fee for each ticket and the difference to a dearer zone are charged to the card on file; a cheaper zone
    gives nothing back.

    booking_id: a confirmed booking at a theatre.
    performance_id: the other performance.
    seats: as many free seats there as the booking has, all in one zone.
    """
    booking = _live_booking(db, booking_id)
    other = _find(db, "performances", performance_id, "performance")
    venue = db["venues"][other["venue_id"]]
    if venue["exchange_fee"] is None:
        raise ValueError("only theatre tickets are exchanged")
    old, _, _ = _upcoming(db, booking_id, 48)
    if (old["show_id"], old["venue_id"]) != (other["show_id"], other["venue_id"]) or performance_id == old[
        "performance_id"
    ]:
        raise ValueError("tickets are exchanged for another performance of the same show at the same house")
    if other["status"] != "scheduled" or other["starts_at"] <= _now():
        raise ValueError(f"the other performance is {other['status']}")
    if len(seats) != len(booking["seats"]):
        raise ValueError(f"the booking is for {len(booking['seats'])} seats")
    zone = _zone_of_seats(other, seats)
    fee, surcharge = round(venue["exchange_fee"] * len(seats), 2), _surcharge(booking, zone["price"])
    _vacate(old, booking)
    zone["free_seats"] = [seat for seat in zone["free_seats"] if seat not in seats]
    booking["performance_id"], booking["seats"], booking["zone"] = performance_id, list(seats), zone["zone"]
    if surcharge:
        booking["price_each"] = zone["price"]
    booking["fee_total"] = round(booking["fee_total"] + fee, 2)
    booking["total"] = round(booking["total"] + fee + surcharge, 2)
    return {
        "booking_id": booking_id,
        "starts_at": other["starts_at"],
        "seats": booking["seats"],
        "fee": fee,
        "surcharge": surcharge,
        "charged": round(fee + surcharge, 2),
        "total": booking["total"],
        "currency": venue["currency"],
    }


def add_protection(db: Database, booking_id: str) -> dict[str, Any]:
    """Protect a theatre or concert booking for 8% of the tickets' price, charged to the card on file, until seven days
    before. A protected booking is refunded until the performance begins.

    booking_id: a confirmed booking without protection.
    """
    _, venue, _ = _upcoming(db, booking_id, 7 * 24)
    booking = _live_booking(db, booking_id)
    if venue["kind"] == "cinema":
        raise ValueError("cinema tickets need no protection; they are refunded until two hours before")
    if booking["protection_cost"]:
        raise ValueError(f"booking {booking_id} is protected already")
    cost = round(booking["price_each"] * len(booking["seats"]) * 0.08, 2)
    booking["protection_cost"], booking["total"] = cost, round(booking["total"] + cost, 2)
    return {"booking_id": booking_id, "cost": cost, "total": booking["total"], "currency": booking["currency"]}


def request_access(
    db: Database,
    booking_id: str,
    kind: Literal["wheelchair_space", "hearing_loop", "audio_description", "early_admission"],
) -> dict[str, Any]:
    """Arrange access for one person of a booking, free of charge, until 48 hours before. Wheelchair spaces are few.

    booking_id: a confirmed booking.
    kind: what is needed.
    """
    performance, venue, _ = _upcoming(db, booking_id, 48)
    if kind not in ("wheelchair_space", "hearing_loop", "audio_description", "early_admission"):
        raise ValueError(f"no house arranges {kind!r}")
    if any((each["booking_id"], each["kind"]) == (booking_id, kind) for each in db["access_requests"].values()):
        raise ValueError(f"{kind} is arranged for {booking_id} already")
    if kind == "wheelchair_space":
        if not performance["wheelchair_spaces_left"]:
            raise ValueError("no wheelchair space is left at this performance")
        performance["wheelchair_spaces_left"] -= 1
    key = _new_key(db, "access_requests", "AC")
    db["access_requests"][key] = {
        "access_id": key,
        "member_id": db["bookings"][booking_id]["member_id"],
        "booking_id": booking_id,
        "kind": kind,
    }
    return {**db["access_requests"][key], "venue": venue["name"], "address": venue["address"]}


def transfer_booking(db: Database, booking_id: str, to_member_id: str) -> dict[str, Any]:
    """Hand a booking over to another member, who holds it from then on, until two hours before.

    booking_id: a confirmed booking.
    to_member_id: who receives it.
    """
    performance, venue, show = _upcoming(db, booking_id, 2)
    booking = _live_booking(db, booking_id)
    receiver = _find(db, "members", to_member_id, "member")
    if to_member_id == booking["member_id"]:
        raise ValueError("this member holds the booking already")
    booking["member_id"] = to_member_id
    for each in db["access_requests"].values():
        if each["booking_id"] == booking_id:
            each["member_id"] = to_member_id
    return {
        "booking_id": booking_id,
        "member_id": to_member_id,
        "name": receiver["name"],
        "title": show["title"],
        "venue": venue["name"],
        "starts_at": performance["starts_at"],
    }
