"""Requests that the shop's policy forbids: what proves it is looked up and told."""

from random import Random

from toolscale.reference.ecommerce.catalogue import CANCEL_REASONS, faults_of
from toolscale.reference.ecommerce.programs.common import (
    OTHER_ORDER,
    a_line,
    an_order,
    euros,
    orders,
    says,
    the_line,
    told,
)
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Refusal, Steps, World, do, pick


def _draw_shipped(world: World, rng: Random) -> Facts:
    return {**an_order(world, rng, "shipped"), "reason": rng.choice(CANCEL_REASONS)}


def _too_late_to_cancel(facts: Facts) -> Policy:
    parcel = yield do("track_parcel", order_id=facts["order_id"])
    if parcel["status"] not in ("in transit", "delayed"):
        raise DeadEnd("it is not on its way")
    text = f"{facts['order_id']} has left with {parcel['carrier']}, {parcel['tracking']}; it can be returned later."
    return told(text, parcel["carrier"], parcel["tracking"])


def _cancel_all_the_same(facts: Facts) -> Steps:
    yield do("cancel_order", order_id=facts["order_id"], reason=facts["reason"], refund_to="store credit")


CANCEL_SHIPPED = Program(
    "refuse_cancelling_shipped",
    "Ask to cancel an order that has been shipped",
    says(
        "Please cancel {order_id}, reason: {reason}. [If it is on its way already|Should it have left already], leave "
        "it and tell me the carrier and the tracking number.",
        "cancel {order_id} ({reason}). already shipped? then carrier + tracking no.",
        'I have changed my plans, so cancel {order_id} and note "{reason}"! And if it is already on the road, who '
        "has it, and under what tracking number?",
        'I wish to withdraw from {order_id} ("{reason}"); should it already have been shipped, kindly name the '
        "carrier and the tracking number.",
        "cancel {order_id}, {reason}, or if it has left already: which carrier, which tracking number?",
        "Please cancel {order_id} because {reason}; if is already sent, say me the carrier and tracking number.",
    ),
    _draw_shipped,
    _too_late_to_cancel,
    (OTHER_ORDER,),
    again="order_id",
    refusal=Refusal("only_what_is_not_packed_is_changed", _cancel_all_the_same),
)


def _draw_elsewhere(world: World, rng: Random) -> Facts:
    order = pick(rng, orders(world, "shipped"))
    address = world.get("addresses", order["address_id"])
    if address is None:
        raise DeadEnd("the address is out of sight")
    label = "home" if address["label"] == "work" else "work"
    return {"customer_id": order["customer_id"], "order_id": order["order_id"], "label": label}


def _stays_where_it_goes(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["order_id"])
    if order["status"] != "shipped" or order["address"]["label"] == facts["label"]:
        raise DeadEnd("it has not left, or goes there")
    street, comes = order["address"]["street"], order["expected_on"]
    text = f"{facts['order_id']} has left for {street}, where it is expected on {comes}."
    return told(text, street, comes)


def _change_address_all_the_same(facts: Facts) -> Steps:
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    address = next(each for each in customer["addresses"] if each["label"] == facts["label"])
    yield do("change_address", order_id=facts["order_id"], address_id=address["address_id"])


READDRESS_SHIPPED = Program(
    "refuse_other_address",
    "Ask to send a parcel that has left to another address",
    says(
        "Please have {order_id} delivered to my {label} address. If it has left already and that is no longer "
        "possible, tell me the street it goes to and the expected day.",
        "{order_id} to {label} address if still possible. if it has left: street + expected day?",
        "I am such a muddle-head, {order_id} should really go to my {label} address! And if it has left and you can do "
        "nothing, to which street is it going, and when?",
        "Insofar as it has not yet been dispatched, {order_id} is to go to my {label} address; otherwise kindly state "
        "the street and the day expected.",
        "{order_id} to the {label} address, or if too late: where does it go and when!",
        "Please change {order_id} to my {label} address; if it is too late because sent, say me the street and the "
        "day.",
    ),
    _draw_elsewhere,
    _stays_where_it_goes,
    (OTHER_ORDER,),
    refusal=Refusal("only_what_is_not_packed_is_changed", _change_address_all_the_same),
)


def _overdue(line: Record) -> bool:
    return bool(line["return_days"] and day(-400) < line["delivered_on"] < day(-line["return_days"]))


def _draw_late(world: World, rng: Random) -> Facts:
    return a_line(world, rng, "delivered", suits=_overdue)[0]


def _too_late_to_return(facts: Facts) -> Policy:
    line = yield from the_line(facts)
    quote = yield do("quote_return", order_id=facts["order_id"], sku=line["sku"], reason="changed my mind")
    if quote["possible"] or "ended" not in quote["obstacle"]:
        raise DeadEnd("it is not too late")
    until, price = quote["return_until"], euros(line["unit_price"])
    return told(f"It cannot go back: the period ended on {until}. You paid {price} EUR for one.", until, price)


def _return_all_the_same(facts: Facts) -> Steps:
    line = yield from the_line(facts)
    yield do(
        "request_return", order_id=facts["order_id"], sku=line["sku"], reason="changed my mind",
        refund_to="store credit",
    )  # fmt: skip


RETURN_LATE = Program(
    "refuse_late_return",
    "Ask to return something after the return period",
    says(
        "I changed my mind about the {product} from {order_id} and want to return one for store credit. If it is too "
        "late, tell me the last day on which I could have, and what I paid for one.",
        "return {product} from {order_id}, changed my mind, store credit. too late? last possible day + price paid?",
        "The {product} from {order_id} just sits in the cupboard, I changed my mind, so let me return one for store "
        "credit! If it is too late, what was the last day, and what did I pay for it, oh dear?",
        "Having changed my mind, I wish to return one {product} from {order_id} against store credit; should the "
        "period have ended, kindly state the final day and the unit price paid.",
        "one {product} from {order_id} back for store credit, changed my mind! too late? then last day and price!",
        "I changed my mind and want return one {product} from {order_id} for store credit; if is too late, which was "
        "the last day and how much I paid for one?",
    ),
    _draw_late,
    _too_late_to_return,
    (OTHER_ORDER,),
    refusal=Refusal("returns_in_time_and_once", _return_all_the_same),
)


def _draw_hygiene(world: World, rng: Random) -> Facts:
    return a_line(world, rng, "delivered", suits=lambda line: not line["return_days"])[0]


def _never_returned(facts: Facts) -> Policy:
    line = yield from the_line(facts)
    quote = yield do("quote_return", order_id=facts["order_id"], sku=line["sku"], reason="changed my mind")
    if quote["possible"] or "unless" not in quote["obstacle"]:
        raise DeadEnd("it can be returned")
    product = yield do("get_product", product_id=line["product_id"])
    price, now = euros(line["unit_price"]), product["category"]
    text = f"{now} products stay with you unless they arrived faulty; you paid {price} EUR for one."
    return told(text, price)


RETURN_HYGIENE = Program(
    "refuse_return_of_supplies",
    "Ask to return food or care products without a fault",
    says(
        "There is nothing wrong with the {product} from {order_id}, I just changed my mind; please take one back for "
        "store credit. If that cannot be done with such a product, tell me what I paid for one.",
        "{product} from {order_id}: not faulty, changed my mind, take one back for store credit. not allowed for that? "
        "then price paid for one.",
        "I have far too much {product} after {order_id}, all of it fine, I only changed my mind, so take one back for "
        "store credit! If you do not take such products back, what did I pay for one?",
        "Without any fault on its part, and having merely changed my mind, I wish to give back one {product} from "
        "{order_id} for store credit; if such products are excluded, please state the unit price paid.",
        non_native="The {product} from {order_id} is good, only I changed my mind; take one back for store credit "
        "please. If this kind is not allowed, how much I paid for one?",
    ),
    _draw_hygiene,
    _never_returned,
    (OTHER_ORDER,),
    refusal=Refusal("returns_in_time_and_once", _return_all_the_same),
)


def _draw_no_adjustment(world: World, rng: Random) -> Facts:
    def suits(line: Record) -> bool:
        return bool(day(-150) < line["placed_on"] and (line["placed_on"] < day(-14) or line["voucher_code"]))

    return a_line(world, rng, "delivered", suits=suits)[0]


def _no_adjustment(facts: Facts) -> Policy:
    line = yield from the_line(facts)
    found = yield do("check_price", order_id=facts["order_id"], sku=line["sku"])
    if not found["obstacle"]:
        raise DeadEnd("a difference is due")
    now, paid = euros(found["price_today"]), euros(found["paid_each"])
    return told(f"Nothing is due: {found['obstacle']}. You paid {paid} EUR, it costs {now} EUR today.", now, paid)


def _adjust_all_the_same(facts: Facts) -> Steps:
    line = yield from the_line(facts)
    yield do("adjust_price", order_id=facts["order_id"], sku=line["sku"], refund_to="store credit")


NO_ADJUSTMENT = Program(
    "refuse_price_adjustment",
    "Ask for a fall in price that is not paid back",
    says(
        "If the {product} from {order_id} costs less today, I want the difference as store credit. If you do not pay "
        "that, tell me what I paid for one and what it costs today.",
        "{product} from {order_id}: price difference as store credit. if not: what i paid each + price today.",
        "Somebody told me that you give back the difference, so what about the {product} from {order_id}, as store "
        "credit? And if you will not, what did I pay for one, and what is it today?",
        "I claim any difference to today's price of the {product} from {order_id} as store credit; should it be "
        "declined, kindly state the unit price paid and today's.",
        non_native="For the {product} of {order_id} I want the difference of price as store credit; if you not give, "
        "how much I paid for one and how much is today?",
    ),
    _draw_no_adjustment,
    _no_adjustment,
    (OTHER_ORDER,),
    refusal=Refusal("prices_paid_back_within_two_weeks", _adjust_all_the_same),
)


def _draw_old(world: World, rng: Random) -> Facts:
    def suits(line: Record) -> bool:
        return bool(line["warranty_months"] and line["delivered_on"] < day(-31 * line["warranty_months"]))

    facts, line = a_line(world, rng, "delivered", suits=suits)
    return {**facts, "fault": rng.choice(faults_of(line["name"], line["category"]))}


def _warranty_over(facts: Facts) -> Policy:
    line = yield from the_line(facts)
    found = yield do("check_warranty", order_id=facts["order_id"], sku=line["sku"])
    if found["covered"] or not found["warranty_until"]:
        raise DeadEnd("the warranty still runs")
    until, months = found["warranty_until"], f"{found['warranty_months']} months"
    return told(f"The warranty of {months} ended on {until}.", until)


def _claim_all_the_same(facts: Facts) -> Steps:
    line = yield from the_line(facts)
    yield do("claim_warranty", order_id=facts["order_id"], sku=line["sku"], fault=facts["fault"], remedy="repair")


WARRANTY_OVER = Program(
    "refuse_old_warranty",
    "Claim a repair after the warranty has ended",
    says(
        "The {product} from {order_id} is faulty ({fault}). Please have it repaired under warranty; if the warranty is "
        "over, tell me the day on which it ended.",
        "{product} from {order_id}, {fault}, repair under warranty. if it's over: ended when?",
        'After all these years the {product} from {order_id} gives up, I would call it "{fault}", so could the '
        "warranty see to it? And "
        "if that is over, what day did it end, just so I know?",
        'I request the repair under warranty of the {product} from {order_id}, which shows the fault "{fault}"; '
        "should the warranty have lapsed, kindly state the date.",
        "{product} from {order_id} is faulty ({fault}), repair by warranty, or tell me when it ended!",
        'The {product} from {order_id} has the problem "{fault}"; please repair with warranty, if the warranty '
        "finished say me which "
        "day.",
    ),
    _draw_old,
    _warranty_over,
    (OTHER_ORDER,),
    refusal=Refusal("repairs_while_the_warranty_runs", _claim_all_the_same),
)


def _draw_near(world: World, rng: Random) -> Facts:
    near = [each for each in world.rows("subscriptions") if each["status"] == "active" and each["next_on"] < day(3)]
    found = pick(rng, near)
    return {"customer_id": found["customer_id"], "subscription_id": found["subscription_id"]}


def _too_late_to_skip(facts: Facts) -> Policy:
    listed = yield do("list_subscriptions", customer_id=facts["customer_id"])
    found = next((each for each in listed if each["subscription_id"] == facts["subscription_id"]), None)
    if found is None or found["status"] != "active" or found["next_on"] >= day(3):
        raise DeadEnd("it can be left out")
    comes, price = found["next_on"], euros(found["price_a_delivery"])
    return told(f"The delivery of {comes} is being packed and cannot be left out; it costs {price} EUR.", comes, price)


def _skip_all_the_same(facts: Facts) -> Steps:
    yield do("skip_delivery", subscription_id=facts["subscription_id"], deliveries=1)


SKIP_LATE = Program(
    "refuse_late_skip",
    "Ask to leave out a delivery that is being packed",
    says(
        "Please leave out just the next delivery of {subscription_id}. If it is too late for that, tell me when it "
        "comes and what it costs.",
        "leave out next delivery of {subscription_id}, if still possible. else: date + cost?",
        "The pantry is bursting, so could the very next delivery of {subscription_id} be left out? And if you are "
        "packing it already, what day does it come, and for how much?",
        "Please omit the forthcoming delivery under {subscription_id}; should it be too late, kindly state its day and "
        "price.",
        "next delivery of {subscription_id} must not come! too late? then day and price.",
        "Please not send the next delivery of {subscription_id}; if is too late, when it comes and how much is it?",
    ),
    _draw_near,
    _too_late_to_skip,
    refusal=Refusal("three_days_of_notice_for_subscriptions", _skip_all_the_same),
)

REFUSED = (
    CANCEL_SHIPPED, READDRESS_SHIPPED, RETURN_LATE, RETURN_HYGIENE, NO_ADJUSTMENT, WARRANTY_OVER, SKIP_LATE
)  # fmt: skip
