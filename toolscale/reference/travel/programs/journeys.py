"""Programs about flights that belong together: there and back, with a bag, the way home."""

from random import Random

from toolscale.reference.kit import clock, known
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import limit_near, shown
from toolscale.reference.travel.programs.common import (
    GENEROUS,
    Record,
    city,
    days_flown,
    flight_bookings,
    on_free_days,
    runs,
    shifted,
)
from toolscale.reference.travel.programs.flying import (
    BUDGET,
    BUSINESS,
    FARES,
    LEAVE_AFTER,
    OTHER_FARE,
    PARTY,
    WITH_BAG,
    bought,
    buy,
    ends,
    flights_between,
)
from toolscale.reference.words import words

WORDS = words(__file__)


def _there_and_back(facts: Facts) -> Solution:
    origin, destination = yield from ends(facts)
    out = yield from flights_between(facts, origin, destination, facts["date"])
    first = yield choose(out, key=lambda each: each["total"])
    back = yield from flights_between(facts, destination, origin, facts["back"])
    second = yield choose(back, key=lambda each: each["total"])
    together = shown(first["total"] + second["total"])
    if first["total"] + second["total"] > facts.get("both_under", 1e9):
        return Reply(f"I booked neither flight, together they cost {together} EUR.", (together,))
    texts, tell = [], []
    for flight in (first, second):
        booking_id, price = yield from buy(facts, flight)
        texts.append(f"{booking_id} is {flight['flight_id']}, {shown(price)} EUR.")
        tell += [booking_id, shown(price)]
    return Reply(" ".join(texts), tuple(tell))


def _draw_return(world: World, rng: Random) -> Facts:
    journeys = [
        (person, out, back)
        for person in world.rows("travellers")
        for out in on_free_days(world, person["traveller_id"])
        for back in (shifted(out["departure"][:10], 7),)
        if person["home_airport"] == out["origin"]
        and out["departure"][:10] > day(3)
        and back not in days_flown(world, person["traveller_id"])
    ]
    person, out, back = pick(rng, journeys)
    return {
        "traveller_id": person["traveller_id"],
        "origin": city(world, out["origin"]),
        "destination": city(world, out["destination"]),
        "date": out["departure"][:10],
        "back": back,
        "fare": rng.choice(FARES),
    }


def _limit_for_both(world: World, rng: Random, facts: Facts) -> Facts:
    """A limit near what flights between the two places usually cost, there and back."""
    cities = {facts["origin"], facts["destination"]}
    between = (each for each in world.rows("flights") if world.get("destinations", each["origin"]))
    prices = [
        each["base_price"]
        for each in between
        if world.get("destinations", each["destination"])
        and {city(world, each["origin"]), city(world, each["destination"])} == cities
    ]
    return {"both_under": limit_near(rng, 2 * pick(rng, prices), (0.8, 1.1, 1.4, 1.8))}


RETURN = WORDS.program(
    "book_return_journey",
    _draw_return,
    _there_and_back,
    (
        PARTY,
        BUSINESS,
        WITH_BAG,
        OTHER_FARE,
        WORDS.twist("a limit for both flights", "condition", draw=_limit_for_both),
    ),
)


def _bag_or_fare(facts: Facts) -> Solution:
    flight = yield do("get_flight", flight_id=facts["flight_id"])
    ways = [
        ("light", round(flight["economy_prices"]["light"] + flight["extra_bag_fee"], 2)),
        ("classic", flight["economy_prices"]["classic"]),
    ]
    fare, price = yield choose(ways, key=lambda way: way[1])
    cost = shown(price)
    if price > facts.get("bag_limit", price):
        return Reply(f"I booked nothing: even the {fare} way costs {cost} EUR.", (cost,))
    bags = {"bags": 1} if fare == "light" else {}
    booking_id, paid = yield from buy({"traveller_id": facts["traveller_id"], "fare": fare, **bags}, flight)
    closes = clock(flight["check_in_closes"])
    text = f"Booked the {fare} fare as {booking_id} for {shown(paid)} EUR, bag included; check-in closes at {closes}."
    return Reply(text, (booking_id, shown(paid), closes))


def _draw_flight(world: World, rng: Random) -> Facts:
    pairs = [
        (person, flight)
        for person in world.rows("travellers")
        for flight in on_free_days(world, person["traveller_id"])
        if person["home_airport"] in (flight["origin"], flight["destination"])
    ]
    person, flight = pick(rng, pairs)
    return {"traveller_id": person["traveller_id"], "flight_id": flight["flight_id"]}


BAG_OR_FARE = WORDS.program(
    "book_with_bag_the_cheaper_way",
    _draw_flight,
    _bag_or_fare,
    (
        WORDS.twist(
            "a limit with the bag",
            "condition",
            draw=lambda world, rng, facts: {
                "bag_limit": limit_near(rng, known(world, "flights", facts["flight_id"])["base_price"], GENEROUS)
            },
        ),
    ),
)


def _way_home(facts: Facts) -> Solution:
    there = yield do("get_flight_booking", booking_id=facts["booking_id"])
    wanted = {
        "traveller_id": facts["traveller_id"],
        "fare": facts.get("fare", there["fare"]),
        "cabin": there["cabin"],
        "party": there["travellers"],
        **{name: facts[name] for name in ("leave_after", "max_price") if name in facts},
    }
    flights = yield from flights_between(wanted, there["destination"], there["origin"], facts["date"])
    flight = yield choose(flights, key=lambda each: each["total"])
    return (yield from bought(wanted, flight))


def _draw_way_home(world: World, rng: Random) -> Facts:
    def outbound(booking: Record, flight: Record) -> bool:
        home = known(world, "travellers", booking["traveller_id"])["home_airport"]
        return runs(booking, flight) and bool(flight["origin"] == home and flight["departure"][:10] > day(3))

    booking = pick(rng, flight_bookings(world, "confirmed", outbound))
    out = known(world, "flights", booking["flight_id"])
    return {
        "traveller_id": booking["traveller_id"],
        "booking_id": booking["booking_id"],
        "date": shifted(out["departure"][:10], rng.choice((7, 7, 8))),
    }


WAY_HOME = WORDS.program("book_way_back", _draw_way_home, _way_home, (LEAVE_AFTER, OTHER_FARE, BUDGET))

JOURNEYS = (RETURN, BAG_OR_FARE, WAY_HOME)
