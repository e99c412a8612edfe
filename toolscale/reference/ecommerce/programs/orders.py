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
    says,
    the_line,
    the_variant,
    told,
    twist,
)
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, World, choose, do, pick


def _draw_cancel(world: World, rng: Random) -> Facts:
    return {**an_order(world, rng, "placed"), "reason": rng.choice(CANCEL_REASONS)}


def _cancel(facts: Facts) -> Policy:
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


CANCEL = Program(
    "cancel_order",
    "Cancel an order before it is packed and learn how much comes back",
    says(
        "Please cancel {order_id}[ and send the money back the way I paid|, money back the usual way]; the reason to "
        "note is \"{reason}\". How much [do I get back|comes back]?",
        "cancel {order_id}, reason: {reason}. refund amount?",
        "I am afraid {order_id} has to go, just put down \"{reason}\" if your form wants a reason, [and tell me|and I "
        "would love to know] how much comes back to me!",
        "I wish to cancel {order_id}, stating \"{reason}\" as the reason, and ask for the sum that will be refunded.",
        "cancel {order_id}, reason \"{reason}\", what do I get back?",
        "I want cancel {order_id}, for reason please write \"{reason}\", and how much money returns to me?",
    ),
    _draw_cancel,
    _cancel,
    (
        TO_CREDIT,
        twist("not if it is a small one", "condition", says(
            "If it comes to less than {least:money} euros, leave it [as it is|in place] and just tell me the total.",
            "if total under {least:money} keep it, tell me the total.",
            "Though if it is only a little thing, I mean under {least:money} euros, then let it come and just tell me "
            "the total!",
            "Should its total be below {least:money} EUR, let it stand and state the total.",
            "under {least:money}? then keep it and tell me the total.",
        ), near_total("least")),
        OTHER_ORDER,
    ),
    again="order_id",
)  # fmt: skip


def _draw_any_cancel(world: World, rng: Random) -> Facts:
    return {
        "customer_id": pick(rng, orders(world, "placed"))["customer_id"],
        "reason": rng.choice(CANCEL_REASONS),
    }


def _cancel_dearest(facts: Facts) -> Policy:
    listed = yield do("list_orders", customer_id=facts["customer_id"], status="placed")
    sign = 1 if facts.get("smallest") else -1
    order = yield choose(listed, key=lambda each: sign * each["total"])
    if len(listed) < 2:
        raise DeadEnd("nothing to choose between")
    yield do("get_order", order_id=order["order_id"])
    done = yield do(
        "cancel_order", order_id=order["order_id"], reason=facts["reason"], refund_to=facts.get("refund_to")
    )
    back = euros(done["refund"])
    return told(f"I cancelled {order['order_id']}; {back} EUR go back.", order["order_id"], back)


CANCEL_DEAREST = Program(
    "cancel_dearest",
    "Cancel the dearest of the orders that are not packed yet",
    says(
        "Of my orders that are not packed yet, please cancel the one with the highest total, reason \"{reason}\", and "
        "tell me its number and what [comes back|I get back].",
        "cancel my dearest unpacked order, reason {reason}. number + refund?",
        "I have gone a bit mad with ordering, so whichever of my unpacked orders is the dearest, cancel that one with "
        "\"{reason}\" as the reason! Which one was it and what do I get back?",
        "Please cancel the most expensive of my orders not yet packed, the reason being \"{reason}\"; kindly state its "
        "number and the refund.",
        "dearest order not packed yet: cancel, reason \"{reason}\", which one and how much back?",
        "From my orders which are not in the packet yet, cancel the most expensive, reason \"{reason}\"; which number "
        "and how much money?",
    ),
    _draw_any_cancel,
    _cancel_dearest,
    (
        TO_CREDIT,
        twist("the smallest one", "change_of_mind", says(
            "No, sorry, it should be the one with the lowest total.",
            "wrong, the cheapest one.",
            "Oh dear, no, I meant the other end, the one with the smallest total!",
            "I correct myself: the one with the lowest total is meant.",
            "sorry, the lowest total I mean!",
        ), smallest=True),
        COLLEAGUE,
    ),
    unknown="[I do not have the order numbers here.|I do not know which number that is.]",
)  # fmt: skip


def _draw_swap(world: World, rng: Random) -> Facts:
    facts, line = a_line(world, rng, "placed", suits=lambda line: len(line["options"]) > 1)
    return {**facts, "option": another_option(rng, line)}


def _swap(facts: Facts) -> Policy:
    line = yield from the_line(facts)
    product = yield do("get_product", product_id=line["product_id"])
    new = yield from the_variant(product, facts["option"])
    if new["sku"] == line["sku"]:
        raise DeadEnd("it is that option already")
    if new["stock"] < line["quantity"]:
        if "channel" not in facts:
            raise DeadEnd("sold out")
        alert = yield do("set_stock_alert", customer_id=facts["customer_id"], sku=new["sku"], channel=facts["channel"])
        back = alert["restock_on"]
        return told(f"That option is sold out until {back}; you will hear of it.", back)
    if new["price"] - line["unit_price"] > facts.get("most", 1e9):
        price = euros(new["price"])
        return told(f"I left it: that option costs {price} EUR.", price)
    done = yield do("swap_option", order_id=facts["order_id"], sku=line["sku"], new_sku=new["sku"])
    total = euros(done["total"])
    return told(f"{facts['order_id']} now holds {done['option']}; the new total is {total} EUR.", total)


SWAP = Program(
    "swap_option",
    "Change a product in an order to another size or colour",
    says(
        "Please change the {product} in {order_id} to {option}. What is the new total[ of the order|]?",
        "{order_id}: change {product} to {option}. new total?",
        "I [clicked too fast|was in two minds], so could the {product} in {order_id} be changed to {option}, and what "
        "does the whole order come to then?",
        "I request that the {product} in {order_id} be changed to {option}, and to be told the resulting total.",
        "{product} in {order_id} should be {option}, quick change please, total then?",
        "In {order_id} I choose wrong the {product}, please put {option}; how much is then the total?",
    ),
    _draw_swap,
    _swap,
    (
        twist("alert if sold out", "condition", says(
            "If that is sold out, leave the order alone and set an alert for me by {channel} instead, and tell me the "
            "day it is back.",
            "sold out? then alert by {channel}, and when is it back?",
            "And if that is gone already, just leave everything and let me know by {channel} when it is back, what day "
            "might that be?",
            "Should it be sold out, make no change, have me notified by {channel} and state the date of restocking.",
        ), lambda world, rng, facts: {"channel": rng.choice(("e-mail", "text message"))}),
        twist("not much dearer", "condition", says(
            "If a piece costs over {most:money} euros more than what I paid for it, leave it and tell me its price.",
            "more than {most:money} extra per piece? leave it, tell me the price.",
            "But if that one is more than {most:money} euros dearer a piece, then leave it and tell me its price!",
            "Should it exceed the price paid by more than {most:money} EUR a piece, refrain from the change and state "
            "its price.",
        ), near("most", 8, 15)),
        OTHER_ORDER,
    ),
)  # fmt: skip


def _draw_quantity(world: World, rng: Random) -> Facts:
    facts, line = a_line(world, rng, "placed", suits=lambda line: line["voucher_code"] is None)
    return {**facts, "quantity": rng.choice([number for number in (2, 3, 4, 5) if number != line["quantity"]])}


def _quantity(facts: Facts) -> Policy:
    line = yield from the_line(facts)
    if line["quantity"] == facts["quantity"]:
        raise DeadEnd("it is that many already")
    more = line["unit_price"] * (facts["quantity"] - line["quantity"])
    if more > facts.get("most", 1e9):
        each = euros(line["unit_price"])
        return told(f"I left it: one costs {each} EUR.", each)
    done = yield do("change_quantity", order_id=facts["order_id"], sku=line["sku"], quantity=facts["quantity"])
    total = euros(done["total"])
    return told(f"{facts['order_id']} now comes to {total} EUR.", total)


QUANTITY = Program(
    "change_quantity",
    "Order more or fewer of a product in an order that is not packed yet",
    says(
        "Please make it {quantity:count} of the {product} in {order_id}[, instead of the number I ordered|]. What "
        "does the "
        "order come to [then|now]?",
        "{order_id}: make it {quantity:int} of the {product} in all. new total?",
        "The [family|whole office] wants some too, so let it be {quantity:count} of the {product} in {order_id}! What "
        "is the sum of it all then?",
        "Kindly set the quantity of the {product} in {order_id} to {quantity:count}, and state the revised total.",
        "need {quantity:count} of the {product} in {order_id} in total, new sum?",
        "In {order_id} please to have {quantity:int} pieces of the {product}; how much costs the order now?",
    ),
    _draw_quantity,
    _quantity,
    (
        twist("not too much more", "condition", says(
            "If that makes the order more than {most:money} euros dearer, leave it and tell me the price of one.",
            "over {most:money} extra? leave it, tell me the unit price.",
            "Only, if it adds more than {most:money} euros, then better leave it and tell me what one costs!",
            "Should the increase exceed {most:money} EUR, make no change and state the price of a single piece.",
        ), near("most", 90, 240, 400)),
        OTHER_ORDER,
        COLLEAGUE,
    ),
)  # fmt: skip


def _draw_removal(world: World, rng: Random) -> Facts:
    return a_line(world, rng, "placed", suits=lambda line: line["voucher_code"] is None)[0]


def _remove(facts: Facts) -> Policy:
    line = yield from the_line(facts)
    done = yield do("remove_line", order_id=facts["order_id"], sku=line["sku"])
    less, total = euros(done["cheaper_by"]), euros(done["total"])
    return told(f"The {facts['product']} is out: {less} EUR less, {total} EUR in all.", less, total)


REMOVE = Program(
    "remove_line",
    "Take a product out of an order that is not packed yet",
    says(
        "I [do not need|no longer want] the {product} in {order_id}; please take it out but keep the rest. "
        "By how much does it get cheaper, and what is the total now?",
        "take {product} out of {order_id}, keep rest. saving + new total?",
        "My brother came home with the very same {product} yesterday, so take it out of {order_id}, "
        "but keep all the rest! How much is that off, and what is left to pay?",
        "Please remove the {product} from {order_id}, keeping the remainder, and state the deduction and the new "
        "total.",
        "{product} out of {order_id}, the rest stays! how much less, what total?",
        "From {order_id} please take away the {product}, other things stay; how much less and how much is now?",
    ),
    _draw_removal,
    _remove,
    (OTHER_ORDER, COLLEAGUE),
)


ORDERS = (CANCEL, CANCEL_DEAREST, SWAP, QUANTITY, REMOVE)
