"""The flights of the coming weeks and of the past ones, worked out from the routes."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from math import asin, cos, radians, sin, sqrt
from random import Random
from typing import Any

from toolscale.reference.moments import at, day
from toolscale.reference.sums import rounded
from toolscale.reference.travel.catalogue import PLACES, ROUTES, Place
from toolscale.reference.travel.schema import CAUSES

Record = dict[str, Any]

PLACE = {place.code: place for place in PLACES}
_CRUISE_KMH = 830
_GROUND_MINUTES = 35


def coming_flights(rng: Random) -> dict[str, Record]:
    """Flights of every route: one in the next days, and on two days out and two days back some weeks ahead."""
    flights: dict[str, Record] = {}
    for index, (origin, destination, carrier, price, out, back) in enumerate(ROUTES):
        first = rng.randint(6, 30)
        number = 110 + index * 40
        legs = [
            (origin, destination, number, out[-1:], rng.randint(1, 3)),
            *((origin, destination, number, out, first + later) for later in (0, 1)),
            *((destination, origin, number + 20, back, first + later) for later in (7, 8)),
        ]
        for start, end, base, clocks, ahead in legs:
            _fly(flights, rng, carrier, (start, end), price, _numbered(base, clocks, out, back), ahead)
    for flight in rng.sample(sorted(flights), 44):
        _disturb(flights[flight], rng, "cancelled" if rng.random() < 0.45 else "delayed")
    return flights


def past_flights(rng: Random) -> dict[str, Record]:
    """Flights that have landed within the last four months, many of them late."""
    flights: dict[str, Record] = {}
    for index, (origin, destination, carrier, price, out, back) in enumerate(ROUTES):
        number = 110 + index * 40
        for start, end, base, clocks in ((origin, destination, number, out), (destination, origin, number + 20, back)):
            numbered = _numbered(base, clocks, out, back)
            _fly(flights, rng, carrier, (start, end), price, [rng.choice(numbered)], -rng.randint(6, 85))
    for index, flight in enumerate(flights.values()):
        flight["status"] = "landed"
        if index % 5:
            _disturb(flight, rng, "landed")
    return flights


def _numbered(base: int, clocks: Iterable[str], *days: tuple[str, ...]) -> list[tuple[int, str]]:
    """Each departure with its flight number, which is the same on every day."""
    known = {clock: position for clocks_of_a_day in days for position, clock in enumerate(clocks_of_a_day)}
    return [(base + 2 * known[clock], clock) for clock in clocks]


def _fly(
    flights: dict[str, Record],
    rng: Random,
    carrier: str,
    leg: tuple[str, str],
    price: float,
    departures: list[tuple[int, str]],
    ahead: int,
) -> None:
    """Add one day's flights of a leg."""
    start, end = PLACE[leg[0]], PLACE[leg[1]]
    kilometres = distance(start, end)
    minutes = 5 * round((_GROUND_MINUTES + 60 * kilometres / _CRUISE_KMH) / 5)
    for number, clock in departures:
        departure = at(day(ahead), clock)
        there = datetime.fromisoformat(departure) + timedelta(minutes=minutes, hours=end.utc - start.utc)
        key = f"{carrier}{number}-{departure[5:7]}{departure[8:10]}"
        flights[key] = {
            "flight_id": key,
            "carrier_code": carrier,
            "origin": start.code,
            "destination": end.code,
            "departure": departure,
            "arrival": there.strftime("%Y-%m-%dT%H:%M"),
            "duration_minutes": minutes,
            "distance_km": kilometres,
            "base_price": rounded(price * rng.uniform(0.82, 1.34)),
            "seats_economy": rng.choice((2, 3, 4, 6, 7, 9, 14, 22, 31)),
            "seats_business": rng.choice((0, 2, 3, 4, 5, 6, 8)),
            "status": "scheduled",
            "delay_minutes": 0,
            "cause": None,
        }


def _disturb(flight: Record, rng: Random, status: str) -> None:
    late = (
        rng.choice((25, 45, 70, 185, 190, 205, 215, 235, 260, 285, 310, 385))
        if status == "landed"
        else rng.choice((35, 80, 195))
    )
    flight.update(status=status, delay_minutes=0 if status == "cancelled" else late, cause=rng.choice(CAUSES))


def distance(start: Place, end: Place) -> int:
    """Great-circle distance, in whole kilometres."""
    north, south = radians(start.latitude), radians(end.latitude)
    half = sin((south - north) / 2) ** 2
    half += cos(north) * cos(south) * sin(radians(end.longitude - start.longitude) / 2) ** 2
    return round(2 * 6371 * asin(sqrt(half)))
