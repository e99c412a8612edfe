"""Programs about ordering: vouchers, the order itself, the same once more."""

from random import Random

from toolscale.reference.ecommerce.programs.common import COLLEAGUE, a_customer, an_order, euros, near, near_total, told
from toolscale.reference.kit import must
from toolscale.reference.program import DeadEnd, Facts, Record, Solution, World, choose, do
from toolscale.reference.words import words

WORDS = words(__file__)


def _voucher(facts: Facts) -> Solution:
    cart = yield do("get_cart", customer_id=facts["customer_id"])
    vouchers = yield do("list_vouchers", customer_id=facts["customer_id"])
    usable = [each for each in vouchers if each["minimum_spend"] <= cart["goods"]]
    if facts.get("last_first"):
        voucher = yield choose(usable, key=lambda each: each["valid_until"])
    else:
        voucher = yield choose(usable, key=lambda each: -_worth(each, cart["goods"]))
    must(voucher["voucher_code"] != cart["voucher_code"], "it is in use already")
    if _worth(voucher, cart["goods"]) < facts.get("least", 0):
        until = voucher["valid_until"]
        return told(f"I kept {voucher['voucher_code']}, which is valid until {until}.", voucher["voucher_code"], until)
    done = yield do("apply_voucher", customer_id=facts["customer_id"], voucher_code=voucher["voucher_code"])
    off = euros(done["discount"])
    return told(
        f"{done['voucher_code']} takes {off} EUR off; {euros(done['to_pay'])} EUR are to pay.",
        done["voucher_code"],
        off,
        euros(done["to_pay"]),
    )


def _worth(voucher: Record, goods: float) -> float:
    return float(goods * voucher["value"] / 100 if voucher["kind"] == "percent" else min(voucher["value"], goods))


VOUCHER = WORDS.program(
    "apply_best_voucher",
    a_customer,
    _voucher,
    (
        WORDS.twist("which runs out first", "change_of_mind", sets={"last_first": True}),
        WORDS.twist("only for a good discount", "condition", near("least", 8, 12)),
        COLLEAGUE,
    ),
)


def _draw_checkout(world: World, rng: Random) -> Facts:
    return {
        **a_customer(world, rng),
        "label": rng.choice(("home", "work")),
        "delivery": rng.choice(("standard", "standard", "express")),
        "payment": rng.choice(("card", "card", "invoice")),
    }


def _checkout(facts: Facts) -> Solution:
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
        "place_order",
        customer_id=facts["customer_id"],
        address_id=address["address_id"],
        delivery=facts["delivery"],
        payment=payment,
    )
    comes = order["expected_on"]
    return told(f"It is ordered for {total} EUR, paid by {payment}, and comes on {comes}.", total, comes)


CHECKOUT = WORDS.program(
    "place_order",
    _draw_checkout,
    _checkout,
    (
        WORDS.twist("a limit", "condition", near("most", 150, 220, 380)),
        WORDS.twist("store credit if it suffices", "constraint", sets={"credit_first": True}),
        WORDS.twist(
            "to the other address",
            "change_of_mind",
            lambda world, rng, facts: {"label": "home" if facts["label"] == "work" else "work"},
        ),
    ),
)


def _reorder(facts: Facts) -> Solution:
    order = yield do("get_order", order_id=facts["order_id"])
    yield do("get_cart", customer_id=facts["customer_id"])  # the policy: before anything is added to it
    if order["total"] > facts.get("most", 1e9):
        total = euros(order["total"])
        return told(f"I left your cart as it is: that order came to {total} EUR.", total)
    cart = yield do("reorder", order_id=facts["order_id"])
    now, paid = euros(cart["goods"]), euros(order["total"])
    return told(f"Your cart holds {now} EUR of goods; that order came to {paid} EUR.", now, paid)


REORDER = WORDS.program(
    "reorder",
    lambda world, rng: an_order(world, rng, "delivered"),
    _reorder,
    (
        WORDS.twist("only if it was not too dear", "condition", near_total("most")),
        COLLEAGUE,
    ),
)


CHECKOUTS = (VOUCHER, CHECKOUT, REORDER)
