"""Programs about ordering: vouchers, the order itself, the same once more."""

from random import Random

from toolscale.reference.ecommerce.programs.common import (
    COLLEAGUE,
    a_customer,
    an_order,
    euros,
    near,
    near_total,
    says,
    told,
    twist,
)
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, World, choose, do


def _voucher(facts: Facts) -> Policy:
    cart = yield do("get_cart", customer_id=facts["customer_id"])
    vouchers = yield do("list_vouchers", customer_id=facts["customer_id"])
    usable = [each for each in vouchers if each["minimum_spend"] <= cart["goods"]]
    if facts.get("last_first"):
        voucher = yield choose(usable, key=lambda each: each["valid_until"])
    else:
        voucher = yield choose(usable, key=lambda each: -_worth(each, cart["goods"]))
    if voucher["voucher_code"] == cart["voucher_code"]:
        raise DeadEnd("it is in use already")
    if _worth(voucher, cart["goods"]) < facts.get("least", 0):
        until = voucher["valid_until"]
        return told(f"I kept {voucher['voucher_code']}, which is valid until {until}.", voucher["voucher_code"], until)
    done = yield do("apply_voucher", customer_id=facts["customer_id"], voucher_code=voucher["voucher_code"])
    off = euros(done["discount"])
    return told(f"{done['voucher_code']} takes {off} EUR off; {euros(done['to_pay'])} EUR are to pay.",
                done["voucher_code"], off, euros(done["to_pay"]))  # fmt: skip


def _worth(voucher: Record, goods: float) -> float:
    return float(goods * voucher["value"] / 100 if voucher["kind"] == "percent" else min(voucher["value"], goods))


VOUCHER = Program(
    "apply_best_voucher",
    "Use the voucher that takes most off the cart",
    says(
        "Please use whichever of my vouchers takes most off what is in my cart now. Which code is it, what does it "
        "take off, and what is left to pay?",
        "apply my best voucher to the cart as it is. code, discount, left to pay?",
        "You keep sending me vouchers and I never use them, so put the one on my cart that takes the most off! Which "
        "one is that, how much does it save, and what is left to pay?",
        "Please apply to my present cart the voucher that yields the greatest deduction, stating its code, the "
        "deduction and the sum that remains.",
        "best voucher I have onto my cart, code, how much off, how much to pay?",
        "From my vouchers take the one which makes the cart most cheap; which code, how much less, and how much I pay?",
    ),
    a_customer,
    _voucher,
    (
        twist("which runs out first", "change_of_mind", says(
            "Actually, rather use the one that runs out first, of those that can be used for it.",
            "no, the usable one that expires first.",
            "Hm, or else they will all expire on me, so take the usable one that runs out first!",
            "I would rather that the applicable voucher with the earliest expiry be used.",
        ), last_first=True),
        twist("only for a good discount", "condition", says(
            "If it takes off less than {least:money} euros, keep it for later and tell me the code and until when it "
            "is valid.",
            "under {least:money} off? keep it, just code + expiry.",
            "But if that saves less than {least:money} euros I will keep it for Christmas, then just tell me the code "
            "and until when it is good!",
            "Should the deduction be less than {least:money} EUR, do not apply it but state its code and expiry.",
        ), near("least", 8, 12)),
        COLLEAGUE,
    ),
    unknown="[I do not have the codes here.|I do not know the codes by heart.]",
)  # fmt: skip


def _draw_checkout(world: World, rng: Random) -> Facts:
    return {
        **a_customer(world, rng),
        "label": rng.choice(("home", "work")),
        "delivery": rng.choice(("standard", "standard", "express")),
        "payment": rng.choice(("card", "card", "invoice")),
    }


def _checkout(facts: Facts) -> Policy:
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    address = yield choose(
        [each for each in customer["addresses"] if each["label"] == facts["label"]], key=lambda each: each["address_id"]
    )
    if facts["delivery"] == "express" and customer["country"] in ("FI", "IE"):
        raise DeadEnd("no express delivery there")
    quote = yield do("quote_checkout", customer_id=facts["customer_id"], delivery=facts["delivery"])
    total = euros(quote["total"])
    if quote["total"] > facts.get("most", 1e9):
        return told(f"I ordered nothing: it would be {total} EUR.", total)
    payment = facts["payment"]
    if facts.get("credit_first") and customer["store_credit"] >= quote["total"]:
        payment = "store credit"
    if payment == "invoice" and quote["total"] > 400:
        raise DeadEnd("too much for an invoice")
    order = yield do(
        "place_order", customer_id=facts["customer_id"], address_id=address["address_id"],
        delivery=facts["delivery"], payment=payment,
    )  # fmt: skip
    comes = order["expected_on"]
    return told(f"It is ordered for {total} EUR, paid by {payment}, and comes on {comes}.", total, comes)


CHECKOUT = Program(
    "place_order",
    "Order what is in the cart",
    says(
        "Please order what is in my cart: {delivery} delivery to my {label} address, payment by {payment}. What is the "
        "total with delivery, and when does it arrive?",
        "order my cart, {delivery} delivery, {label} address, pay by {payment}. total + arrival?",
        "Right, I have made up my mind about that cart, so order it all, {delivery} delivery to my {label} address and "
        "paid by {payment}! What is the total, and which day may I expect it?",
        "I should like to order the contents of my cart by {delivery} delivery to my {label} address, payable by "
        "{payment}; kindly state the total and the day of arrival.",
        "order the cart now, {delivery} delivery to my {label} address, {payment} payment, total and day!",
        "Please order all in my cart, with {delivery} delivery to the {label} address, I pay by {payment}; how much "
        "together and which day?",
    ),
    _draw_checkout,
    _checkout,
    (
        twist("a limit", "condition", says(
            "If it is more than {most:money} euros with delivery, order nothing and tell me the total.",
            "over {most:money} with delivery? don't order, tell me the total.",
            "But my budget is {most:money} euros with everything, so if it is more, just tell me how much!",
            "Should the total including delivery exceed {most:money} EUR, order nothing and state it.",
        ), near("most", 150, 220, 380)),
        twist("store credit if it suffices", "constraint", says(
            "If my store credit covers all of it, use that for the payment instead.",
            "pay with store credit if it covers the lot.",
            "Oh, and if there is enough store credit on my account for all of it, then use that up instead!",
            "Insofar as my store credit covers the total, it is to be used instead.",
        ), credit_first=True),
        twist("to the other address", "change_of_mind", says(
            "Sorry, send it to my {label} address instead.",
            "no, {label} address.",
            "Oh wait, I am never there next week, so to my {label} address instead!",
            "I correct the address: it shall go to my {label} address.",
        ), lambda world, rng, facts: {"label": "home" if facts["label"] == "work" else "work"}),
    ),
)  # fmt: skip


def _reorder(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["order_id"])
    yield do("get_cart", customer_id=facts["customer_id"])  # the policy: before anything is added to it
    if order["total"] > facts.get("most", 1e9):
        total = euros(order["total"])
        return told(f"I left your cart as it is: that order came to {total} EUR.", total)
    cart = yield do("reorder", order_id=facts["order_id"])
    now, paid = euros(cart["goods"]), euros(order["total"])
    return told(f"Your cart holds {now} EUR of goods; that order came to {paid} EUR.", now, paid)


REORDER = Program(
    "reorder",
    "Put everything from an earlier order into the cart again",
    says(
        "I was happy with {order_id}, so please put all of it into my cart once more. What are the goods in the cart "
        "worth then, and what did that order come to?",
        "reorder {order_id} into my cart. value of goods in cart + what i paid back then?",
        "That {order_id} was such a good choice that I would like the very same things in my cart again! What are the "
        "goods in there worth now, and what had I paid for all that?",
        "Please place everything that {order_id} contained in my cart once again, stating the value of goods in it "
        "and the total of that order.",
        "all of {order_id} into the cart again! worth of the goods now, and the total of the old order?",
        "I want the same things like in {order_id} again in my cart; how much are the goods there now, and how much "
        "was that order?",
    ),
    lambda world, rng: an_order(world, rng, "delivered"),
    _reorder,
    (
        twist("only if it was not too dear", "condition", says(
            "If that order came to more than {most:money} euros, leave the cart as it is and just tell me its total.",
            "that order over {most:money}? leave the cart, just its total.",
            "If that one had come to more than {most:money} euros, though, leave the cart be and just tell me the sum!",
            "Should the total of that order exceed {most:money} EUR, refrain from it and state that total.",
        ), near_total("most")),
        COLLEAGUE,
    ),
)  # fmt: skip


CHECKOUTS = (VOUCHER, CHECKOUT, REORDER)
