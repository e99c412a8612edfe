"""Requests that change what is in an order."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Twist, World, choose, do, pick
from toolscale.reference.restaurant.programs.common import (
    an_order,
    another_count,
    cheapest_dish,
    dish_called,
    dishes_to_go,
    known,
    line_at,
    lines_of,
    open_orders,
    says,
    sum_of,
    told,
    total_limit,
    with_allergies,
)
from toolscale.reference.restaurant.schema import DIETS
from toolscale.reference.sums import shown


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


def _add_dish(facts: Facts) -> Policy:
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


ADD_DISH = Program(
    "add_dish",
    "Add portions of a dish to an order",
    says(
        "Please add {portions:count} portions of {dish} to {order}[, we are more people than I thought|]. What is the "
        "total then?",
        "on {order}: +{portions:int} x {dish}. new total?",
        "[The neighbours are coming over as well|My sons are home for the weekend], so could you put {portions:count} "
        "helpings of {dish} on top of {order}, and what do I owe you then?",
        "Kindly add {portions:count} portions of {dish} to {order} and state the new total.",
        "{portions:count} portions of {dish} into {order} as well, new total please!",
        "Please put still {portions:count} times {dish} to {order}, how much is all now?",
    ),
    _draw_more,
    _add_dish,
    (
        Twist(
            "another number of portions",
            "change_of_mind",
            {
                "plain": "Sorry, I meant {portions:count} portions.",
                "terse": "make it {portions:count}.",
                "chatty": "No, hold on, the children will not touch it, so {portions:count} helpings are what we need.",
                "formal": "I must correct the number of portions to {portions:count}.",
            },
            draw=another_count("portions", 7),
        ),
        Twist(
            "only up to a price a portion",
            "condition",
            {
                "plain": "If one portion costs more than {limit:money}, add nothing and tell me the price.",
                "terse": "only if <= {limit:money} per portion, else tell me the price.",
                "chatty": "But if they take more than {limit:money} for a single helping, that is robbery, so then no, "
                "and tell me the price.",
                "formal": "Should a portion cost more than {limit:money}, please add nothing and state its price.",
            },
            draw=_portion_limit,
        ),
    ),
)


def _of_several(world: World, order: Record) -> bool:
    return order["voucher_id"] is None and len(lines_of(world, order)) > 1


def _remove_dearest(facts: Facts) -> Policy:
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


REMOVE_DEAREST = Program(
    "remove_dearest",
    "Take the most expensive dish off an order",
    says(
        "[It got too dear for me|I want to spend less]: take the dish that costs most in all, with all its portions, "
        "off {order}, and tell me which it was and the new total.",
        "from {order} drop the dish w/ the highest amount, all portions; which one, new total?",
        "I nearly fainted when I added it up, so out with whatever dish makes up most of the bill of {order}, and tell "
        "me what went and what is left to pay.",
        "Please strike the dish with the highest amount from {order}, with all portions, and advise me of it and of "
        "the revised total.",
        "Too expensive! Take the biggest amount off {order}, tell me which dish and the new sum.",
        "Please take away from {order} the dish that makes most money together, say me which and the new total.",
    ),
    an_order(_of_several),
    _remove_dearest,
    (
        Twist(
            "the main course stays",
            "constraint",
            {
                "plain": "Whatever you take off, the main course stays.",
                "terse": "mains must stay.",
                "chatty": "Only don't you dare touch the main course, I have been looking forward to that all week!",
                "formal": "The main course, however, is to remain.",
            },
            sets={"keep": "main"},
        ),
        Twist(
            "the smallest amount instead",
            "change_of_mind",
            {
                "plain": "No, take off the dish with the smallest amount instead.",
                "terse": "actually the smallest amount.",
                "chatty": "Hm, that would be the best of it, so rather take the smallest sum off and leave me the "
                "rest.",
                "formal": "On reflection, the dish with the smallest amount is to be struck instead.",
            },
            sets={"which": "cheapest"},
        ),
        Twist(
            "only above a total",
            "condition",
            {
                "plain": "But do that only if it now comes to more than {limit:money}; otherwise just tell me the "
                "total.",
                "terse": "only if total > {limit:money}; else just total.",
                "chatty": "That is, if I added up right and it really is more than {limit:money}, otherwise let it be "
                "and tell me the true total.",
                "formal": "This is to be done only where the total exceeds {limit:money}; otherwise kindly state it.",
            },
            draw=total_limit,
        ),
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


def _swap(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["order"])
    wrong = []
    for line in order["lines"]:
        dish = yield do("get_dish", dish_id=line["dish_id"])
        if facts["diet"] not in dish["labels"]:
            wrong.append(line)
    if len(wrong) != 1:
        raise DeadEnd("not exactly one dish is to be swapped")
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


SWAP = Program(
    "swap_for_diet",
    "Replace the one dish of an order that does not suit a diet by the cheapest of its course that does",
    says(
        "Everything in {order} should be {diet}, but one dish is not. Replace it, with as many portions, by the "
        "cheapest {diet} dish of the same course that I am not allergic to, and tell me its name and the new total.",
        "all of {order} must be {diet}: swap the odd dish for cheapest of its course (my allergies!), same quantity; "
        "name + total?",
        "My guest has just told me she eats nothing but {diet}, and one dish is all wrong for that in {order}: put in "
        "the same number of the cheapest of that course that fits her and my allergies, take the wrong one out, and "
        "tell me the name and the total.",
        "As everything is to be {diet} in {order}, please substitute the dish that is not, in equal quantity, by the "
        "least expensive of its course suiting my allergies too, naming it and the total.",
        "It must all be {diet} in {order}! One dish is not, replace it, same number, cheapest of its course that I can "
        "eat, name and total!",
    ),
    with_allergies(_draw_swap),
    _swap,
    (
        Twist(
            "only a cheap replacement",
            "condition",
            {
                "plain": "But change nothing if the new dish costs more than {limit:money} a portion; then I need its "
                "name and price.",
                "terse": "no swap if replacement > {limit:money} each; name + price then.",
                "chatty": "Only, if that costs above {limit:money} a helping, she can bring her own, so then leave the "
                "food as it is and tell me what it was and its price.",
                "formal": "Should the substitute cost more than {limit:money} a portion, no change is wanted, but its "
                "name and price.",
            },
            draw=_price_of_the_wrong_dish,
        ),
    ),
)


PROGRAMS = (ADD_DISH, REMOVE_DEAREST, SWAP)
