"""Programs about buying a journey: choose a train by price or time, and book it."""

from collections.abc import Callable
from random import Random
from typing import Any

from toolscale.reference.program import Facts, Policy, Program, World, choose, do, pick
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
    later_first,
)


def _buying(key: Callable[[Record], Any]) -> Callable[[Facts], Policy]:
    def policy(facts: Facts) -> Policy:
        between, trains = yield from trains_between(facts, facts["date"])
        train = yield choose(trains, key=key)
        return (yield from buy_within_limit(facts, between, train))

    return policy


CHEAPEST = Program(
    "book_cheapest",
    "Book the cheapest direct train between two stations on a given day",
    {
        "plain": "[Please book me|I would like to book|Book me] the cheapest direct train from {origin} to "
        "{destination} on {date:date}, {fare} fare[.|. What does it cost, and what is the booking number?|, and tell "
        "me the price and the booking number.]",
        "terse": "cheapest {fare} ticket {origin} to {destination}, {date:date}. book it.",
        "chatty": "I am off to {destination} from {origin} on {date:date} and want to spend as little as I can on a "
        "{fare} ticket, [could you book that|would you book it for me]?",
        "formal": "I would like to have the least expensive connection from {origin} to {destination} on {date:date} "
        "booked at the {fare} fare.",
        "hurried": "Need the lowest {fare} price {origin} to {destination} on {date:date}, book now!",
        "non_native": "I want to buy the most cheap train of {origin} to {destination} for {date:date}, with {fare} "
        "fare.",
        "confused": "I never know which train is which, so just book me the [cheapest|least expensive] one from "
        "{origin} to {destination} on {date:date}, on what you call the {fare} fare.",
    },
    journey_with(fare=("saver", "standard", "standard", "flex")),
    _buying(lambda train: train["price"]),
    (ARRIVE_BY, LEAVE_AFTER, WITH_BICYCLES, BUDGET, FIRST_CLASS, OTHER_FARE, PARTY, FLYING),
)

EARLIEST = Program(
    "book_earliest",
    "Book the first direct train of a day for several people",
    {
        "plain": "[Please book|Book] the first direct train of the day from {origin} to {destination} on {date:date} "
        "for {travellers:count} people, {travel_class} class, {fare} fare. [What is the booking number, and what do "
        "we pay in all?|Tell me the booking number and the price for all of us.]",
        "terse": "first train of {date:date}, {origin} - {destination}, {travellers:count} pax, {travel_class} class "
        "{fare}.",
        "chatty": "The {travellers:count} of us [want to set out as early as possible|are early birds, all of us, and "
        "want the first train] from {origin} to {destination} on {date:date}, in {travel_class} class on the {fare} "
        "fare, would you book us in?",
        "formal": "Kindly reserve places for {travellers:count} persons in {travel_class} class at the {fare} fare on "
        "the earliest service from {origin} to {destination} on {date:date}.",
        "hurried": "First train {origin} to {destination} on {date:date}, {travellers:count} people, {travel_class} "
        "class, {fare}, book it!",
        "non_native": "We are {travellers:count} people and we need the train most early from {origin} to "
        "{destination} in {date:date}, class {travel_class} and fare {fare}.",
    },
    journey_with(travellers=(2, 3, 4), travel_class=("second", "second", "first"), fare=("standard", "flex")),
    _buying(lambda train: train["departure"]),
    (LEAVE_AFTER, WITH_BICYCLES, BUDGET, OTHER_FARE, FLYING, TRAINSET),
)

MEETING = Program(
    "book_for_appointment",
    "Book the latest train that still arrives in time for an appointment",
    {
        "plain": "I have [an appointment|a meeting|to be] in {destination} at {arrive_by:time} on {date:date}. "
        "[Book|Please book] the latest train from {origin} that gets me there in time, at the {fare} fare.",
        "terse": "in {destination} by {arrive_by:time} on {date:date}, from {origin}, leave as late as possible, "
        "{fare}.",
        "chatty": "So I am to be at a meeting in {destination} at {arrive_by:time} on {date:date} and love my sleep, "
        "so book me the last train out of {origin} that makes it, {fare} fare please!",
        "formal": "As I am expected in {destination} at {arrive_by:time} on {date:date}, please book the latest "
        "suitable departure from {origin} at the {fare} fare.",
        "hurried": "Meeting in {destination}, {arrive_by:time}, {date:date}! Last possible train from {origin}, "
        "{fare}, go!",
        "non_native": "On {date:date} at {arrive_by:time} I must be in {destination}; please book from {origin} the "
        "train most late which arrives in time, with {fare} fare.",
    },
    journey_with(arrive_by=("13:20", "14:45", "16:35", "18:50", "20:40", "21:45"), fare=("standard", "flex")),
    _buying(lambda train: later_first(train["departure"])),
    (BUDGET, FIRST_CLASS, OTHER_FARE, PARTY, FLYING, TRAINSET),
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
    both = early + [train for train in later if suits(train, facts, facts["other_date"])]
    train = yield choose(both, key=lambda each: each["price"])
    return (yield from buy_within_limit(facts, between, train))


def _draw_two_days(world: World, rng: Random) -> Facts:
    facts = {**a_journey(world, rng), "fare": rng.choice(("saver", "standard", "flex"))}
    return {**facts, "other_date": pick(rng, [day for day in DAYS if day > facts["date"]])}


TWO_DAYS = Program(
    "book_cheaper_day",
    "Book whichever train is cheapest over two possible days of travel",
    {
        "plain": "I can travel from {origin} to {destination} on either {date:date} or {other_date:date}. [Find the "
        "cheapest train over both days and book it|Please book the cheapest train of the two days] at the {fare} "
        "fare[.|, and tell me its price.]",
        "terse": "{origin} to {destination}, {date:date} or {other_date:date}, whichever is cheaper, {fare}. book.",
        "chatty": "I am wonderfully flexible this week: {date:date} or {other_date:date}, both suit me, so get me "
        "from {origin} to {destination} for the least money on a {fare} ticket!",
        "formal": "My dates for travelling from {origin} to {destination} are {date:date} and, alternatively, "
        "{other_date:date}; please book the less expensive option at the {fare} fare.",
        "non_native": "For me is same {date:date} or {other_date:date}, I go from {origin} to {destination}, book the "
        "day that costs less with fare {fare}.",
        "confused": "My diary says {date:date} but my sister says {other_date:date}, both would be fine really, so "
        "book "
        "whichever train from {origin} to {destination} is cheapest over the two days, {fare} fare.",
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


AGAIN = Program(
    "book_again",
    "Book an earlier journey again for another day, as cheaply as possible",
    {
        "plain": "On {date:date} [I would like to repeat|I need once more] {booking_id}: same stations, fare, "
        "class and number of people, on the cheapest train.",
        "terse": "{date:date}, repeat of {booking_id}: same everything, cheapest train.",
        "chatty": "How I enjoyed {booking_id}, and on {date:date} I get to do it all over again! Same stations, same "
        "tickets, for just as many people, only pick the cheapest train of the day!",
        "formal": "On {date:date} I wish to repeat {booking_id} under identical conditions; please select the least "
        "expensive train.",
        "hurried": "For {date:date}, book {booking_id} all over again, same everything, cheapest train!",
        "non_native": "The travel like {booking_id}, I want to make it one more time on {date:date}, all the same, "
        "but the train that is cheapest.",
    },
    _draw_again,
    _again,
    (ARRIVE_BY, LEAVE_AFTER, BUDGET, FIRST_CLASS, TRAINSET),
)


BOOKING = (CHEAPEST, EARLIEST, MEETING, TWO_DAYS, AGAIN)
