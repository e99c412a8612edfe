"""Requests for food to take away."""

from random import Random

from toolscale.reference.kit import told
from toolscale.reference.program import Facts, Record, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.restaurant.programs.common import (
    another_count,
    another_day,
    cheapest_dish,
    dish_called,
    dishes_to_go,
    house_called,
    house_of,
    line_at,
    pickup,
    safe_dishes,
    some_allergen,
    spoken,
    sum_of,
    with_allergies,
)
from toolscale.reference.restaurant.programs.twists import IF_POINTS, OF_DIET, OTHER_TIME
from toolscale.reference.restaurant.schema import COURSES
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def place(facts: Facts, dish_ids: list[str], date: str, time: str) -> Steps:
    """Step: the order, placed for the guest."""
    guest_id = facts["guest_id"]
    return (yield do("place_order", guest_id=guest_id, dish_ids=dish_ids, pickup_date=date, pickup_time=time))


def placed(order: Record) -> Reply:
    """What is said of a new order."""
    number, (total, with_currency) = order["order_id"], sum_of(order, "total")
    return told(f"Order {number} is placed; you pay {with_currency}.", number, total)


def _draw_course(world: World, rng: Random) -> Facts:
    return {**pickup(world, rng), "course": spoken(rng.choice(("starter", "main", "main", "dessert")))}


def _order_cheapest(facts: Facts) -> Solution:
    house = yield from house_called(facts["restaurant"])
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    dishes = []
    for course in (facts["course"], facts.get("second_course")):
        if course:
            dishes.append((yield from cheapest_dish(house["restaurant_id"], guest, facts, course)))
    price = sum(dish["price"] for dish in dishes)
    if price > facts.get("limit", float("inf")):
        return told(f"I ordered nothing: it would come to {shown(price)} {house['currency']}.", shown(price))
    order = yield from place(facts, [dish["dish_id"] for dish in dishes], facts["date"], facts["time"])
    return placed(order)


def _second_course(world: World, rng: Random, facts: Facts) -> Facts:
    return {"second_course": pick(rng, [each for each in map(spoken, COURSES) if each != facts["course"]])}


def _price_limit(world: World, rng: Random, facts: Facts) -> Facts:
    dishes = dishes_to_go(world, house_of(world, facts)["restaurant_id"], facts["guest_id"])
    prices = [dish["price"] for dish in dishes if spoken(dish["course"]) == facts["course"]]
    return {"limit": line_at(rng, min(prices, default=10.0), (0.75, 1.2, 1.6, 2.4))}


ORDER_CHEAPEST = WORDS.program(
    "order_cheapest",
    with_allergies(_draw_course),
    _order_cheapest,
    (
        IF_POINTS,
        OF_DIET,
        OTHER_TIME,
        WORDS.twist("shared with a friend", "constraint", draw=some_allergen),
        WORDS.twist("a second course", "entities", draw=_second_course),
        WORDS.twist("only up to a menu price", "condition", draw=_price_limit),
    ),
)


def _lightest(facts: Facts) -> Solution:
    house = yield from house_called(facts["restaurant"])
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    found = yield from safe_dishes(house["restaurant_id"], guest, facts, facts["course"])
    dishes = []
    for each in found:
        dishes.append((yield do("get_dish", dish_id=each["dish_id"])))
    dish = yield choose(dishes, key=lambda dish: dish["calories"])
    order = yield from place(facts, [dish["dish_id"]], facts["date"], facts["time"])
    calories = f"{dish['calories']} kcal"
    return told(f"Order {order['order_id']}: {dish['name']}, {calories}.", order["order_id"], calories)


ORDER_LIGHTEST = WORDS.program(
    "order_lightest",
    with_allergies(_draw_course),
    _lightest,
    (
        IF_POINTS,
        OF_DIET,
        OTHER_TIME,
        WORDS.twist("another pick-up day", "change_of_mind", draw=another_day(1, 13)),
    ),
)


def _draw_named(world: World, rng: Random) -> Facts:
    facts = pickup(world, rng)
    dishes = dishes_to_go(world, house_of(world, facts)["restaurant_id"], facts["guest_id"])
    return {**facts, "dish": pick(rng, dishes)["name"], "portions": rng.randint(2, 5)}


def _order_named(facts: Facts) -> Solution:
    house = yield from house_called(facts["restaurant"])
    found = yield from dish_called(house["restaurant_id"], facts["dish"])
    if found["price"] * facts["portions"] > facts.get("limit", float("inf")):
        price = shown(found["price"])
        return told(f"I ordered nothing: a portion costs {price} {house['currency']}.", price)
    order = yield from place(facts, [found["dish_id"]] * facts["portions"], facts["date"], facts["time"])
    return placed(order)


def _bill_limit(world: World, rng: Random, facts: Facts) -> Facts:
    house_id = house_of(world, facts)["restaurant_id"]
    prices = [
        row["price"] for row in world.rows("dishes") if (row["restaurant_id"], row["name"]) == (house_id, facts["dish"])
    ]
    return {"limit": line_at(rng, pick(rng, prices) * facts["portions"])}


ORDER_NAMED = WORDS.program(
    "order_portions",
    _draw_named,
    _order_named,
    (
        IF_POINTS,
        OTHER_TIME,
        WORDS.twist("another number of portions ordered", "change_of_mind", draw=another_count("portions", 6)),
        WORDS.twist("only up to a bill", "condition", draw=_bill_limit),
    ),
)


PROGRAMS = (ORDER_CHEAPEST, ORDER_LIGHTEST, ORDER_NAMED)
