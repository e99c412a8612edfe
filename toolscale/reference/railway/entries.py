"""The railway's world: entries of ten subjects, consistent with each other, from a seed."""

import unicodedata
from datetime import date, timedelta
from random import Random
from typing import Any

from toolscale.artifacts import PRESENT, Database
from toolscale.reference.railway.catalogue import CARD_PRODUCTS, HOMES
from toolscale.reference.railway.network import coming_services, disruptions_of, new_key, past_services, standing_tables
from toolscale.reference.railway.sales import Sales

Record = dict[str, Any]

_EACH = 5
"""Passengers of each country."""
_WESTERN = {"GB", "FR", "ES", "NL"}
_MAIL = ("example.org", "example.com", "example.net", "mail.example.eu")


def world(seed: int) -> dict[str, Database]:
    """Subject -> table -> key -> record, in an order in which every reference points backwards.

    The same seed gives the same world. About 860 entries around the present, Monday 23 November 2026.
    """
    rng = Random(seed)
    fixed = standing_tables(rng)
    services = coming_services(rng)
    past = past_services(rng)
    disruptions = disruptions_of({**services, **past}, rng)
    passengers = _passengers(seed, rng)
    everything = {**fixed, "services": {**services, **past}, "disruptions": disruptions, **passengers}
    upcoming, pending, travelled = Sales(everything, services, past, rng).made()
    fast = {key for key, service in services.items() if service["brand"] == "High Speed"}
    western = {key for key, person in passengers["passengers"].items() if person["country"] in _WESTERN}
    return {
        "stations and lounges": {table: fixed[table] for table in ("stations", "lounges")},
        "trainsets, fares and rail card products": {
            table: fixed[table] for table in ("trainsets", "fares", "card_products")
        },
        "high-speed services of the week": {"services": _only(services, fast)},
        "EuroCity, Railjet and night services of the week": {"services": _only(services, services.keys() - fast)},
        "past services and disruptions": {"services": past, "disruptions": disruptions},
        "passengers from western Europe": _owned(passengers, western),
        "passengers from central Europe and Italy": _owned(passengers, passengers["passengers"].keys() - western),
        "upcoming journeys": upcoming,
        "held and cancelled bookings": pending,
        "past journeys and compensation": travelled,
    }


def _only(records: dict[str, Record], keys: Any) -> dict[str, Record]:
    return {key: record for key, record in records.items() if key in keys}


def _owned(tables: Database, owners: Any) -> Database:
    return {
        table: {key: record for key, record in records.items() if record["passenger_id"] in owners}
        for table, records in tables.items()
    }


def _passengers(seed: int, rng: Random) -> Database:
    passengers: dict[str, Any] = {}
    cards: dict[str, Any] = {}
    vouchers: dict[str, Any] = {}
    numbers = rng.sample(range(10_000, 99_999), _EACH * len(HOMES))
    for number, name, (_, country, homes) in zip(numbers, _names(seed), HOMES * _EACH, strict=True):
        key = f"PX-{number}"
        born = PRESENT.date() - timedelta(days=rng.randint(19 * 366, 79 * 365))
        points = rng.choice((rng.randint(40, 480), *(rng.randint(550, 9_000) for _ in range(3))))
        passengers[key] = {
            "passenger_id": key,
            "name": name,
            "email": f"{_plain(name)}@{rng.choice(_MAIL)}",
            "birth_date": born.isoformat(),
            "country": country,
            "home_station": rng.choice(homes),
            "tier": "gold" if points > 6_000 else "silver" if points > 2_500 else "basic",
            "points": points,
        }
        for product in _cards_of(born, rng):
            card = _card(key, product, cards, rng)
            cards[card["card_id"]] = card
        for _ in range(rng.choice((0, 1, 1, 2, 2))):
            voucher = new_key("VC", vouchers, rng)
            vouchers[voucher] = {
                "voucher_id": voucher,
                "passenger_id": key,
                "amount": round(rng.uniform(6, 64), 2),
                "valid_until": (PRESENT.date() + timedelta(days=rng.randint(20, 420))).isoformat(),
                "status": rng.choice(("open", "open", "open", "open", "used")),
            }
    return {"passengers": passengers, "cards": cards, "vouchers": vouchers}


def _names(seed: int) -> list[str]:
    """Names that differ, country by country in turn; first names and surnames agree in sex where a language asks it."""
    from faker import Faker

    fakers = {locale: Faker(locale) for locale, _, _ in HOMES}
    for locale, faker in fakers.items():
        faker.seed_instance(f"{seed} {locale}")
    names: dict[str, None] = {}
    for index in range(_EACH):
        for place, (locale, _, _) in enumerate(HOMES):
            while len(names) == index * len(HOMES) + place:
                faker = fakers[locale]
                female = faker.random_int(0, 1) == 1
                first = faker.first_name_female() if female else faker.first_name_male()
                names[f"{first} {faker.last_name_female() if female else faker.last_name_male()}"] = None
    return list(names)


def _plain(name: str) -> str:
    folded = unicodedata.normalize("NFKD", name.lower().replace("ł", "l").replace("ß", "ss"))
    return ".".join(folded.encode("ascii", "ignore").decode().replace("'", "").split())


def _cards_of(born: date, rng: Random) -> list[tuple[str, int]]:
    """Rail card products (and their months) that somebody of that age might hold: none, one or two."""
    age = (PRESENT.date() - born).days // 365
    eligible = [(each.product_id, each.months) for each in CARD_PRODUCTS if each.minimum_age <= age < each.maximum_age]
    return rng.sample(eligible, rng.choice((0, 1, 1, 2)))


def _card(passenger: str, product: tuple[str, int], taken: dict[str, Any], rng: Random) -> Record:
    name, months = product
    days = 30 * months + (5 if months == 12 else 0)
    kind = rng.choice(("ahead", "ending", "ending", "running", "running", "running", "running"))
    first = {"ahead": (2, 30), "ending": (2 - days, 6 - days), "running": (12 - days, -5)}[kind]
    start = PRESENT.date() + timedelta(days=rng.randint(*first))
    return {
        "card_id": new_key("RC", taken, rng),
        "passenger_id": passenger,
        "product_id": name,
        "valid_from": start.isoformat(),
        "valid_until": (start + timedelta(days=days - 1)).isoformat(),
        "auto_renew": kind == "ending" or rng.random() < 0.7,
    }
