"""What a flight costs, whether it is disrupted, and what a booking would bring back."""

from typing import Any

from ._shared import Database, _find, _hours_until, _now, _shift


def _fare(db: Database, fare: str) -> dict[str, Any]:
    if fare not in ("light", "classic", "flex"):
        raise ValueError("fare must be light, classic or flex")
    found: dict[str, Any] = db["fares"][f"FR-{fare.upper()}"]
    return found


def _seats_field(cabin: str) -> str:
    if cabin not in ("economy", "business"):
        raise ValueError("cabin must be economy or business")
    return f"seats_{cabin}"


def _price_each(db: Database, flight: dict[str, Any], fare: dict[str, Any], cabin: str) -> float:
    factor = db["carriers"][flight["carrier_code"]]["business_factor"] if cabin == "business" else 1.0
    return float(round(flight["base_price"] * fare["price_factor"] * factor + 1e-9, 2))


def _on_sale(flight: dict[str, Any]) -> bool:
    return flight["status"] in ("scheduled", "delayed") and flight["departure"] > _now()


def _expected(flight: dict[str, Any]) -> str:
    return _shift(flight["arrival"], flight["delay_minutes"])


def _disrupted(flight: dict[str, Any]) -> bool:
    return bool(flight["status"] == "cancelled" or flight["delay_minutes"] >= 180)


def _confirmed(db: Database, booking_id: str) -> dict[str, Any]:
    booking = _find(db, "flight_bookings", booking_id, "flight booking")
    if booking["status"] != "confirmed":
        raise ValueError(f"flight booking {booking_id} is {booking['status']}; only a confirmed one allows this")
    return booking


def _upcoming(db: Database, booking_id: str) -> tuple[dict[str, Any], dict[str, Any]]:
    booking = _confirmed(db, booking_id)
    flight = db["flights"][booking["flight_id"]]
    if flight["status"] == "cancelled":
        raise ValueError(f"{flight['flight_id']} is cancelled: change the booking free of charge, or cancel it")
    if flight["departure"] <= _now():
        raise ValueError(f"the flight of {booking_id} has already left")
    return booking, flight


def _flight_refund(db: Database, booking: dict[str, Any]) -> tuple[float, str]:
    flight, fare = db["flights"][booking["flight_id"]], db["fares"][booking["fare_id"]]
    if _disrupted(flight):
        return booking["price_total"], "full refund: the flight is cancelled or at least 180 minutes late"
    if not fare["refund_percent"]:
        return 0.0, f"{fare['fare']} fares are not refundable"
    if _hours_until(flight["departure"]) < fare["refund_until_hours"]:
        return 0.0, f"{fare['fare']} fares are refunded until {fare['refund_until_hours']} hours before departure"
    return round(booking["price_total"] * fare["refund_percent"] / 100 + 1e-9, 2), f"{fare['refund_percent']}% by fare"


def _upgrade_price(db: Database, booking: dict[str, Any]) -> float | None:
    flight, fare = db["flights"][booking["flight_id"]], db["fares"][booking["fare_id"]]
    if booking["cabin"] == "business" or fare["fare"] == "light":
        return None
    dearer = _price_each(db, flight, fare, "business") - _price_each(db, flight, fare, "economy")
    return float(round(dearer * booking["travellers"], 2))
