"""The agency's world: entries of eleven subjects, consistent with each other, from a seed."""

from collections.abc import Iterable
from random import Random
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.catalogues import table_of
from toolscale.reference.ids import Ids
from toolscale.reference.moments import day
from toolscale.reference.people import People
from toolscale.reference.sums import rounded
from toolscale.reference.travel.catalogue import (
    CARRIERS,
    ENTRY_RULES,
    FARES,
    HOMES,
    HOTELS,
    INSURANCE,
    KINDS,
    PLACES,
    TOURS,
    VEHICLES,
)
from toolscale.reference.travel.customers import travellers_and_vouchers
from toolscale.reference.travel.purchases import Purchases
from toolscale.reference.travel.timetable import coming_flights, past_flights

Record = dict[str, Any]


def world(seed: int) -> dict[str, Database]:
    """Subject -> table -> key -> record, in an order in which every reference points backwards.

    The same seed gives the same world: about 1,800 entries around the present, Monday 23 November 2026.
    """
    rng = Random(f"travel {seed}")
    ids = Ids(rng)
    places: Any = _places(rng)
    sold: Database = {
        "carriers": table_of(CARRIERS),
        "fares": table_of(FARES),
        "insurance_products": table_of(INSURANCE),
    }
    coming, past = coming_flights(rng), past_flights(rng)
    near = {key for key, flight in coming.items() if flight["distance_km"] <= 4200}
    hotels = _hotels(rng)
    tours = _tours(rng)
    people = travellers_and_vouchers(People(seed, tuple(HOMES)), ids, rng)
    everything = {**places, **sold, "flights": {**coming, **past}, **hotels, **tours, **people}
    bought = Purchases(everything, ids, rng)
    flights, stays, journeys, papers = bought.flights(), bought.stays(), bought.tours(), bought.papers()
    return {
        "destinations and entry rules": places,
        "airlines, fares and insurance products": sold,
        "flights within Europe and to its neighbours": {"flights": _only(coming, near)},
        "long-haul flights": {"flights": _only(coming, coming.keys() - near)},
        "flights that have landed": {"flights": past},
        "hotels and their rooms": hotels,
        "guided tours and their departures": tours,
        "travellers and their vouchers": people,
        "booked flights, compensation and transfers": flights,
        "hotel stays and complaints": stays,
        "booked tours, insurance and visa applications": {**journeys, **papers},
    }


def _only(records: dict[str, Record], keys: Iterable[str]) -> dict[str, Record]:
    wanted = set(keys)
    return {key: record for key, record in records.items() if key in wanted}


def _places(rng: Random) -> dict[str, dict[str, Record]]:
    return {
        "destinations": {
            place.code: {
                "destination_code": place.code,
                "city": place.city,
                "airport": place.airport,
                "country": place.country,
                "country_name": place.country_name,
                "region": place.region,
                "utc_offset_hours": place.utc,
                "transfers": _transfers(rng),
            }
            for place in PLACES
        },
        "entry_rules": table_of(ENTRY_RULES),
    }


def _hotels(rng: Random) -> Database:
    hotels: dict[str, Record] = {}
    rooms: dict[str, Record] = {}
    for place, name, district, stars, rating, centre, double, amenities, kinds in HOTELS:
        number = 1 + sum(hotel["destination_code"] == place for hotel in hotels.values())
        hotel = f"HT-{place}{number}"
        breakfast = rounded(4.5 + stars * 2.5 + rng.choice((0, 0.5, 1.5)))
        hotels[hotel] = {
            "hotel_id": hotel,
            "name": name,
            "destination_code": place,
            "district": district,
            "stars": stars,
            "rating": rating,
            "centre_km": centre,
            "amenities": list(amenities),
            "breakfast": breakfast,
            "half_board": rounded(breakfast + 9 + stars * 4.5),
            "city_tax": rng.choice((0.0, 1.5, 2.0, 2.75, 4.0)),
            "check_in_from": rng.choice(("14:00", "15:00", "15:00", "16:00")),
            "free_cancellation_days": rng.choice((2, 3, 5, 7, 14)),
        }
        for letter in kinds:
            kind, sleeps, factor, count = KINDS[letter]
            room = f"RM-{place}{number}{letter}"
            rooms[room] = {
                "room_id": room,
                "hotel_id": hotel,
                "kind": kind,
                "sleeps": sleeps,
                "rate": rounded(double * factor),
                "count": count,
            }
    return {"hotels": hotels, "rooms": rooms}


def _tours(rng: Random) -> Database:
    tours: dict[str, Record] = {}
    departures: dict[str, Record] = {}
    for key, title, place, theme, nights, level, group, price in TOURS:
        tours[key] = {
            "tour_id": key,
            "title": title,
            "destination_code": place,
            "theme": theme,
            "nights": nights,
            "level": level,
            "group_size": group,
        }
        starts = (
            *([-rng.randint(20, 60)] if len(tours) % 3 == 0 else []),
            rng.randint(8, 26),
            rng.randint(34, 54),
            rng.randint(60, 105),
        )
        for ahead in starts:
            start = day(ahead)
            departure = f"{key}-{start[5:7]}{start[8:10]}"
            departures[departure] = {
                "departure_id": departure,
                "tour_id": key,
                "start_date": start,
                "end_date": day(ahead + nights),
                "price": rounded(price * rng.choice((0.9, 0.95, 1.0, 1.06, 1.12))),
                "places_left": 0 if ahead < 0 or rng.random() < 0.3 else rng.randint(1, group - 4),
            }
    return {"tours": tours, "departures": departures}


def _transfers(rng: Random) -> list[Record]:
    base, minutes = rng.randint(34, 78), rng.choice((25, 30, 35, 40, 50))
    return [
        {"vehicle": vehicle, "seats": seats, "price": rounded(base * factor), "minutes": minutes + extra}
        for vehicle, seats, factor, extra in VEHICLES
    ]
