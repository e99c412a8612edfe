"""What follows a flight: transfers between airport and city, and compensation for late arrivals."""

from typing import Any, Literal

from ._flying import _upcoming
from ._shared import Database, _find, _hours_until, _issue_voucher, _new_key, _now, _shift

WRITES = {"book_transfer", "claim_compensation"}

NOTICE_HOURS = 24
CLAIM_DAYS = 90
EXTRAORDINARY = ("severe_weather", "air_traffic_control_strike")


def _airport(flight: dict[str, Any], direction: str) -> str:
    if direction not in ("from_airport", "to_airport"):
        raise ValueError("direction must be from_airport or to_airport")
    return str(flight["destination"] if direction == "from_airport" else flight["origin"])


def list_transfers(
    db: Database, booking_id: str, direction: Literal["from_airport", "to_airport"] = "from_airport"
) -> list[dict[str, Any]]:
    """Transfers that go with a confirmed flight booking and seat all its travellers; the cheapest first. Prices are for
    all together.

    booking_id: a confirmed flight booking.
    direction: from the airport of arrival into the city, or from the city to the airport of departure.
    """
    booking, flight = _upcoming(db, booking_id)
    code = _airport(flight, direction)
    found = [dict(each) for each in db["destinations"][code]["transfers"] if each["seats"] >= booking["travellers"]]
    return sorted(found, key=lambda each: each["price"])


def book_transfer(
    db: Database,
    booking_id: str,
    vehicle: Literal["shuttle_bus", "private_car", "minibus"],
    direction: Literal["from_airport", "to_airport"] = "from_airport",
) -> dict[str, Any]:
    """Book a transfer, charged to the card on file: 45 minutes after landing, or so that the airport is reached two
    hours before departure. It is booked at least 24 hours ahead, once for each direction.

    booking_id: a confirmed flight booking.
    vehicle: from list_transfers.
    direction: from the airport of arrival into the city, or from the city to the airport of departure.
    """
    booking, flight = _upcoming(db, booking_id)
    code = _airport(flight, direction)
    option = next((each for each in db["destinations"][code]["transfers"] if each["vehicle"] == vehicle), None)
    if option is None:
        raise ValueError(f"no {vehicle} serves the airport {code}")
    if option["seats"] < booking["travellers"]:
        raise ValueError(f"a {vehicle} seats {option['seats']}, the booking is for {booking['travellers']}")
    early = _shift(flight["departure"], -120 - option["minutes"])
    pick_up = _shift(flight["arrival"], 45) if direction == "from_airport" else early
    if _hours_until(pick_up) < NOTICE_HOURS:
        raise ValueError(f"transfers are booked at least {NOTICE_HOURS} hours ahead")
    for each in db["transfers"].values():
        if (each["booking_id"], each["direction"]) == (booking_id, direction):
            raise ValueError(f"a transfer is booked already: {each['transfer_id']}")
    key = _new_key("TR")
    db["transfers"][key] = {
        "transfer_id": key,
        "traveller_id": booking["traveller_id"],
        "booking_id": booking_id,
        "vehicle": vehicle,
        "direction": direction,
        "pick_up": pick_up,
        "price": option["price"],
    }
    return dict(db["transfers"][key])


def _due_each(kilometres: int, delay: int) -> float:
    if delay < 180:
        return 0.0
    if kilometres <= 3500:
        return 250.0 if kilometres <= 1500 else 400.0
    return 600.0 if delay >= 240 else 300.0


def check_compensation(db: Database, booking_id: str) -> dict[str, Any]:
    """Whether compensation is due for a flight that has landed, how much for all its travellers, and if not, why.

    booking_id: a flown booking.
    """
    booking = _find(db, "flight_bookings", booking_id, "flight booking")
    if booking["status"] != "flown":
        raise ValueError(f"booking {booking_id} is {booking['status']}; compensation follows a flown one")
    flight = db["flights"][booking["flight_id"]]
    delay, reason = flight["delay_minutes"], "due"
    amount = _due_each(flight["distance_km"], delay) * booking["travellers"]
    if not amount:
        reason = "the flight arrived less than 180 minutes late"
    elif flight["cause"] in EXTRAORDINARY:
        reason = f"the cause was extraordinary ({flight['cause']})"
    elif any(each["booking_id"] == booking_id for each in db["claims"].values()):
        reason = "compensation was claimed before"
    elif _hours_until(flight["arrival"]) < -CLAIM_DAYS * 24:
        reason = f"claims close {CLAIM_DAYS} days after landing"
    due = reason == "due"
    facts = {"delay_minutes": delay, "distance_km": flight["distance_km"], "cause": flight["cause"]}
    return {"booking_id": booking_id, "due": due, "reason": reason, "amount": amount if due else 0.0, **facts}


def claim_compensation(db: Database, booking_id: str, payout: Literal["bank_transfer", "voucher"]) -> dict[str, Any]:
    """Claim the compensation that check_compensation finds due. As a voucher it is worth 20% more.

    booking_id: a flown booking.
    payout: how to pay.
    """
    if payout not in ("bank_transfer", "voucher"):
        raise ValueError("payout must be bank_transfer or voucher")
    found = check_compensation(db, booking_id)
    if not found["due"]:
        raise ValueError(f"no compensation for {booking_id}: {found['reason']}")
    key, traveller = _new_key("CL"), db["flight_bookings"][booking_id]["traveller_id"]
    db["claims"][key] = {
        "claim_id": key,
        "traveller_id": traveller,
        "booking_id": booking_id,
        "delay_minutes": found["delay_minutes"],
        "amount": found["amount"],
        "payout": payout,
        "filed_at": _now(),
    }
    worth = round(found["amount"] * 1.2, 2)
    voucher = _issue_voucher(db, traveller, worth) if payout == "voucher" else None
    return {**db["claims"][key], "voucher_id": voucher, "voucher_amount": worth if voucher else None}
