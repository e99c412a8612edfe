"""Programs about buying a journey: choose a train by price or time, and book it."""

from collections.abc import Callable
from random import Random
from typing import Any

from toolscale.reference.program import (
    Facts,
    Policy,
    Program,
    Twist,
    World,
    choose,
    do,
    pick,
)
from toolscale.reference.railway.programs.common import (
    CARD,
    COFFEE,
    FLYING,
    POINTS,
    TRAINSET,
    Record,
    Step,
    a_budget,
    a_journey,
    bookings_in,
    clock,
    closing,
    later_first,
    runs,
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
    return between, [train for train in found if _suits(train, facts)]


def _suits(train: Record, facts: Facts) -> bool:
    by, after = facts.get("arrive_by"), facts.get("leave_after")
    return (
        train["seats_left"] >= facts.get("travellers", 1)
        and (not by or train["arrival"] <= f"{train['departure'][:10]}T{by}")
        and (not after or clock(train["departure"]) >= after)
        and (not facts.get("on_time") or train["delay_minutes"] == 0)
        and (not facts.get("with_bicycle_places") or train["bicycle_places_left"] > 0)
    )


def _buy(facts: Facts, between: Facts, train: Record) -> Policy:
    """Buy the chosen train, unless the user has set a limit and the fare is above it."""
    wanted = {
        "passenger_id": facts["passenger_id"],
        "service_id": train["service_id"],
        **between,
        "fare": facts["fare"],
        "travel_class": facts.get("travel_class"),
        "travellers": facts.get("travellers"),
    }
    if "max_price" in facts:
        quote = yield do("quote_fare", **wanted)
        if quote["total"] > facts["max_price"]:
            price = f"{quote['total']:.2f}"
            text = f"I have not booked anything: {train['service_id']} would cost {price} EUR."
            return (yield from closing(facts, text, (price,), train["service_id"]))
    booking = yield do("book_train", **wanted)
    price, leaves = f"{booking['price_total']:.2f}", clock(train["departure"])
    text = f"Booked as {booking['booking_id']}: {train['service_id']} leaves at {leaves}, {price} EUR in all."
    return (yield from closing(facts, text, (booking["booking_id"], price), train["service_id"]))


def _buying(key: Callable[[Record], Any]) -> Callable[[Facts], Policy]:
    def policy(facts: Facts) -> Policy:
        between, trains = yield from trains_between(facts, facts["date"])
        train = yield choose(trains, key=key)
        return (yield from _buy(facts, between, train))

    return policy


def journey_with(**options: tuple[Any, ...]) -> Callable[[World, Random], Facts]:
    def draw(world: World, rng: Random) -> Facts:
        return {**a_journey(world, rng), **{name: rng.choice(values) for name, values in options.items()}}

    return draw


def _one_of(name: str, *values: Any) -> Callable[[World, Random, Facts], Facts]:
    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        return {name: pick(rng, [value for value in values if value != facts.get(name)])}

    return draw


ARRIVE_BY = Twist(
    "arrival by a time",
    "constraint",
    {
        "plain": "I have to be there by {arrive_by} the same day.",
        "terse": "arrival {arrive_by} same day at the latest.",
        "chatty": "There is a dinner waiting for me, so I really must be there by {arrive_by} that very day!",
        "formal": "It is essential that I arrive no later than {arrive_by} on the same day.",
        "hurried": "Must be there {arrive_by} same day, no later!",
    },
    draw=_one_of("arrive_by", "14:45", "16:15", "18:35", "20:45", "21:50"),
)
LEAVE_AFTER = Twist(
    "departure not before a time",
    "constraint",
    {
        "plain": "I cannot leave before {leave_after}.",
        "terse": "departure not before {leave_after}.",
        "chatty": "I am no early bird and have an errand to run first, so nothing that leaves before {leave_after}, "
        "please!",
        "formal": "The departure must not lie before {leave_after}.",
        "non_native": "Before {leave_after} I can not go from there.",
    },
    draw=_one_of("leave_after", "07:20", "08:35", "09:05", "10:20"),
)
WITH_BICYCLES = Twist(
    "a train with bicycle places",
    "constraint",
    {
        "plain": "It must be a train that still has a bicycle place free, though I will add the bicycle later.",
        "terse": "only trains with a free bicycle place. bike gets added later.",
        "formal": "Only a train with at least one free bicycle place will do; the bicycle itself I shall add later.",
    },
    sets={"with_bicycle_places": True},
)
BUDGET = Twist(
    "a limit on the price",
    "condition",
    {
        "plain": "Only book it if the whole price is at most {max_price:money} EUR; otherwise tell me what it would "
        "cost.",
        "terse": "max {max_price:money} EUR all in, else just tell me the price.",
        "chatty": "My budget is {max_price:money} EUR for the lot, so if it is more than that just let me know the "
        "price!",
        "formal": "Should the total exceed {max_price:money} EUR, please refrain from booking and state the price.",
        "hurried": "Over {max_price:money} EUR don't book, just give me the price!",
    },
    draw=a_budget,
)
FIRST_CLASS = Twist(
    "first class after all",
    "change_of_mind",
    {
        "plain": "On second thoughts, make it first class.",
        "terse": "scratch that, 1st class.",
        "chatty": "Oh, you know what, I will treat myself: let it be first class instead!",
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
    draw=_one_of("fare", "standard", "flex"),
)
PARTY = Twist(
    "more people come along",
    "entities",
    {
        "plain": "My family is coming too, so book it for {travellers:int} people altogether.",
        "terse": "{travellers:int} people in total.",
        "chatty": "Guess what, my friends want to join, that makes {travellers:int} of us in one booking!",
        "formal": "The booking is to cover {travellers:int} travellers in all.",
        "non_native": "We are together {travellers:int} persons, please all in the same booking.",
    },
    draw=_one_of("travellers", 2, 3, 4),
)

CHEAPEST = Program(
    "book_cheapest",
    "Book the cheapest direct train between two stations on a given day",
    {
        "plain": "Please book me the cheapest direct train from {origin} to {destination} on {date:date}, {fare} fare.",
        "terse": "cheapest {fare} ticket {origin} to {destination}, {date:date}. book it.",
        "chatty": "Hi there! I am off to {destination} from {origin} on {date:date} and want to spend as little as I "
        "can on a {fare} ticket, could you book that?",
        "formal": "I would like to have the least expensive connection from {origin} to {destination} on {date:date} "
        "booked at the {fare} fare.",
        "hurried": "Need the lowest {fare} price {origin} to {destination} on {date:date}, book now!",
        "non_native": "I want to buy the most cheap train of {origin} to {destination} for {date:date}, with {fare} "
        "fare.",
    },
    journey_with(fare=("saver", "standard", "standard", "flex")),
    _buying(lambda train: train["price"]),
    (ARRIVE_BY, LEAVE_AFTER, WITH_BICYCLES, BUDGET, FIRST_CLASS, OTHER_FARE, PARTY, POINTS, FLYING),
)

EARLIEST = Program(
    "book_earliest",
    "Book the first direct train of a day for several people",
    {
        "plain": "Book the first direct train of the day from {origin} to {destination} on {date:date} for "
        "{travellers:int} people, {travel_class} class, {fare} fare.",
        "terse": "first train of {date:date}, {origin} - {destination}, {travellers:int} pax, {travel_class} class "
        "{fare}.",
        "chatty": "Good morning! The {travellers:int} of us want to set out as early as possible from {origin} to "
        "{destination} on {date:date}, in {travel_class} class on the {fare} fare, would you book us in?",
        "formal": "Kindly reserve places for {travellers:int} persons in {travel_class} class at the {fare} fare on "
        "the earliest service from {origin} to {destination} on {date:date}.",
        "non_native": "We are {travellers:int} people and we need the train most early from {origin} to {destination} "
        "in {date:date}, class {travel_class} and fare {fare}.",
    },
    journey_with(travellers=(2, 3, 4), travel_class=("second", "second", "first"), fare=("standard", "flex")),
    _buying(lambda train: train["departure"]),
    (LEAVE_AFTER, WITH_BICYCLES, BUDGET, OTHER_FARE, FLYING, CARD, TRAINSET),
)

MEETING = Program(
    "book_for_appointment",
    "Book the latest train that still arrives in time for an appointment",
    {
        "plain": "I have an appointment in {destination} at {arrive_by} on {date:date}. Book the latest train from "
        "{origin} that gets me there in time, at the {fare} fare.",
        "terse": "in {destination} by {arrive_by} on {date:date}, from {origin}, leave as late as possible, {fare}.",
        "chatty": "So I am to be at a meeting in {destination} at {arrive_by} on {date:date} and love my sleep, so "
        "book me the last train out of {origin} that makes it, {fare} fare please!",
        "formal": "As I am expected in {destination} at {arrive_by} on {date:date}, please book the latest suitable "
        "departure from {origin} at the {fare} fare.",
        "hurried": "Meeting in {destination}, {arrive_by}, {date:date}! Last possible train from {origin}, {fare}, go!",
    },
    journey_with(arrive_by=("13:20", "14:45", "16:35", "18:50", "20:40", "21:45"), fare=("standard", "flex")),
    _buying(lambda train: later_first(train["departure"])),
    (BUDGET, FIRST_CLASS, OTHER_FARE, PARTY, COFFEE, FLYING, TRAINSET),
)


def _cheaper_day(facts: Facts) -> Policy:
    between, early = yield from trains_between(facts, facts["date"])
    later = yield do(
        "search_trains",
        **between,
        travel_date=facts["other_date"],
        fare=facts.get("fare"),
        travel_class=facts.get("travel_class"),
    )
    both = early + [train for train in later if _suits(train, facts)]
    train = yield choose(both, key=lambda each: each["price"])
    return (yield from _buy(facts, between, train))


def _draw_two_days(world: World, rng: Random) -> Facts:
    facts = {**a_journey(world, rng), "fare": rng.choice(("saver", "standard", "flex"))}
    days = [f"2026-11-{day}" for day in range(24, 28)]
    return {**facts, "other_date": pick(rng, [day for day in days if day > facts["date"]])}


TWO_DAYS = Program(
    "book_cheaper_day",
    "Book whichever train is cheapest over two possible days of travel",
    {
        "plain": "I can travel from {origin} to {destination} on either {date:date} or {other_date:date}. Find the "
        "cheapest train over both days and book it at the {fare} fare.",
        "terse": "{origin} to {destination}, {date:date} or {other_date:date}, whichever is cheaper, {fare}. book.",
        "chatty": "I am wonderfully flexible this week: {date:date} or {other_date:date}, both suit me, so get me "
        "from {origin} to {destination} for the least money on a {fare} ticket!",
        "formal": "My dates for travelling from {origin} to {destination} are {date:date} and, alternatively, "
        "{other_date:date}; please book the less expensive option at the {fare} fare.",
        "non_native": "For me is same {date:date} or {other_date:date}, I go from {origin} to {destination}, book the "
        "day that costs less with fare {fare}.",
    },
    _draw_two_days,
    _cheaper_day,
    (ARRIVE_BY, LEAVE_AFTER, BUDGET, FIRST_CLASS, PARTY),
)


def _again(facts: Facts) -> Policy:
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
    train = yield choose([each for each in trains if _suits(each, wanted)], key=lambda each: each["price"])
    return (yield from _buy(wanted, between, train))


def _draw_again(world: World, rng: Random) -> Facts:
    booking = pick(rng, bookings_in(world, "travelled", lambda b, s: True) + bookings_in(world, "confirmed", runs))
    return {
        "passenger_id": booking["passenger_id"],
        "booking_id": booking["booking_id"],
        "date": f"2026-11-{rng.choice((24, 25, 26, 27))}",
    }


AGAIN = Program(
    "book_again",
    "Book an earlier journey again for another day, as cheaply as possible",
    {
        "plain": "Please book the same journey as in {booking_id} again, on {date:date}: same stations, fare, class "
        "and number of people, on the cheapest train.",
        "terse": "repeat of {booking_id} on {date:date}, same everything, cheapest train.",
        "chatty": "That trip in {booking_id} was such fun that we want to do it all over again on {date:date}, same "
        "stations and tickets, just pick the cheapest train of the day!",
        "formal": "I wish to repeat the journey of booking {booking_id} on {date:date} under identical conditions; "
        "please select the least expensive train.",
        "non_native": "The travel like {booking_id}, I want to make it one more time the {date:date}, all the same, "
        "but the train that is cheapest.",
    },
    _draw_again,
    _again,
    (ARRIVE_BY, LEAVE_AFTER, BUDGET, FIRST_CLASS, COFFEE, TRAINSET),
)


BOOKING = (CHEAPEST, EARLIEST, MEETING, TWO_DAYS, AGAIN)
