"""What the agency's programs share: draws from the excerpt, finding a place, and small twists."""

from collections.abc import Callable, Generator
from datetime import date, timedelta
from random import Random
from typing import Any

from toolscale.artifacts import Call
from toolscale.reference.kit import known, somebody
from toolscale.reference.moments import NOW
from toolscale.reference.program import Choice, Facts, World, choose, do, pick
from toolscale.reference.sums import limit_near
from toolscale.reference.words import words

WORDS = words(__file__)

Record = dict[str, Any]
Step = Generator[Call | Choice, Any, Any]
Draw = Callable[[World, Random], Facts]

GENEROUS = (0.8, 1.2, 1.4, 1.7)
"""Shares of an amount for a limit that is kept three times in four."""


def shifted(iso_day: str, days: int) -> str:
    """The day so many days later."""
    return (date.fromisoformat(iso_day) + timedelta(days=days)).isoformat()


def city(world: World, code: str) -> str:
    """What a user calls a destination."""
    return str(known(world, "destinations", code)["city"])


def place(name: str) -> Step:
    """Find the destination of a city."""
    found = yield do("find_destination", name=name)
    return (yield choose([each for each in found if each["city"] == name], key=lambda each: each["destination_code"]))


an_account = somebody("travellers")
"""Any account holder, for requests that say no more than that."""


def on_sale(world: World) -> list[Record]:
    """Flights ahead that still run."""
    return [
        each
        for each in world.rows("flights")
        if each["departure"] > NOW and each["status"] in ("scheduled", "delayed") and each["seats_economy"]
    ]


def days_flown(world: World, traveller_id: str) -> set[str]:
    """The days on which the traveller is booked to fly, as far as in sight: a flight's number ends in its day."""
    booked = (each for each in world.rows("flight_bookings") if each["status"] == "confirmed")
    numbers = (each["flight_id"] for each in booked if each["traveller_id"] == traveller_id)
    return {f"2026-{number[-4:-2]}-{number[-2:]}" for number in numbers}


def on_free_days(world: World, traveller_id: str) -> list[Record]:
    """Flights on sale on days on which the traveller is not booked to fly, as far as in sight."""
    taken = days_flown(world, traveller_id)
    return [each for each in on_sale(world) if each["departure"][:10] not in taken]


def a_journey(world: World, rng: Random) -> Facts:
    """A traveller with a route from or to where they live, and a day with such a flight that they have free."""
    pairs = [
        (person, flight)
        for person in world.rows("travellers")
        for flight in on_free_days(world, person["traveller_id"])
        if person["home_airport"] in (flight["origin"], flight["destination"])
    ]
    person, flight = pick(rng, pairs)
    return {
        "traveller_id": person["traveller_id"],
        "origin": city(world, flight["origin"]),
        "destination": city(world, flight["destination"]),
        "date": flight["departure"][:10],
    }


def flight_bookings(world: World, status: str, suits: Callable[[Record, Record], bool]) -> list[Record]:
    """The excerpt's flight bookings of a status that suit; confirmed ones still lie ahead."""
    found = []
    for booking in world.rows("flight_bookings"):
        flight = world.get("flights", booking["flight_id"])
        ahead = flight is not None and (status != "confirmed" or flight["departure"] > NOW)
        if flight and ahead and booking["status"] == status and suits(booking, flight):
            found.append(booking)
    return found


def a_flight_booking(
    status: str = "confirmed", suits: Callable[[Record, Record], bool] = lambda booking, flight: True, **more: Any
) -> Draw:
    """A draw of such a booking, and of one value for each further slot."""

    def draw(world: World, rng: Random) -> Facts:
        booking = pick(rng, flight_bookings(world, status, suits))
        return {**_owned(booking, "booking_id"), **{name: rng.choice(values) for name, values in more.items()}}

    return draw


def runs(booking: Record, flight: Record) -> bool:
    """The flight is neither cancelled nor much delayed."""
    return bool(flight["status"] != "cancelled" and flight["delay_minutes"] < 180)


def stays_of(world: World, status: str, suits: Callable[[Record], bool]) -> list[Record]:
    """The excerpt's stays of a status that suit; confirmed ones still lie ahead."""
    return [
        each
        for each in world.rows("stays")
        if each["status"] == status and (status != "confirmed" or each["check_in"] > NOW[:10]) and suits(each)
    ]


def a_stay(status: str = "confirmed", suits: Callable[[Record], bool] = lambda stay: True, **more: Any) -> Draw:
    """A draw of such a stay, and of one value for each further slot."""

    def draw(world: World, rng: Random) -> Facts:
        stay = pick(rng, stays_of(world, status, suits))
        return {**_owned(stay, "stay_id"), **{name: rng.choice(values) for name, values in more.items()}}

    return draw


def a_tour_booking(suits: Callable[[Record, str], bool] = lambda booking, start: True) -> Draw:
    """A draw of an active tour booking; ``suits`` sees it and the day on which the tour starts."""

    def draw(world: World, rng: Random) -> Facts:
        fitting = [
            each
            for each in world.rows("tour_bookings")
            if each["status"] in ("reserved", "paid")
            and suits(each, known(world, "departures", each["departure_id"])["start_date"])
        ]
        return _owned(pick(rng, fitting), "tour_booking_id")

    return draw


def _owned(record: Record, key: str) -> dict[str, Any]:
    return {"traveller_id": record["traveller_id"], key: record[key]}


def _worth_it(world: World, rng: Random, facts: Facts) -> Facts:
    """The least refund that is worth it: a share of the price, or a fair sum where no booking is named."""
    for slot, table in (("booking_id", "flight_bookings"), ("stay_id", "stays"), ("tour_booking_id", "tour_bookings")):
        if slot in facts:
            return {"least": limit_near(rng, known(world, table, facts[slot])["price_total"], (0.15, 0.25, 0.4, 0.7))}
    return {"least": rng.choice((85.0, 120.0, 190.0, 400.0))}


AS_VOUCHER = WORDS.twist("the refund as a voucher", "change_of_mind", sets={"refund_to": "voucher"})
AT_LEAST = WORDS.twist("only if enough comes back", "condition", draw=_worth_it)
