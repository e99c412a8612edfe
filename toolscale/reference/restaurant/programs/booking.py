"""Requests for a table."""

from random import Random

from toolscale.reference.kit import known, told
from toolscale.reference.program import Facts, Record, Reply, Solution, World, choose, do, pick
from toolscale.reference.restaurant.programs.common import (
    another_day,
    country_in,
    dinner_time,
    head_count,
    house_called,
    house_of,
    line_at,
    open_day,
    smallest_table,
    some_country,
    sum_of,
    upcoming,
    visit,
)
from toolscale.reference.restaurant.programs.twists import AS_MANY_AS, IF_POINTS, IN_AREA, OTHER_PARTY, STEP_FREE
from toolscale.reference.words import words

WORDS = words(__file__)


def _book(facts: Facts, restaurant_id: str, at: str, party: int) -> Solution:
    """The smallest suitable table, booked."""
    when = {"date": facts["date"], "time": at, "party_size": party}
    table = yield from smallest_table(restaurant_id, facts, **when)
    return booked((yield do("book_table", guest_id=facts["guest_id"], table_id=table["table_id"], **when)))


def booked(reservation: Record) -> Reply:
    """What is said of a new reservation."""
    number = reservation["reservation_id"]
    if not reservation["deposit"]:
        return told(f"Your table is booked: {number}. No deposit is due.", number)
    deposit, shown = sum_of(reservation, "deposit")
    return told(f"Your table is booked: {number}. The deposit is {shown}.", number, deposit)


def _book_at(facts: Facts) -> Solution:
    house = yield from house_called(facts["restaurant"])
    if "limit" in facts:
        rules = yield do("get_restaurant", restaurant_id=house["restaurant_id"])
        if rules["late_fee_per_head"] > facts["limit"]:
            fee, shown = sum_of(rules, "late_fee_per_head")
            return told(f"I have booked nothing: a late cancellation costs {shown} a head.", fee)
    party = yield from head_count(facts)
    return (yield from _book(facts, house["restaurant_id"], facts["time"], party))


BOOK_AT = WORDS.program(
    "book_at",
    visit,
    _book_at,
    (
        IN_AREA,
        STEP_FREE,
        OTHER_PARTY,
        AS_MANY_AS,
        WORDS.twist(
            "only with a low late fee",
            "condition",
            draw=lambda world, rng, facts: {"limit": line_at(rng, house_of(world, facts)["late_fee_per_head"])},
        ),
    ),
)


def _book_first(facts: Facts) -> Solution:
    house = yield from house_called(facts["restaurant"])
    party = yield from head_count(facts)
    wanted = {"restaurant_id": house["restaurant_id"], "date": facts["date"], "party_size": party}
    times = yield do("list_free_times", area=facts.get("area"), **wanted)
    at = yield choose([each for each in times if each >= facts["time"]], key=lambda each: each)
    return (yield from _book(facts, house["restaurant_id"], at, party))


BOOK_FIRST = WORDS.program(
    "book_first_time",
    visit,
    _book_first,
    (
        IF_POINTS,
        IN_AREA,
        OTHER_PARTY,
        AS_MANY_AS,
        WORDS.twist("another day for the visit", "change_of_mind", draw=another_day(3, 13)),
    ),
)


def _draw_again(world: World, rng: Random) -> Facts:
    reservation = pick(rng, upcoming(world))
    restaurant = known(world, "restaurants", reservation["restaurant_id"])
    return {
        "guest_id": reservation["guest_id"],
        "reservation": reservation["reservation_id"],
        "date": open_day(rng, restaurant, 26, 50),
    }


def _book_again(facts: Facts) -> Solution:
    first = yield do("get_reservation", reservation_id=facts["reservation"])
    party = facts.get("party", first["party_size"])
    return (yield from _book(facts, first["restaurant_id"], first["time"], party))


def _other_party_again(world: World, rng: Random, facts: Facts) -> Facts:
    size = known(world, "reservations", facts["reservation"])["party_size"]
    return {"party": pick(rng, [each for each in range(2, 7) if each != size])}


BOOK_AGAIN = WORDS.program(
    "book_again",
    _draw_again,
    _book_again,
    (
        IN_AREA,
        STEP_FREE,
        WORDS.twist("another number of people the second time", "change_of_mind", draw=_other_party_again),
    ),
)


def _draw_in_country(world: World, rng: Random) -> Facts:
    facts, country = visit(world, rng), some_country(world, rng)
    houses = [row for row in world.rows("restaurants") if country.endswith(row["country"])]
    house = min(houses, key=lambda row: row["deposit_per_head"])
    return {
        "guest_id": facts["guest_id"],
        "country": country,
        "date": open_day(rng, house),
        "time": dinner_time(rng, house),
        "party": facts["party"],
    }


def _book_in_country(facts: Facts) -> Solution:
    found = yield do("search_restaurants", country=country_in(facts), feature=facts.get("feature"))
    houses = []
    for each in found:
        houses.append((yield do("get_restaurant", restaurant_id=each["restaurant_id"])))
    house = yield choose(houses, key=lambda house: house["deposit_per_head"])
    if house["deposit_per_head"] > facts.get("limit", float("inf")):
        deposit, shown = sum_of(house, "deposit_per_head")
        return told(f"I booked nothing: even {house['name']} takes {shown} a head.", deposit)
    return (yield from _book(facts, house["restaurant_id"], facts["time"], facts["party"]))


def _lowest_deposit(world: World, rng: Random, facts: Facts) -> Facts:
    houses = [row for row in world.rows("restaurants") if row["country"] == country_in(facts)]
    return {"limit": line_at(rng, min(row["deposit_per_head"] for row in houses))}


def some_feature(world: World, rng: Random, facts: Facts) -> Facts:
    """A feature that some house of the country offers."""
    houses = [row for row in world.rows("restaurants") if row["country"] == country_in(facts)]
    return {"feature": pick(rng, sorted({feature for house in houses for feature in house["features"]}))}


BOOK_IN_COUNTRY = WORDS.program(
    "book_in_country",
    _draw_in_country,
    _book_in_country,
    (
        IF_POINTS,
        STEP_FREE,
        WORDS.twist("with a feature", "constraint", draw=some_feature),
        WORDS.twist("only with a low deposit", "condition", draw=_lowest_deposit),
    ),
)

PROGRAMS = (BOOK_AT, BOOK_FIRST, BOOK_AGAIN, BOOK_IN_COUNTRY)
