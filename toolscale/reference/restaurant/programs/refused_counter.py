"""Requests about food and vouchers that the rules of the desk forbid: what is allowed instead is done."""

from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Refusal, Steps, World, do, pick
from toolscale.reference.restaurant.diary import suits
from toolscale.reference.restaurant.programs.common import (
    an_order,
    cheapest_dish,
    dinner_time,
    dish_called,
    dishes_to_go,
    house_called,
    house_of,
    known,
    lines_of,
    open_day,
    open_orders,
    pickup,
    says,
    spoken,
    sum_of,
    told,
    with_allergies,
)
from toolscale.reference.restaurant.programs.takeaway import place
from toolscale.reference.sums import shown


def _draw_forbidden(world: World, rng: Random) -> Facts:
    """A guest with an allergy, and a dish that contains the allergen."""
    guest = pick(rng, [row for row in world.rows("guests") if row["allergies"]])
    dish = pick(rng, [row for row in world.rows("dishes") if row["takeaway"] and not suits(row, guest)])
    house = known(world, "restaurants", dish["restaurant_id"])
    return {
        "guest_id": guest["guest_id"],
        "restaurant": house["name"],
        "dish": dish["name"],
        "course": spoken(_instead(world, rng, dish, guest)),
        "date": open_day(rng, house, 1, 13),
        "time": dinner_time(rng, house),
    }


def _instead(world: World, rng: Random, dish: Record, guest: Record) -> str:
    """The course to have instead of a dish: its own if the house has something of it for the guest, else another."""
    courses = {row["course"] for row in dishes_to_go(world, dish["restaurant_id"], guest["guest_id"])}
    return str(dish["course"] if dish["course"] in courses else pick(rng, sorted(courses - {"side"})))


def _allergic(facts: Facts) -> Policy:
    house = yield from house_called(facts["restaurant"])
    found = yield from dish_called(house["restaurant_id"], facts["dish"])
    dish = yield do("get_dish", dish_id=found["dish_id"])
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    allergens = tuple(sorted(set(dish["allergens"]) & set(guest["allergies"])))
    if not allergens:
        raise DeadEnd("nothing stands against the dish")
    instead = yield from cheapest_dish(house["restaurant_id"], guest, {}, facts["course"])
    order = yield from place(facts, [instead["dish_id"]], facts["date"], facts["time"])
    number, total = order["order_id"], shown(order["total"])
    text = f"{facts['dish']} contains {' and '.join(allergens)}, to which you are allergic."
    return told(f"{text} I ordered {instead['name']} instead, {number}: {total}.", *allergens, number, total)


def _order_all_the_same(facts: Facts) -> Steps:
    house = yield from house_called(facts["restaurant"])
    dish = yield from dish_called(house["restaurant_id"], facts["dish"])
    yield from place(facts, [dish["dish_id"]], facts["date"], facts["time"])


FORBIDDEN_DISH = Program(
    "refuse_forbidden_dish",
    "Ask for a dish that contains what the guest is allergic to",
    says(
        "Please have one portion of {dish} ready for me at {restaurant} on {date:date} at {time:time}[, I am sure that "
        "I can eat it|, it will do me no harm|]. If my allergies forbid it, tell me what is in it that I must not "
        "have, and order the cheapest {course} from there instead that I may have, with its number and total.",
        "takeaway {restaurant}: 1 portion of {dish}, {date:date} {time:time}. allergy problem? which allergen; then "
        "cheapest {course} i may have instead, no. + total?",
        "I have been dreaming of the {dish} at {restaurant} all week, so I fetch a portion on {date:date} at "
        "{time:time}, a little bit never hurt anybody! If you must refuse because of my allergies, what in it is the "
        "trouble? Then comfort me with the cheapest {course} there that I may have, and tell me its number and the "
        "price.",
        "For collection on {date:date} at {time:time} kindly order one portion of {dish} from {restaurant}; should my "
        "allergies preclude it, name the allergen concerned and order instead the least expensive {course} there that "
        "I may have, stating the number and total.",
        "One portion of {dish} from {restaurant}, {date:date} {time:time}! Allergies say no? What is in it? Then the "
        "cheapest {course} there that I can have, number, total!",
    ),
    _draw_forbidden,
    _allergic,
    refusal=Refusal("nothing_that_the_guest_is_allergic_to", _order_all_the_same),
)


def _draw_table_only(world: World, rng: Random) -> Facts:
    facts = pickup(world, rng)
    house, guest = house_of(world, facts), known(world, "guests", facts["guest_id"])
    rows = [row for row in world.rows("dishes") if row["restaurant_id"] == house["restaurant_id"] and suits(row, guest)]
    return {**facts, "dish": pick(rng, [row for row in rows if not row["takeaway"]])["name"]}


def _served_at_the_table(facts: Facts) -> Policy:
    house = yield from house_called(facts["restaurant"])
    dish = yield from dish_called(house["restaurant_id"], facts["dish"])
    if dish["takeaway"]:
        raise DeadEnd("it can be taken away")
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    instead = yield from cheapest_dish(house["restaurant_id"], guest, {}, dish["course"])
    order = yield from place(facts, [instead["dish_id"]], facts["date"], facts["time"])
    name, total = instead["name"], shown(order["total"])
    text = f"{facts['dish']} is only served at the table. I ordered {name} instead, {order['order_id']}:"
    return told(f"{text} {total} {house['currency']}.", name, total)


TABLE_ONLY = Program(
    "refuse_dish_of_the_table",
    "Ask to take away a dish that is only served at the table",
    says(
        "I would like to take away one portion of {dish} from {restaurant} on {date:date} at {time:time}. If it is "
        "only served at the table, [order|take] the cheapest dish of the same course that my allergies allow instead, "
        "and tell me which and what I pay.",
        "takeaway {restaurant}: 1 portion of {dish}, {date:date} {time:time}. table only? then cheapest takeaway of "
        "that course ok w/ my allergies; which, total?",
        "I cannot stop thinking of the {dish} at {restaurant}, so pack me a portion for {date:date} at {time:time}! "
        "If you only serve it at the table, then the cheapest of the same course that I may have with my allergies, "
        "and tell me what it is and what it costs me.",
        "For collection on {date:date} at {time:time} I wish to order one portion of {dish} from {restaurant}; should "
        "it be served only at the table, kindly substitute the least expensive dish of the same course that my "
        "allergies permit, naming it and the total.",
        "One portion of {dish} from {restaurant} to go, {date:date} {time:time}! Only at the table? Then cheapest of "
        "that course for me with my allergies, which one, how much?",
    ),
    with_allergies(_draw_table_only),
    _served_at_the_table,
    refusal=Refusal("an_order_is_of_one_house_and_for_soon", _order_all_the_same),
)


def _begun(world: World, rng: Random) -> Facts:
    order = pick(rng, [row for row in world.rows("orders") if row["status"] in ("preparing", "ready")])
    dishes = dishes_to_go(world, order["restaurant_id"], order["guest_id"])
    return {"guest_id": order["guest_id"], "begun": order["order_id"], "dish": pick(rng, dishes)["name"]}


def _a_new_order(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["begun"])
    if order["status"] not in ("preparing", "ready"):
        raise DeadEnd("it can still be changed")
    dish = yield from dish_called(order["restaurant_id"], facts["dish"])
    new = yield from place(facts, [dish["dish_id"]], order["pickup_date"], order["pickup_time"])
    number, (total, with_currency) = new["order_id"], sum_of(new, "total")
    text = f"{facts['begun']} is {order['status']} and stays as it is."
    return told(f"{text} I placed {number} beside it: {with_currency}.", number, total)


def _add_to_the_begun(facts: Facts) -> Steps:
    order = yield do("get_order", order_id=facts["begun"])
    dish = yield from dish_called(order["restaurant_id"], facts["dish"])
    yield do("add_to_order", order_id=facts["begun"], dish_id=dish["dish_id"], quantity=1)


BEGUN = Program(
    "refuse_change_of_begun_order",
    "Ask to add a dish to an order that the kitchen has begun",
    says(
        "Please add one portion of {dish} to {begun}. If the kitchen is at it already, order that one portion "
        "separately for the same pick-up, and tell me the new order's number and what I pay for it.",
        "to {begun} add 1 portion of {dish}. kitchen has begun? then separate order, same pick-up; its no. + total?",
        "Oh, I forgot the {dish}, one portion, can it still come along with {begun}? And if they are cooking already, "
        "make it an order of its own for the same pick-up, and what number does it get, and what does it cost me?",
        "Kindly add one portion of {dish} to {begun}; should preparation have begun, please place a separate order for "
        "the same collection, stating its number and total.",
        "One portion of {dish} more with {begun}! Cooking already? Then a new order, same pick-up, number and sum!",
        "Please put one portion of {dish} to {begun}. If kitchen started, make other order for same hour, number and "
        "price of it?",
    ),
    _begun,
    _a_new_order,
    refusal=Refusal("what_is_over_stays_as_it_is", _add_to_the_begun),
)


def _bound(world: World, order: Record) -> bool:
    return order["voucher_id"] is not None and len(lines_of(world, order)) > 1


def _draw_bound(world: World, rng: Random) -> Facts:
    facts = an_order(_bound)(world, rng)
    line = pick(rng, lines_of(world, known(world, "orders", facts["order"])))
    return {**facts, "dish": known(world, "dishes", line["dish_id"])["name"]}


def _bound_by_voucher(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["order"])
    if not order["voucher_id"]:
        raise DeadEnd("no voucher binds it")
    total, with_currency = sum_of(order, "total")
    number = order["voucher_id"]
    yield do("cancel_order", order_id=facts["order"])
    text = f"{number} was redeemed on it, so nothing can be taken off. It is cancelled: {with_currency} come back"
    return told(f"{text}, and the voucher is valid again.", number, total)


def _take_off_all_the_same(facts: Facts) -> Steps:
    order = yield do("get_order", order_id=facts["order"])
    line = next(line for line in order["lines"] if line["dish"] == facts["dish"])
    yield do("remove_from_order", order_id=facts["order"], dish_id=line["dish_id"])


BOUND = Program(
    "refuse_taking_off",
    "Ask to take a dish off an order on which a voucher was redeemed",
    says(
        "I do not want the {dish} any more, please take it off {order}. Should the voucher that I used stand in the "
        "way, cancel the whole order, and tell me which voucher it was and how much money comes back.",
        "from {order} remove {dish}. voucher in the way? cancel all; voucher no. + refund?",
        "Nobody here will touch the {dish}, so off with it from {order}! And if that does not work because of the "
        "voucher, cancel the lot, and tell me the number of the voucher, so that I can use it again, and what I get "
        "back.",
        "Kindly strike the {dish} from {order}; should the voucher redeemed preclude this, cancel the order as a whole "
        "and state the number of the voucher and the sum refunded.",
        "No {dish} any more, take it off {order}! Voucher in the way? Cancel all, voucher number and refund!",
    ),
    _draw_bound,
    _bound_by_voucher,
    refusal=Refusal("a_redeemed_voucher_binds", _take_off_all_the_same),
)


def _draw_expired(world: World, rng: Random) -> Facts:
    found = []
    for voucher in world.rows("vouchers"):
        if voucher["status"] == "active" and voucher["valid_until"] < day(0):
            mine = [
                row for row in open_orders(world) if row["guest_id"] == voucher["guest_id"] and not row["voucher_id"]
            ]
            found += [(voucher, order) for order in mine]
    voucher, order = pick(rng, found)
    return {"guest_id": voucher["guest_id"], "voucher": voucher["voucher_id"], "order": order["order_id"]}


def _run_out(facts: Facts) -> Policy:
    voucher = yield do("get_voucher", voucher_id=facts["voucher"])
    order = yield do("get_order", order_id=facts["order"])
    if voucher["valid_until"] >= day(0):
        raise DeadEnd("it is still valid")
    until, (total, with_currency) = voucher["valid_until"], sum_of(order, "total")
    return told(f"{facts['voucher']} was valid until {until} only; {with_currency} remain to pay.", until, total)


def _redeem_all_the_same(facts: Facts) -> Steps:
    yield do("redeem_voucher", voucher_id=facts["voucher"], order_id=facts["order"])


EXPIRED_VOUCHER = Program(
    "refuse_expired_voucher",
    "Ask to redeem a voucher that has run out",
    says(
        "I have found the voucher {voucher} in a drawer, please redeem it on {order}. If it has run out, tell me until "
        "when it was valid and what I have to pay.",
        "redeem {voucher} on {order}. expired? valid until when, total to pay?",
        "Look what was in my coat pocket, the voucher {voucher}! Put it on {order}, would you? And if it is too old, "
        "until when was it good, and what do I owe for the food?",
        "Please apply voucher {voucher} to {order}; should it have expired, kindly state its last day of validity and "
        "the sum due.",
        "Voucher {voucher} onto {order}! Expired? Until when was it valid, and my total?",
        "I have voucher {voucher}, please use it for {order}. If is not more valid, say until which day it was and how "
        "much I must pay.",
    ),
    _draw_expired,
    _run_out,
    refusal=Refusal("a_voucher_fits_its_order", _redeem_all_the_same),
)


PROGRAMS = (FORBIDDEN_DISH, TABLE_ONLY, BEGUN, BOUND, EXPIRED_VOUCHER)
