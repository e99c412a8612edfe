"""Figures that customers want worked out, and steps that go on from what a request led to."""

from random import Random

from toolscale.reference.computed import Figure, computed
from toolscale.reference.program import OUTCOME, DeadEnd, Facts, Reply, Solution, World, do
from toolscale.reference.words import words

WORDS = words(__file__)

FIGURES = (
    Figure(("cancel_order", "report_lost"), "refund", "the refund", "the refunds", {"cancel_order": (80.0, 150.0)}),
    Figure(
        ("adjust_price",),
        "amount",
        "the price difference",
        "the price differences",
        {"adjust_price": (10.0, 20.0, 40.0)},
    ),
    Figure(
        ("start_subscription",),
        "price_a_delivery",
        "the price of a delivery",
        "the prices of a delivery",
        {"start_subscription": (20.0, 40.0)},
    ),
    Figure(("remove_line",), "cheaper_by", "the saving", "the savings", {"remove_line": (15.0, 40.0)}),
    Figure(
        ("upgrade_to_express",),
        "surcharge",
        "the express surcharge",
        "the express surcharges",
        {"upgrade_to_express": (8.0, 15.0)},
    ),
    Figure(
        ("request_return",),
        "amount",
        "the money back",
        "the sums that come back",
        {"request_return": (40.0, 80.0, 150.0)},
    ),
)


def _draw_paper(world: World, rng: Random, facts: Facts) -> Facts:
    return {"wrapped_in": rng.choice(("forest green", "midnight blue", "plain kraft"))}


def _wrap(facts: Facts) -> Solution:
    done = yield do("add_gift_wrap", order_id=facts[OUTCOME]["order_id"], paper=facts["wrapped_in"])
    total = f"{done['total']:.2f}"
    return Reply(
        f"It will be wrapped in {facts['wrapped_in']} paper; with that the order comes to {total} EUR.", (total,)
    )


WRAP = WORDS.twist("the new order as a gift", "dependent", draw=_draw_paper, after=_wrap, takes=("place_order",))


def _draw_cart(world: World, rng: Random, facts: Facts) -> Facts:
    carts = [each for each in world.rows("carts") if each["customer_id"] == facts["customer_id"]]
    if not any(line["cart_id"] == cart["cart_id"] for cart in carts for line in world.rows("cart_lines")):
        raise DeadEnd("nothing is in the cart")
    return {}


def _use_on_cart(facts: Facts) -> Solution:
    cart = yield do("apply_voucher", customer_id=facts["customer_id"], voucher_code=facts[OUTCOME]["voucher_code"])
    left = f"{cart['to_pay']:.2f}"
    return Reply(f"The voucher is on your cart; {left} EUR are left to pay.", (left,))


ON_CART = WORDS.twist(
    "the new voucher on the cart", "dependent", draw=_draw_cart, after=_use_on_cart, takes=("convert_points",)
)


OUTCOMES = (*computed(*FIGURES), WRAP, ON_CART)
