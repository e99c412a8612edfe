"""Requests that change what is in an order."""

from random import Random

from toolscale.reference.kit import known, must, told
from toolscale.reference.program import Facts, Record, Solution, World, choose, do, pick
from toolscale.reference.restaurant.functions.menus import DIETS
from toolscale.reference.restaurant.programs.common import (
    an_order,
    another_count,
    cheapest_dish,
    dish_called,
    dishes_to_go,
    line_at,
    lines_of,
    open_orders,
    sum_of,
    total_limit,
    with_allergies,
)
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _draw_more(world: World, rng: Random) -> Facts:
    order = pick(rng, open_orders(world))
    ordered = {line["dish_id"] for line in lines_of(world, order)}
    dishes = dishes_to_go(world, order["restaurant_id"], order["guest_id"])
    return {
        "guest_id": order["guest_id"],
        "order": order["order_id"],
        "dish": pick(rng, [dish for dish in dishes if dish["dish_id"] not in ordered])["name"],
        "portions": rng.randint(2, 5),
    }


def _add_dish(facts: Facts) -> Solution:
    order = yield do("get_order", order_id=facts["order"])
    dish = yield from dish_called(order["restaurant_id"], facts["dish"])
    if dish["price"] > facts.get("limit", float("inf")):
        price = shown(dish["price"])
        return told(f"I added nothing: a portion costs {price} {order['currency']}.", price)
    changed = yield do("add_to_order", order_id=facts["order"], dish_id=dish["dish_id"], quantity=facts["portions"])
    total, with_currency = sum_of(changed, "total")
    return told(f"Added; the order now comes to {with_currency}.", total)


def _portion_limit(world: World, rng: Random, facts: Facts) -> Facts:
    house_id = known(world, "orders", facts["order"])["restaurant_id"]
    rows = [row for row in world.rows("dishes") if (row["restaurant_id"], row["name"]) == (house_id, facts["dish"])]
    return {"limit": line_at(rng, pick(rng, rows)["price"])}


ADD_DISH = WORDS.program(
    "add_dish",
    _draw_more,
    _add_dish,
    (
        WORDS.twist("another number of portions", "change_of_mind", draw=another_count("portions", 7)),
        WORDS.twist("only up to a price a portion", "condition", draw=_portion_limit),
    ),
)


def _of_several(world: World, order: Record) -> bool:
    return order["voucher_id"] is None and len(lines_of(world, order)) > 1


def _remove_dearest(facts: Facts) -> Solution:
    order = yield do("get_order", order_id=facts["order"])
    if order["total"] <= facts.get("limit", 0.0):
        total, with_currency = sum_of(order, "total")
        return told(f"I left the order as it is: it comes to {with_currency}.", total)
    lines = [line for line in order["lines"] if line["course"] != facts.get("keep")]
    sign = 1 if facts.get("which") == "cheapest" else -1
    line = yield choose(lines, key=lambda line: sign * line["amount"])
    changed = yield do("remove_from_order", order_id=facts["order"], dish_id=line["dish_id"])
    total, with_currency = sum_of(changed, "total")
    return told(f"{line['dish']} is off; the total is {with_currency}.", line["dish"], total)


REMOVE_DEAREST = WORDS.program(
    "remove_dearest",
    an_order(_of_several),
    _remove_dearest,
    (
        WORDS.twist("the main course stays", "constraint", sets={"keep": "main"}),
        WORDS.twist("the smallest amount instead", "change_of_mind", sets={"which": "cheapest"}),
        WORDS.twist("only above a total", "condition", draw=total_limit),
    ),
)


def _draw_swap(world: World, rng: Random) -> Facts:
    """An order of which all dishes but one suit a diet."""
    found = []
    for order in open_orders(world):
        dishes = [known(world, "dishes", line["dish_id"]) for line in lines_of(world, order)]
        for diet in DIETS if _of_several(world, order) else ():
            if sum(diet not in dish["labels"] for dish in dishes) == 1:
                found.append((order, diet))
    order, diet = pick(rng, found)
    return {"guest_id": order["guest_id"], "order": order["order_id"], "diet": diet}


def _price_of_the_wrong_dish(world: World, rng: Random, facts: Facts) -> Facts:
    """A limit near the price of what is to be replaced."""
    lines = lines_of(world, known(world, "orders", facts["order"]))
    wrong = [line for line in lines if facts["diet"] not in known(world, "dishes", line["dish_id"])["labels"]]
    return {"limit": line_at(rng, pick(rng, wrong)["unit_price"])}


def _swap(facts: Facts) -> Solution:
    order = yield do("get_order", order_id=facts["order"])
    wrong = []
    for line in order["lines"]:
        dish = yield do("get_dish", dish_id=line["dish_id"])
        if facts["diet"] not in dish["labels"]:
            wrong.append(line)
    must(len(wrong) == 1, "not exactly one dish is to be swapped")
    line = wrong[0]
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    dish = yield from cheapest_dish(order["restaurant_id"], guest, facts, line["course"])
    if dish["price"] > facts.get("limit", float("inf")):
        price = shown(dish["price"])
        return told(f"I changed nothing: {dish['name']} costs {price} {order['currency']}.", dish["name"], price)
    yield do("add_to_order", order_id=facts["order"], dish_id=dish["dish_id"], quantity=line["quantity"])
    changed = yield do("remove_from_order", order_id=facts["order"], dish_id=line["dish_id"])
    total, with_currency = sum_of(changed, "total")
    return told(f"{line['dish']} made way for {dish['name']}; the total is {with_currency}.", dish["name"], total)


SWAP = WORDS.program(
    "swap_for_diet",
    with_allergies(_draw_swap),
    _swap,
    (WORDS.twist("only a cheap replacement", "condition", draw=_price_of_the_wrong_dish),),
)


PROGRAMS = (ADD_DISH, REMOVE_DEAREST, SWAP)
