"""Flight bookings: looking them up, making them, changing and cancelling them."""

from typing import Any, Literal

from ._flying import (
    _confirmed,
    _disrupted,
    _expected,
    _fare,
    _flight_refund,
    _on_sale,
    _price_each,
    _seats_field,
    _upcoming,
    _upgrade_price,
)
from ._shared import Database, _check_refund_to, _find, _hours_until, _new_key, _now, _refunded, _shift, _take_points

WRITES = {"book_flight", "change_flight", "cancel_flight", "upgrade_cabin", "add_bags"}


def list_flight_bookings(
    db: Database, traveller_id: str, status: Literal["confirmed", "cancelled", "flown"] = "confirmed"
) -> list[dict[str, Any]]:
    """A traveller's flight bookings of one status, in order of departure.

    traveller_id: whose bookings.
    status: which bookings.
    """
    _find(db, "travellers", traveller_id, "traveller")
    found = []
    for booking in db["flight_bookings"].values():
        if (booking["traveller_id"], booking["status"]) == (traveller_id, status):
            flight = db["flights"][booking["flight_id"]]
            found.append(
                {
                    "booking_id": booking["booking_id"],
                    "flight_id": booking["flight_id"],
                    "origin": db["destinations"][flight["origin"]]["city"],
                    "destination": db["destinations"][flight["destination"]]["city"],
                    "departure": flight["departure"],
                    "flight_status": flight["status"],
                }
            )
    return sorted(found, key=lambda each: (each["departure"], each["booking_id"]))


def get_flight_booking(db: Database, booking_id: str) -> dict[str, Any]:
    """A flight booking in full: its flight and times, its fare's conditions, what a cancellation would bring back now,
    and what business class would cost (null: not possible).

    booking_id: such as FB-4F82A1.
    """
    booking = _find(db, "flight_bookings", booking_id, "flight booking")
    flight, fare = db["flights"][booking["flight_id"]], db["fares"][booking["fare_id"]]
    refund, rule = _flight_refund(db, booking) if booking["status"] == "confirmed" else (0.0, booking["status"])
    return {
        **booking,
        "fare": fare["fare"],
        "change_fee_each": fare["change_fee"],
        "origin": flight["origin"],
        "destination": flight["destination"],
        "departure": flight["departure"],
        "arrival": flight["arrival"],
        "expected_arrival": _expected(flight),
        "flight_status": flight["status"],
        "cause": flight["cause"],
        "bags_in_all": fare["bags_included"] * booking["travellers"] + booking["extra_bags"],
        "extra_bag_fee": db["carriers"][flight["carrier_code"]]["bag_fee"],
        "upgrade_price": _upgrade_price(db, booking),
        "refund_now": refund,
        "refund_rule": rule,
    }


def book_flight(
    db: Database,
    traveller_id: str,
    flight_id: str,
    fare: Literal["light", "classic", "flex"],
    cabin: Literal["economy", "business"] = "economy",
    travellers: int = 1,
) -> dict[str, Any]:
    """Book a flight and charge it to the card on file. Returns the confirmed booking.

    traveller_id: who books and travels.
    flight_id: flight, from search_flights.
    fare: fare to book.
    cabin: cabin to book.
    travellers: number of people, 1 to 6.
    """
    _find(db, "travellers", traveller_id, "traveller")
    flight, sold, seats = _find(db, "flights", flight_id, "flight"), _fare(db, fare), _seats_field(cabin)
    if not 1 <= travellers <= 6:
        raise ValueError("a booking is for 1 to 6 travellers")
    if not _on_sale(flight):
        raise ValueError(f"{flight_id} is {flight['status']} and no longer sold")
    if flight[seats] < travellers:
        raise ValueError(f"{flight_id} has only {flight[seats]} seats left in {cabin}")
    key = _new_key("FB")
    flight[seats] -= travellers
    db["flight_bookings"][key] = {
        "booking_id": key,
        "traveller_id": traveller_id,
        "flight_id": flight_id,
        "fare_id": sold["fare_id"],
        "cabin": cabin,
        "travellers": travellers,
        "extra_bags": 0,
        "price_total": round(_price_each(db, flight, sold, cabin) * travellers, 2),
        "status": "confirmed",
        "booked_at": _now(),
        "refund_amount": None,
        "refund_to": None,
        "upgrade_paid_by": None,
    }
    return {**db["flight_bookings"][key], "departure": flight["departure"], "arrival": flight["arrival"]}


def _change(db: Database, booking: dict[str, Any], flight: dict[str, Any]) -> dict[str, Any]:
    old, fare = db["flights"][booking["flight_id"]], db["fares"][booking["fare_id"]]
    seats = _seats_field(booking["cabin"])
    if (flight["origin"], flight["destination"]) != (old["origin"], old["destination"]):
        raise ValueError(f"{flight['flight_id']} does not fly from {old['origin']} to {old['destination']}")
    if flight["flight_id"] == old["flight_id"] or not _on_sale(flight):
        raise ValueError(f"{flight['flight_id']} is the booked flight itself, or no longer sold")
    if flight[seats] < booking["travellers"]:
        raise ValueError(f"{flight['flight_id']} has only {flight[seats]} seats left in {booking['cabin']}")
    times = {"departure": flight["departure"], "arrival": flight["arrival"]}
    if _disrupted(old) and flight["departure"] <= _shift(old["departure"], 3 * 24 * 60):
        return {**times, "difference": 0.0, "fee": 0.0, "total": 0.0}
    if fare["change_fee"] is None:
        raise ValueError(f"{fare['fare']} fares cannot be changed")
    if _hours_until(old["departure"]) <= 2:
        raise ValueError("changes are possible until two hours before departure")
    bags = booking["extra_bags"] * db["carriers"][old["carrier_code"]]["bag_fee"]
    tickets = _price_each(db, flight, fare, booking["cabin"]) * booking["travellers"]
    difference = round(max(0.0, tickets - (booking["price_total"] - bags)), 2)
    gold = db["travellers"][booking["traveller_id"]]["tier"] == "gold"
    fee = 0.0 if gold else round(fare["change_fee"] * booking["travellers"], 2)
    return {**times, "difference": difference, "fee": fee, "total": round(difference + fee, 2)}


def quote_flight_change(db: Database, booking_id: str, new_flight_id: str) -> dict[str, Any]:
    """What moving a confirmed booking to another flight of the same route would cost. Changes nothing.

    booking_id: a confirmed flight booking.
    new_flight_id: the flight to move to.
    """
    return _change(db, _confirmed(db, booking_id), _find(db, "flights", new_flight_id, "flight"))


def _drop_transfers(db: Database, booking_id: str) -> None:
    for key in [key for key, each in db["transfers"].items() if each["booking_id"] == booking_id]:
        del db["transfers"][key]


def change_flight(db: Database, booking_id: str, new_flight_id: str) -> dict[str, Any]:
    """Move a confirmed booking to another flight of the same route, charging fee and difference to the card on file.
    Transfers booked with it lapse.

    booking_id: a confirmed flight booking.
    new_flight_id: the flight to move to.
    """
    booking, flight = _confirmed(db, booking_id), _find(db, "flights", new_flight_id, "flight")
    costs, seats = _change(db, booking, flight), _seats_field(booking["cabin"])
    db["flights"][booking["flight_id"]][seats] += booking["travellers"]
    flight[seats] -= booking["travellers"]
    _drop_transfers(db, booking_id)
    booking.update(flight_id=new_flight_id, price_total=round(booking["price_total"] + costs["total"], 2))
    return {"booking_id": booking_id, "flight_id": new_flight_id, **costs}


def cancel_flight(db: Database, booking_id: str, refund_to: Literal["card", "voucher"]) -> dict[str, Any]:
    """Cancel a confirmed flight booking and its transfers, and pay back what is due. Refused where nothing is.

    booking_id: a confirmed flight booking.
    refund_to: the card that was charged, or a new voucher valid for a year.
    """
    booking = _confirmed(db, booking_id)
    _check_refund_to(refund_to)
    amount, rule = _flight_refund(db, booking)
    if not amount:
        raise ValueError(f"{rule}; the booking stays as it is")
    db["flights"][booking["flight_id"]][_seats_field(booking["cabin"])] += booking["travellers"]
    _drop_transfers(db, booking_id)
    return {"booking_id": booking_id, "refund": amount, "voucher_id": _refunded(db, booking, amount, refund_to)}


def upgrade_cabin(db: Database, booking_id: str, payment: Literal["card", "points"]) -> dict[str, Any]:
    """Move a confirmed classic or flex booking from economy to business class.

    booking_id: a confirmed flight booking in economy.
    payment: how to pay the upgrade; a euro is 100 points.
    """
    booking, flight = _upcoming(db, booking_id)
    price = _upgrade_price(db, booking)
    if price is None or payment not in ("card", "points"):
        raise ValueError("only classic and flex bookings in economy can be upgraded, by card or points")
    if flight["seats_business"] < booking["travellers"]:
        raise ValueError(f"business class has only {flight['seats_business']} seats left")
    points = _take_points(db, booking["traveller_id"], price) if payment == "points" else 0
    flight["seats_business"] -= booking["travellers"]
    flight["seats_economy"] += booking["travellers"]
    total = round(booking["price_total"] + price, 2)
    booking.update(cabin="business", price_total=total, upgrade_paid_by=payment)
    return {"booking_id": booking_id, "upgrade_price": price, "points_used": points, "total": total}


def add_bags(db: Database, booking_id: str, bags: int) -> dict[str, Any]:
    """Add extra checked bags to a confirmed flight booking, at the airline's fee, charged to the card on file.

    booking_id: a confirmed flight booking.
    bags: how many to add; a traveller has three bags at the most, those of the fare included.
    """
    booking, flight = _upcoming(db, booking_id)
    included = db["fares"][booking["fare_id"]]["bags_included"]
    room = (3 - included) * booking["travellers"] - booking["extra_bags"]
    if not 1 <= bags <= room:
        raise ValueError(f"between 1 and {room} bags can be added" if room else "no further bag can be added")
    charged = round(db["carriers"][flight["carrier_code"]]["bag_fee"] * bags, 2)
    total = round(booking["price_total"] + charged, 2)
    booking.update(extra_bags=booking["extra_bags"] + bags, price_total=total)
    return {"booking_id": booking_id, "charged": charged, "total": total}
