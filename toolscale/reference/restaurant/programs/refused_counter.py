"""Requests about food and vouchers that the rules of the desk forbid: what is allowed instead is done."""

from random import Random

from toolscale.reference.kit import just, known, must, told
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Record, Refusal, Solution, Steps, World, do, pick
from toolscale.reference.restaurant.diary import suits
from toolscale.reference.restaurant.programs.common import (
    an_order,
    cheapest_dish,
    dinner_time,
    dish_called,
    dishes_to_go,
    house_called,
    house_of,
    lines_of,
    open_day,
    open_orders,
    pickup,
    spoken,
    sum_of,
    with_allergies,
)
from toolscale.reference.restaurant.programs.takeaway import place
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


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


def _allergic(facts: Facts) -> Solution:
    house = yield from house_called(facts["restaurant"])
    found = yield from dish_called(house["restaurant_id"], facts["dish"])
    dish = yield do("get_dish", dish_id=found["dish_id"])
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    allergens = tuple(sorted(set(dish["allergens"]) & set(guest["allergies"])))
    must(allergens, "nothing stands against the dish")
    instead = yield from cheapest_dish(house["restaurant_id"], guest, {}, facts["course"])
    order = yield from place(facts, [instead["dish_id"]], facts["date"], facts["time"])
    number, total = order["order_id"], shown(order["total"])
    text = f"{facts['dish']} contains {' and '.join(allergens)}, to which you are allergic."
    return told(f"{text} I ordered {instead['name']} instead, {number}: {total}.", *allergens, number, total)


def _order_all_the_same(facts: Facts) -> Steps:
    house = yield from house_called(facts["restaurant"])
    dish = yield from dish_called(house["restaurant_id"], facts["dish"])
    yield from place(facts, [dish["dish_id"]], facts["date"], facts["time"])


FORBIDDEN_DISH = WORDS.program(
    "refuse_forbidden_dish",
    _draw_forbidden,
    _allergic,
    refusal=Refusal("nothing_that_the_guest_is_allergic_to", _order_all_the_same),
)


def _draw_table_only(world: World, rng: Random) -> Facts:
    facts = pickup(world, rng)
    house, guest = house_of(world, facts), known(world, "guests", facts["guest_id"])
    rows = [row for row in world.rows("dishes") if row["restaurant_id"] == house["restaurant_id"] and suits(row, guest)]
    return {**facts, "dish": pick(rng, [row for row in rows if not row["takeaway"]])["name"]}


def _served_at_the_table(facts: Facts) -> Solution:
    house = yield from house_called(facts["restaurant"])
    dish = yield from dish_called(house["restaurant_id"], facts["dish"])
    must(not dish["takeaway"], "it can be taken away")
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    instead = yield from cheapest_dish(house["restaurant_id"], guest, {}, dish["course"])
    order = yield from place(facts, [instead["dish_id"]], facts["date"], facts["time"])
    name, total = instead["name"], shown(order["total"])
    text = f"{facts['dish']} is only served at the table. I ordered {name} instead, {order['order_id']}:"
    return told(f"{text} {total} {house['currency']}.", name, total)


TABLE_ONLY = WORDS.program(
    "refuse_dish_of_the_table",
    with_allergies(_draw_table_only),
    _served_at_the_table,
    refusal=Refusal("an_order_is_of_one_house_and_for_soon", _order_all_the_same),
)


def _begun(world: World, rng: Random) -> Facts:
    order = pick(rng, [row for row in world.rows("orders") if row["status"] in ("preparing", "ready")])
    dishes = dishes_to_go(world, order["restaurant_id"], order["guest_id"])
    return {"guest_id": order["guest_id"], "begun": order["order_id"], "dish": pick(rng, dishes)["name"]}


def _a_new_order(facts: Facts) -> Solution:
    order = yield do("get_order", order_id=facts["begun"])
    must(order["status"] in ("preparing", "ready"), "it can still be changed")
    dish = yield from dish_called(order["restaurant_id"], facts["dish"])
    new = yield from place(facts, [dish["dish_id"]], order["pickup_date"], order["pickup_time"])
    number, (total, with_currency) = new["order_id"], sum_of(new, "total")
    text = f"{facts['begun']} is {order['status']} and stays as it is."
    return told(f"{text} I placed {number} beside it: {with_currency}.", number, total)


def _add_to_the_begun(facts: Facts) -> Steps:
    order = yield do("get_order", order_id=facts["begun"])
    dish = yield from dish_called(order["restaurant_id"], facts["dish"])
    yield do("add_to_order", order_id=facts["begun"], dish_id=dish["dish_id"], quantity=1)


BEGUN = WORDS.program(
    "refuse_change_of_begun_order",
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


def _bound_by_voucher(facts: Facts) -> Solution:
    order = yield do("get_order", order_id=facts["order"])
    must(order["voucher_id"], "no voucher binds it")
    total, with_currency = sum_of(order, "total")
    number = order["voucher_id"]
    yield do("cancel_order", order_id=facts["order"])
    text = f"{number} was redeemed on it, so nothing can be taken off. It is cancelled: {with_currency} come back"
    return told(f"{text}, and the voucher is valid again.", number, total)


def _take_off_all_the_same(facts: Facts) -> Steps:
    order = yield do("get_order", order_id=facts["order"])
    line = next(line for line in order["lines"] if line["dish"] == facts["dish"])
    yield do("remove_from_order", order_id=facts["order"], dish_id=line["dish_id"])


BOUND = WORDS.program(
    "refuse_taking_off",
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


def _run_out(facts: Facts) -> Solution:
    voucher = yield do("get_voucher", voucher_id=facts["voucher"])
    order = yield do("get_order", order_id=facts["order"])
    must(voucher["valid_until"] < day(0), "it is still valid")
    until, (total, with_currency) = voucher["valid_until"], sum_of(order, "total")
    return told(f"{facts['voucher']} was valid until {until} only; {with_currency} remain to pay.", until, total)


EXPIRED_VOUCHER = WORDS.program(
    "refuse_expired_voucher",
    _draw_expired,
    _run_out,
    refusal=Refusal("a_voucher_fits_its_order", just("redeem_voucher", voucher_id="voucher", order_id="order")),
)


PROGRAMS = (FORBIDDEN_DISH, TABLE_ONLY, BEGUN, BOUND, EXPIRED_VOUCHER)
