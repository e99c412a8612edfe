"""Requests about an order as a whole: its pick-up, its vouchers, its end."""

from random import Random
from typing import Any

from toolscale.reference.kit import known, told
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Record, Solution, World, choose, do, pick
from toolscale.reference.restaurant.programs.common import (
    an_order,
    another_day,
    another_time,
    dinner_time,
    house_of,
    line_at,
    open_day,
    sum_of,
    total_limit,
)
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _draw_pickup(world: World, rng: Random) -> Facts:
    facts = an_order()(world, rng)
    house, order = house_of(world, facts), known(world, "orders", facts["order"])
    days = [each for each in (open_day(rng, house, 1, 13) for _ in range(8)) if each != order["pickup_date"]]
    return {**facts, "date": pick(rng, days), "time": dinner_time(rng, house)}


def _move_pickup(facts: Facts) -> Solution:
    order = yield do("get_order", order_id=facts["order"])
    total, with_currency = sum_of(order, "total")
    if order["total"] < facts.get("limit", 0.0):
        yield do("cancel_order", order_id=facts["order"])
        return told(f"It is cancelled: it came to {with_currency} only.", total)
    yield do("move_pickup", order_id=facts["order"], pickup_date=facts["date"], pickup_time=facts["time"])
    return told(f"It will be ready then; you pay {with_currency}.", total)


MOVE_PICKUP = WORDS.program(
    "move_pickup",
    _draw_pickup,
    _move_pickup,
    (
        WORDS.twist("yet another pick-up day", "change_of_mind", draw=another_day(1, 13)),
        WORDS.twist("yet another pick-up time", "change_of_mind", draw=another_time),
        WORDS.twist("cancelled if small", "condition", draw=total_limit),
    ),
    again="order",
)


def _cancel(facts: Facts) -> Solution:
    order = yield do("get_order", order_id=facts["order"])
    total, with_currency = sum_of(order, "total")
    if order["total"] > facts.get("limit", float("inf")):
        return told(f"I kept the order: it comes to {with_currency}.", total)
    yield do("cancel_order", order_id=facts["order"])
    return told(f"{facts['order']} is cancelled; {with_currency} come back.", total)


CANCEL_ORDER = WORDS.program(
    "cancel_order",
    an_order(),
    _cancel,
    (
        WORDS.twist(
            "kept if dear",
            "condition",
            draw=lambda world, rng, facts: {"limit": line_at(rng, known(world, "orders", facts["order"])["total"])},
        ),
    ),
    again="order",
)


def _fits(world: World, voucher: Record, order: Record) -> bool:
    house = known(world, "restaurants", order["restaurant_id"])
    return bool(
        (voucher["guest_id"], voucher["status"]) == (order["guest_id"], "active")
        and voucher["currency"] == house["currency"]
        and voucher["smallest_order"] <= order["total"]
        and voucher["valid_until"] >= day(0)
    )


def _payable(world: World, order: Record) -> bool:
    return order["voucher_id"] is None and any(_fits(world, row, order) for row in world.rows("vouchers"))


def _use_voucher(facts: Facts) -> Solution:
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
        amount, with_currency = sum_of(voucher, "amount")
        return told(f"I kept the voucher: it is worth {with_currency}.", amount)
    paid = yield do("redeem_voucher", voucher_id=voucher["voucher_id"], order_id=facts["order"])
    total, number = shown(paid["total"]), voucher["voucher_id"]
    return told(f"Voucher {number} is redeemed: {total} {paid['currency']} to pay.", number, total)


USE_VOUCHER = WORDS.program(
    "use_voucher",
    an_order(_payable),
    _use_voucher,
    (
        WORDS.twist("the largest voucher", "change_of_mind", sets={"by": "amount"}),
        WORDS.twist(
            "only a small voucher",
            "condition",
            draw=lambda world, rng, facts: {
                "limit": line_at(
                    rng, pick(rng, [r for r in world.rows("vouchers") if r["guest_id"] == facts["guest_id"]])["amount"]
                )
            },
        ),
    ),
)


PROGRAMS = (MOVE_PICKUP, CANCEL_ORDER, USE_VOUCHER)
