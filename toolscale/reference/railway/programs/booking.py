"""Programs about buying a journey: choose a train by price or time, and book it."""

from collections.abc import Callable
from random import Random
from typing import Any

from toolscale.reference.kit import latest_first
from toolscale.reference.program import Facts, Solution, World, choose, do, pick
from toolscale.reference.railway.programs.choosing import (
    ARRIVE_BY,
    BUDGET,
    FIRST_CLASS,
    LEAVE_AFTER,
    OTHER_FARE,
    PARTY,
    WITH_BICYCLES,
    buy_within_limit,
    journey_with,
    suits,
    trains_between,
)
from toolscale.reference.railway.programs.common import (
    DAYS,
    FLYING,
    TRAINSET,
    Record,
    a_journey,
    booked_days,
    bookings_in,
)
from toolscale.reference.words import words

WORDS = words(__file__)


def _buying(key: Callable[[Record], Any]) -> Callable[[Facts], Solution]:
    def solution(facts: Facts) -> Solution:
        between, trains = yield from trains_between(facts, facts["date"])
        train = yield choose(trains, key=key)
        return (yield from buy_within_limit(facts, between, train))

    return solution


CHEAPEST = WORDS.program(
    "book_cheapest",
    journey_with(fare=("saver", "standard", "standard", "flex")),
    _buying(lambda train: train["price"]),
    (ARRIVE_BY, LEAVE_AFTER, WITH_BICYCLES, BUDGET, FIRST_CLASS, OTHER_FARE, PARTY, FLYING),
)

EARLIEST = WORDS.program(
    "book_earliest",
    journey_with(travellers=(2, 3, 4), travel_class=("second", "second", "first"), fare=("standard", "flex")),
    _buying(lambda train: train["departure"]),
    (LEAVE_AFTER, WITH_BICYCLES, BUDGET, OTHER_FARE, FLYING, TRAINSET),
)

MEETING = WORDS.program(
    "book_for_appointment",
    journey_with(arrive_by=("13:20", "14:45", "16:35", "18:50", "20:40", "21:45"), fare=("standard", "flex")),
    _buying(lambda train: latest_first(train["departure"])),
    (BUDGET, FIRST_CLASS, OTHER_FARE, PARTY, FLYING, TRAINSET),
)


def _cheaper_day(facts: Facts) -> Solution:
    between, early = yield from trains_between(facts, facts["date"])
    later = yield do(
        "search_trains",
        **between,
        travel_date=facts["other_date"],
        fare=facts.get("fare"),
        travel_class=facts.get("travel_class"),
    )
    both = early + [train for train in later if suits(train, facts, facts["other_date"])]
    train = yield choose(both, key=lambda each: each["price"])
    return (yield from buy_within_limit(facts, between, train))


def _draw_two_days(world: World, rng: Random) -> Facts:
    facts = {**a_journey(world, rng), "fare": rng.choice(("saver", "standard", "flex"))}
    return {**facts, "other_date": pick(rng, [day for day in DAYS if day > facts["date"]])}


TWO_DAYS = WORDS.program(
    "book_cheaper_day", _draw_two_days, _cheaper_day, (ARRIVE_BY, LEAVE_AFTER, BUDGET, FIRST_CLASS, PARTY)
)


def _again(facts: Facts) -> Solution:
    old = yield do("get_booking", booking_id=facts["booking_id"])
    between = {"origin": old["origin"], "destination": old["destination"]}
    wanted = {**facts, "fare": old["fare"], "travel_class": old["travel_class"], "travellers": old["travellers"]}
    wanted |= {name: facts[name] for name in ("travel_class", "travellers") if name in facts}
    trains = yield do(
        "search_trains",
        **between,
        travel_date=facts["date"],
        fare=wanted["fare"],
        travel_class=wanted["travel_class"],
    )
    suiting = [each for each in trains if suits(each, wanted, facts["date"])]
    train = yield choose(suiting, key=lambda each: each["price"])
    return (yield from buy_within_limit(wanted, between, train))


def _draw_again(world: World, rng: Random) -> Facts:
    booking = pick(rng, bookings_in(world, "travelled", lambda booking, service: not booking["bicycles"]))
    taken = booked_days(world, booking["passenger_id"])
    return {
        "passenger_id": booking["passenger_id"],
        "booking_id": booking["booking_id"],
        "date": pick(rng, [each for each in DAYS if each not in taken]),
    }


AGAIN = WORDS.program("book_again", _draw_again, _again, (ARRIVE_BY, LEAVE_AFTER, BUDGET, FIRST_CLASS, TRAINSET))


BOOKING = (CHEAPEST, EARLIEST, MEETING, TWO_DAYS, AGAIN)
