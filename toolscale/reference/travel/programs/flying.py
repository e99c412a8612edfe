"""Programs about buying a flight: by price, by time, over two days."""

from random import Random

from toolscale.reference.kit import clock, one_of
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do
from toolscale.reference.sums import limit_near, shown
from toolscale.reference.travel.programs.common import Record, Step, a_journey, city, on_sale, place, shifted
from toolscale.reference.words import words

WORDS = words(__file__)

FARES = ("light", "classic", "flex")


def flights_between(facts: Facts, origin: str, destination: str, on: str) -> Step:
    """The flights of a day that keep to what the user wants."""
    found = yield do(
        "search_flights",
        origin=origin,
        destination=destination,
        travel_date=on,
        fare=facts["fare"],
        cabin=facts.get("cabin"),
        travellers=facts.get("party"),
    )
    return [each for each in found if clock(each["departure"]) >= facts.get("leave_after", "00:00")]


def ends(facts: Facts) -> Step:
    """The codes of the two cities."""
    origin = yield from place(facts["origin"])
    destination = yield from place(facts["destination"])
    return origin["destination_code"], destination["destination_code"]


def buy(facts: Facts, flight: Record) -> Step:
    """Book a flight as the user wants it, with extra bags if there are any; the booking, and what it costs."""
    booking = yield do(
        "book_flight",
        traveller_id=facts["traveller_id"],
        flight_id=flight["flight_id"],
        fare=facts["fare"],
        cabin=facts.get("cabin"),
        travellers=facts.get("party"),
    )
    if "bags" not in facts:
        return booking["booking_id"], booking["price_total"]
    done = yield do("add_bags", booking_id=booking["booking_id"], bags=facts["bags"])
    return booking["booking_id"], done["total"]


def bought(facts: Facts, flight: Record) -> Solution:
    """Buy one flight, unless it costs more than the user's limit."""
    name, leaves, total = flight["flight_id"], clock(flight["departure"]), shown(flight["total"])
    if flight["total"] > facts.get("max_price", flight["total"]):
        return Reply(f"I booked nothing: {name} at {leaves} would cost {total} EUR.", (total,))
    booking_id, price = yield from buy(facts, flight)
    paid = shown(price)
    text = f"Booked as {booking_id}: {name} leaves at {leaves}; {paid} EUR in all."
    return Reply(text, (booking_id, paid, leaves))


def _draw(world: World, rng: Random) -> Facts:
    return {**a_journey(world, rng), "fare": rng.choice(FARES)}


def _limit(world: World, rng: Random, facts: Facts) -> Facts:
    prices = [
        each["base_price"]
        for each in on_sale(world)
        if each["departure"][:10] == facts.get("date") and city(world, each["origin"]) == facts.get("origin")
    ]
    return {"max_price": limit_near(rng, min(prices, default=200.0), (0.75, 1.5, 1.8, 2.2))}


PARTY = WORDS.twist("for several people", "constraint", draw=one_of("party", 2, 2, 3, 4))
BUSINESS = WORDS.twist("in business class", "constraint", sets={"cabin": "business"})
LEAVE_AFTER = WORDS.twist(
    "not before a time of day", "constraint", draw=one_of("leave_after", "07:00", "09:30", "11:00", "12:30")
)
BUDGET = WORDS.twist("a limit on the price", "condition", draw=_limit)
WITH_BAG = WORDS.twist("with an extra bag", "constraint", sets={"bags": 1})
OTHER_FARE = WORDS.twist("another fare after all", "change_of_mind", draw=one_of("fare", *FARES))
FLIGHT_TWISTS = (PARTY, BUSINESS, LEAVE_AFTER, WITH_BAG, OTHER_FARE)


def _cheapest(facts: Facts) -> Solution:
    origin, destination = yield from ends(facts)
    flights = yield from flights_between(facts, origin, destination, facts["date"])
    flight = yield choose(flights, key=lambda each: each["total"])
    return (yield from bought(facts, flight))


CHEAPEST = WORDS.program("book_cheapest_flight", _draw, _cheapest, (*FLIGHT_TWISTS, BUDGET))


def _first_there(facts: Facts) -> Solution:
    origin, destination = yield from ends(facts)
    flights = yield from flights_between(facts, origin, destination, facts["date"])
    flight = yield choose(flights, key=lambda each: each["arrival"])
    return (yield from bought(facts, flight))


EARLIEST = WORDS.program("book_first_to_land", _draw, _first_there, (*FLIGHT_TWISTS, BUDGET))


def _cheaper_day(facts: Facts) -> Solution:
    origin, destination = yield from ends(facts)
    flights = yield from flights_between(facts, origin, destination, facts["date"])
    flights = flights + (yield from flights_between(facts, origin, destination, facts["other_date"]))
    flight = yield choose(flights, key=lambda each: each["total"])
    done = yield from bought(facts, flight)
    return Reply(f"{done.text} That is on {flight['departure'][:10]}.", done.tell)


def _draw_two_days(world: World, rng: Random) -> Facts:
    facts = _draw(world, rng)
    return {**facts, "other_date": shifted(facts["date"], rng.choice((-1, 1)))}


TWO_DAYS = WORDS.program("book_cheaper_day", _draw_two_days, _cheaper_day, (*FLIGHT_TWISTS, BUDGET))


FLYING = (CHEAPEST, EARLIEST, TWO_DAYS)
