"""Guided tours: finding departures, booking, paying, moving and cancelling them, and waiting lists."""

from typing import Any, Literal

from ._shared import Database, _check_refund_to, _day, _find, _new_key, _now, _refunded, _today

WRITES = {"book_tour", "pay_tour_balance", "move_tour", "cancel_tour", "join_waitlist", "leave_waitlist"}

DEPOSIT_SHARE = 0.2
BALANCE_DAYS = 30
MOVE_FEE = 45.0
CANCELLATION_SCALE = ((60, 0), (30, 20), (15, 50), (7, 80))


def _days_ahead(db: Database, departure_id: str) -> int:
    return (_day(db["departures"][departure_id]["start_date"]) - _today()).days


def _tour_of(db: Database, departure: dict[str, Any]) -> dict[str, Any]:
    tour: dict[str, Any] = db["tours"][departure["tour_id"]]
    return tour


def _active(db: Database, tour_booking_id: str) -> dict[str, Any]:
    booking = _find(db, "tour_bookings", tour_booking_id, "tour booking")
    if booking["status"] not in ("reserved", "paid"):
        raise ValueError(f"tour booking {tour_booking_id} is {booking['status']}; only an active one allows this")
    return booking


def _cancellation(db: Database, booking: dict[str, Any]) -> dict[str, Any]:
    ahead = _days_ahead(db, booking["departure_id"])
    percent = next((share for days, share in CANCELLATION_SCALE if ahead >= days), None)
    if percent is None:
        return {"days_ahead": ahead, "fee_percent": None, "fee": None, "refund_now": 0.0}
    fee = round(booking["price_total"] * percent / 100 + 1e-9, 2)
    refund = round(max(0.0, booking["paid"] - fee), 2)
    return {"days_ahead": ahead, "fee_percent": percent, "fee": fee, "refund_now": refund}


def search_tours(
    db: Database,
    earliest: str,
    latest: str,
    theme: Literal["city_break", "hiking", "culture", "wildlife", "food_and_wine", "beach"] | None = None,
    destination_code: str | None = None,
) -> list[dict[str, Any]]:
    """Departures of guided tours that start between two days, those without free places too, in order of their start.
    Prices are for one traveller.

    earliest: first possible day of the start, YYYY-MM-DD.
    latest: last possible day of the start, YYYY-MM-DD.
    theme: only tours of this theme.
    destination_code: only tours to this destination, from find_destination.
    """
    first, last = _day(earliest).isoformat(), _day(latest).isoformat()
    found = []
    for departure in db["departures"].values():
        tour = _tour_of(db, departure)
        in_time = first <= departure["start_date"] <= last and departure["start_date"] > _now()[:10]
        fits = theme in (None, tour["theme"]) and destination_code in (None, tour["destination_code"])
        if in_time and fits:
            found.append({**tour, **departure})
    return sorted(found, key=lambda each: (each["start_date"], each["departure_id"]))


def list_tour_bookings(
    db: Database, traveller_id: str, status: Literal["active", "cancelled", "completed"] = "active"
) -> list[dict[str, Any]]:
    """A traveller's booked tours, in order of their start. Active ones are reserved with a deposit, or paid.

    traveller_id: whose bookings.
    status: which bookings.
    """
    _find(db, "travellers", traveller_id, "traveller")
    wanted = ("reserved", "paid") if status == "active" else (status,)
    found = []
    for booking in db["tour_bookings"].values():
        if booking["traveller_id"] == traveller_id and booking["status"] in wanted:
            departure = db["departures"][booking["departure_id"]]
            found.append(
                {
                    "tour_booking_id": booking["tour_booking_id"],
                    "title": _tour_of(db, departure)["title"],
                    "start_date": departure["start_date"],
                    "status": booking["status"],
                }
            )
    return sorted(found, key=lambda each: (each["start_date"], each["tour_booking_id"]))


def get_tour_booking(db: Database, tour_booking_id: str) -> dict[str, Any]:
    """A tour booking in full: the tour and its dates, what is still to be paid, and what a cancellation would cost now
    (null: too late).

    tour_booking_id: such as TB-4F82A1.
    """
    booking = _find(db, "tour_bookings", tour_booking_id, "tour booking")
    departure = db["departures"][booking["departure_id"]]
    tour = _tour_of(db, departure)
    return {
        **booking,
        "title": tour["title"],
        "tour_id": tour["tour_id"],
        "destination_code": tour["destination_code"],
        "level": tour["level"],
        "start_date": departure["start_date"],
        "end_date": departure["end_date"],
        "balance": round(booking["price_total"] - booking["paid"], 2),
        **_cancellation(db, booking),
    }


def book_tour(db: Database, traveller_id: str, departure_id: str, travellers: int) -> dict[str, Any]:
    """Book places on a tour. A deposit of 20% is charged to the card on file, or the whole price if the tour starts in
    less than 30 days.

    traveller_id: who books and travels.
    departure_id: from search_tours.
    travellers: number of people, 1 to 6.
    """
    _find(db, "travellers", traveller_id, "traveller")
    departure = _find(db, "departures", departure_id, "departure")
    ahead = _days_ahead(db, departure_id)
    if not 1 <= travellers <= 6:
        raise ValueError("a booking is for 1 to 6 travellers")
    if ahead < 3:
        raise ValueError(f"{departure_id} starts on {departure['start_date']}; tours are sold until three days before")
    if departure["places_left"] < travellers:
        raise ValueError(f"{departure_id} has {departure['places_left']} places left; offer the waiting list")
    key, total = _new_key("TB"), round(departure["price"] * travellers, 2)
    deposit = total if ahead < BALANCE_DAYS else round(total * DEPOSIT_SHARE + 1e-9, 2)
    departure["places_left"] -= travellers
    db["tour_bookings"][key] = {
        "tour_booking_id": key,
        "traveller_id": traveller_id,
        "departure_id": departure_id,
        "travellers": travellers,
        "price_total": total,
        "paid": deposit,
        "status": "paid" if deposit == total else "reserved",
        "booked_at": _now(),
        "refund_amount": None,
        "refund_to": None,
    }
    return dict(db["tour_bookings"][key])


def pay_tour_balance(db: Database, tour_booking_id: str, voucher_id: str | None = None) -> dict[str, Any]:
    """Pay what is still open of a reserved tour. A voucher is used up whole and pays first; the card on file pays the
    rest.

    tour_booking_id: a reserved tour booking.
    voucher_id: an open voucher of the same traveller.
    """
    booking = _active(db, tour_booking_id)
    if booking["status"] == "paid":
        raise ValueError(f"{tour_booking_id} is paid in full already")
    rest = round(booking["price_total"] - booking["paid"], 2)
    charged = rest
    if voucher_id is not None:
        voucher = _find(db, "vouchers", voucher_id, "voucher")
        if voucher["traveller_id"] != booking["traveller_id"] or voucher["status"] != "open":
            raise ValueError(f"voucher {voucher_id} is not an open voucher of this traveller")
        charged = round(max(0.0, rest - voucher["amount"]), 2)
        voucher["status"] = "used"
    booking.update(status="paid", paid=booking["price_total"])
    return {"tour_booking_id": tour_booking_id, "balance": rest, "charged_to_card": charged}


def move_tour(db: Database, tour_booking_id: str, new_departure_id: str) -> dict[str, Any]:
    """Move a tour booking to another departure of the same tour, at least 30 days before the start, for 45 EUR a
    traveller (free for gold). A reserved booking stays reserved; of a paid one the difference is charged or paid back.

    tour_booking_id: an active tour booking.
    new_departure_id: from search_tours.
    """
    booking = _active(db, tour_booking_id)
    old, new = db["departures"][booking["departure_id"]], _find(db, "departures", new_departure_id, "departure")
    if new["tour_id"] != old["tour_id"] or new["departure_id"] == old["departure_id"]:
        raise ValueError("only another departure of the same tour can be chosen")
    if _days_ahead(db, booking["departure_id"]) < BALANCE_DAYS:
        raise ValueError(f"a tour can be moved until {BALANCE_DAYS} days before its start on {old['start_date']}")
    if _days_ahead(db, new_departure_id) < BALANCE_DAYS:
        raise ValueError(f"the new departure must be at least {BALANCE_DAYS} days ahead")
    if new["places_left"] < booking["travellers"]:
        raise ValueError(f"{new_departure_id} has {new['places_left']} places left")
    gold = db["travellers"][booking["traveller_id"]]["tier"] == "gold"
    fee = 0.0 if gold else round(MOVE_FEE * booking["travellers"], 2)
    total = round(new["price"] * booking["travellers"] + fee, 2)
    difference = round(total - booking["price_total"], 2)
    old["places_left"] += booking["travellers"]
    new["places_left"] -= booking["travellers"]
    paid = total if booking["status"] == "paid" else booking["paid"]
    booking.update(departure_id=new_departure_id, price_total=total, paid=paid)
    return {"tour_booking_id": tour_booking_id, "start_date": new["start_date"], "fee": fee, "difference": difference}


def cancel_tour(db: Database, tour_booking_id: str, refund_to: Literal["card", "voucher"]) -> dict[str, Any]:
    """Cancel a tour booking until seven days before its start, and pay back what was paid less the fee: 0% of the price
    until 60 days before, then 20%, from 29 days 50%, from 14 days 80%.

    tour_booking_id: an active tour booking.
    refund_to: the card that was charged, or a new voucher valid for a year.
    """
    booking = _active(db, tour_booking_id)
    _check_refund_to(refund_to)
    costs = _cancellation(db, booking)
    if costs["fee"] is None:
        start = db["departures"][booking["departure_id"]]["start_date"]
        raise ValueError(f"the tour starts on {start}; from six days before, it can no longer be cancelled")
    db["departures"][booking["departure_id"]]["places_left"] += booking["travellers"]
    voucher = _refunded(db, booking, costs["refund_now"], refund_to)
    return {
        "tour_booking_id": tour_booking_id,
        "fee": costs["fee"],
        "refund": costs["refund_now"],
        "voucher_id": voucher,
    }


def join_waitlist(db: Database, traveller_id: str, departure_id: str, travellers: int) -> dict[str, Any]:
    """Put a traveller on the waiting list of a departure that has too few places left for the party.

    traveller_id: who waits.
    departure_id: from search_tours.
    travellers: number of places wanted, 1 to 6.
    """
    _find(db, "travellers", traveller_id, "traveller")
    departure = _find(db, "departures", departure_id, "departure")
    if not 1 <= travellers <= 6 or _days_ahead(db, departure_id) < 3:
        raise ValueError("waiting lists take 1 to 6 travellers, until three days before the start")
    if departure["places_left"] >= travellers:
        raise ValueError(f"{departure_id} has {departure['places_left']} places left; book it instead")
    waiting = [each for each in db["waitlist"].values() if each["departure_id"] == departure_id]
    if any(each["traveller_id"] == traveller_id for each in waiting):
        raise ValueError("the traveller is on that waiting list already")
    key = _new_key("WL")
    db["waitlist"][key] = {
        "waitlist_id": key,
        "traveller_id": traveller_id,
        "departure_id": departure_id,
        "travellers": travellers,
        "joined_at": _now(),
    }
    return {**db["waitlist"][key], "position": len(waiting) + 1}


def leave_waitlist(db: Database, waitlist_id: str) -> dict[str, Any]:
    """Take a traveller off a waiting list.

    waitlist_id: from get_traveller.
    """
    entry = _find(db, "waitlist", waitlist_id, "waiting list entry")
    if db["departures"][entry["departure_id"]]["start_date"] <= _now()[:10]:
        raise ValueError("the tour has started; its waiting list is closed")
    del db["waitlist"][waitlist_id]
    return {"left": waitlist_id, "departure_id": entry["departure_id"]}
