"""The agency's travellers and their vouchers."""

from random import Random
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.ids import Ids
from toolscale.reference.moments import birth_date, day
from toolscale.reference.people import People
from toolscale.reference.sums import price
from toolscale.reference.travel.catalogue import HOMES

Record = dict[str, Any]

_EACH = 5
"""Travellers of each country."""


def travellers_and_vouchers(people: People, ids: Ids, rng: Random) -> Database:
    """As many travellers of each country, with a passport, points and perhaps vouchers."""
    travellers: dict[str, Record] = {}
    vouchers: dict[str, Record] = {}
    for country in (country for country in HOMES for _ in range(_EACH)):
        person, key = people.one(country), ids.digits("TV")
        points = rng.choice((rng.randint(150, 1900), rng.randint(2000, 9500), rng.randint(9500, 31_000)))
        short = rng.random() < 0.35
        travellers[key] = {
            "traveller_id": key,
            "name": person.name,
            "email": person.email,
            "phone": person.phone,
            "birth_date": birth_date(rng, 21, 74),
            "nationality": country,
            "home_airport": HOMES[country],
            "passport_number": passport_number(country, rng),
            "passport_expiry": day(rng.randint(60, 190) if short else rng.randint(420, 3400)),
            "tier": "gold" if points > 14_000 else "silver" if points > 5000 else "blue",
            "points": points,
        }
        for _ in range(rng.choice((0, 1, 1, 2))):
            voucher = ids.hex("VC")
            vouchers[voucher] = {
                "voucher_id": voucher,
                "traveller_id": key,
                "amount": price(rng, 25, 180),
                "valid_until": day(rng.randint(25, 420)),
                "status": rng.choice(("open", "open", "open", "used")),
            }
    return {"travellers": travellers, "vouchers": vouchers}


def passport_number(country: str, rng: Random) -> str:
    """A passport's number: the country and seven digits."""
    return f"{country}{rng.randrange(1_000_000, 9_999_999)}"
