"""Programs about sending back: returns, exchanges, and what became of them."""

from random import Random

from toolscale.reference.ecommerce.catalogue import RETURN_REASONS
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
    says,
    the_line,
    the_variant,
    told,
    twist,
)
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, World, choose, do, pick


def returnable(line: Record) -> bool:
    """The return period of the line still runs."""
    return bool(line["return_days"] and line["delivered_on"] >= day(-line["return_days"]))


def _draw_return(world: World, rng: Random) -> Facts:
    facts, line = a_line(world, rng, "delivered", suits=returnable)
    reasons = RETURN_REASONS if line["category"] == "clothing" else RETURN_REASONS[2:]
    return {**facts, "reason": rng.choice(reasons)}


def _return(facts: Facts) -> Policy:
    line = yield from the_line(facts)
    quote = yield do("quote_return", order_id=facts["order_id"], sku=line["sku"], reason=facts["reason"])
    if not quote["possible"]:
        raise DeadEnd("it cannot be returned")
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


RETURN = Program(
    "request_return",
    "Return a product and learn what is paid back",
    says(
        "I want to return one {product} from {order_id}, reason: {reason}. Please refund it to the original payment. "
        "How much do I get, and by when must I send it back?",
        "return 1 {product} from {order_id}, {reason}, refund to original payment. amount + send back by?",
        "That {product} from {order_id} is going back, one of it, and for the reason just put \"{reason}\", money to "
        "the original payment please! What do I get for it, and by what day must the parcel leave?",
        "I wish to return one {product} from {order_id}, the reason being \"{reason}\", refundable to the original "
        "payment; kindly state the sum and the day by which it is to be sent.",
        "sending back one {product} of {order_id}, {reason}, money the way I paid. how much, until when?",
        "I want give back one {product} of {order_id}, because {reason}, money to original payment please; how much I "
        "receive and until what day I send?",
    ),
    _draw_return,
    _return,
    (
        TO_CREDIT,
        twist("without a fee", "constraint", says(
            "If you would keep a fee, take store credit instead so that there is none.",
            "if there's a fee: store credit instead.",
            "I am not paying any fee for that though, so if there is one, let it be store credit!",
            "Should a fee be deducted, the refund is to be made to store credit instead.",
            "no fee! else store credit.",
        ), no_fee=True),
        twist("if it is worth it", "condition", says(
            "If it is worth less than {least:money} euros now, leave it and just tell me until when it could be "
            "returned.",
            "worth under {least:money}? leave it, tell me the last return day.",
            "But for less than {least:money} euros I will not walk to the post office, so then just tell me until when "
            "I could!",
            "If its value is below {least:money} EUR, make no return and state the final day for one.",
        ), near("least", 20, 40, 80)),
    ),
)  # fmt: skip


def _draw_return_dearest(world: World, rng: Random) -> Facts:
    facts, _ = a_line(world, rng, "delivered", suits=returnable)
    return {"customer_id": facts["customer_id"], "order_id": facts["order_id"]}


def _return_dearest(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["order_id"])
    possible = [each for each in order["lines"] if each["return_until"] and each["return_until"] >= day(0)]
    sign = 1 if facts.get("cheapest") else -1
    if len(order["lines"]) < 2:
        raise DeadEnd("nothing to choose between")
    line = yield choose(possible, key=lambda each: sign * each["unit_price"])
    done = yield do(
        "request_return", order_id=facts["order_id"], sku=line["sku"], reason="changed my mind",
        refund_to=facts.get("refund_to", "original payment"),
    )  # fmt: skip
    amount = euros(done["amount"])
    return told(f"The {line['product']} goes back; you get {amount} EUR.", line["product"], amount)


RETURN_DEAREST = Program(
    "return_dearest",
    "Return whatever in an order has the highest price a piece",
    says(
        "From {order_id} I want to return one piece of whatever had the highest price a piece [and can be returned|, "
        "if it can go back], as I changed my mind; refund it the way I paid. Which product is it and what do I get?",
        "{order_id}: return 1 piece of the priciest returnable product (price per piece), changed my mind, money back "
        "how "
        "i paid. which + amount?",
        "I have been far too extravagant with {order_id}, so one piece of the priciest product that may go back goes "
        "back, I simply changed my mind, money back the way I paid! Which one would that be, and what do I get?",
        "From {order_id} I wish to return one piece of the returnable product with the highest unit price, having "
        "changed my mind, against refund to the original payment; please name it and the sum.",
        "{order_id}, one piece of the dearest product that can go back, changed my mind, refund how I paid. which and "
        "how "
        "much?",
        "Of {order_id} I give back one piece of the product most expensive that is possible, I changed my mind, money "
        "same way like I paid; which is it and how much?",
    ),
    _draw_return_dearest,
    _return_dearest,
    (
        TO_CREDIT,
        twist("the cheapest", "change_of_mind", says(
            "No, I will keep that; return the one with the lowest price a piece instead.",
            "other way round: lowest price per piece.",
            "Oh, I could not part with that one after all, so let it be the one with the lowest price a piece!",
            "On reflection, the one with the lowest unit price is to be returned instead.",
        ), cheapest=True),
        OTHER_ORDER,
    ),
    unknown="I do not remember what each piece cost.",
)  # fmt: skip


def _draw_exchange(world: World, rng: Random) -> Facts:
    facts, line = a_line(world, rng, "delivered", suits=lambda line: returnable(line) and len(line["options"]) > 1)
    option, reason = another_option(rng, line), "changed my mind"
    if line["category"] == "clothing":  # options are sizes, the smallest first
        reason = "too small" if line["options"].index(option) > line["options"].index(line["option"]) else "too large"
    return {**facts, "option": option, "reason": reason}


def _exchange(facts: Facts) -> Policy:
    line = yield from the_line(facts)
    product = yield do("get_product", product_id=line["product_id"])
    new = yield from the_variant(product, facts["option"])
    old = next(each for each in product["variants"] if each["sku"] == line["sku"])
    if new["sku"] == old["sku"] or new["price"] > old["price"]:
        raise DeadEnd("no exchange for that")
    quote = yield do("quote_return", order_id=facts["order_id"], sku=line["sku"], reason=facts["reason"])
    if not quote["possible"]:
        raise DeadEnd("it cannot be returned")
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


EXCHANGE = Program(
    "request_exchange",
    "Exchange a product for another size or colour",
    says(
        "Please exchange one {product} from {order_id} for the {option} one, reason: {reason}. By when must I send "
        "mine back, "
        "and when would the return period have ended?",
        "{order_id}: exchange 1 {product} for the {option} one, {reason}. send back by? return period ends?",
        "Such a pity about the {product} from {order_id}, but put down \"{reason}\" and let me have one in exchange, "
        "the {option} one this time! When must mine be in the post, and until when could I have returned it?",
        "I request the exchange of one {product} from {order_id} for the {option} one, the reason being \"{reason}\"; "
        "please "
        "state by when mine is to be sent and when the return period ends.",
        "swap one {product} delivered with {order_id} for the {option} one, {reason}! send mine by when, period ends "
        "when?",
        "From {order_id} I like to exchange one {product} for the {option} one, because {reason}; until when I send "
        "mine, and "
        "when finishes the time of return?",
    ),
    _draw_exchange,
    _exchange,
    (
        twist("or money", "condition", says(
            "If that is sold out, return mine for {otherwise} instead and tell me the amount.",
            "sold out? return it then, {otherwise}, and the amount.",
            "And if there is none of that left, then let us return mine for {otherwise}, and tell me how much!",
            "Should it be sold out, a return against {otherwise} is requested instead, with the sum.",
        ), lambda world, rng, facts: {"otherwise": "store credit"}),
        OTHER_ORDER,
        COLLEAGUE,
    ),
)  # fmt: skip


def _withdraw(facts: Facts) -> Policy:
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


WITHDRAW = Program(
    "withdraw_return",
    "Keep a product after all although its return has been announced",
    says(
        "I am keeping after all what I last announced to return, so please withdraw the latest of my announced "
        "returns. Which product was it, and what was the total of the order it came from?",
        "withdraw my latest announced return, keeping it. which product + total of its order?",
        "You will laugh, but I have grown fond of what I meant to send back, so do withdraw the latest return that I "
        "announced! Which product was that, and what had the whole order come to?",
        "I have decided to keep the object of the return that I announced last; please withdraw it, naming the product "
        "and the total of the order concerned.",
        "keeping it now, take back the last return I announced! which product, total of that order?",
        "The last return which I announced, now I want to keep it; please cancel this return and say me which product "
        "and how much was all the order.",
    ),
    a_customer,
    _withdraw,
    (
        twist("not if it is much money", "condition", says(
            "If more than {most:money} euros are to come back for it, leave the return and tell me the amount.",
            "refund over {most:money}? then leave the return, tell me the amount.",
            "Only, if there is more than {most:money} euros to come back, I had better return it, so just tell me how "
            "much!",
            "Should the refund exceed {most:money} EUR, leave the return in place and state the amount.",
        ), near("most", 45, 90, 150)),
        COLLEAGUE,
    ),
    unknown="[I do not have the return's number.|I have lost the return slip.]",
)  # fmt: skip


def _draw_value(world: World, rng: Random) -> Facts:
    recent = [each for each in orders(world, "delivered") if each["delivered_on"] >= day(-12)]
    order = pick(rng, recent)
    return {"customer_id": order["customer_id"], "order_id": order["order_id"]}


def _value(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["order_id"])
    quotes = []
    for line in order["lines"]:
        quotes.append((yield do(
            "quote_return", order_id=facts["order_id"], sku=line["sku"], reason=facts.get("reason", "changed my mind")
        )))  # fmt: skip
    possible = [each for each in quotes if each["possible"]]
    if not possible:
        raise DeadEnd("nothing can be returned")
    field = "refund_to_store_credit" if facts.get("credit") else "refund_to_original_payment"
    total = euros(sum(each[field] for each in possible))
    until = min(each["return_until"] for each in possible)
    return told(f"Returning one of each brings {total} EUR; decide by {until}.", total, until)


VALUE = Program(
    "value_of_returns",
    "Learn what returning one of everything in an order would bring, without doing it",
    says(
        "Do not return anything yet: if I sent back one of each product in {order_id} that can be returned, having "
        "changed my mind, how much would I get to the original payment in all, and which is the first day on which one "
        "of the return periods ends?",
        "just asking, no return yet: {order_id}, one of each returnable product, changed my mind, to original payment. "
        "total + earliest deadline?",
        "I am only toying with the idea, so return nothing: what would I get to the original payment if I sent back "
        "one of each returnable product of {order_id} because I changed my mind, and what is the first deadline?",
        "Without returning anything: please state what would be refunded to the original payment for one of each "
        "returnable product of {order_id} after a change of mind, and the earliest deadline.",
        non_native="Nothing to return now, I only ask: from {order_id} one of each product which can go back, because "
        "I changed my mind, how much comes to the original payment, and when is the first end of the time?",
    ),
    _draw_value,
    _value,
    (
        twist("as store credit", "change_of_mind", says(
            "Actually, tell me the sum for store credit instead.",
            "no: the sum as store credit.",
            "Oh, and I would take it as store credit anyway, so tell me that sum!",
            "I would rather know the sum in case of store credit.",
        ), credit=True),
        COLLEAGUE,
    ),
)  # fmt: skip

RETURNS = (RETURN, RETURN_DEAREST, EXCHANGE, WITHDRAW, VALUE)
