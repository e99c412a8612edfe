"""Courts already booked: looking them up, cancelling, moving, bringing guests, complaining."""

from typing import Any, Literal

from ._courts import _court_price, _free, _slot
from ._shared import Database, _find, _hours_until, _moment, _new_key, _now, _pay_out, _shift

WRITES = {"cancel_court_booking", "move_court_booking", "bring_guests", "file_complaint"}

CHANGE_HOURS = 24
COMPLAINT_DAYS = 30
COMPENSATION_PERCENT = {"lights_failed": 50, "double_booked": 100, "wet_floor": 40, "no_heating": 25, "torn_net": 30}


def _changeable(db: Database, booking_id: str) -> dict[str, Any]:
    booking = _find(db, "court_bookings", booking_id, "court booking")
    if booking["status"] != "confirmed":
        raise ValueError(f"{booking_id} is {booking['status']}; only a confirmed booking can be changed")
    if _hours_until(booking["starts"]) < CHANGE_HOURS:
        raise ValueError(
            f"{booking_id} could be cancelled or moved until {_shift(booking['starts'], -60 * CHANGE_HOURS)}; it stays"
        )
    return booking


def _shown_booking(db: Database, booking: dict[str, Any]) -> dict[str, Any]:
    court = db["courts"][booking["court_id"]]
    return {
        **booking,
        "court": court["name"],
        "sport": court["sport"],
        "surface": court["surface"],
        "indoor": court["indoor"],
        "club_id": court["club_id"],
        "city": db["clubs"][court["club_id"]]["city"],
        "day": booking["starts"][:10],
        "start": booking["starts"][11:],
        "change_until": _shift(booking["starts"], -60 * CHANGE_HOURS),
    }


def list_court_bookings(
    db: Database, member_id: str, status: Literal["confirmed", "cancelled", "played"] = "confirmed"
) -> list[dict[str, Any]]:
    """A member's court bookings of one status, in order of time.

    member_id: whose bookings.
    status: which bookings.
    """
    _find(db, "members", member_id, "member")
    wanted = ("booking_id", "sport", "court", "city", "day", "start")
    found = [
        {field: shown[field] for field in wanted}
        for each in db["court_bookings"].values()
        if each["member_id"] == member_id and each["status"] == status
        for shown in [_shown_booking(db, each)]
    ]
    return sorted(found, key=lambda each: (each["day"], each["start"], each["booking_id"]))


def get_court_booking(db: Database, booking_id: str) -> dict[str, Any]:
    """A court booking in full: court, club, time, price, guests, and until when it can be changed.

    booking_id: such as CB-4F82A1.
    """
    return _shown_booking(db, _find(db, "court_bookings", booking_id, "court booking"))


def cancel_court_booking(db: Database, booking_id: str, refund_to: Literal["card", "credit"]) -> dict[str, Any]:
    """Cancel a court at least 24 hours before; the whole price comes back.

    booking_id: a confirmed booking.
    refund_to: the card on file, or credit on the account.
    """
    booking = _changeable(db, booking_id)
    member = db["members"][booking["member_id"]]
    _pay_out(member, booking["price"], refund_to)
    member["guest_passes"] += booking["guests"]
    booking.update(status="cancelled", refund=booking["price"], refund_to=refund_to)
    return {"booking_id": booking_id, "refund": booking["price"], "credit": member["credit"]}


def move_court_booking(db: Database, booking_id: str, court_id: str, day: str, start: str) -> dict[str, Any]:
    """Move a court booking at least 24 hours before: another time or court of the same club and sport, the same
    length. What it costs more goes to the card on file, what it costs less becomes credit.

    booking_id: a confirmed booking.
    court_id: court to move to, which may be the present one.
    day: YYYY-MM-DD.
    start: HH:MM.
    """
    booking, court = _changeable(db, booking_id), _find(db, "courts", court_id, "court")
    old, member = db["courts"][booking["court_id"]], db["members"][booking["member_id"]]
    if (court["club_id"], court["sport"]) != (old["club_id"], old["sport"]):
        raise ValueError("a booking stays in its club and with its sport")
    starts = _moment(day, start)
    if (court_id, starts) == (booking["court_id"], booking["starts"]):
        raise ValueError("that is the court and time already booked")
    _slot(db, db["clubs"][court["club_id"]], starts, booking["minutes"])
    if not _free(db, court_id, starts, booking["minutes"], booking_id):
        raise ValueError(f"{court['name']} is taken at that time")
    price = _court_price(db, court, member, booking["minutes"])
    difference = round(price - booking["price"], 2)
    if difference < 0:
        _pay_out(member, -difference, "credit")
    booking.update(court_id=court_id, starts=starts, price=price)
    return {**_shown_booking(db, booking), "difference": difference, "credit": member["credit"]}


def bring_guests(db: Database, booking_id: str, guests: int) -> dict[str, Any]:
    """Enter guests for a booked court, at most three in all; each takes one guest pass.

    booking_id: a confirmed booking.
    guests: how many more.
    """
    booking = _find(db, "court_bookings", booking_id, "court booking")
    member = db["members"][booking["member_id"]]
    if booking["status"] != "confirmed" or booking["starts"] <= _now():
        raise ValueError(f"{booking_id} is {booking['status']} or has begun; guests are entered before play")
    if guests < 1 or booking["guests"] + guests > 3:
        raise ValueError(f"between 1 and {3 - booking['guests']} guests can be added")
    if member["guest_passes"] < guests:
        raise ValueError(f"{guests} guest passes are needed, {member['guest_passes']} are left")
    booking["guests"] += guests
    member["guest_passes"] -= guests
    shown = _shown_booking(db, booking)
    return {"guests": booking["guests"], "passes_left": member["guest_passes"], "court": shown["court"]}


def file_complaint(
    db: Database,
    booking_id: str,
    topic: Literal["lights_failed", "double_booked", "wet_floor", "no_heating", "torn_net"],
    payout: Literal["card", "credit"],
) -> dict[str, Any]:
    """File a complaint about a court that was played on in the last 30 days; a part of its price comes back at once.

    booking_id: a played booking.
    topic: what was wrong.
    payout: where the money goes.
    """
    booking = _find(db, "court_bookings", booking_id, "court booking")
    if booking["status"] != "played" or _hours_until(booking["starts"]) < -24 * COMPLAINT_DAYS:
        raise ValueError(
            f"{booking_id} is {booking['status']}; complaints are for courts played in {COMPLAINT_DAYS} days"
        )
    if any(each["booking_id"] == booking_id for each in db["complaints"].values()):
        raise ValueError(f"a complaint about {booking_id} was filed before")
    if topic not in COMPENSATION_PERCENT:
        raise ValueError(f"topic must be one of {sorted(COMPENSATION_PERCENT)}")
    member, amount = db["members"][booking["member_id"]], round(booking["price"] * COMPENSATION_PERCENT[topic] / 100, 2)
    _pay_out(member, amount, payout)
    key = _new_key("CM")
    db["complaints"][key] = {
        "complaint_id": key,
        "member_id": booking["member_id"],
        "booking_id": booking_id,
        "topic": topic,
        "amount": amount,
        "payout": payout,
        "filed_at": _now(),
    }
    return {**db["complaints"][key], "percent": COMPENSATION_PERCENT[topic], "credit": member["credit"]}
