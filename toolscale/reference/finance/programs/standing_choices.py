"""Programs that look at all standing orders at once."""

from random import Random

from toolscale.reference.finance.programs.shared import (
    a_customer,
    near,
    owner,
    says,
    theirs,
)
from toolscale.reference.moments import some_day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sums import shown


def _end_dearest(facts: Facts) -> Policy:
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


END_DEAREST = Program(
    "end_largest_standing_order",
    "End the standing order with the largest amount",
    says(
        "Which of my standing orders pays the largest amount at a time? Please end that one, and tell me its number "
        "and whom it went to.",
        "end my standing order w/ the largest single amount. number + payee?",
        "I have to save, and I shall begin at the top! Whichever of my standing orders pays the most at a time, end "
        "it, and tell me its number and who will miss my money!",
        "Kindly end that of my standing orders with the greatest amount per payment, and name its number and payee.",
    ),
    a_customer,
    _end_dearest,
    (
        Twist(
            "of one rhythm",
            "constraint",
            says(
                "Only {frequency} ones count.",
                "{frequency} ones only.",
                "But just the {frequency} ones, the others I need!",
                "Only {frequency} standing orders are to be considered.",
            ),
            draw=lambda world, rng, facts: {
                "frequency": pick(
                    rng, [each["frequency"] for each in theirs(world, "standing_orders", facts["customer_id"])]
                )
            },
        ),
        Twist(
            "only if it is large",
            "condition",
            says(
                "If even that pays less than {at_least:money}, keep it and tell me number and amount.",
                "if it's < {at_least:money}: keep it, number + amount?",
                "But if even that is under {at_least:money} it is not worth the trouble, then keep it and tell me "
                "number and amount!",
                "Should its amount be below {at_least:money}, keep it and state number and amount.",
            ),
            draw=_least_order,
        ),
    ),
    unknown="I do not have the numbers of my standing orders.",
)


def _outlook(facts: Facts) -> Policy:
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


OUTLOOK = Program(
    "outlook_on_standing_orders",
    "Add up the next payments of all standing orders until a day, and check the account of the first",
    says(
        "Which sum do the next payments of all my standing orders come to, as far as they are due by {until:date}, and "
        "how much is available on the account that the first of them is paid from?",
        "next payments of all my standing orders due by {until:date}: total? and what's available on the account "
        "paying the first?",
        "I never know what is coming at me! Up to {until:date}, what do the next payments of my standing orders come "
        "to in all, and is there anything available on the account that pays the first of them, how much?",
        "Kindly state the total of the next payments under all my standing orders falling due on or before "
        "{until:date}, and the sum available on the account from which the earliest of them is paid.",
    ),
    lambda world, rng: {
        **owner(pick(rng, [each for each in world.rows("standing_orders") if each["status"] == "active"])),
        "until": some_day(rng, 15, 30, weekdays="12345"),
    },
    _outlook,
)

STANDING_CHOICES = (END_DEAREST, OUTLOOK)
