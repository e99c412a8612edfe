"""Requests for an order that follows from an earlier one: the same again, or another in its place."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Twist, World, do, pick
from toolscale.reference.restaurant.programs.common import (
    an_order,
    cheapest_dish,
    known,
    open_day,
    says,
    spoken,
    sum_of,
    told,
    total_limit,
    with_allergies,
)
from toolscale.reference.restaurant.programs.takeaway import place, placed
from toolscale.reference.restaurant.programs.twists import IF_POINTS, OF_DIET


def _draw_past(world: World, rng: Random) -> Facts:
    orders = [row for row in world.rows("orders") if row["status"] in ("collected", "preparing", "ready", "placed")]
    order = pick(rng, orders)
    house = known(world, "restaurants", order["restaurant_id"])
    return {"guest_id": order["guest_id"], "past_order": order["order_id"], "date": open_day(rng, house, 10, 14)}


def _order_like(facts: Facts) -> Policy:
    old = yield do("get_order", order_id=facts["past_order"])
    lines = [line for line in old["lines"] if line["course"] != facts.get("not_course")]
    dish_ids = [line["dish_id"] for line in lines for _ in range(line["quantity"])]
    if not dish_ids:
        raise DeadEnd("nothing would be left")
    order = yield from place(facts, dish_ids, facts["date"], old["pickup_time"])
    return placed(order)


ORDER_LIKE = Program(
    "order_again",
    "Order once more what an earlier order had",
    says(
        "I want exactly what I had ordered with {past_order} once more, on {date:date} at the same time of day. "
        "[Please tell me|I need] the new number and total.",
        "repeat {past_order} on {date:date}, same time. new no. + total?",
        "I like what I chose with {past_order} so much, I want all of that again, every portion, on {date:date} at "
        "the same hour! What is the new number, and the damage?",
        "Kindly repeat order {past_order} in full for collection on {date:date} at the same hour, stating the new "
        "number and total.",
        "Same again as {past_order}, {date:date}, same hour, new number and total!",
        "Please again all what is in {past_order}, for {date:date}, same hour, say me new number and price.",
    ),
    _draw_past,
    _order_like,
    (
        IF_POINTS,
        Twist(
            "without one course",
            "constraint",
            {
                "plain": "Leave out this course this time: {not_course}.",
                "terse": "w/o this course: {not_course}.",
                "chatty": "Only this time I skip the {not_course}, my waistline will thank me.",
                "formal": "The following course is to be omitted: {not_course}.",
            },
            draw=lambda world, rng, facts: {"not_course": rng.choice(("starter", "side", "dessert"))},
        ),
    ),
)


def _reorder(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["order"])
    if order["total"] <= facts.get("limit", 0.0):
        total, with_currency = sum_of(order, "total")
        return told(f"I left the order alone: it comes to {with_currency}.", total)
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    dish = yield from cheapest_dish(order["restaurant_id"], guest, facts, facts["course"])
    yield do("cancel_order", order_id=facts["order"])
    new = yield from place(facts, [dish["dish_id"]], order["pickup_date"], order["pickup_time"])
    return placed(new)


REORDER = Program(
    "order_anew",
    "Cancel an order and have only one cheap dish at the same pick-up instead",
    says(
        "[Nobody is coming after all|My visitors have cancelled]. So cancel {order} and order me just one {course} "
        "from the same house for the same pick-up, the cheapest my allergies allow. I need the new number and total.",
        "cancel {order}; same house + pick-up: 1 {course}, cheapest w/ my allergies. new no. + total?",
        "The party is off, boo, so bin {order} and let me drown my sorrows in one single {course} from there at the "
        "hour we had, the cheapest that my allergies let me have; what number and sum?",
        "Please cancel {order} and place, with the same house and for the same collection, an order for one {course}, "
        "the least expensive my allergies permit, stating its number and total.",
        "Party is off: kill {order}, instead one {course}, cheapest allowed with my allergies, same place and hour. "
        "Number, total?",
        "Nobody comes, please cancel {order} and make new order with only one {course}, same restaurant, same hour, "
        "the most cheap for my allergies. New number and price?",
    ),
    with_allergies(
        lambda world, rng: {**an_order()(world, rng), "course": spoken(rng.choice(("starter", "main", "dessert")))}
    ),
    _reorder,
    (
        OF_DIET,
        Twist(
            "only if the old one is dear",
            "condition",
            {
                "plain": "But leave it all as it was if the old order comes to no more than {limit:money}, and tell me "
                "its total.",
                "terse": "skip all that if old total <= {limit:money}, then tell me the total.",
                "chatty": "Mind you, if the old one is not above {limit:money}, I shall eat it all myself, so then "
                "leave it and just tell me the total.",
                "formal": "Where the old order does not exceed {limit:money}, it is to stand, and its total to be "
                "stated.",
            },
            draw=total_limit,
        ),
    ),
)

PROGRAMS = (ORDER_LIKE, REORDER)
