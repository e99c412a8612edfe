"""A traveller's account: contact, passport, points, vouchers and waiting lists."""

from typing import Any

from ._shared import POINTS_A_EURO, Database, _day, _find, _issue_voucher, _today

WRITES = {"update_passport", "redeem_points"}

LEAST_POINTS = 1000


def get_traveller(db: Database, traveller_id: str) -> dict[str, Any]:
    """A traveller's account: passport, tier, points, open vouchers, and places on waiting lists.

    traveller_id: such as TV-10234.
    """
    traveller = _find(db, "travellers", traveller_id, "traveller")
    vouchers = [
        {"voucher_id": each["voucher_id"], "amount": each["amount"], "valid_until": each["valid_until"]}
        for each in db["vouchers"].values()
        if each["traveller_id"] == traveller_id and each["status"] == "open"
    ]
    waiting = [
        {**each, "title": db["tours"][db["departures"][each["departure_id"]]["tour_id"]]["title"]}
        for each in db["waitlist"].values()
        if each["traveller_id"] == traveller_id
    ]
    return {
        **traveller,
        "home_city": db["destinations"][traveller["home_airport"]]["city"],
        "open_vouchers": sorted(vouchers, key=lambda each: each["valid_until"]),
        "waiting_lists": waiting,
    }


def update_passport(db: Database, traveller_id: str, passport_number: str, expiry_date: str) -> dict[str, Any]:
    """Put a new passport on file. It must be valid for longer than the old one.

    traveller_id: whose passport.
    passport_number: two letters and seven digits.
    expiry_date: day on which the new passport runs out, YYYY-MM-DD.
    """
    traveller = _find(db, "travellers", traveller_id, "traveller")
    number, expiry = passport_number.replace(" ", "").upper(), _day(expiry_date).isoformat()
    if len(number) != 9 or not number[:2].isalpha() or not number[2:].isdigit():
        raise ValueError("a passport number has two letters and seven digits")
    if expiry <= traveller["passport_expiry"] or expiry <= _today().isoformat():
        raise ValueError(
            f"the passport on file is valid until {traveller['passport_expiry']}; a new one is valid longer"
        )
    old = traveller["passport_number"]
    traveller.update(passport_number=number, passport_expiry=expiry)
    return {"traveller_id": traveller_id, "passport_number": number, "passport_expiry": expiry, "replaced": old}


def redeem_points(db: Database, traveller_id: str, points: int) -> dict[str, Any]:
    """Turn points into a voucher valid for a year: in full hundreds, at least 1000, each worth a cent.

    traveller_id: whose points.
    points: how many.
    """
    traveller = _find(db, "travellers", traveller_id, "traveller")
    if points < LEAST_POINTS or points % 100:
        raise ValueError(f"points are redeemed in full hundreds, at least {LEAST_POINTS}")
    if points > traveller["points"]:
        raise ValueError(f"the traveller has only {traveller['points']} points")
    traveller["points"] -= points
    amount = round(points / POINTS_A_EURO, 2)
    voucher = _issue_voucher(db, traveller_id, amount)
    return {"voucher_id": voucher, "amount": amount, "points_left": traveller["points"]}
