"""How a train is chosen and bought, and what users add to that."""

from collections.abc import Callable
from random import Random
from typing import Any

from toolscale.reference.program import Facts, Policy, Twist, World, do, pick
from toolscale.reference.railway.programs.common import (
    Record,
    Step,
    a_journey,
    a_limit,
    clock,
    closing,
    station,
)


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


def buy_within_limit(facts: Facts, between: Facts, train: Record) -> Policy:
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


def one_of(name: str, *values: Any) -> Callable[[World, Random, Facts], Facts]:
    """One of the values, other than what the user has said already."""

    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        return {name: pick(rng, [value for value in values if value != facts.get(name)])}

    return draw


ARRIVE_BY = Twist(
    "arrival by a time",
    "constraint",
    {
        "plain": "[The train has to arrive|The train must be there] by {arrive_by:time} on the day it leaves.",
        "terse": "train must arrive by {arrive_by:time} same day.",
        "chatty": "The train has to bring me there by {arrive_by:time} that same day, [my mother worries|there is a "
        "dinner waiting for me]!",
        "formal": "It is indispensable that the train arrive by {arrive_by:time} on the day of departure.",
        "hurried": "Train must be there {arrive_by:time} same day, no later!",
    },
    draw=one_of("arrive_by", "14:45", "16:15", "18:35", "20:45", "21:50"),
)
LEAVE_AFTER = Twist(
    "departure not before a time",
    "constraint",
    {
        "plain": "The train must not leave before {leave_after:time}.",
        "terse": "train departure not before {leave_after:time}.",
        "chatty": "[I am no early bird|I have an errand to run first], so no train that leaves before "
        "{leave_after:time}, please!",
        "formal": "The departure of the train must not lie before {leave_after:time}.",
        "non_native": "The train should not go before {leave_after:time}.",
    },
    draw=one_of("leave_after", "07:20", "08:35", "09:05", "10:20"),
)
WITH_BICYCLES = Twist(
    "a train with bicycle places",
    "constraint",
    {
        "plain": "The train must still have a bicycle place free, though I will add the bicycle later.",
        "terse": "only trains with a free bicycle place. bike gets added later.",
        "formal": "Only a train with at least one free bicycle place will do; the bicycle itself I shall add later.",
    },
    sets={"with_bicycle_places": True},
)
BUDGET = Twist(
    "a limit on the price",
    "condition",
    {
        "plain": "Book the train only if the whole price is at most {max_price:money} EUR; otherwise tell me what it "
        "would cost.",
        "terse": "book only if max {max_price:money} EUR all in, else just tell me the price.",
        "chatty": "My budget for the tickets is {max_price:money} EUR for the lot, so if it is more than that [just "
        "let me know the price|do not book, only tell me the price]!",
        "formal": "Should the total fare exceed {max_price:money} EUR, please refrain from booking and state the "
        "price.",
        "hurried": "Over {max_price:money} EUR don't book, just give me the price!",
    },
    draw=a_limit,
)
FIRST_CLASS = Twist(
    "first class after all",
    "change_of_mind",
    {
        "plain": "On second thoughts, I want to travel in first class.",
        "terse": "scratch that, travel in 1st class.",
        "chatty": "Oh, you know what, I will treat myself: let me travel in first class instead!",
        "formal": "Upon reflection, I should prefer to travel in first class.",
        "non_native": "No wait, I want rather the first class.",
    },
    sets={"travel_class": "first"},
)
OTHER_FARE = Twist(
    "another fare after all",
    "change_of_mind",
    {
        "plain": "Actually, forget what I said about the fare: I want {fare}.",
        "terse": "fare correction: {fare}.",
        "chatty": "Hold on, I have just been told that {fare} is the fare for people like me, so that one instead!",
        "formal": "I wish to correct my request as to the fare, which is to be {fare}.",
    },
    draw=one_of("fare", "standard", "flex"),
)
PARTY = Twist(
    "more people come along",
    "entities",
    {
        "plain": "[My family is|My friends are] coming too, so book the train for {travellers:count} people "
        "altogether.",
        "terse": "{travellers:count} people in total.",
        "chatty": "Guess what, my friends want to join, that makes {travellers:count} of us in one booking!",
        "formal": "The booking is to cover {travellers:count} travellers in all.",
        "non_native": "We are together {travellers:count} persons, please all in the same booking.",
    },
    draw=one_of("travellers", 2, 3, 4),
)
