"""Programs that look at all standing orders at once."""

from random import Random

from toolscale.reference.finance.programs.shared import a_customer, near, owner
from toolscale.reference.kit import theirs
from toolscale.reference.moments import some_day
from toolscale.reference.program import DeadEnd, Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _end_dearest(facts: Facts) -> Solution:
    orders = yield do("list_standing_orders", customer_id=facts["customer_id"])
    if facts.get("frequency"):
        orders = [each for each in orders if each["frequency"] == facts["frequency"]]
    if len({each["currency"] for each in orders}) > 1 or (len(orders) < 2 and not facts.get("frequency")):
        raise DeadEnd("nothing to compare")
    chosen = yield choose(orders, key=lambda each: -each["amount"])
    order = yield do("get_standing_order", order_id=chosen["order_id"])
    if order["amount"] < facts.get("at_least", 0):
        amount = shown(order["amount"])
        return Reply(f"All go on: {order['order_id']} is the largest, {amount}.", (order["order_id"], amount))
    yield do("end_standing_order", order_id=order["order_id"])
    return Reply(f"{order['order_id']} to {order['payee']} is ended.", (order["order_id"], order["payee"]))


def _least_order(world: World, rng: Random, facts: Facts) -> Facts:
    orders = theirs(world, "standing_orders", facts["customer_id"])
    return {"at_least": near(rng, pick(rng, orders)["amount"], (0.5, 0.8, 1.3))}


END_DEAREST = WORDS.program(
    "end_largest_standing_order",
    a_customer,
    _end_dearest,
    (
        WORDS.twist(
            "of one rhythm",
            "constraint",
            draw=lambda world, rng, facts: {
                "frequency": pick(
                    rng, [each["frequency"] for each in theirs(world, "standing_orders", facts["customer_id"])]
                )
            },
        ),
        WORDS.twist("only if it is large", "condition", draw=_least_order),
    ),
)


def _outlook(facts: Facts) -> Solution:
    orders = yield do("list_standing_orders", customer_id=facts["customer_id"])
    due = [each for each in orders if each["next_on"] <= facts["until"]]
    if not due or len({each["currency"] for each in due}) > 1:
        raise DeadEnd("nothing to add up")
    first = yield choose(due, key=lambda each: each["next_on"])
    accounts = yield do("list_accounts", customer_id=facts["customer_id"])
    paying = [each for each in accounts if each["account_id"] == first["account_id"]]
    account = yield choose(paying, key=lambda each: each["account_id"])
    total, left = shown(sum(each["amount"] for each in due)), shown(account["available"])
    text = f"{total} {first['currency']} in all; the first is paid from an account with {left} available."
    return Reply(text, (total, left))


OUTLOOK = WORDS.program(
    "outlook_on_standing_orders",
    lambda world, rng: {
        **owner(pick(rng, [each for each in world.rows("standing_orders") if each["status"] == "active"])),
        "until": some_day(rng, 15, 30, weekdays="12345"),
    },
    _outlook,
)

STANDING_CHOICES = (END_DEAREST, OUTLOOK)
