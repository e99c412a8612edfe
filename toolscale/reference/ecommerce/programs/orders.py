"""Programs about what an order holds, until it is packed: cancel it, or change it."""

from random import Random

from toolscale.reference.ecommerce.catalogue import CANCEL_REASONS
from toolscale.reference.ecommerce.programs.common import (
    COLLEAGUE,
    OTHER_ORDER,
    TO_CREDIT,
    a_line,
    an_order,
    another_option,
    euros,
    near,
    near_total,
    orders,
    the_line,
    the_variant,
    told,
)
from toolscale.reference.kit import must
from toolscale.reference.program import Facts, Solution, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)


def _draw_cancel(world: World, rng: Random) -> Facts:
    return {**an_order(world, rng, "placed"), "reason": rng.choice(CANCEL_REASONS)}


def _cancel(facts: Facts) -> Solution:
    order = yield do("get_order", order_id=facts["order_id"])
    total = euros(order["total"])
    if order["total"] < facts.get("least", 0):
        return told(f"{facts['order_id']} comes to {total} EUR, so it stands.", total)
    done = yield do(
        "cancel_order", order_id=facts["order_id"], reason=facts["reason"], refund_to=facts.get("refund_to")
    )
    street = order["address"]["street"]
    back, credit = euros(done["refund"]), euros(done["store_credit"])
    text = f"{facts['order_id']} to {street} is cancelled; {back} EUR go back, your store credit is {credit} EUR."
    return told(text, back, credit) if facts.get("refund_to") else told(text, back)


CANCEL = WORDS.program(
    "cancel_order",
    _draw_cancel,
    _cancel,
    (
        TO_CREDIT,
        WORDS.twist("not if it is a small one", "condition", near_total("least")),
        OTHER_ORDER,
    ),
    again="order_id",
)


def _draw_any_cancel(world: World, rng: Random) -> Facts:
    return {
        "customer_id": pick(rng, orders(world, "placed"))["customer_id"],
        "reason": rng.choice(CANCEL_REASONS),
    }


def _cancel_dearest(facts: Facts) -> Solution:
    listed = yield do("list_orders", customer_id=facts["customer_id"], status="placed")
    sign = 1 if facts.get("smallest") else -1
    order = yield choose(listed, key=lambda each: sign * each["total"])
    must(len(listed) >= 2, "nothing to choose between")
    yield do("get_order", order_id=order["order_id"])
    done = yield do(
        "cancel_order", order_id=order["order_id"], reason=facts["reason"], refund_to=facts.get("refund_to")
    )
    back = euros(done["refund"])
    return told(f"I cancelled {order['order_id']}; {back} EUR go back.", order["order_id"], back)


CANCEL_DEAREST = WORDS.program(
    "cancel_dearest",
    _draw_any_cancel,
    _cancel_dearest,
    (
        TO_CREDIT,
        WORDS.twist("the smallest one", "change_of_mind", sets={"smallest": True}),
        COLLEAGUE,
    ),
)


def _draw_swap(world: World, rng: Random) -> Facts:
    facts, line = a_line(world, rng, "placed", suits=lambda line: len(line["options"]) > 1)
    return {**facts, "option": another_option(rng, line)}


def _swap(facts: Facts) -> Solution:
    line = yield from the_line(facts)
    product = yield do("get_product", product_id=line["product_id"])
    new = yield from the_variant(product, facts["option"])
    must(new["sku"] != line["sku"], "it is that option already")
    if new["stock"] < line["quantity"]:
        must("channel" in facts, "sold out")
        alert = yield do("set_stock_alert", customer_id=facts["customer_id"], sku=new["sku"], channel=facts["channel"])
        back = alert["restock_on"]
        return told(f"That option is sold out until {back}; you will hear of it.", back)
    if new["price"] - line["unit_price"] > facts.get("most", 1e9):
        price = euros(new["price"])
        return told(f"I left it: that option costs {price} EUR.", price)
    done = yield do("swap_option", order_id=facts["order_id"], sku=line["sku"], new_sku=new["sku"])
    total = euros(done["total"])
    return told(f"{facts['order_id']} now holds {done['option']}; the new total is {total} EUR.", total)


SWAP = WORDS.program(
    "swap_option",
    _draw_swap,
    _swap,
    (
        WORDS.twist(
            "alert if sold out",
            "condition",
            lambda world, rng, facts: {"channel": rng.choice(("e-mail", "text message"))},
        ),
        WORDS.twist("not much dearer", "condition", near("most", 8, 15)),
        OTHER_ORDER,
    ),
)


def _draw_quantity(world: World, rng: Random) -> Facts:
    facts, line = a_line(world, rng, "placed", suits=lambda line: line["voucher_code"] is None)
    return {**facts, "quantity": rng.choice([number for number in (2, 3, 4, 5) if number != line["quantity"]])}


def _quantity(facts: Facts) -> Solution:
    line = yield from the_line(facts)
    must(line["quantity"] != facts["quantity"], "it is that many already")
    more = line["unit_price"] * (facts["quantity"] - line["quantity"])
    if more > facts.get("most", 1e9):
        each = euros(line["unit_price"])
        return told(f"I left it: one costs {each} EUR.", each)
    done = yield do("change_quantity", order_id=facts["order_id"], sku=line["sku"], quantity=facts["quantity"])
    total = euros(done["total"])
    return told(f"{facts['order_id']} now comes to {total} EUR.", total)


QUANTITY = WORDS.program(
    "change_quantity",
    _draw_quantity,
    _quantity,
    (
        WORDS.twist("not too much more", "condition", near("most", 90, 240, 400)),
        OTHER_ORDER,
        COLLEAGUE,
    ),
)


def _draw_removal(world: World, rng: Random) -> Facts:
    return a_line(world, rng, "placed", suits=lambda line: line["voucher_code"] is None)[0]


def _remove(facts: Facts) -> Solution:
    line = yield from the_line(facts)
    done = yield do("remove_line", order_id=facts["order_id"], sku=line["sku"])
    less, total = euros(done["cheaper_by"]), euros(done["total"])
    return told(f"The {facts['product']} is out: {less} EUR less, {total} EUR in all.", less, total)


REMOVE = WORDS.program("remove_line", _draw_removal, _remove, (OTHER_ORDER, COLLEAGUE))


ORDERS = (CANCEL, CANCEL_DEAREST, SWAP, QUANTITY, REMOVE)
