"""Questions about money and deadlines: they are answered by looking things up, comparing and adding up."""

from random import Random
from typing import Any

from toolscale.reference.kit import known, must, told
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Solution, World, choose, do, pick
from toolscale.reference.restaurant.functions._shared import WEEKDAYS
from toolscale.reference.restaurant.programs.booking import some_feature
from toolscale.reference.restaurant.programs.common import (
    country_in,
    open_orders,
    some_country,
    someone_with_two,
    sum_of,
    upcoming,
)
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _one_currency(rows: list[dict[str, Any]]) -> str:
    currencies = {row["currency"] for row in rows}
    if len(rows) < 2 or len(currencies) != 1:
        raise DeadEnd("nothing to add up, or not in one currency")
    return str(currencies.pop())


def _deposits(facts: Facts) -> Solution:
    rows = yield do("list_reservations", guest_id=facts["guest_id"])
    counted = [row for row in rows if row["date"] >= facts.get("since", "")]
    currency = _one_currency(counted)
    total = 0.0
    for row in counted:
        quote = yield do("quote_cancellation", reservation_id=row["reservation_id"])
        total += quote[facts.get("what", "deposit")]
    must(total, "nothing to add up")
    return told(f"That makes {shown(total)} {currency}.", shown(total))


def _draw_paying(world: World, rng: Random) -> Facts:
    found = []
    for guest_id in sorted({row["guest_id"] for row in upcoming(world) if row["deposit"]}):
        rows = [row for row in upcoming(world) if row["guest_id"] == guest_id]
        if len(rows) > 1 and len({known(world, "restaurants", row["restaurant_id"])["currency"] for row in rows}) == 1:
            found.append(guest_id)
    return {"guest_id": pick(rng, found)}


DEPOSITS = WORDS.program(
    "deposits_paid",
    _draw_paying,
    _deposits,
    (
        WORDS.twist(
            "only from a day on", "constraint", draw=lambda world, rng, facts: {"since": day(rng.randrange(2, 6))}
        ),
        WORDS.twist("refunds instead", "change_of_mind", sets={"what": "refund"}),
    ),
)


def _first_deadline(facts: Facts) -> Solution:
    rows = yield do("list_reservations", guest_id=facts["guest_id"])
    quotes = []
    for row in rows:
        quotes.append((yield do("quote_cancellation", reservation_id=row["reservation_id"])))
    free = [quote for quote in quotes if not quote["fee"]]
    must(len(quotes) >= 2, "there is nothing to choose between")
    order = sorted({quote["free_until"] for quote in free}, reverse=facts.get("which") == "last")
    quote = yield choose(free, key=lambda quote: order.index(quote["free_until"]))
    number, until = quote["reservation_id"], quote["free_until"]
    return told(f"It is {number}, free to cancel until {until}.", number, until)


FIRST_DEADLINE = WORDS.program(
    "first_deadline",
    someone_with_two,
    _first_deadline,
    (WORDS.twist("the last deadline", "change_of_mind", sets={"which": "last"}),),
)


def _open_orders_total(facts: Facts) -> Solution:
    rows = yield do("list_orders", guest_id=facts["guest_id"])
    orders = []
    for row in rows:
        if row["pickup_date"] >= facts.get("since", ""):
            orders.append((yield do("get_order", order_id=row["order_id"])))
    currency = _one_currency(orders)
    total = shown(sum(order[facts.get("what", "total")] for order in orders))
    return told(f"Altogether {total} {currency}.", total)


def _draw_ordering(world: World, rng: Random) -> Facts:
    guests = [row["guest_id"] for row in open_orders(world)]
    return {"guest_id": pick(rng, sorted({each for each in guests if guests.count(each) > 1}))}


OPEN_ORDERS = WORDS.program(
    "open_orders_total",
    _draw_ordering,
    _open_orders_total,
    (
        WORDS.twist(
            "only pick-ups from a day on",
            "constraint",
            draw=lambda world, rng, facts: {"since": day(rng.randrange(2, 5))},
        ),
        WORDS.twist("before the discount", "change_of_mind", sets={"what": "subtotal"}),
    ),
)


def _kindest_house(facts: Facts) -> Solution:
    found = yield do("search_restaurants", country=country_in(facts), feature=facts.get("feature"))
    houses = []
    for each in found:
        house = yield do("get_restaurant", restaurant_id=each["restaurant_id"])
        if facts.get("weekday") not in house["closed_on"]:
            houses.append(house)
    field = facts.get("by", "late_fee_per_head")
    house = yield choose(houses, key=lambda house: house[field])
    amount, with_currency = sum_of(house, field)
    return told(f"{house['name']} in {house['city']}: {with_currency}.", house["name"], amount)


KINDEST_HOUSE = WORDS.program(
    "kindest_house",
    lambda world, rng: {"guest_id": pick(rng, world.rows("guests"))["guest_id"], "country": some_country(world, rng)},
    _kindest_house,
    (
        WORDS.twist("a house with a feature", "constraint", draw=some_feature),
        WORDS.twist(
            "open on a weekday", "constraint", draw=lambda world, rng, facts: {"weekday": rng.choice(WEEKDAYS)}
        ),
        WORDS.twist("the lowest deposit instead", "change_of_mind", sets={"by": "deposit_per_head"}),
    ),
)

PROGRAMS = (DEPOSITS, FIRST_DEADLINE, OPEN_ORDERS, KINDEST_HOUSE)
