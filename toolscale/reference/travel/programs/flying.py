"""Programs about buying a flight: by price, by time, over two days."""

from random import Random

from toolscale.reference.program import Facts, Policy, Program, Reply, Twist, World, choose, do
from toolscale.reference.sums import limit_near, shown
from toolscale.reference.travel.programs.common import (
    Record,
    Step,
    a_journey,
    city,
    clock,
    on_sale,
    one_of,
    place,
    shifted,
)

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


def bought(facts: Facts, flight: Record) -> Policy:
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


PARTY = Twist(
    "for several people",
    "constraint",
    {
        "plain": "The booking is for {party:count} people [in all|altogether], so there must be seats for everybody.",
        "terse": "for {party:count} people.",
        "chatty": "Oh, I should have said, we are {party:count} of us, all on the same flight please!",
        "formal": "Seats are required for a party of {party:count}.",
        "non_native": "We are together {party:count} persons, all must have place.",
    },
    draw=one_of("party", (2, 2, 3, 4)),
)
BUSINESS = Twist(
    "in business class",
    "constraint",
    {
        "plain": "I would like to fly in business class[, my back needs it|].",
        "terse": "business class pls.",
        "chatty": "And do you know what, [I shall treat myself|life is short], so business class it is!",
        "formal": "Carriage is to be in business class.",
        "hurried": "Business class!",
    },
    sets={"cabin": "business"},
)
LEAVE_AFTER = Twist(
    "not before a time of day",
    "constraint",
    {
        "plain": "I cannot leave before {leave_after:time}.",
        "terse": "not before {leave_after:time}.",
        "chatty": "But please nothing before {leave_after:time}, I am [no early bird|hopeless in the mornings]!",
        "formal": "Departures earlier than {leave_after:time} cannot be considered.",
        "non_native": "Before {leave_after:time} is not possible for me.",
    },
    draw=one_of("leave_after", ("07:00", "09:30", "11:00", "12:30")),
)
BUDGET = Twist(
    "a limit on the price",
    "condition",
    {
        "plain": "If that comes to more than {max_price:money} EUR [in total|altogether], do not book and tell me the "
        "price instead.",
        "terse": "max {max_price:money} EUR total, else just the price.",
        "chatty": "My limit is {max_price:money} EUR all in all, so if it is dearer, do not book it, just whisper the "
        "price to me!",
        "formal": "My approval extends to a total of {max_price:money} EUR; beyond that, kindly quote the price "
        "without booking.",
        "hurried": "Over {max_price:money} EUR in total? Then no booking, only the price!",
    },
    draw=_limit,
)
WITH_BAG = Twist(
    "with an extra bag",
    "constraint",
    {
        "plain": "Please add one extra checked bag to [the booking|each booking that you make], beyond what the fare "
        "includes.",
        "terse": "+ 1 extra checked bag[ per booking|].",
        "chatty": "I never manage to pack light, so put one extra checked bag on top of whatever is included!",
        "formal": "In excess of the included allowance, please add one checked bag[ to each booking|].",
    },
    sets={"bags": 1},
)
OTHER_FARE = Twist(
    "another fare after all",
    "change_of_mind",
    {
        "plain": "Sorry, I have changed my mind about the fare: make it {fare}.",
        "terse": "fare: {fare} instead.",
        "chatty": "Oh no, wait, my brother says we should take the {fare} fare, so let us do that!",
        "formal": "I beg to correct myself as to the fare, which should be {fare}.",
        "non_native": "I change the fare, I want {fare}, not the other.",
    },
    draw=one_of("fare", FARES),
)
FLIGHT_TWISTS = (PARTY, BUSINESS, LEAVE_AFTER, WITH_BAG, OTHER_FARE)


def _cheapest(facts: Facts) -> Policy:
    origin, destination = yield from ends(facts)
    flights = yield from flights_between(facts, origin, destination, facts["date"])
    flight = yield choose(flights, key=lambda each: each["total"])
    return (yield from bought(facts, flight))


CHEAPEST = Program(
    "book_cheapest_flight",
    "Book the cheapest flight of a day on a route",
    {
        "plain": "Please book me the cheapest flight from {origin} to {destination} on {date:date}, at the {fare} "
        "fare. [What does it cost, and when does it leave?|Tell me the price and the time of departure.]",
        "terse": "{origin} - {destination}, {date:date}, cheapest, {fare} fare. book it. price + dep time?",
        "chatty": "I need to get from {origin} to {destination} on {date:date} [without ruining myself|and my purse "
        "is thin], so book whatever is cheapest at the {fare} fare, and tell me what it came to and when I leave!",
        "formal": "I request the booking of the least expensive flight from {origin} to {destination} on {date:date} "
        "at the {fare} fare, and ask for its price and time of departure.",
        "non_native": "I want to fly from {origin} to {destination} the {date:date}, please book which is most cheap "
        "with {fare} fare; how much costs and when goes?",
        "confused": "I think I need a flight from {origin} to {destination}, on {date:date} it must be, the cheapest "
        "one, and the fare is called {fare} if I read that right; what is the price, and when does it go?",
    },
    _draw,
    _cheapest,
    (*FLIGHT_TWISTS, BUDGET),
)


def _first_there(facts: Facts) -> Policy:
    origin, destination = yield from ends(facts)
    flights = yield from flights_between(facts, origin, destination, facts["date"])
    flight = yield choose(flights, key=lambda each: each["arrival"])
    return (yield from bought(facts, flight))


EARLIEST = Program(
    "book_first_to_land",
    "Book whichever flight of a day lands first",
    {
        "plain": "I leave on {date:date} and have to be in {destination} as early as possible. Please book the flight "
        "from {origin} that lands first, {fare} fare, and tell me [when it leaves and what I pay|the departure and "
        "price].",
        "terse": "to {destination} from {origin}, leaving {date:date}: whichever lands first, {fare}. departure + "
        "price?",
        "chatty": "[My cousin is getting married|A job interview is waiting], so I leave on {date:date} and want to "
        "be in {destination} before everybody else: the flight from {origin} that lands first, {fare} fare, and what "
        "time do I leave and what do I pay?",
        "formal": "Leaving on {date:date}, I must reach {destination} at the earliest hour; kindly book the first "
        "flight to land from {origin} at the {fare} fare and advise me of its departure and price.",
        "hurried": "Need to be in {destination} fast, leaving {date:date} from {origin}, first one to land, {fare} "
        "fare, go! When does it leave, how much?",
        "non_native": "I leave the {date:date} and must arrive in {destination} very early, please book from {origin} "
        "the flight which arrives first, {fare} fare, and say when starts and price.",
    },
    _draw,
    _first_there,
    (*FLIGHT_TWISTS, BUDGET),
)


def _cheaper_day(facts: Facts) -> Policy:
    origin, destination = yield from ends(facts)
    flights = yield from flights_between(facts, origin, destination, facts["date"])
    flights = flights + (yield from flights_between(facts, origin, destination, facts["other_date"]))
    flight = yield choose(flights, key=lambda each: each["total"])
    done = yield from bought(facts, flight)
    return Reply(f"{done.text} That is on {flight['departure'][:10]}.", done.tell)


def _draw_two_days(world: World, rng: Random) -> Facts:
    facts = _draw(world, rng)
    return {**facts, "other_date": shifted(facts["date"], rng.choice((-1, 1)))}


TWO_DAYS = Program(
    "book_cheaper_day",
    "Book the cheaper of two possible days of travel",
    {
        "plain": "I can fly from {origin} to {destination} on {date:date} or on {other_date:date}. Book the cheapest "
        "flight of both days at the {fare} fare and tell me [which one it is and the price|price and departure time].",
        "terse": "{origin} - {destination}, {date:date} or {other_date:date}, cheaper one, {fare}. book, tell me "
        "which.",
        "chatty": "We are quite free, {date:date} or {other_date:date} would both suit us for {origin} to "
        "{destination}, so take the flight that saves most at the {fare} fare and tell me [the damage|what we pay] "
        "and the time!",
        "formal": "For the journey from {origin} to {destination} either {date:date} or {other_date:date} is "
        "acceptable; please book the less expensive flight at the {fare} fare and communicate its particulars.",
        "non_native": "From {origin} to {destination} I can go {date:date} and also {other_date:date}, book please "
        "the day of low price, {fare} fare, and tell when flies.",
    },
    _draw_two_days,
    _cheaper_day,
    (*FLIGHT_TWISTS, BUDGET),
)


FLYING = (CHEAPEST, EARLIEST, TWO_DAYS)
