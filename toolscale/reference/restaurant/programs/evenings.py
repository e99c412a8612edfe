"""Requests for tickets for evenings."""

from random import Random

from toolscale.reference.kit import known, told
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Record, Solution, Steps, World, choose, do, pick
from toolscale.reference.restaurant.programs.common import (
    a_reservation,
    country_in,
    head_count,
    house_called,
    house_of,
    line_at,
    some_country,
    sum_of,
)
from toolscale.reference.restaurant.programs.twists import AS_MANY_AS, IF_POINTS, OTHER_SEATS
from toolscale.reference.words import words

WORDS = words(__file__)


def _buy_seats(facts: Facts, evening: Record, seats: int) -> Solution:
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


SEAT_LIMIT = WORDS.twist("only up to a price a seat", "condition", draw=_seat_limit)


def _draw_in_country(world: World, rng: Random) -> Facts:
    guest = pick(rng, world.rows("guests"))
    return {"guest_id": guest["guest_id"], "country": some_country(world, rng), "seats": rng.randint(2, 5)}


def _buy_cheapest(facts: Facts) -> Solution:
    seats = yield from head_count(facts, "seats")
    evenings = yield do("list_events", seats=seats)
    latest = facts.get("until", "9999-12-31")
    priced = []
    for each in evenings:
        if each["country"] == country_in(facts) and each["date"] <= latest:
            priced.append((yield do("get_event", event_id=each["event_id"])))
    evening = yield choose(priced, key=lambda each: each["price_per_seat"])
    return (yield from _buy_seats(facts, evening, seats))


BUY_CHEAPEST = WORDS.program(
    "buy_cheapest_evening",
    _draw_in_country,
    _buy_cheapest,
    (
        IF_POINTS,
        SEAT_LIMIT,
        OTHER_SEATS,
        AS_MANY_AS,
        WORDS.twist("until a day", "constraint", draw=lambda world, rng, facts: {"until": day(rng.randrange(10, 26))}),
    ),
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


def _buy_next(facts: Facts) -> Solution:
    house = yield from house_called(facts["restaurant"])
    seats = yield from head_count(facts, "seats")
    evening = yield from next_evening(house["restaurant_id"], facts, seats)
    return (yield from _buy_seats(facts, evening, seats))


BUY_NEXT = WORDS.program(
    "buy_next_evening",
    _draw_at_house,
    _buy_next,
    (
        IF_POINTS,
        SEAT_LIMIT,
        OTHER_SEATS,
        AS_MANY_AS,
        WORDS.twist("the last evening", "change_of_mind", sets={"which": "last"}),
    ),
)


def _has_evening(world: World, row: Record) -> bool:
    events = [each for each in world.rows("events") if each["restaurant_id"] == row["restaurant_id"]]
    return 1 < row["party_size"] <= 8 and bool(events)


def _buy_for_party(facts: Facts) -> Solution:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    evening = yield from next_evening(reservation["restaurant_id"], facts, reservation["party_size"])
    return (yield from _buy_seats(facts, evening, reservation["party_size"]))


BUY_FOR_PARTY = WORDS.program(
    "buy_evening_for_party", a_reservation(_has_evening), _buy_for_party, (SEAT_LIMIT, IF_POINTS)
)


PROGRAMS = (BUY_CHEAPEST, BUY_NEXT, BUY_FOR_PARTY)
