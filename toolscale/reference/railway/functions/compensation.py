"""Compensation for journeys that arrived late."""

from typing import Any, Literal

from ._shared import Database, _find, _issue_voucher, _minutes, _new_key, _now

WRITES = {"file_compensation_claim"}

MINIMUM_COMPENSATION = 4.00
CLAIM_DAYS = 90


def check_compensation(db: Database, booking_id: str) -> dict[str, Any]:
    """What compensation a travelled booking is due for its delay: 25% of the price from 60 minutes, 50% from 120, none
    where the cause was extraordinary. Changes nothing.

    booking_id: a travelled booking.
    """
    booking = _find(db, "bookings", booking_id, "booking")
    if booking["status"] != "travelled":
        raise ValueError(f"booking {booking_id} is {booking['status']}; compensation is for journeys that were made")
    service = db["services"][booking["service_id"]]
    delay = service["delay_minutes"]
    percent = 50 if delay >= 120 else 25 if delay >= 60 else 0
    amount = round(booking["price_total"] * percent / 100, 2)
    excused = any(
        each["extraordinary"] for each in db["disruptions"].values() if each["service_id"] == service["service_id"]
    )
    reason = "due"
    if percent == 0:
        reason = "the train was less than 60 minutes late"
    elif excused:
        reason = "the delay had an extraordinary cause"
    elif amount < MINIMUM_COMPENSATION:
        reason = f"amounts under {MINIMUM_COMPENSATION:.2f} EUR are not paid"
    elif any(each["booking_id"] == booking_id for each in db["claims"].values()):
        reason = "a claim was already filed"
    elif _minutes(service["arrivals"][-1], _now()) > CLAIM_DAYS * 24 * 60:
        reason = f"claims close {CLAIM_DAYS} days after the journey"
    eligible = reason == "due"
    return {
        "booking_id": booking_id,
        "eligible": eligible,
        "reason": reason,
        "delay_minutes": delay,
        "percent": percent if eligible else 0,
        "amount": amount if eligible else 0.0,
    }


def file_compensation_claim(
    db: Database, booking_id: str, payout: Literal["bank_transfer", "voucher"]
) -> dict[str, Any]:
    """File a claim for the compensation that check_compensation finds due. A voucher is issued at once.

    booking_id: a travelled booking.
    payout: how to pay.
    """
    if payout not in ("bank_transfer", "voucher"):
        raise ValueError("payout must be bank_transfer or voucher")
    due = check_compensation(db, booking_id)
    if not due["eligible"]:
        raise ValueError(f"no compensation for {booking_id}: {due['reason']}")
    key, passenger = _new_key("CL"), db["bookings"][booking_id]["passenger_id"]
    db["claims"][key] = {
        "claim_id": key,
        "passenger_id": passenger,
        "booking_id": booking_id,
        "delay_minutes": due["delay_minutes"],
        "percent": due["percent"],
        "amount": due["amount"],
        "payout": payout,
        "status": "paid" if payout == "voucher" else "submitted",
        "filed_at": _now(),
    }
    voucher = _issue_voucher(db, passenger, due["amount"]) if payout == "voucher" else None
    return {**db["claims"][key], "voucher_id": voucher}
