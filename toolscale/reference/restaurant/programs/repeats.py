"""Requests for an order that follows from an earlier one: the same again, or another in its place."""

from random import Random

from toolscale.reference.kit import known, must, told
from toolscale.reference.program import Facts, Solution, World, do, pick
from toolscale.reference.restaurant.programs.common import (
    an_order,
    cheapest_dish,
    open_day,
    spoken,
    sum_of,
    total_limit,
    with_allergies,
)
from toolscale.reference.restaurant.programs.takeaway import place, placed
from toolscale.reference.restaurant.programs.twists import IF_POINTS, OF_DIET
from toolscale.reference.words import words

WORDS = words(__file__)


def _draw_past(world: World, rng: Random) -> Facts:
    orders = [row for row in world.rows("orders") if row["status"] in ("collected", "preparing", "ready", "placed")]
    order = pick(rng, orders)
    house = known(world, "restaurants", order["restaurant_id"])
    return {"guest_id": order["guest_id"], "past_order": order["order_id"], "date": open_day(rng, house, 10, 14)}


def _order_like(facts: Facts) -> Solution:
    old = yield do("get_order", order_id=facts["past_order"])
    lines = [line for line in old["lines"] if line["course"] != facts.get("not_course")]
    dish_ids = [line["dish_id"] for line in lines for _ in range(line["quantity"])]
    must(dish_ids, "nothing would be left")
    order = yield from place(facts, dish_ids, facts["date"], old["pickup_time"])
    return placed(order)


ORDER_LIKE = WORDS.program(
    "order_again",
    _draw_past,
    _order_like,
    (
        IF_POINTS,
        WORDS.twist(
            "without one course",
            "constraint",
            draw=lambda world, rng, facts: {"not_course": rng.choice(("starter", "side", "dessert"))},
        ),
    ),
)


def _reorder(facts: Facts) -> Solution:
    order = yield do("get_order", order_id=facts["order"])
    if order["total"] <= facts.get("limit", 0.0):
        total, with_currency = sum_of(order, "total")
        return told(f"I left the order alone: it comes to {with_currency}.", total)
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    dish = yield from cheapest_dish(order["restaurant_id"], guest, facts, facts["course"])
    yield do("cancel_order", order_id=facts["order"])
    new = yield from place(facts, [dish["dish_id"]], order["pickup_date"], order["pickup_time"])
    return placed(new)


REORDER = WORDS.program(
    "order_anew",
    with_allergies(
        lambda world, rng: {**an_order()(world, rng), "course": spoken(rng.choice(("starter", "main", "dessert")))}
    ),
    _reorder,
    (
        OF_DIET,
        WORDS.twist("only if the old one is dear", "condition", draw=total_limit),
    ),
)

PROGRAMS = (ORDER_LIKE, REORDER)
