"""Changes to a booking: cancelling it, another train, a better class, and bicycles."""

from typing import Any, Literal

from ._fares import _party_price, _price, _seats_field, _upgrade_price
from ._shared import (
    Database,
    _confirmed,
    _departure,
    _disrupted,
    _find,
    _issue_voucher,
    _leg,
    _minutes,
    _now,
    _shift,
    _take_points,
    _upcoming,
)

WRITES = {"cancel_booking", "exchange_booking", "upgrade_booking", "add_bicycles"}

BICYCLE_PRICE = 11.90


def _refund(db: Database, booking: dict[str, Any]) -> tuple[float, str]:
    service, fare = db["services"][booking["service_id"]], db["fares"][booking["fare_id"]]
    if _disrupted(service):
        return booking["price_total"], "full refund: the train is cancelled or at least 60 minutes late"
    left = _minutes(_now(), _departure(service, booking))
    if fare["refund_percent"] == 0 or left < fare["refund_until_minutes"]:
        return 0.0, f"{fare['fare']} tickets are not refundable (any more)"
    return round(booking["price_total"] * fare["refund_percent"] / 100, 2), f"{fare['refund_percent']}% by the fare"


def _exchange(db: Database, booking: dict[str, Any], service: dict[str, Any]) -> dict[str, Any]:
    old, fare = db["services"][booking["service_id"]], db["fares"][booking["fare_id"]]
    begin, end = _leg(service, booking["origin"], booking["destination"])
    departs = service["departures"][begin]
    if service["service_id"] == booking["service_id"]:
        raise ValueError("that is the train already booked")
    if service["status"] == "cancelled" or departs <= _now():
        raise ValueError(f"{service['service_id']} is cancelled or has left")
    if service[_seats_field(fare)] < booking["travellers"]:
        raise ValueError(f"{service['service_id']} has too few free seats in {fare['travel_class']} class")
    if service["bicycle_places_left"] < booking["bicycles"]:
        raise ValueError(f"{service['service_id']} has too few bicycle places")
    tickets = _party_price(_price(service, fare, begin, end), booking["travellers"], booking["discount_percent"])
    if _disrupted(old) and departs <= _shift(_departure(old, booking), 48 * 60):
        return {"difference": 0.0, "fee": 0.0, "total": 0.0}
    if fare["exchange_fee"] is None:
        raise ValueError(f"{fare['fare']} tickets cannot be exchanged")
    if _departure(old, booking) <= _now():
        raise ValueError("the booked train has already left")
    paid = booking["price_total"] - BICYCLE_PRICE * booking["bicycles"]
    difference, fee = round(max(0.0, tickets - paid), 2), round(fare["exchange_fee"] * booking["travellers"], 2)
    return {"difference": difference, "fee": fee, "total": round(difference + fee, 2)}


def _give_back_seats(db: Database, booking: dict[str, Any]) -> None:
    service = db["services"][booking["service_id"]]
    if service["status"] != "cancelled":
        service[_seats_field(db["fares"][booking["fare_id"]])] += booking["travellers"]
        service["bicycle_places_left"] += booking["bicycles"]
    for table in ("reservations", "assistance", "lounge_visits"):
        for key in [key for key, each in db[table].items() if each["booking_id"] == booking["booking_id"]]:
            del db[table][key]


def quote_refund(db: Database, booking_id: str) -> dict[str, Any]:
    """What would be paid back if a confirmed booking were cancelled now, and by which rule. Changes nothing.

    booking_id: a confirmed booking.
    """
    booking = _confirmed(db, booking_id)
    amount, rule = _refund(db, booking)
    return {"booking_id": booking_id, "paid": booking["price_total"], "refund": amount, "rule": rule}


def cancel_booking(db: Database, booking_id: str, refund_to: Literal["original_payment", "voucher"]) -> dict[str, Any]:
    """Cancel a confirmed booking with everything reserved for it, and pay back what is due. Refused where nothing is.

    booking_id: a confirmed booking.
    refund_to: the means of payment it was bought with, or a new voucher valid for a year.
    """
    booking = _confirmed(db, booking_id)
    if refund_to not in ("original_payment", "voucher"):
        raise ValueError("refund_to must be original_payment or voucher")
    amount, rule = _refund(db, booking)
    if amount == 0:
        raise ValueError(f"{rule}; the booking stays as it is")
    _give_back_seats(db, booking)
    booking.update(status="cancelled", refund_amount=amount, refund_to=refund_to)
    voucher = _issue_voucher(db, booking["passenger_id"], amount) if refund_to == "voucher" else None
    return {"booking_id": booking_id, "refund": amount, "rule": rule, "voucher_id": voucher}


def quote_exchange(db: Database, booking_id: str, new_service_id: str) -> dict[str, Any]:
    """What moving a confirmed booking to another train between the same stations would cost. Changes nothing.

    booking_id: a confirmed booking.
    new_service_id: the train to move to.
    """
    return _exchange(db, _confirmed(db, booking_id), _find(db, "services", new_service_id, "service"))


def exchange_booking(db: Database, booking_id: str, new_service_id: str) -> dict[str, Any]:
    """Move a confirmed booking to another train between the same stations, charging difference and fee to the card on
    file. Seats, assistance and lounge visits of the old train lapse.

    booking_id: a confirmed booking.
    new_service_id: the train to move to.
    """
    booking, service = _confirmed(db, booking_id), _find(db, "services", new_service_id, "service")
    costs = _exchange(db, booking, service)
    _give_back_seats(db, booking)
    service[_seats_field(db["fares"][booking["fare_id"]])] -= booking["travellers"]
    service["bicycle_places_left"] -= booking["bicycles"]
    booking.update(service_id=new_service_id, price_total=round(booking["price_total"] + costs["total"], 2))
    begin, end = _leg(service, booking["origin"], booking["destination"])
    times = {"departure": service["departures"][begin], "arrival": service["arrivals"][end]}
    return {"booking_id": booking_id, "new_service_id": new_service_id, **times, **costs}


def upgrade_booking(db: Database, booking_id: str, payment: Literal["card", "points"]) -> dict[str, Any]:
    """Upgrade a confirmed standard or flex booking from second to first class. Reserved seats lapse.

    booking_id: a confirmed booking in second class.
    payment: how to pay the difference; a euro is 100 points.
    """
    booking, service = _upcoming(db, booking_id)
    price = _upgrade_price(db, booking, service)
    if price is None or payment not in ("card", "points"):
        raise ValueError("only standard and flex bookings in second class can be upgraded, by card or points")
    if service["seats_first"] < booking["travellers"]:
        raise ValueError(f"first class has only {service['seats_first']} free seats")
    points = _take_points(db, booking["passenger_id"], price) if payment == "points" else 0
    for key in [key for key, each in db["reservations"].items() if each["booking_id"] == booking_id]:
        del db["reservations"][key]
    service["seats_first"] -= booking["travellers"]
    service["seats_second"] += booking["travellers"]
    booking.update(
        fare_id=booking["fare_id"].replace("-2", "-1"),
        price_total=round(booking["price_total"] + price, 2),
        payment_method=payment,
    )
    return {"booking_id": booking_id, "upgrade_price": price, "points_used": points, "total": booking["price_total"]}


def add_bicycles(db: Database, booking_id: str, bicycles: int) -> dict[str, Any]:
    """Add bicycle places to a confirmed booking, at most one for each traveller, charged to the card on file.

    booking_id: a confirmed booking.
    bicycles: how many to add.
    """
    booking, service = _upcoming(db, booking_id)
    if bicycles < 1 or booking["bicycles"] + bicycles > booking["travellers"]:
        raise ValueError(f"between 1 and {booking['travellers'] - booking['bicycles']} bicycles can be added")
    if service["bicycle_places_left"] < bicycles:
        raise ValueError(f"the train has {service['bicycle_places_left']} bicycle places left")
    service["bicycle_places_left"] -= bicycles
    charge = round(BICYCLE_PRICE * bicycles, 2)
    booking.update(bicycles=booking["bicycles"] + bicycles, price_total=round(booking["price_total"] + charge, 2))
    return {"booking_id": booking_id, "charged": charge, "total": booking["price_total"]}
