"""Requests about orders that are already placed."""

from random import Random
from typing import Any

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, Twist, World, choose, do, pick
from toolscale.reference.restaurant.programs.draws import (
    cheapest_dish,
    open_orders,
    some_diet,
    some_limit,
)
from toolscale.reference.restaurant.schema import COURSES, DIETS


def _draw_more(world: World, rng: Random) -> Facts:
    order = pick(rng, open_orders(world))
    guest = world.get("guests", order["guest_id"])
    allergies = set(guest["allergies"]) if guest else set()
    dishes = [
        dish
        for dish in world.rows("dishes")
        if dish["restaurant_id"] == order["restaurant_id"] and dish["takeaway"] and not allergies & {*dish["allergens"]}
    ]
    return {
        "guest_id": order["guest_id"],
        "order": order["order_id"],
        "dish": pick(rng, dishes)["name"],
        "portions": rng.randint(2, 5),
    }


def _add_dish(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["order"])
    dishes = yield do("search_dishes", restaurant_id=order["restaurant_id"], name=facts["dish"])
    dish = yield choose(dishes, key=lambda dish: dish["name"])
    if dish["price"] > facts.get("limit", float("inf")):
        price = f"{dish['price']:.2f}"
        return Reply(f"I added nothing: a portion costs {price} {order['currency']}.", (price,))
    changed = yield do("add_to_order", order_id=facts["order"], dish_id=dish["dish_id"], quantity=facts["portions"])
    total = f"{changed['total']:.2f}"
    return Reply(f"Added; the order now comes to {total} {order['currency']}.", (total,))


ADD_DISH = Program(
    name="add_dish",
    intent="Add portions of a dish to an order",
    voices={
        "plain": "Please add {portions:int} portions of the dish {dish} to my order {order}. What is the total then?",
        "terse": "{order}: +{portions:int} x {dish}. new total?",
        "chatty": "The neighbours are coming over as well, so could you put {portions:int} helpings of {dish} on top "
        "of {order}, and what do I owe you then?",
        "formal": "Kindly supplement order {order} by {portions:int} portions of {dish} and state the new total.",
        "non_native": "To my order {order} please put still {portions:int} times {dish}, how much is all now?",
    },
    draw=_draw_more,
    policy=_add_dish,
    twists=(
        Twist(
            name="portions",
            operator="change_of_mind",
            voices={
                "plain": "Sorry, I meant {portions:int} portions.",
                "terse": "make it {portions:int}.",
                "chatty": "No, hold on, the children will not touch it, so {portions:int} helpings are what we need.",
            },
            draw=lambda world, rng, facts: {
                "portions": pick(rng, [each for each in range(2, 8) if each != facts["portions"]])
            },
        ),
        Twist(
            name="portion_limit",
            operator="condition",
            voices={
                "plain": "If one portion costs more than {limit:money}, add nothing and tell me the price.",
                "terse": "only if <= {limit:money} per portion, else tell price.",
                "chatty": "But if they take more than {limit:money} for a single helping, that is robbery, so then no, "
                "and tell me the price.",
            },
            draw=some_limit(4, 20),
        ),
    ),
)


def _draw_order(world: World, rng: Random) -> Facts:
    lines = [line["order_id"] for line in world.rows("order_lines")]
    order = pick(rng, [row for row in open_orders(world) if lines.count(row["order_id"]) > 1] or open_orders(world))
    return {"guest_id": order["guest_id"], "order": order["order_id"]}


def _remove_dearest(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["order"])
    if order["total"] <= facts.get("limit", 0.0):
        total = f"{order['total']:.2f}"
        return Reply(f"I left the order as it is: it comes to {total} {order['currency']}.", (total,))
    lines = [line for line in order["lines"] if line["course"] != facts.get("keep")]
    sign = 1 if facts.get("which") == "cheapest" else -1
    line = yield choose(lines, key=lambda line: sign * line["amount"])
    changed = yield do("remove_from_order", order_id=facts["order"], dish_id=line["dish_id"])
    total = f"{changed['total']:.2f}"
    return Reply(f"{line['dish']} is off; the total is {total} {order['currency']}.", (line["dish"], total))


REMOVE_DEAREST = Program(
    name="remove_dearest",
    intent="Take the most expensive line off an order",
    voices={
        "plain": "My order {order} got too dear. Take off the line that costs most, and tell me which it was and the "
        "new total.",
        "terse": "{order}: drop most expensive line; which one, new total?",
        "chatty": "I nearly fainted when I added up {order}, so out with whatever makes up most of the bill, and tell "
        "me what went and what is left to pay.",
        "formal": "Please strike the costliest line from order {order} and advise me of it and of the revised total.",
        "hurried": "{order} too expensive, kill the biggest line, tell me which and the new sum.",
    },
    draw=_draw_order,
    policy=_remove_dearest,
    twists=(
        Twist(
            name="main_stays",
            operator="constraint",
            voices={
                "plain": "Whatever you take off, the main course stays.",
                "terse": "mains must stay.",
                "chatty": "Only don't you dare touch the main course, I have been looking forward to that all week!",
            },
            sets={"keep": "main"},
        ),
        Twist(
            name="cheapest_line",
            operator="change_of_mind",
            voices={
                "plain": "No, take off the line that costs least instead.",
                "terse": "actually the cheapest line.",
                "chatty": "Hm, that would be the best of it, so rather take the smallest sum off and leave me the "
                "rest.",
            },
            sets={"which": "cheapest"},
        ),
        Twist(
            name="above_limit",
            operator="condition",
            voices={
                "plain": "But do that only if it now comes to more than {limit:money}; otherwise just tell me the "
                "total.",
                "terse": "only if total > {limit:money}; else just total.",
                "chatty": "That is, if I added up right and it really is more than {limit:money}, otherwise let it be "
                "and tell me the true total.",
            },
            draw=some_limit(15, 60),
        ),
    ),
)


def _draw_swap(world: World, rng: Random) -> Facts:
    """An order of which all dishes but one suit a diet."""
    facts = _draw_order(world, rng)
    lines = [line for line in world.rows("order_lines") if line["order_id"] == facts["order"]]
    dishes = [dish for line in lines if (dish := world.get("dishes", line["dish_id"]))]
    diets = [diet for diet in DIETS if sum(diet not in dish["labels"] for dish in dishes) == 1]
    return {**facts, "diet": pick(rng, diets)}


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
        price = f"{dish['price']:.2f}"
        return Reply(f"I changed nothing: {dish['name']} costs {price} {order['currency']}.", (dish["name"], price))
    yield do("add_to_order", order_id=facts["order"], dish_id=dish["dish_id"], quantity=line["quantity"])
    changed = yield do("remove_from_order", order_id=facts["order"], dish_id=line["dish_id"])
    total = f"{changed['total']:.2f}"
    return Reply(f"{line['dish']} made way for {dish['name']}; the total is {total}.", (dish["name"], total))


SWAP = Program(
    name="swap_for_diet",
    intent="Replace the one dish of an order that does not suit a diet by the cheapest of its course that does",
    voices={
        "plain": "All of my order {order} should be {diet}, but one dish is not. Replace it, with as many portions, by "
        "the cheapest suitable dish of the same course that I am not allergic to, and tell me its name and the total.",
        "terse": "{order} must be all {diet}: swap the odd dish for cheapest of its course (my allergies!), same "
        "quantity; name + total?",
        "chatty": "My guest has just told me she eats nothing but {diet}, and one dish in {order} is all wrong: put in "
        "the same number of the cheapest of that course that fits her and my allergies, and tell me what and how much.",
        "formal": "As order {order} is to be entirely {diet}, please substitute the dish that is not, in equal "
        "quantity, by the least expensive of its course suiting my allergies too, naming it and the total.",
    },
    draw=_draw_swap,
    policy=_swap,
    twists=(
        Twist(
            name="swap_limit",
            operator="condition",
            voices={
                "plain": "But change nothing if the new dish costs more than {limit:money} a portion; then I need its "
                "name and price.",
                "terse": "no swap if replacement > {limit:money} each; name + price then.",
                "chatty": "Only, if that costs above {limit:money} a helping, she can bring her own, so then leave the "
                "order and tell me what it was and its price.",
            },
            draw=some_limit(4, 20),
        ),
    ),
)


def _draw_reorder(world: World, rng: Random) -> Facts:
    order = pick(rng, open_orders(world))
    return {"guest_id": order["guest_id"], "order": order["order_id"], "course": rng.choice(COURSES)}


def _reorder(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["order"])
    if order["total"] <= facts.get("limit", 0.0):
        total = f"{order['total']:.2f}"
        return Reply(f"I left the order alone: it comes to {total} {order['currency']}.", (total,))
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    dish = yield from cheapest_dish(order["restaurant_id"], guest, facts, facts["course"])
    yield do("cancel_order", order_id=facts["order"])
    placed = yield do(
        "place_order",
        guest_id=facts["guest_id"],
        dish_ids=[dish["dish_id"]],
        pickup_date=order["pickup_date"],
        pickup_time=order["pickup_time"],
    )
    total = f"{placed['total']:.2f}"
    return Reply(f"The new order is {placed['order_id']}, {total} {order['currency']}.", (placed["order_id"], total))


REORDER = Program(
    name="order_anew",
    intent="Cancel an order and have only one cheap dish at the same pick-up instead",
    voices={
        "plain": "Nobody is coming after all. Cancel my order {order} and give me just one {course} from the same "
        "house at the same pick-up, the cheapest my allergies allow. I need the new number and total.",
        "terse": "cancel {order}; same house + pick-up: 1 {course}, cheapest I may eat. new no. + total?",
        "chatty": "The party is off, boo, so bin {order} and let me drown my sorrows in one single {course} from there "
        "at the hour we had, the cheapest that my allergies let me have; what number and sum?",
        "formal": "Please cancel order {order} and place, with the same house and pick-up, an order for one {course}, "
        "the least expensive my allergies permit, stating its number and total.",
        "hurried": "Party is off: kill {order}, instead one {course}, cheapest allowed for me, same place and hour. "
        "Number, total?",
    },
    draw=_draw_reorder,
    policy=_reorder,
    twists=(
        Twist(
            name="new_diet",
            operator="constraint",
            voices={
                "plain": "For myself it should be {diet}.",
                "terse": "the new one: {diet}.",
                "chatty": "And as it is only for me now, I can have it {diet}, the way I like it.",
            },
            draw=some_diet,
        ),
        Twist(
            name="if_dear",
            operator="condition",
            voices={
                "plain": "But leave it all as it was if the old order comes to no more than {limit:money}, and tell me "
                "its total.",
                "terse": "skip all that if old total <= {limit:money}, then tell total.",
                "chatty": "Mind you, if the old one is not above {limit:money}, I shall eat it all myself, so then "
                "leave it and just tell me the total.",
            },
            draw=some_limit(15, 60),
        ),
    ),
)


def _draw_voucher(world: World, rng: Random) -> Facts:
    holders = {row["guest_id"] for row in world.rows("vouchers") if row["status"] == "active"}
    order = pick(rng, [row for row in open_orders(world) if row["guest_id"] in holders] or open_orders(world))
    return {"guest_id": order["guest_id"], "order": order["order_id"]}


def _use_voucher(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["order"])
    vouchers = yield do("list_vouchers", guest_id=facts["guest_id"])
    fitting = [
        voucher
        for voucher in vouchers
        if voucher["currency"] == order["currency"] and voucher["smallest_order"] <= order["total"]
    ]

    def rank(voucher: Record) -> Any:
        return -voucher["amount"] if facts.get("by") == "amount" else voucher["valid_until"]

    voucher = yield choose(fitting, key=rank)
    if voucher["amount"] > facts.get("limit", float("inf")):
        amount = f"{voucher['amount']:.2f}"
        return Reply(f"I kept the voucher: it is worth {amount} {voucher['currency']}.", (amount,))
    paid = yield do("redeem_voucher", voucher_id=voucher["voucher_id"], order_id=facts["order"])
    total = f"{paid['total']:.2f}"
    return Reply(f"Voucher {voucher['voucher_id']} is redeemed: {total} to pay.", (voucher["voucher_id"], total))


USE_VOUCHER = Program(
    name="use_voucher",
    intent="Redeem the fitting voucher that runs out first on an order",
    voices={
        "plain": "Please use a voucher of mine on order {order}: of those that fit, the one that runs out first. Tell "
        "me which and what remains to pay.",
        "terse": "{order}: redeem fitting voucher expiring first. which, rest to pay?",
        "chatty": "I keep forgetting my vouchers until they are worthless, so on {order} spend the one that fits and "
        "expires soonest, and let me know which and how much is still to pay!",
        "formal": "Kindly redeem on order {order} whichever of my applicable vouchers expires first, and state it and "
        "the balance.",
        "non_native": "For {order} use my voucher that is possible and finish first, tell me which one and how much I "
        "must still pay.",
    },
    draw=_draw_voucher,
    policy=_use_voucher,
    unknown="I do not have the numbers of my vouchers at hand.",
    twists=(
        Twist(
            name="largest_voucher",
            operator="change_of_mind",
            voices={
                "plain": "On reflection, take the one that is worth most instead.",
                "terse": "no: highest value instead.",
                "chatty": "Or you know what, I want to feel rich today, so use the one with the biggest value instead.",
            },
            sets={"by": "amount"},
        ),
        Twist(
            name="small_order",
            operator="condition",
            voices={
                "plain": "If that voucher is worth more than {limit:money}, keep it for later and tell me its worth.",
                "terse": "worth > {limit:money}? then do not use, tell value.",
                "chatty": "Except if it is a big one, above {limit:money}, which I want to save for a better occasion: "
                "then only tell me what it is worth.",
            },
            draw=some_limit(5, 10),
        ),
    ),
)

PROGRAMS = (
    ADD_DISH,
    REMOVE_DEAREST,
    SWAP,
    REORDER,
    USE_VOUCHER,
)
