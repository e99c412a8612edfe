"""How a train is chosen and bought, and what users add to that."""

from collections.abc import Callable
from random import Random
from typing import Any

from toolscale.reference.kit import clock, one_of
from toolscale.reference.program import Facts, Solution, World, do
from toolscale.reference.railway.programs.common import Record, Step, a_journey, a_limit, closing, station
from toolscale.reference.words import words

WORDS = words(__file__)


def trains_between(facts: Facts, day: str) -> Step:
    """The two stations, and the trains between them that have room and keep to what the user wants."""
    origin = yield from station(facts["origin"])
    destination = yield from station(facts["destination"])
    between = {"origin": origin["station_code"], "destination": destination["station_code"]}
    found = yield do(
        "search_trains", **between, travel_date=day, fare=facts.get("fare"), travel_class=facts.get("travel_class")
    )
    return between, [train for train in found if suits(train, facts, day)]


def suits(train: Record, facts: Facts, day: str) -> bool:
    """Whether a train has room, keeps to what the user wants, and leaves that day: night trains stop after midnight."""
    by, after = facts.get("arrive_by"), facts.get("leave_after")
    return (
        train["seats_left"] >= facts.get("travellers", 1)
        and train["departure"].startswith(day)
        and (not by or train["arrival"] <= f"{day}T{by}")
        and (not after or clock(train["departure"]) >= after)
        and (not facts.get("on_time") or train["delay_minutes"] == 0)
        and (not facts.get("with_bicycle_places") or train["bicycle_places_left"] > 0)
    )


def _order(facts: Facts, between: Facts, train: Record) -> Facts:
    return {
        "passenger_id": facts["passenger_id"],
        "service_id": train["service_id"],
        **between,
        "fare": facts["fare"],
        "travel_class": facts.get("travel_class"),
        "travellers": facts.get("travellers"),
    }


def buy(facts: Facts, between: Facts, train: Record) -> Step:
    """Book the train for the party."""
    return (yield do("book_train", **_order(facts, between, train)))


def buy_within_limit(facts: Facts, between: Facts, train: Record) -> Solution:
    """Buy the chosen train, unless the user has set a limit and the fare is above it."""
    if "max_price" in facts:
        quote = yield do("quote_fare", **_order(facts, between, train))
        if quote["total"] > facts["max_price"]:
            price = f"{quote['total']:.2f}"
            text = f"I have not booked anything: {train['service_id']} would cost {price} EUR."
            return (yield from closing(facts, text, (price,), train["service_id"]))
    booking = yield from buy(facts, between, train)
    price, leaves = f"{booking['price_total']:.2f}", clock(train["departure"])
    text = f"Booked as {booking['booking_id']}: {train['service_id']} leaves at {leaves}, {price} EUR in all."
    return (yield from closing(facts, text, (booking["booking_id"], price), train["service_id"]))


def journey_with(**options: tuple[Any, ...]) -> Callable[[World, Random], Facts]:
    """A journey, with one of the values for each further fact."""

    def draw(world: World, rng: Random) -> Facts:
        return {**a_journey(world, rng), **{name: rng.choice(values) for name, values in options.items()}}

    return draw


ARRIVE_BY = WORDS.twist(
    "arrival by a time", "constraint", draw=one_of("arrive_by", "14:45", "16:15", "18:35", "20:45", "21:50")
)
LEAVE_AFTER = WORDS.twist(
    "departure not before a time", "constraint", draw=one_of("leave_after", "07:20", "08:35", "09:05", "10:20")
)
WITH_BICYCLES = WORDS.twist("a train with bicycle places", "constraint", sets={"with_bicycle_places": True})
BUDGET = WORDS.twist("a limit on the price", "condition", draw=a_limit)
FIRST_CLASS = WORDS.twist("first class after all", "change_of_mind", sets={"travel_class": "first"})
OTHER_FARE = WORDS.twist("another fare after all", "change_of_mind", draw=one_of("fare", "standard", "flex"))
PARTY = WORDS.twist("more people come along", "entities", draw=one_of("travellers", 2, 3, 4))
