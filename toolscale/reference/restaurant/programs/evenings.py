"""Requests for tickets for evenings."""

from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Policy, Program, Record, Steps, Twist, World, choose, do, pick
from toolscale.reference.restaurant.programs.common import (
    a_reservation,
    country_in,
    head_count,
    house_called,
    house_of,
    known,
    line_at,
    says,
    some_country,
    sum_of,
    told,
)
from toolscale.reference.restaurant.programs.twists import AS_MANY_AS, IF_POINTS, OTHER_SEATS


def _buy_seats(facts: Facts, evening: Record, seats: int) -> Policy:
    """The tickets, unless a seat costs too much."""
    if evening["price_per_seat"] > facts.get("limit", float("inf")):
        price, with_currency = sum_of(evening, "price_per_seat")
        return told(f"I bought none: {evening['title']} costs {with_currency} a seat.", price)
    ticket = yield do("buy_tickets", guest_id=facts["guest_id"], event_id=evening["event_id"], seats=seats)
    number, (paid, with_currency) = ticket["ticket_id"], sum_of({**evening, **ticket}, "paid")
    return told(f"Your ticket is {number}, for {with_currency} in all.", number, paid)


def _seat_limit(world: World, rng: Random, facts: Facts) -> Facts:
    """A limit near the price of an evening that may be meant."""
    if "country" in facts:
        houses = {row["restaurant_id"] for row in world.rows("restaurants") if row["country"] == country_in(facts)}
    else:
        houses = {house_of(world, facts)["restaurant_id"]}
    prices = [row["price_per_seat"] for row in world.rows("events") if row["restaurant_id"] in houses]
    return {"limit": line_at(rng, pick(rng, prices))}


SEAT_LIMIT = Twist(
    "only up to a price a seat",
    "condition",
    {
        "plain": "If a seat costs more than {limit:money}, buy none and tell me the price.",
        "terse": "seat > {limit:money}? buy nothing, tell me the price.",
        "chatty": "I refuse to pay more than {limit:money} for one seat, so in that case forget it and tell me the "
        "price.",
        "formal": "Should a seat exceed {limit:money}, please refrain and inform me of the price.",
    },
    draw=_seat_limit,
)


def _draw_in_country(world: World, rng: Random) -> Facts:
    guest = pick(rng, world.rows("guests"))
    return {"guest_id": guest["guest_id"], "country": some_country(world, rng), "seats": rng.randint(2, 5)}


def _buy_cheapest(facts: Facts) -> Policy:
    seats = yield from head_count(facts, "seats")
    evenings = yield do("list_events", seats=seats)
    latest = facts.get("until", "9999-12-31")
    priced = []
    for each in evenings:
        if each["country"] == country_in(facts) and each["date"] <= latest:
            priced.append((yield do("get_event", event_id=each["event_id"])))
    evening = yield choose(priced, key=lambda each: each["price_per_seat"])
    return (yield from _buy_seats(facts, evening, seats))


BUY_CHEAPEST = Program(
    "buy_cheapest_evening",
    "Buy seats for the cheapest ticketed evening in a country",
    says(
        "I would like {seats:count} seats for the cheapest of your ticketed evenings in {country}[, as a present for "
        "my parents|, we are there on holiday|]. Please tell me the ticket number and what I pay.",
        "cheapest ticketed evening in {country}, {seats:count} seats; ticket no. + sum?",
        "We are off to {country} and would adore one of those special evenings of yours, the least expensive one will "
        "do, {seats:count} seats, and give me the ticket number and the damage!",
        "Please purchase {seats:count} seats for the least expensive ticketed evening offered in {country} and state "
        "the ticket number and the amount.",
        "Cheapest evening with tickets in {country}, {seats:count} seats, number and sum!",
        "In {country} you have special evening with ticket, I want {seats:count} seats for the most cheap, please say "
        "number of ticket and price all together.",
    ),
    _draw_in_country,
    _buy_cheapest,
    (
        IF_POINTS,
        SEAT_LIMIT,
        OTHER_SEATS,
        AS_MANY_AS,
        Twist(
            "until a day",
            "constraint",
            {
                "plain": "It has to take place on {until:date} at the latest.",
                "terse": "by {until:date}.",
                "chatty": "We fly home after {until:date}, so it has to happen by then.",
                "formal": "It must take place no later than {until:date}.",
            },
            draw=lambda world, rng, facts: {"until": day(rng.randrange(10, 26))},
        ),
    ),
    "I do not know which evenings you offer.",
)


def _draw_at_house(world: World, rng: Random) -> Facts:
    guest, event = pick(rng, world.rows("guests")), pick(rng, world.rows("events"))
    house = known(world, "restaurants", event["restaurant_id"])
    return {"guest_id": guest["guest_id"], "restaurant": house["name"], "seats": rng.randint(2, 5)}


def next_evening(restaurant_id: str, facts: Facts, seats: int) -> Steps:
    """Step: the next evening of a house, or the one that is furthest ahead, with its price."""
    evenings = yield do("list_events", restaurant_id=restaurant_id, seats=seats)
    order = sorted({each["date"] for each in evenings}, reverse=facts.get("which") == "last")
    chosen = yield choose(evenings, key=lambda each: order.index(each["date"]))
    return (yield do("get_event", event_id=chosen["event_id"]))


def _buy_next(facts: Facts) -> Policy:
    house = yield from house_called(facts["restaurant"])
    seats = yield from head_count(facts, "seats")
    evening = yield from next_evening(house["restaurant_id"], facts, seats)
    return (yield from _buy_seats(facts, evening, seats))


BUY_NEXT = Program(
    "buy_next_evening",
    "Buy seats for the next ticketed evening of a restaurant",
    says(
        "Please get me {seats:count} tickets for [whatever {restaurant} puts on next|the next ticketed evening at "
        "{restaurant}], and tell me the ticket number and the sum.",
        "next ticketed evening at {restaurant}: {seats:count} seats. number + sum?",
        "I do not even care what it is, but I want to be at the very next ticketed evening of {restaurant}, and it is "
        "{seats:count} of us; what is the ticket number and what do I pay?",
        "I should like {seats:count} tickets for the next ticketed evening held at {restaurant}; please confirm the "
        "ticket number and the sum.",
        "{seats:count} tickets, next evening, {restaurant}; number and sum please.",
        "I want {seats:count} tickets for the next special evening of {restaurant}, say me number of ticket and sum.",
    ),
    _draw_at_house,
    _buy_next,
    (
        IF_POINTS,
        SEAT_LIMIT,
        OTHER_SEATS,
        AS_MANY_AS,
        Twist(
            "the last evening",
            "change_of_mind",
            {
                "plain": "Not the next, we are away then: the one that is furthest ahead.",
                "terse": "not the next one: the furthest ahead.",
                "chatty": "Oh bother, we are away just then, so take the one that comes last of all.",
                "formal": "I must correct myself: the evening furthest ahead is wanted.",
            },
            sets={"which": "last"},
        ),
    ),
)


def _has_evening(world: World, row: Record) -> bool:
    events = [each for each in world.rows("events") if each["restaurant_id"] == row["restaurant_id"]]
    return 1 < row["party_size"] <= 8 and bool(events)


def _buy_for_party(facts: Facts) -> Policy:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    evening = yield from next_evening(reservation["restaurant_id"], facts, reservation["party_size"])
    return (yield from _buy_seats(facts, evening, reservation["party_size"]))


BUY_FOR_PARTY = Program(
    "buy_evening_for_party",
    "Buy tickets for the next evening of the house of a reservation, for the same number of people",
    says(
        "Besides {reservation}, all of us who come then would like to go to the next ticketed evening of the same "
        "house: one seat for each. Please buy them and tell me the ticket number and the sum.",
        "next ticketed evening at the house of {reservation}, 1 seat for each of that party. ticket no. + sum?",
        "The whole round of {reservation} got wind of those special evenings, so buy a seat for every one of us for "
        "the next one at the same house, will you, and tell me the number of the ticket and what it comes to!",
        "For the next ticketed evening at the house of {reservation}, kindly purchase as many seats as that party "
        "numbers, and state the number of the ticket and the amount.",
        "Everybody from {reservation} wants to go to the next ticketed evening there: buy seats for all, number and "
        "sum!",
        "For all persons of {reservation} please buy also ticket for next special evening in same restaurant, number "
        "and price?",
    ),
    a_reservation(_has_evening),
    _buy_for_party,
    (SEAT_LIMIT, IF_POINTS),
    "I do not know which evenings you offer.",
)


PROGRAMS = (BUY_CHEAPEST, BUY_NEXT, BUY_FOR_PARTY)
