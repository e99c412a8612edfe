"""The railway's world: entries of ten subjects, consistent with each other, from a seed."""

import unicodedata
from datetime import date, datetime, timedelta
from itertools import combinations
from random import Random
from typing import Any

from toolscale.artifacts import PRESENT, Database
from toolscale.reference.railway.catalogue import (
    CARD_PRODUCTS,
    HOMES,
)
from toolscale.reference.railway.network import (
    coming_services,
    disruptions_of,
    moment_text,
    new_key,
    past_services,
    standing_tables,
)
from toolscale.reference.railway.plausibility import BICYCLE_PRICE, party_price

Record = dict[str, Any]

_PASSENGERS = 26
_WESTERN = {"GB", "FR", "ES", "NL"}
_MAIL = ("example.org", "example.com", "example.net", "mail.example.eu")


def world(seed: int) -> dict[str, Database]:
    """Subject -> table -> key -> record, in an order in which every reference points backwards.

    The same seed gives the same world. About 430 entries around the present, Monday 23 November 2026.
    """
    rng = Random(seed)
    fixed = standing_tables(rng)
    services = coming_services(rng)
    past = past_services(rng)
    disruptions = disruptions_of({**services, **past}, rng)
    passengers = _passengers(seed, rng)
    everything = {**fixed, "services": {**services, **past}, "disruptions": disruptions, **passengers}
    upcoming, pending, travelled = _bookings(everything, list(services), list(past), rng)
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
    from faker import Faker

    names = {}
    for locale, _, _ in HOMES:
        names[locale] = Faker(locale)
        names[locale].seed_instance(f"{seed} {locale}")
    passengers: dict[str, Any] = {}
    cards: dict[str, Any] = {}
    vouchers: dict[str, Any] = {}
    for number in sorted(rng.sample(range(10_000, 99_999), _PASSENGERS)):
        locale, country, homes = rng.choice(HOMES)
        key = f"PX-{number}"
        name = f"{names[locale].first_name()} {names[locale].last_name()}"
        born = PRESENT.date() - timedelta(days=rng.randint(19 * 366, 79 * 365))
        points = rng.choice((rng.randint(40, 900), rng.randint(900, 9_000), rng.randint(900, 9_000)))
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


def _plain(name: str) -> str:
    folded = unicodedata.normalize("NFKD", name.lower().replace("ł", "l").replace("ß", "ss"))
    return ".".join(folded.encode("ascii", "ignore").decode().replace("'", "").split())


def _cards_of(born: date, rng: Random) -> list[tuple[str, int]]:
    """Rail card products (and their months) that somebody of that age might hold: none, one or two."""
    age = (PRESENT.date() - born).days // 365
    eligible = [(product[0], product[5]) for product in CARD_PRODUCTS if product[6] <= age < product[7]]
    return rng.sample(eligible, rng.choice((0, 1, 1, 2)))


def _card(passenger: str, product: tuple[str, int], taken: dict[str, Any], rng: Random) -> Record:
    name, months = product
    days = 30 * months + (5 if months == 12 else 0)
    ahead = rng.random() < 0.2
    start = PRESENT.date() + timedelta(days=rng.randint(2, 30) if ahead else -rng.randint(5, days - 12))
    return {
        "card_id": new_key("RC", taken, rng),
        "passenger_id": passenger,
        "product_id": name,
        "valid_from": start.isoformat(),
        "valid_until": (start + timedelta(days=days - 1)).isoformat(),
        "auto_renew": rng.random() < 0.7,
    }


def _bookings(
    database: Database, coming: list[str], past: list[str], rng: Random
) -> tuple[Database, Database, Database]:
    """Upcoming, pending (held or cancelled) and travelled bookings with what hangs on them."""
    upcoming: Database = {"bookings": {}, "reservations": {}, "assistance": {}, "lounge_visits": {}}
    pending: Database = {"bookings": {}}
    travelled: Database = {"bookings": {}, "claims": {}}
    taken: dict[str, Any] = {}

    def book(passenger: str, service: str, status: str, into: Database) -> Record:
        booking = _booking(database, passenger, service, status, new_key("RB", taken, rng), rng)
        taken[booking["booking_id"]] = into["bookings"][booking["booking_id"]] = booking
        return booking

    services: Any = database["services"]
    running = [key for key in coming if services[key]["status"] != "cancelled"]
    disturbed = [key for key in coming if key not in running or services[key]["delay_minutes"] >= 60]
    for passenger in database["passengers"]:
        chosen = rng.sample(coming, rng.choice((1, 2, 2)))
        if disturbed and rng.random() < 0.3:
            chosen = list(dict.fromkeys([rng.choice(disturbed), *chosen[1:]]))
        for service in chosen:
            _extras(database, book(passenger, service, "confirmed", upcoming), upcoming, rng)
        for service in rng.sample(past, rng.choice((0, 1, 2, 2))):
            booking = book(passenger, service, "travelled", travelled)
            _claim(database, booking, travelled["claims"], rng)
        if rng.random() < 0.6:
            book(passenger, rng.choice(running), "held", pending)
        if rng.random() < 0.12:
            book(passenger, rng.choice(coming), "cancelled", pending)
    return upcoming, pending, travelled


def _booking(database: Database, passenger: str, service_id: str, status: str, key: str, rng: Random) -> Record:
    service: Any = database["services"][service_id]
    legs = list(combinations(range(len(service["stops"])), 2))
    begin, end = rng.choices(legs, [(j - i) ** 2 for i, j in legs])[0]
    fares = ["standard", "standard", "flex"] if status == "held" else ["saver", "standard", "standard", "flex", "flex"]
    fare = f"FR-{rng.choice(fares).upper()}-{rng.choice((2, 2, 2, 1))}"
    travellers = rng.choice((1, 1, 1, 2, 2, 3))
    discount = _discount(database, passenger, fare, service["travel_date"])
    bicycles = 1 if service["bicycle_places_left"] > 1 and rng.random() < 0.15 else 0
    price = party_price(service, database["fares"][fare], begin, end, travellers, discount)
    price = round(price + bicycles * BICYCLE_PRICE, 2)
    departs = datetime.fromisoformat(service["departures"][begin])
    if status == "held":
        booked = PRESENT - timedelta(hours=rng.randint(1, 20), minutes=rng.randint(0, 59))
    else:
        booked = min(departs, PRESENT) - timedelta(days=rng.randint(1, 60), minutes=rng.randint(0, 1200))
    hold = min(booked + timedelta(hours=48), departs - timedelta(hours=2))
    back = rng.choice(("original_payment", "voucher")) if status == "cancelled" else None
    return {
        "booking_id": key,
        "passenger_id": passenger,
        "service_id": service_id,
        "origin": service["stops"][begin],
        "destination": service["stops"][end],
        "fare_id": fare,
        "travellers": travellers,
        "bicycles": bicycles,
        "discount_percent": discount,
        "price_total": price,
        "payment_method": None if status == "held" else rng.choice(("card", "card", "card", "points")),
        "status": status,
        "booked_at": moment_text(booked),
        "hold_until": moment_text(hold) if status == "held" else None,
        "refund_amount": round(price * rng.choice((70, 100)) / 100, 2) if back else None,
        "refund_to": back,
    }


def _discount(database: Database, passenger: str, fare: str, day: str) -> int:
    """The best discount of the holder's cards that are valid on that day and in that class."""
    cards: Any = database["cards"]
    products: Any = database["card_products"]
    discounts = [
        products[card["product_id"]]["discount_percent"]
        for card in cards.values()
        if card["passenger_id"] == passenger
        and card["valid_from"] <= day <= card["valid_until"]
        and (fare.endswith("2") or products[card["product_id"]]["travel_class"] == "first")
    ]
    return max(discounts, default=0)


def _extras(database: Database, booking: Record, upcoming: Database, rng: Random) -> None:
    """Some upcoming journeys come with a seat, assistance or a lounge visit."""
    service: Any = database["services"][booking["service_id"]]
    if service["status"] == "cancelled":
        return
    begin = service["stops"].index(booking["origin"])
    departs = datetime.fromisoformat(service["departures"][begin])
    owner = {"passenger_id": booking["passenger_id"], "booking_id": booking["booking_id"]}
    if rng.random() < 0.4:
        trainset: Any = database["trainsets"][service["trainset_id"]]
        wanted = "first" if booking["fare_id"].endswith("1") else "second"
        coach = rng.choice([coach for coach in trainset["coaches"] if coach["travel_class"] == wanted])
        seats = rng.sample(sorted(coach["window_seats"] + coach["aisle_seats"])[:12], booking["travellers"])
        for seat in seats:
            free = all(
                (other["service_id"], other["coach"], other["seat"]) != (booking["service_id"], coach["number"], seat)
                for other in upcoming["reservations"].values()
            )
            if free:
                key = new_key("SR", upcoming["reservations"], rng)
                place = {"service_id": booking["service_id"], "coach": coach["number"], "seat": seat}
                upcoming["reservations"][key] = {"reservation_id": key, **owner, **place}
    station: Any = database["stations"][booking["origin"]]
    meet = moment_text(departs - timedelta(minutes=30))
    staffed = station["assistance_from"] <= meet[11:] <= station["assistance_until"]
    if staffed and rng.random() < 0.14:
        key = new_key("AS", upcoming["assistance"], rng)
        kind = rng.choice(("wheelchair_ramp", "boarding_guide", "guide_for_blind_passenger", "luggage_help"))
        upcoming["assistance"][key] = {
            "assistance_id": key, **owner, "station_code": booking["origin"], "kind": kind, "meet_at": meet,
        }  # fmt: skip
    lounges: Any = database["lounges"]
    near = [lounge for lounge in lounges.values() if lounge["station_code"] == booking["origin"]]
    arrives = departs - timedelta(minutes=rng.choice((40, 55, 70)))
    near = [lounge for lounge in near if lounge["opens"] <= arrives.strftime("%H:%M") < lounge["closes"]]
    if near and rng.random() < 0.2:
        key = new_key("LV", upcoming["lounge_visits"], rng)
        lounge = rng.choice(near)
        fee = 0.0 if booking["fare_id"] == "FR-FLEX-1" else lounge["visit_fee"]
        visit = {"lounge_id": lounge["lounge_id"], "arrive_at": moment_text(arrives), "fee": fee}
        upcoming["lounge_visits"][key] = {"visit_id": key, **owner, **visit}


def _claim(database: Database, booking: Record, claims: dict[str, Any], rng: Random) -> None:
    """A fifth of those who may claim compensation already did."""
    service: Any = database["services"][booking["service_id"]]
    disruptions: Any = database["disruptions"]
    excused = any(each["extraordinary"] for each in disruptions.values() if each["service_id"] == booking["service_id"])
    percent = 50 if service["delay_minutes"] >= 120 else 25
    amount = round(booking["price_total"] * percent / 100, 2)
    if service["delay_minutes"] < 60 or excused or amount < 4 or rng.random() > 0.2:
        return
    key = new_key("CL", claims, rng)
    filed = min(datetime.fromisoformat(service["arrivals"][-1]) + timedelta(days=rng.randint(1, 9)), PRESENT)
    claims[key] = {
        "claim_id": key,
        "passenger_id": booking["passenger_id"],
        "booking_id": booking["booking_id"],
        "delay_minutes": service["delay_minutes"],
        "percent": percent,
        "amount": amount,
        "payout": rng.choice(("bank_transfer", "voucher")),
        "status": rng.choice(("submitted", "paid")),
        "filed_at": moment_text(filed),
    }
