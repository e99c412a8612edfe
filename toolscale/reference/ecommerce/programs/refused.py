"""Requests that the shop's policy forbids: what proves it is looked up and told."""

from random import Random

from toolscale.reference.ecommerce.catalogue import CANCEL_REASONS, FAULTS
from toolscale.reference.ecommerce.programs.common import OTHER_ORDER, a_line, an_order, euros, orders, the_line, told
from toolscale.reference.kit import just, known, must
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Record, Refusal, Solution, Steps, World, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)


def _draw_shipped(world: World, rng: Random) -> Facts:
    return {**an_order(world, rng, "shipped"), "reason": rng.choice(CANCEL_REASONS)}


def _too_late_to_cancel(facts: Facts) -> Solution:
    parcel = yield do("track_parcel", order_id=facts["order_id"])
    must(parcel["status"] in ("in transit", "delayed"), "it is not on its way")
    text = f"{facts['order_id']} has left with {parcel['carrier']}, {parcel['tracking']}; it can be returned later."
    return told(text, parcel["carrier"], parcel["tracking"])


CANCEL_SHIPPED = WORDS.program(
    "refuse_cancelling_shipped",
    _draw_shipped,
    _too_late_to_cancel,
    (OTHER_ORDER,),
    again="order_id",
    refusal=Refusal(
        "only_what_is_not_packed_is_changed",
        just("cancel_order", "order_id", "reason", where={"refund_to": "store credit"}),
    ),
)


def _draw_elsewhere(world: World, rng: Random) -> Facts:
    order = pick(rng, orders(world, "shipped"))
    address = known(world, "addresses", order["address_id"])
    label = "home" if address["label"] == "work" else "work"
    return {"customer_id": order["customer_id"], "order_id": order["order_id"], "label": label}


def _stays_where_it_goes(facts: Facts) -> Solution:
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


READDRESS_SHIPPED = WORDS.program(
    "refuse_other_address",
    _draw_elsewhere,
    _stays_where_it_goes,
    (OTHER_ORDER,),
    refusal=Refusal("only_what_is_not_packed_is_changed", _change_address_all_the_same),
)


def _overdue(line: Record) -> bool:
    return bool(line["return_days"] and day(-400) < line["delivered_on"] < day(-line["return_days"]))


def _draw_late(world: World, rng: Random) -> Facts:
    return a_line(world, rng, "delivered", suits=_overdue)[0]


def _too_late_to_return(facts: Facts) -> Solution:
    line = yield from the_line(facts)
    quote = yield do("quote_return", order_id=facts["order_id"], sku=line["sku"], reason="changed my mind")
    if quote["possible"] or "ended" not in quote["obstacle"]:
        raise DeadEnd("it is not too late")
    until, price = quote["return_until"], euros(line["unit_price"])
    return told(f"It cannot go back: the period ended on {until}. You paid {price} EUR for one.", until, price)


def _return_all_the_same(facts: Facts) -> Steps:
    line = yield from the_line(facts)
    yield do(
        "request_return",
        order_id=facts["order_id"],
        sku=line["sku"],
        reason="changed my mind",
        refund_to="store credit",
    )


RETURN_LATE = WORDS.program(
    "refuse_late_return",
    _draw_late,
    _too_late_to_return,
    (OTHER_ORDER,),
    refusal=Refusal("returns_in_time_and_once", _return_all_the_same),
)


def _draw_hygiene(world: World, rng: Random) -> Facts:
    return a_line(world, rng, "delivered", suits=lambda line: not line["return_days"])[0]


def _never_returned(facts: Facts) -> Solution:
    line = yield from the_line(facts)
    quote = yield do("quote_return", order_id=facts["order_id"], sku=line["sku"], reason="changed my mind")
    if quote["possible"] or "unless" not in quote["obstacle"]:
        raise DeadEnd("it can be returned")
    product = yield do("get_product", product_id=line["product_id"])
    price, now = euros(line["unit_price"]), product["category"]
    text = f"{now} products stay with you unless they arrived faulty; you paid {price} EUR for one."
    return told(text, price)


RETURN_HYGIENE = WORDS.program(
    "refuse_return_of_supplies",
    _draw_hygiene,
    _never_returned,
    (OTHER_ORDER,),
    refusal=Refusal("returns_in_time_and_once", _return_all_the_same),
)


def _draw_no_adjustment(world: World, rng: Random) -> Facts:
    def suits(line: Record) -> bool:
        return bool(day(-150) < line["placed_on"] and (line["placed_on"] < day(-14) or line["voucher_code"]))

    return a_line(world, rng, "delivered", suits=suits)[0]


def _no_adjustment(facts: Facts) -> Solution:
    line = yield from the_line(facts)
    found = yield do("check_price", order_id=facts["order_id"], sku=line["sku"])
    must(found["obstacle"], "a difference is due")
    now, paid = euros(found["price_today"]), euros(found["paid_each"])
    return told(f"Nothing is due: {found['obstacle']}. You paid {paid} EUR, it costs {now} EUR today.", now, paid)


def _adjust_all_the_same(facts: Facts) -> Steps:
    line = yield from the_line(facts)
    yield do("adjust_price", order_id=facts["order_id"], sku=line["sku"], refund_to="store credit")


NO_ADJUSTMENT = WORDS.program(
    "refuse_price_adjustment",
    _draw_no_adjustment,
    _no_adjustment,
    (OTHER_ORDER,),
    refusal=Refusal("prices_paid_back_within_two_weeks", _adjust_all_the_same),
)


def _draw_old(world: World, rng: Random) -> Facts:
    def suits(line: Record) -> bool:
        return bool(line["warranty_months"] and line["delivered_on"] < day(-31 * line["warranty_months"]))

    facts, line = a_line(world, rng, "delivered", suits=suits)
    return {**facts, "fault": rng.choice(FAULTS[line["name"]])}


def _warranty_over(facts: Facts) -> Solution:
    line = yield from the_line(facts)
    found = yield do("check_warranty", order_id=facts["order_id"], sku=line["sku"])
    if found["covered"] or not found["warranty_until"]:
        raise DeadEnd("the warranty still runs")
    until, months = found["warranty_until"], f"{found['warranty_months']} months"
    return told(f"The warranty of {months} ended on {until}.", until)


def _claim_all_the_same(facts: Facts) -> Steps:
    line = yield from the_line(facts)
    yield do("claim_warranty", order_id=facts["order_id"], sku=line["sku"], fault=facts["fault"], remedy="repair")


WARRANTY_OVER = WORDS.program(
    "refuse_old_warranty",
    _draw_old,
    _warranty_over,
    (OTHER_ORDER,),
    refusal=Refusal("repairs_while_the_warranty_runs", _claim_all_the_same),
)


def _draw_near(world: World, rng: Random) -> Facts:
    near = [each for each in world.rows("subscriptions") if each["status"] == "active" and each["next_on"] < day(3)]
    found = pick(rng, near)
    return {"customer_id": found["customer_id"], "subscription_id": found["subscription_id"]}


def _too_late_to_skip(facts: Facts) -> Solution:
    listed = yield do("list_subscriptions", customer_id=facts["customer_id"])
    found = next((each for each in listed if each["subscription_id"] == facts["subscription_id"]), None)
    if found is None or found["status"] != "active" or found["next_on"] >= day(3):
        raise DeadEnd("it can be left out")
    comes, price = found["next_on"], euros(found["price_a_delivery"])
    return told(f"The delivery of {comes} is being packed and cannot be left out; it costs {price} EUR.", comes, price)


SKIP_LATE = WORDS.program(
    "refuse_late_skip",
    _draw_near,
    _too_late_to_skip,
    refusal=Refusal(
        "three_days_of_notice_for_subscriptions", just("skip_delivery", "subscription_id", where={"deliveries": 1})
    ),
)

REFUSED = (CANCEL_SHIPPED, READDRESS_SHIPPED, RETURN_LATE, RETURN_HYGIENE, NO_ADJUSTMENT, WARRANTY_OVER, SKIP_LATE)
