"""Programs about flights that belong together: there and back, with a bag, the way home."""

from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sums import limit_near, shown
from toolscale.reference.travel.programs.common import (
    GENEROUS,
    Record,
    city,
    clock,
    days_flown,
    flight_bookings,
    known,
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


def _there_and_back(facts: Facts) -> Policy:
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


RETURN = Program(
    "book_return_journey",
    "Book flights there and back, each as cheap as possible",
    {
        "plain": "Please book flights from {origin} to {destination} on {date:date} and back on {back:date}, the "
        "cheapest each way, {fare} fare. [Give me both booking numbers and prices.|What does each of them cost?]",
        "terse": "return {origin} - {destination}, out {date:date}, back {back:date}, cheapest each way, {fare}. "
        "prices?",
        "chatty": "[At last we get away!|My sister lives there!] {origin} to {destination} on {date:date}, home again "
        "on {back:date}, the cheapest flight both ways at the {fare} fare, and tell me what each one costs!",
        "formal": "I should like to travel from {origin} to {destination} on {date:date}, returning on {back:date}; "
        "please book the least expensive flight in each direction at the {fare} fare and state both prices.",
        "non_native": "I go from {origin} to {destination} in {date:date} and I come back in {back:date}, please book "
        "the two flights most cheap with fare {fare} and say the prices.",
        "hurried": "{origin} to {destination} {date:date}, back {back:date}, {fare} fare, cheapest both ways, book "
        "now, prices please!",
    },
    _draw_return,
    _there_and_back,
    (
        PARTY,
        BUSINESS,
        WITH_BAG,
        OTHER_FARE,
        Twist(
            "a limit for both flights",
            "condition",
            {
                "plain": "Both flights together must not cost more than {both_under:money} EUR; otherwise book neither "
                "and tell me the sum.",
                "terse": "both together max {both_under:money} EUR, else none, just the sum.",
                "chatty": "We have put aside {both_under:money} EUR for the two flights, and if that is not enough, "
                "book neither and tell me what they would cost together!",
                "formal": "The two flights taken together may not exceed {both_under:money} EUR, failing which neither "
                "is to be booked and the sum is to be stated.",
            },
            draw=_limit_for_both,
        ),
    ),
)


def _bag_or_fare(facts: Facts) -> Policy:
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


BAG_OR_FARE = Program(
    "book_with_bag_the_cheaper_way",
    "Book a flight with a checked bag in whichever fare makes that cheaper",
    {
        "plain": "I want to fly on {flight_id} with one checked bag. Book whichever is cheaper, the light fare plus an "
        "extra bag or the classic fare that includes one, and tell me [the price and|what I pay and] when check-in "
        "closes.",
        "terse": "{flight_id} + 1 checked bag: light with extra bag or classic, the cheaper. book. price, check-in "
        "end?",
        "chatty": "Your fares make my head spin! For {flight_id} I have one bag to check in, so work out whether light "
        "with an extra bag or classic costs less, book that, and tell me the price and until when I can check in!",
        "formal": "For flight {flight_id} I shall have one checked bag; please book the light fare with an added bag "
        "or the classic fare, whichever is the less expensive, and state the price and the close of check-in.",
        "non_native": "On flight {flight_id} I have one bag for checking. What is less money, light and extra bag, or "
        "classic? Book this one, and say price and when check-in stops.",
    },
    _draw_flight,
    _bag_or_fare,
    (
        Twist(
            "a limit with the bag",
            "condition",
            {
                "plain": "If even the cheaper way costs more than {bag_limit:money} EUR, leave it and tell me the "
                "cost.",
                "terse": "cheaper way above {bag_limit:money} EUR: don't book, tell me the cost.",
                "chatty": "Above {bag_limit:money} EUR I would rather stay at home, so then only tell me the cost!",
                "formal": "Where the cheaper option exceeds {bag_limit:money} EUR, no booking should be made and the "
                "cost be stated.",
            },
            draw=lambda world, rng, facts: {
                "bag_limit": limit_near(rng, known(world, "flights", facts["flight_id"])["base_price"], GENEROUS)
            },
        ),
    ),
)


def _way_home(facts: Facts) -> Policy:
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


WAY_HOME = Program(
    "book_way_back",
    "Book the way back for a flight that is booked already",
    {
        "plain": "I still need the way back for {booking_id}: the cheapest flight in the other direction on "
        "{date:date}, with the same fare, cabin and number of people. [When does it leave and what does it "
        "cost?|Price and time, please.]",
        "terse": "way back for {booking_id} on {date:date}, same fare/cabin/people, cheapest. time + price?",
        "chatty": "Silly me, I booked {booking_id} and forgot that we need to come home too! The cheapest way back on "
        "{date:date}, same fare, cabin and people, and tell me when we leave and what it costs!",
        "formal": "Supplementary to {booking_id}, please book the least expensive return flight on {date:date} under "
        "the same fare and cabin and for the same party, and advise me of its time and price.",
        "non_native": "For {booking_id} I not have the flight of return, please book it the {date:date}, all the same "
        "like there, most cheap. At what time and how much?",
    },
    _draw_way_home,
    _way_home,
    (LEAVE_AFTER, OTHER_FARE, BUDGET),
)

JOURNEYS = (RETURN, BAG_OR_FARE, WAY_HOME)
