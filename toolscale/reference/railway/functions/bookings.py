"""Bookings: looking them up, making them, and paying those that are held."""

from typing import Any, Literal

from ._fares import _discount, _fare_key, _on_sale, _party_price, _price, _seats_field, _upgrade_price
from ._shared import Database, _departure, _find, _leg, _minutes, _new_key, _now, _take_points

WRITES = {"book_train", "pay_held_booking"}


def list_bookings(
    db: Database, passenger_id: str, status: Literal["held", "confirmed", "cancelled", "travelled"] = "confirmed"
) -> list[dict[str, Any]]:
    """A passenger's bookings of one status, in order of departure. Held bookings wait for payment.

    passenger_id: whose bookings.
    status: which bookings.
    """
    _find(db, "passengers", passenger_id, "passenger")
    found = []
    for booking in db["bookings"].values():
        if booking["passenger_id"] == passenger_id and booking["status"] == status:
            service = db["services"][booking["service_id"]]
            found.append(
                {
                    "booking_id": booking["booking_id"],
                    "service_id": booking["service_id"],
                    "travel_date": service["travel_date"],
                    "departure": _departure(service, booking),
                    "origin": db["stations"][booking["origin"]]["name"],
                    "destination": db["stations"][booking["destination"]]["name"],
                    "hold_until": booking["hold_until"],
                }
            )
    return sorted(found, key=lambda each: (each["departure"], each["booking_id"]))


def get_booking(db: Database, booking_id: str) -> dict[str, Any]:
    """A booking in full: its train and times, fare, price, seats, and what an upgrade to first class would cost (null:
    not possible).

    booking_id: such as RB-4F82A1.
    """
    booking = _find(db, "bookings", booking_id, "booking")
    service, fare = db["services"][booking["service_id"]], db["fares"][booking["fare_id"]]
    begin, end = _leg(service, booking["origin"], booking["destination"])
    seats = [each for each in db["reservations"].values() if each["booking_id"] == booking_id]
    return {
        **booking,
        "origin_name": db["stations"][booking["origin"]]["name"],
        "destination_name": db["stations"][booking["destination"]]["name"],
        "fare": fare["fare"],
        "travel_class": fare["travel_class"],
        "travel_date": service["travel_date"],
        "departure": service["departures"][begin],
        "arrival": service["arrivals"][end],
        "duration_minutes": _minutes(service["departures"][begin], service["arrivals"][end]),
        "service_status": service["status"],
        "upgrade_price": _upgrade_price(db, booking, service),
        "seats": [{"coach": each["coach"], "seat": each["seat"]} for each in seats],
    }


def book_train(
    db: Database,
    passenger_id: str,
    service_id: str,
    origin: str,
    destination: str,
    fare: Literal["saver", "standard", "flex"],
    travel_class: Literal["second", "first"] = "second",
    travellers: int = 1,
) -> dict[str, Any]:
    """Book and pay a train by the card on file. Returns the confirmed booking.

    passenger_id: who books and travels.
    service_id: train, from search_trains.
    origin: station code.
    destination: station code.
    fare: fare to book.
    travel_class: class to book.
    travellers: number of people, 1 to 6.
    """
    _find(db, "passengers", passenger_id, "passenger")
    service = _find(db, "services", service_id, "service")
    if not 1 <= travellers <= 6:
        raise ValueError("a booking is for 1 to 6 travellers")
    sold = db["fares"][_fare_key(fare, travel_class)]
    begin, end = _leg(service, origin, destination)
    if not _on_sale(service, sold, service["departures"][begin]):
        raise ValueError(f"the {fare} fare is no longer sold for {service_id}")
    if service[_seats_field(sold)] < travellers:
        raise ValueError(f"{service_id} has only {service[_seats_field(sold)]} free seats in {travel_class} class")
    discount = _discount(db, passenger_id, travel_class, service["travel_date"])
    key = _new_key("RB")
    service[_seats_field(sold)] -= travellers
    db["bookings"][key] = {
        "booking_id": key,
        "passenger_id": passenger_id,
        "service_id": service_id,
        "origin": origin,
        "destination": destination,
        "fare_id": sold["fare_id"],
        "travellers": travellers,
        "bicycles": 0,
        "discount_percent": discount,
        "price_total": _party_price(_price(service, sold, begin, end), travellers, discount),
        "payment_method": "card",
        "status": "confirmed",
        "booked_at": _now(),
        "hold_until": None,
        "refund_amount": None,
        "refund_to": None,
    }
    return dict(db["bookings"][key])


def pay_held_booking(
    db: Database, booking_id: str, method: Literal["card", "points"], voucher_id: str | None = None
) -> dict[str, Any]:
    """Pay a held booking, which confirms it. A voucher is used up whole and pays first; the rest goes by the method.

    booking_id: a held booking.
    method: how to pay what the voucher does not cover; a euro is 100 points.
    voucher_id: an open voucher of the same passenger.
    """
    booking = _find(db, "bookings", booking_id, "booking")
    if booking["status"] != "held" or booking["hold_until"] <= _now():
        raise ValueError(f"booking {booking_id} is not held (any more); it is {booking['status']}")
    if method not in ("card", "points"):
        raise ValueError("method must be card or points")
    rest = booking["price_total"]
    if voucher_id is not None:
        voucher = _find(db, "vouchers", voucher_id, "voucher")
        if voucher["passenger_id"] != booking["passenger_id"] or voucher["status"] != "open":
            raise ValueError(f"voucher {voucher_id} is not an open voucher of this passenger")
        if voucher["valid_until"] < _now()[:10]:
            raise ValueError(f"voucher {voucher_id} ran out on {voucher['valid_until']}")
        rest = round(max(0.0, rest - voucher["amount"]), 2)
    points = _take_points(db, booking["passenger_id"], rest) if method == "points" else 0
    if voucher_id is not None:
        db["vouchers"][voucher_id]["status"] = "used"
    booking.update(status="confirmed", payment_method=method, hold_until=None)
    return {"booking_id": booking_id, "price": booking["price_total"], "paid_by_method": rest, "points_used": points}
