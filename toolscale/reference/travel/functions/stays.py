"""Hotel stays: booking, changing and cancelling them, and problems with them."""

from typing import Any, Literal

from ._lodging import _changeable, _free, _nights, _price, _stay_refund
from ._shared import Database, _check_refund_to, _day, _find, _issue_voucher, _new_key, _now, _refunded, _today

WRITES = {"book_room", "change_stay", "set_board", "cancel_stay", "report_problem"}

COMPLAINT_DAYS = 30


def book_room(
    db: Database,
    traveller_id: str,
    room_id: str,
    check_in: str,
    check_out: str,
    guests: int,
    rate: Literal["flexible", "saver"] = "flexible",
    board: Literal["room_only", "breakfast", "half_board"] = "room_only",
) -> dict[str, Any]:
    """Book a room for a stay and charge it to the card on file. Returns the confirmed stay.

    traveller_id: who books and stays.
    room_id: from search_rooms.
    check_in: day of arrival, YYYY-MM-DD.
    check_out: day of departure, YYYY-MM-DD.
    guests: number of people in the room.
    rate: flexible can be cancelled; saver is 12% cheaper and can be neither changed nor cancelled.
    board: which meals; paid for each guest and night.
    """
    _find(db, "travellers", traveller_id, "traveller")
    room = _find(db, "rooms", room_id, "room")
    nights = _nights(check_in, check_out)
    if not 1 <= guests <= room["sleeps"]:
        raise ValueError(f"{room_id} sleeps 1 to {room['sleeps']} guests")
    if _free(db, room, check_in, check_out) < 1:
        raise ValueError(f"{room_id} is taken in that time; search for another room")
    total, key = _price(db, room, nights, guests, rate, board), _new_key("HS")
    db["stays"][key] = {
        "stay_id": key,
        "traveller_id": traveller_id,
        "room_id": room_id,
        "check_in": check_in,
        "check_out": check_out,
        "guests": guests,
        "rate": rate,
        "board": board,
        "price_total": total,
        "status": "confirmed",
        "booked_at": _now(),
        "refund_amount": None,
        "refund_to": None,
    }
    return {**db["stays"][key], "hotel": db["hotels"][room["hotel_id"]]["name"]}


def _new_terms(
    db: Database, stay: dict[str, Any], check_in: str, check_out: str, room_id: str | None
) -> dict[str, Any]:
    if stay["rate"] == "saver":
        raise ValueError("a stay at the saver rate cannot be changed")
    old = db["rooms"][stay["room_id"]]
    room = _find(db, "rooms", room_id or stay["room_id"], "room")
    if room["hotel_id"] != old["hotel_id"]:
        raise ValueError("a stay is changed within its hotel; for another hotel, cancel it and book anew")
    if room["sleeps"] < stay["guests"]:
        raise ValueError(f"{room['room_id']} sleeps only {room['sleeps']}")
    nights = _nights(check_in, check_out)
    if _free(db, room, check_in, check_out, stay["stay_id"]) < 1:
        raise ValueError(f"{room['room_id']} is taken in that time")
    total = _price(db, room, nights, stay["guests"], stay["rate"], stay["board"])
    return {
        "room_id": room["room_id"],
        "kind": room["kind"],
        "nights": nights,
        "new_total": total,
        "difference": round(total - stay["price_total"], 2),
    }


def quote_stay_change(
    db: Database, stay_id: str, check_in: str, check_out: str, room_id: str | None = None
) -> dict[str, Any]:
    """What other dates or another room of the same hotel would cost for a confirmed stay. Changes nothing.

    stay_id: a confirmed stay at the flexible rate.
    check_in: day of arrival, YYYY-MM-DD.
    check_out: day of departure, YYYY-MM-DD.
    room_id: another room of the same hotel; the booked one if left out.
    """
    return _new_terms(db, _changeable(db, stay_id), check_in, check_out, room_id)


def change_stay(
    db: Database, stay_id: str, check_in: str, check_out: str, room_id: str | None = None
) -> dict[str, Any]:
    """Give a confirmed stay other dates or another room of the same hotel, and charge or pay back the difference.

    stay_id: a confirmed stay at the flexible rate.
    check_in: day of arrival, YYYY-MM-DD.
    check_out: day of departure, YYYY-MM-DD.
    room_id: another room of the same hotel; the booked one if left out.
    """
    stay = _changeable(db, stay_id)
    terms = _new_terms(db, stay, check_in, check_out, room_id)
    if (stay["check_in"], stay["check_out"], stay["room_id"]) == (check_in, check_out, terms["room_id"]):
        raise ValueError("the stay is booked like that already")
    stay.update(check_in=check_in, check_out=check_out, room_id=terms["room_id"], price_total=terms["new_total"])
    return {"stay_id": stay_id, **terms}


def set_board(db: Database, stay_id: str, board: Literal["room_only", "breakfast", "half_board"]) -> dict[str, Any]:
    """Change the meals of a confirmed stay, and charge or pay back the difference. Allowed at either rate.

    stay_id: a confirmed stay that has not begun.
    board: which meals; paid for each guest and night.
    """
    stay = _changeable(db, stay_id)
    if stay["board"] == board:
        raise ValueError(f"the stay has {board} already")
    nights = (_day(stay["check_out"]) - _day(stay["check_in"])).days
    total = _price(db, db["rooms"][stay["room_id"]], nights, stay["guests"], stay["rate"], board)
    difference = round(total - stay["price_total"], 2)
    stay.update(board=board, price_total=total)
    return {"stay_id": stay_id, "board": board, "difference": difference, "new_total": total}


def cancel_stay(db: Database, stay_id: str, refund_to: Literal["card", "voucher"]) -> dict[str, Any]:
    """Cancel a confirmed stay at the flexible rate: all is paid back until the hotel's free cancellation ends, and all
    but one night after that.

    stay_id: a confirmed stay that has not begun.
    refund_to: the card that was charged, or a new voucher valid for a year.
    """
    stay = _changeable(db, stay_id)
    _check_refund_to(refund_to)
    if stay["rate"] == "saver":
        raise ValueError("a stay at the saver rate cannot be cancelled")
    amount = _stay_refund(db, stay)
    if not amount:
        raise ValueError("nothing would be paid back; the stay remains as it is")
    return {"stay_id": stay_id, "refund": amount, "voucher_id": _refunded(db, stay, amount, refund_to)}


def report_problem(
    db: Database,
    stay_id: str,
    problem: Literal["noise", "cleanliness", "missing_amenity", "wrong_room"],
    remedy: Literal["points", "voucher"],
) -> dict[str, Any]:
    """Report a problem with a completed stay, once and within 30 days of check-out. The traveller gets 10% of the
    price as a voucher, or 15% as points.

    stay_id: a completed stay.
    problem: what was wrong.
    remedy: how to make up for it.
    """
    stay = _find(db, "stays", stay_id, "stay")
    if stay["status"] != "completed":
        raise ValueError(f"stay {stay_id} is {stay['status']}; problems are reported after the stay")
    if problem not in ("noise", "cleanliness", "missing_amenity", "wrong_room") or remedy not in ("points", "voucher"):
        raise ValueError("unknown problem or remedy")
    if (_today() - _day(stay["check_out"])).days > COMPLAINT_DAYS:
        raise ValueError(f"problems are reported within {COMPLAINT_DAYS} days; check-out was on {stay['check_out']}")
    if any(each["stay_id"] == stay_id for each in db["complaints"].values()):
        raise ValueError("a problem with this stay was reported before")
    amount = round(stay["price_total"] * (0.15 if remedy == "points" else 0.1) + 1e-9, 2)
    key, traveller = _new_key("CM"), stay["traveller_id"]
    points = round(amount * 100) if remedy == "points" else 0
    db["travellers"][traveller]["points"] += points
    db["complaints"][key] = {
        "complaint_id": key,
        "traveller_id": traveller,
        "stay_id": stay_id,
        "problem": problem,
        "remedy": remedy,
        "amount": amount,
        "resolved": True,
        "filed_at": _now(),
    }
    voucher = _issue_voucher(db, traveller, amount) if remedy == "voucher" else None
    return {**db["complaints"][key], "points_added": points, "voucher_id": voucher}
