"""The network of the railway's world: what stands still, what runs, and what went wrong."""

from datetime import date, datetime, timedelta
from random import Random
from typing import Any

from toolscale.artifacts import PRESENT, Database
from toolscale.reference.catalogues import record_of, table_of
from toolscale.reference.railway.catalogue import (
    CARD_PRODUCTS,
    CAUSES,
    FARES,
    LOUNGES,
    PREFIXES,
    ROUTES,
    STATIONS,
    TRAINSETS,
    Route,
)

Record = dict[str, Any]

_COMING_DAYS = (0, 1, 2, 3, 4)
_LEAVES_FROM = "10:30"
"""Of today's trains, those that have not left by then are worth a record."""


def moment_text(moment: datetime) -> str:
    """A moment as the records write it: 2026-11-24T07:48."""
    return moment.strftime("%Y-%m-%dT%H:%M")


def new_key(prefix: str, taken: dict[str, Any], rng: Random) -> str:
    """A key of that prefix that is not taken yet, such as DS-4F82A1."""
    while (key := f"{prefix}-{rng.randrange(16**6):06X}") in taken:
        pass
    return key


def standing_tables(rng: Random) -> Database:
    """What changes seldom: stations, lounges, trainsets, fares and rail card products."""
    lounges = table_of(LOUNGES)
    for lounge in lounges.values():
        lounge["visit_fee"] = round(lounge["visit_fee"] * rng.uniform(0.95, 1.08), 2)
    trainsets = table_of(TRAINSETS.values())
    for key, trainset in trainsets.items():
        trainset["coaches"] = [_coach(*coach) for coach in TRAINSETS[key].coaches]
    fares = {
        (key := f"FR-{fare.fare.upper()}-{2 if fare.travel_class == 'second' else 1}"): {
            "fare_id": key,
            **record_of(fare),
        }
        for fare in FARES
    }
    return {
        "stations": table_of(STATIONS),
        "lounges": lounges,
        "trainsets": trainsets,
        "fares": fares,
        "card_products": table_of(CARD_PRODUCTS),
    }


def _coach(number: int, travel_class: str, zone: str, seats: int) -> Record:
    places = range(11, 11 + seats)
    return {
        "number": number,
        "travel_class": travel_class,
        "zone": zone,
        "window_seats": [place for place in places if place % 4 in (0, 3)],
        "aisle_seats": [place for place in places if place % 4 in (1, 2)],
    }


def coming_services(rng: Random) -> dict[str, Record]:
    """Every route runs in full on three of the coming days, perhaps today; a few trains are already disturbed.

    A train is late only on the day itself. What is known days ahead are cancellations, and works that make it later.
    """
    services = {}
    for route in ROUTES:
        for days in sorted(rng.sample(_COMING_DAYS, 3)):
            for index, clock in enumerate(route.departures):
                if days or clock >= _LEAVES_FROM:
                    service = _service(route, index, PRESENT.date() + timedelta(days=days), rng)
                    services[service["service_id"]] = service
    for service in rng.sample(list(services.values()), 24):
        if rng.random() < 0.45:
            service.update(status="cancelled", seats_second=0, seats_first=0, bicycle_places_left=0)
        else:
            service.update(status="delayed", delay_minutes=rng.choice((25, 45, 62, 75, 75, 95, 130)))
    return services


def past_services(rng: Random) -> dict[str, Record]:
    """Trains of the past months, many of them late: those are the ones that people write about."""
    services = {}
    for days in rng.sample(range(4, 104), 54):
        route = rng.choice(ROUTES)
        day = PRESENT.date() - timedelta(days=days)
        service = _service(route, rng.randrange(len(route.departures)), day, rng)
        an_hour, two_hours = rng.randint(61, 118), rng.randint(121, 214)
        late = rng.choice((0, 6, 38, an_hour, an_hour, an_hour, two_hours, two_hours))
        service.update(status="completed", delay_minutes=late)
        services[service["service_id"]] = service
    return services


def _service(route: Route, index: int, day: date, rng: Random) -> Record:
    start = datetime.combine(day, datetime.strptime(route.departures[index], "%H:%M").time())
    arrivals = [start + timedelta(minutes=stop.minutes) for stop in route.stops]
    departures = [at + timedelta(minutes=stop.dwell) for at, stop in zip(arrivals, route.stops, strict=True)]
    arrivals[0], departures[0], departures[-1] = start, start, arrivals[-1]
    return {
        "service_id": f"{PREFIXES[route.brand]}{route.first_number + 2 * index}-{day:%m%d}",
        "brand": route.brand,
        "trainset_id": route.trainset,
        "travel_date": day.isoformat(),
        "stops": [stop.station for stop in route.stops],
        "arrivals": [moment_text(at) for at in arrivals],
        "departures": [moment_text(at) for at in departures],
        "kilometres": [stop.kilometres for stop in route.stops],
        "rate_per_km": round(route.rate_per_km * rng.uniform(0.8, 1.34), 4),
        "seats_second": rng.choice((0, 3, *(rng.randint(9, 190) for _ in range(9)))),
        "seats_first": rng.choice((0, 2, *(rng.randint(4, 48) for _ in range(8)))),
        "bicycle_places_left": rng.randint(0, TRAINSETS[route.trainset].bicycle_places),
        "status": "scheduled",
        "delay_minutes": 0,
    }


def _causes_of(service: Record) -> tuple[tuple[str, bool], ...]:
    """What can be the matter: of a train days ahead, only what is known so early."""
    if service["travel_date"] <= PRESENT.date().isoformat():
        return (*CAUSES, *CAUSES[:5])
    known = ("infrastructure_works",) if service["status"] == "delayed" else ("infrastructure_works", "staff_shortage")
    return tuple(each for each in CAUSES if each.cause in known)


def disruptions_of(services: dict[str, Record], rng: Random) -> dict[str, Record]:
    """The cause of every cancellation and every delay of 20 minutes or more."""
    disruptions: dict[str, Record] = {}
    for service in services.values():
        if service["status"] != "cancelled" and service["delay_minutes"] < 20:
            continue
        key = new_key("DS", disruptions, rng)
        cause, extraordinary = rng.choice(_causes_of(service))
        begun = datetime.fromisoformat(service["departures"][0])
        reported = min(begun + timedelta(minutes=rng.randint(5, 90)), PRESENT - timedelta(minutes=rng.randint(20, 900)))
        disruptions[key] = {
            "disruption_id": key,
            "service_id": service["service_id"],
            "cause": cause,
            "extraordinary": extraordinary,
            "reported_at": moment_text(reported),
            "delay_minutes": service["delay_minutes"],
        }
    return disruptions
