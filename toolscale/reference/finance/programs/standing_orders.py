"""Programs about one standing order: setting up, changing, ending, moving."""

from random import Random

from toolscale.reference.finance.programs.shared import (
    OTHER_AMOUNT,
    a_sum,
    currency_of,
    current_accounts,
    later_day,
    limit_on,
    owner,
)
from toolscale.reference.kit import a_record, must, theirs
from toolscale.reference.moments import some_day
from toolscale.reference.program import DeadEnd, Facts, Record, Reply, Solution, World, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _active(order: Record) -> bool:
    return bool(order["status"] == "active")


def _draw_new(world: World, rng: Random) -> Facts:
    account = pick(rng, current_accounts(world))
    payees = theirs(world, "payees", account["customer_id"])
    payee = pick(rng, [each for each in payees if each["currency"] == account["currency"]])
    return {
        **owner(account),
        "account_id": account["account_id"],
        "payee_id": payee["payee_id"],
        "amount": a_sum(rng, account["currency"]),
        "currency": account["currency"],
        "frequency": rng.choice(("weekly", "monthly", "quarterly")),
        "first_on": some_day(rng, 4, 45, weekdays="12345"),
    }


def _create(facts: Facts) -> Solution:
    done = yield do(
        "create_standing_order",
        account_id=facts["account_id"],
        payee_id=facts["payee_id"],
        amount=facts["amount"],
        frequency=facts["frequency"],
        first_on=facts["first_on"],
    )
    text = f"Standing order {done['order_id']} to {done['payee']} is set up."
    return Reply(text, (done["order_id"], done["payee"]))


CREATE = WORDS.program(
    "create_standing_order",
    _draw_new,
    _create,
    (
        OTHER_AMOUNT,
        WORDS.twist("another first day", "change_of_mind", draw=later_day(6, 50, "first_on")),
    ),
)


def _draw_amount(world: World, rng: Random) -> Facts:
    order = pick(rng, [each for each in world.rows("standing_orders") if _active(each)])
    currency = currency_of(world, order)
    amount = a_sum(rng, currency)
    return {**owner(order), "order_id": order["order_id"], "amount": amount, "currency": currency}


def _change_amount(facts: Facts) -> Solution:
    order = yield do("get_standing_order", order_id=facts["order_id"])
    if order["amount"] == facts["amount"] or order["status"] != "active":
        raise DeadEnd("nothing would change")
    before = shown(order["amount"])
    if facts.get("only_up") and order["amount"] > facts["amount"]:
        return Reply(f"I left it at {before}, which is more.", (before,))
    yield do("change_standing_order", order_id=facts["order_id"], amount=facts["amount"], next_on=facts.get("next_on"))
    text = f"Changed; it was {before} to {order['payee']}, next on {order['next_on']}."
    return Reply(text, (before, order["payee"]))


CHANGE_AMOUNT = WORDS.program(
    "change_standing_order_amount",
    _draw_amount,
    _change_amount,
    (
        OTHER_AMOUNT,
        WORDS.twist("only as an increase", "condition", sets={"only_up": True}),
        WORDS.twist("on another day too", "constraint", draw=later_day(4, 30, "next_on")),
    ),
)


def _end(facts: Facts) -> Solution:
    order = yield do("get_standing_order", order_id=facts["order_id"])
    must(order["status"] == "active", "it has ended")
    next_on, payee = order["next_on"], order["payee"]
    if facts.get("not_weekly") and order["frequency"] == "weekly":
        return Reply(f"It goes on: it is paid weekly to {payee}, next on {next_on}.", (next_on,))
    yield do("end_standing_order", order_id=facts["order_id"])
    amount = shown(order["amount"])
    return Reply(f"Ended; {amount} would have gone to {payee} on {next_on}.", (amount, next_on))


END = WORDS.program(
    "end_standing_order",
    a_record("standing_orders", "order_id", _active),
    _end,
    (WORDS.twist("unless weekly", "condition", sets={"not_weekly": True}),),
    again="order_id",
)


def _draw_switch(world: World, rng: Random) -> Facts:
    order = pick(rng, [each for each in world.rows("standing_orders") if _active(each)])
    currency = currency_of(world, order)
    others = [
        each
        for each in current_accounts(world)
        if each["customer_id"] == order["customer_id"]
        and each["currency"] == currency
        and each["account_id"] != order["account_id"]
    ]
    return {**owner(order), "order_id": order["order_id"], "account_id": pick(rng, others)["account_id"]}


def _switch(facts: Facts) -> Solution:
    order = yield do("get_standing_order", order_id=facts["order_id"])
    frequency = facts.get("frequency", order["frequency"])
    must(order["account_id"] != facts["account_id"], "it is paid from there")
    yield do("end_standing_order", order_id=facts["order_id"])
    done = yield do(
        "create_standing_order",
        account_id=facts["account_id"],
        payee_id=order["payee_id"],
        amount=facts.get("amount", order["amount"]),
        frequency=frequency,
        first_on=order["next_on"],
    )
    text = f"The new one is {done['order_id']}, first on {done['next_on']}, to {done['payee']}."
    return Reply(text, (done["order_id"], done["next_on"]))


SWITCH = WORDS.program(
    "move_standing_order_to_account",
    _draw_switch,
    _switch,
    (
        WORDS.twist(
            "another rhythm",
            "change_of_mind",
            draw=lambda world, rng, facts: {"frequency": rng.choice(("weekly", "monthly", "quarterly"))},
        ),
        WORDS.twist(
            "with another sum",
            "constraint",
            draw=limit_on("standing_orders", "order_id", "amount", "amount", (0.5, 0.8, 1.3)),
        ),
    ),
)

STANDING_ORDERS = (CREATE, CHANGE_AMOUNT, END, SWITCH)
