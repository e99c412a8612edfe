"""Requests about an order as a whole: its pick-up, its vouchers, its end."""

from random import Random
from typing import Any

from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Policy, Program, Record, Twist, World, choose, do, pick
from toolscale.reference.restaurant.programs.common import (
    an_order,
    another_day,
    another_time,
    dinner_time,
    house_of,
    known,
    line_at,
    open_day,
    says,
    sum_of,
    told,
    total_limit,
)
from toolscale.reference.sums import shown


def _draw_pickup(world: World, rng: Random) -> Facts:
    facts = an_order()(world, rng)
    house, order = house_of(world, facts), known(world, "orders", facts["order"])
    days = [each for each in (open_day(rng, house, 1, 13) for _ in range(8)) if each != order["pickup_date"]]
    return {**facts, "date": pick(rng, days), "time": dinner_time(rng, house)}


def _move_pickup(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["order"])
    total, with_currency = sum_of(order, "total")
    if order["total"] < facts.get("limit", 0.0):
        yield do("cancel_order", order_id=facts["order"])
        return told(f"It is cancelled: it came to {with_currency} only.", total)
    yield do("move_pickup", order_id=facts["order"], pickup_date=facts["date"], pickup_time=facts["time"])
    return told(f"It will be ready then; you pay {with_currency}.", total)


MOVE_PICKUP = Program(
    "move_pickup",
    "Fetch an order on another day and at another time",
    says(
        "I cannot come when I said. Please have {order} ready on {date:date} at {time:time} instead, and tell me what "
        "I have to pay.",
        "for {order}: new pick-up {date:date} {time:time}. total to pay?",
        "[The car is at the garage|I am stuck at my mother's until then], so could {order} be ready on {date:date} at "
        "{time:time} instead, and remind me what I owe?",
        "Kindly postpone or advance the collection of {order} to {date:date} at {time:time}, and state the sum due.",
        "Can't make it, {order} to {date:date}, {time:time}, what do I pay?",
        "I can not come, please make {order} for {date:date} at {time:time}, and how much I must pay?",
        "I said the wrong day, I think, {order} should be for {date:date} at {time:time}, is that possible? And what "
        "was the sum again?",
    ),
    _draw_pickup,
    _move_pickup,
    (
        Twist(
            "yet another pick-up day",
            "change_of_mind",
            {
                "plain": "No, not that day: {date:date}.",
                "terse": "correction, day is {date:date}.",
                "chatty": "Oh, wait, that is my niece's recital, so let us say {date:date}.",
                "formal": "The day is to be corrected to {date:date}.",
            },
            draw=another_day(1, 13),
        ),
        Twist(
            "yet another pick-up time",
            "change_of_mind",
            {
                "plain": "And rather at {time:time}.",
                "terse": "and {time:time}.",
                "chatty": "And you know what, {time:time} would be far more relaxed.",
                "formal": "The hour is to be corrected to {time:time}.",
            },
            draw=another_time,
        ),
        Twist(
            "cancelled if small",
            "condition",
            {
                "plain": "If it comes to less than {limit:money}, it is not worth the way: cancel it then.",
                "terse": "total < {limit:money}? cancel instead.",
                "chatty": "But for less than {limit:money} I will not put my shoes on twice, so in that case cancel "
                "the whole thing.",
                "formal": "Should it come to less than {limit:money}, please cancel it instead.",
            },
            draw=total_limit,
        ),
    ),
    again="order",
)


def _cancel(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["order"])
    total, with_currency = sum_of(order, "total")
    if order["total"] > facts.get("limit", float("inf")):
        return told(f"I kept the order: it comes to {with_currency}.", total)
    yield do("cancel_order", order_id=facts["order"])
    return told(f"{facts['order']} is cancelled; {with_currency} come back.", total)


CANCEL_ORDER = Program(
    "cancel_order",
    "Cancel a takeaway order and learn what comes back",
    says(
        "Please cancel {order}[, I am travelling that day|, I will not need it|], and tell me what I get back.",
        "cancel {order}. money back = ?",
        "[My dinner guests have the flu|I won a dinner in a raffle], so away with {order}, and how much money do I see "
        "again?",
        "I hereby cancel {order} and ask to be told the amount refunded.",
        "Cancel {order} before they start cooking, how much comes back?",
        "Please annul {order}, I not need it more, and how much money I get?",
    ),
    an_order(),
    _cancel,
    (
        Twist(
            "kept if dear",
            "condition",
            {
                "plain": "But if it comes to more than {limit:money}, keep it, I will find somebody to eat it, and "
                "just tell me the sum.",
                "terse": "keep it if > {limit:money}, tell me the sum.",
                "chatty": "Only if it is more than {limit:money} I would rather have my sister fetch it, so then keep "
                "it and tell me the sum.",
                "formal": "Should it exceed {limit:money}, it is to be kept and the sum stated.",
            },
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
        amount, with_currency = sum_of(voucher, "amount")
        return told(f"I kept the voucher: it is worth {with_currency}.", amount)
    paid = yield do("redeem_voucher", voucher_id=voucher["voucher_id"], order_id=facts["order"])
    total, number = shown(paid["total"]), voucher["voucher_id"]
    return told(f"Voucher {number} is redeemed: {total} {paid['currency']} to pay.", number, total)


USE_VOUCHER = Program(
    "use_voucher",
    "Redeem the fitting voucher that runs out first on an order",
    says(
        "Please redeem a voucher of mine on {order}: of those that fit, the one that runs out first. Tell me "
        "[which|its number] and what remains to pay.",
        "on {order}, redeem the fitting voucher expiring first. which, rest to pay?",
        "I keep forgetting my vouchers until they are worthless, so spend the one that fits and expires soonest on "
        "{order}, and let me know which number that was and how much is still to pay!",
        "Kindly redeem on {order} whichever of my applicable vouchers expires first, and state its number and the "
        "balance.",
        "Voucher on {order}, the one that fits and runs out first, its number and the rest to pay!",
        "Use please for {order} my voucher that is possible and finish first, tell me which number and how much I must "
        "still pay.",
    ),
    an_order(_payable),
    _use_voucher,
    (
        Twist(
            "the largest voucher",
            "change_of_mind",
            {
                "plain": "On reflection, take the fitting voucher that is worth most instead.",
                "terse": "no: highest value instead.",
                "chatty": "Or you know what, I want to feel rich today, so use the one with the biggest value instead.",
                "formal": "On reflection, the applicable voucher of greatest value is to be used instead.",
            },
            sets={"by": "amount"},
        ),
        Twist(
            "only a small voucher",
            "condition",
            {
                "plain": "If that voucher is worth more than {limit:money}, keep it for later and tell me its worth.",
                "terse": "worth > {limit:money}? then do not use, tell me the value.",
                "chatty": "Except if it is a big one, above {limit:money}, which I want to save for a better occasion: "
                "then only tell me what it is worth.",
                "formal": "A voucher worth more than {limit:money} is to be kept, and its worth stated.",
            },
            draw=lambda world, rng, facts: {
                "limit": line_at(
                    rng, pick(rng, [r for r in world.rows("vouchers") if r["guest_id"] == facts["guest_id"]])["amount"]
                )
            },
        ),
    ),
    "I do not have the numbers of my vouchers at hand.",
)


PROGRAMS = (MOVE_PICKUP, CANCEL_ORDER, USE_VOUCHER)
