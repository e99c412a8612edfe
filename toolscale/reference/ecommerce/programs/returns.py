"""Programs about sending back: returns, exchanges, and what became of them."""

from random import Random

from toolscale.reference.ecommerce.functions.returns import REASONS as RETURN_REASONS
from toolscale.reference.ecommerce.programs.common import (
    COLLEAGUE,
    OTHER_ORDER,
    TO_CREDIT,
    a_customer,
    a_line,
    another_option,
    euros,
    near,
    orders,
    the_line,
    the_variant,
    told,
)
from toolscale.reference.kit import must
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Record, Solution, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)


def returnable(line: Record) -> bool:
    """The return period of the line still runs."""
    return bool(line["return_days"] and line["delivered_on"] >= day(-line["return_days"]))


def _draw_return(world: World, rng: Random) -> Facts:
    facts, line = a_line(world, rng, "delivered", suits=returnable)
    reasons = RETURN_REASONS if line["category"] == "clothing" else RETURN_REASONS[2:]
    return {**facts, "reason": rng.choice(reasons)}


def _return(facts: Facts) -> Solution:
    line = yield from the_line(facts)
    quote = yield do("quote_return", order_id=facts["order_id"], sku=line["sku"], reason=facts["reason"])
    must(quote["possible"], "it cannot be returned")
    to = facts.get("refund_to", "original payment")
    fee = quote["fee_to_original_payment"]
    if facts.get("no_fee") and fee:
        to = "store credit"
    if quote["value"] < facts.get("least", 0):
        until = quote["return_until"]
        return told(f"I left it; you can return it until {until}.", until)
    done = yield do("request_return", order_id=facts["order_id"], sku=line["sku"], reason=facts["reason"], refund_to=to)
    amount, by = euros(done["amount"]), done["send_back_by"]
    return told(f"You get {amount} EUR ({to}) if you send it back by {by}.", amount, by)


RETURN = WORDS.program(
    "request_return",
    _draw_return,
    _return,
    (
        TO_CREDIT,
        WORDS.twist("without a fee", "constraint", sets={"no_fee": True}),
        WORDS.twist("if it is worth it", "condition", near("least", 20, 40, 80)),
    ),
)


def _draw_return_dearest(world: World, rng: Random) -> Facts:
    facts, _ = a_line(world, rng, "delivered", suits=returnable)
    return {"customer_id": facts["customer_id"], "order_id": facts["order_id"]}


def _return_dearest(facts: Facts) -> Solution:
    order = yield do("get_order", order_id=facts["order_id"])
    possible = [each for each in order["lines"] if each["return_until"] and each["return_until"] >= day(0)]
    sign = 1 if facts.get("cheapest") else -1
    must(len(order["lines"]) >= 2, "nothing to choose between")
    line = yield choose(possible, key=lambda each: sign * each["unit_price"])
    done = yield do(
        "request_return",
        order_id=facts["order_id"],
        sku=line["sku"],
        reason="changed my mind",
        refund_to=facts.get("refund_to", "original payment"),
    )
    amount = euros(done["amount"])
    return told(f"The {line['product']} goes back; you get {amount} EUR.", line["product"], amount)


RETURN_DEAREST = WORDS.program(
    "return_dearest",
    _draw_return_dearest,
    _return_dearest,
    (
        TO_CREDIT,
        WORDS.twist("the cheapest", "change_of_mind", sets={"cheapest": True}),
        OTHER_ORDER,
    ),
)


def _draw_exchange(world: World, rng: Random) -> Facts:
    facts, line = a_line(world, rng, "delivered", suits=lambda line: returnable(line) and len(line["options"]) > 1)
    option, reason = another_option(rng, line), "changed my mind"
    if line["category"] == "clothing":  # options are sizes, the smallest first
        reason = "too small" if line["options"].index(option) > line["options"].index(line["option"]) else "too large"
    return {**facts, "option": option, "reason": reason}


def _exchange(facts: Facts) -> Solution:
    line = yield from the_line(facts)
    product = yield do("get_product", product_id=line["product_id"])
    new = yield from the_variant(product, facts["option"])
    old = next(each for each in product["variants"] if each["sku"] == line["sku"])
    if new["sku"] == old["sku"] or new["price"] > old["price"]:
        raise DeadEnd("no exchange for that")
    quote = yield do("quote_return", order_id=facts["order_id"], sku=line["sku"], reason=facts["reason"])
    must(quote["possible"], "it cannot be returned")
    until = quote["return_until"]
    if not new["stock"]:
        to = facts.get("otherwise")
        if to is None:
            raise DeadEnd("sold out")
        done = yield do(
            "request_return", order_id=facts["order_id"], sku=line["sku"], reason=facts["reason"], refund_to=to
        )
        return told(f"It is sold out; you get {euros(done['amount'])} EUR instead.", euros(done["amount"]))
    done = yield do(
        "request_exchange", order_id=facts["order_id"], sku=line["sku"], new_sku=new["sku"], reason=facts["reason"]
    )
    by = done["send_back_by"]
    return told(f"{facts['option']} is on its way; send yours back by {by} (returns end on {until}).", by, until)


EXCHANGE = WORDS.program(
    "request_exchange",
    _draw_exchange,
    _exchange,
    (
        WORDS.twist("or money", "condition", lambda world, rng, facts: {"otherwise": "store credit"}),
        OTHER_ORDER,
        COLLEAGUE,
    ),
)


def _withdraw(facts: Facts) -> Solution:
    listed = yield do("list_returns", customer_id=facts["customer_id"])
    announced = [each for each in listed if each["status"] == "announced"]
    found = yield choose(announced, key=lambda each: -int(each["announced_on"].replace("-", "")))
    order = yield do("get_order", order_id=found["order_id"])
    if found["amount"] > facts.get("most", 1e9):
        amount = euros(found["amount"])
        return told(f"I left {found['return_id']} alone: {amount} EUR are to come back.", found["return_id"], amount)
    yield do("withdraw_return", return_id=found["return_id"])
    total = euros(order["total"])
    text = f"The return of the {found['product']} is withdrawn; {found['order_id']} came to {total} EUR."
    return told(text, found["product"], total)


WITHDRAW = WORDS.program(
    "withdraw_return",
    a_customer,
    _withdraw,
    (
        WORDS.twist("not if it is much money", "condition", near("most", 45, 90, 150)),
        COLLEAGUE,
    ),
)


def _draw_value(world: World, rng: Random) -> Facts:
    recent = [each for each in orders(world, "delivered") if each["delivered_on"] >= day(-12)]
    order = pick(rng, recent)
    return {"customer_id": order["customer_id"], "order_id": order["order_id"]}


def _value(facts: Facts) -> Solution:
    order = yield do("get_order", order_id=facts["order_id"])
    quotes = []
    for line in order["lines"]:
        quotes.append(
            (
                yield do(
                    "quote_return",
                    order_id=facts["order_id"],
                    sku=line["sku"],
                    reason=facts.get("reason", "changed my mind"),
                )
            )
        )
    possible = [each for each in quotes if each["possible"]]
    must(possible, "nothing can be returned")
    field = "refund_to_store_credit" if facts.get("credit") else "refund_to_original_payment"
    total = euros(sum(each[field] for each in possible))
    until = min(each["return_until"] for each in possible)
    return told(f"Returning one of each brings {total} EUR; decide by {until}.", total, until)


VALUE = WORDS.program(
    "value_of_returns",
    _draw_value,
    _value,
    (
        WORDS.twist("as store credit", "change_of_mind", sets={"credit": True}),
        COLLEAGUE,
    ),
)

RETURNS = (RETURN, RETURN_DEAREST, EXCHANGE, WITHDRAW, VALUE)
