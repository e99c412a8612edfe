"""Programs about parcels on their way: where they are, pickup points, lost ones, complaints."""

from random import Random

from toolscale.reference.ecommerce.catalogue import TOPICS
from toolscale.reference.ecommerce.programs.common import (
    COLLEAGUE,
    OTHER_ORDER,
    an_order,
    euros,
    near_total,
    orders,
    told,
)
from toolscale.reference.kit import known, must
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Solution, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)


def _track(facts: Facts) -> Solution:
    parcel = yield do("track_parcel", order_id=facts["order_id"])
    order = yield do("get_order", order_id=facts["order_id"])
    street, tracking, comes = order["address"]["street"], parcel["tracking"], parcel["expected_on"]
    text = f"The parcel {tracking} is {parcel['status']} to {street}, expected on {comes}."
    if comes < facts.get("before", "0"):
        done = yield do("file_complaint", order_id=facts["order_id"], topic="late delivery", wish=facts["wish"])
        by = done["answer_by"]
        return told(f"{text} Your complaint is answered by {by}.", tracking, street, comes, by)
    return told(text, tracking, street, comes)


TRACK = WORDS.program(
    "track_parcel",
    lambda world, rng: an_order(world, rng, "shipped"),
    _track,
    (
        WORDS.twist(
            "complain if it is late",
            "condition",
            lambda world, rng, facts: {
                "before": day(rng.choice((-3, 0, 1))),
                "wish": rng.choice(("call back", "written answer")),
            },
        ),
        OTHER_ORDER,
    ),
    again="order_id",
)


def _draw_redirect(world: World, rng: Random) -> Facts:
    order = pick(rng, [each for each in orders(world, "shipped") if each["expected_on"] >= day(0)])
    address = known(world, "addresses", order["address_id"])
    return {"customer_id": order["customer_id"], "order_id": order["order_id"], "city": address["city"]}


def _redirect(facts: Facts) -> Solution:
    parcel = yield do("track_parcel", order_id=facts["order_id"])
    if parcel["status"] != "in transit" or parcel["point_id"]:
        raise DeadEnd("it cannot be redirected")
    if parcel["expected_on"] < facts.get("away_from", "0"):
        return told(f"I left it: it comes on {parcel['expected_on']}.", parcel["expected_on"])
    points = yield do("find_pickup_points", city=facts["city"])
    if facts.get("earliest"):
        point = yield choose(points, key=lambda each: each["opens"])
    else:
        point = yield choose(points, key=lambda each: -int(each["closes"].replace(":", "")))
    done = yield do("redirect_parcel", order_id=facts["order_id"], point_id=point["point_id"])
    text = f"It goes to {done['name']}, {done['street']}, and waits there until {done['held_until']}."
    return told(text, done["name"], done["held_until"])


REDIRECT = WORDS.program(
    "redirect_parcel",
    _draw_redirect,
    _redirect,
    (
        WORDS.twist("the one that opens first", "change_of_mind", sets={"earliest": True}),
        WORDS.twist("only while away", "condition", lambda world, rng, facts: {"away_from": day(rng.randint(-2, 3))}),
        OTHER_ORDER,
    ),
)


def _draw_lost(world: World, rng: Random) -> Facts:
    order = pick(rng, [each for each in orders(world, "shipped") if each["expected_on"] <= day(-7)])
    return {"customer_id": order["customer_id"], "order_id": order["order_id"]}


def _lost(facts: Facts) -> Solution:
    parcel = yield do("track_parcel", order_id=facts["order_id"])
    order = yield do("get_order", order_id=facts["order_id"])
    if parcel["status"] != "delayed" or parcel["expected_on"] > day(-7):
        raise DeadEnd("it is not overdue")
    way = facts.get("settle_by", "refund")
    if order["total"] > facts.get("refund_above", 1e9):
        way = "refund"
    elif "refund_above" in facts:
        way = "reshipment"
    if way == "reshipment":
        for line in order["lines"]:
            product = yield do("get_product", product_id=line["product_id"])
            variant = yield choose([v for v in product["variants"] if v["sku"] == line["sku"]], key=lambda v: v["sku"])
            must(variant["stock"] >= line["quantity"], "it cannot be sent again")
    done = yield do("report_lost", order_id=facts["order_id"], settle_by=way)
    tracking = parcel["tracking"]
    if way == "refund":
        back = euros(done["refund"])
        return told(f"{tracking} counts as lost; {back} EUR are on your store credit.", tracking, back)
    comes = done["new_parcel_expected_on"]
    return told(f"{tracking} counts as lost; a new parcel comes on {comes}.", tracking, comes)


LOST = WORDS.program(
    "report_lost",
    _draw_lost,
    _lost,
    (
        WORDS.twist("send it again", "change_of_mind", sets={"settle_by": "reshipment"}),
        WORDS.twist("money only for a large one", "condition", near_total("refund_above")),
        OTHER_ORDER,
    ),
)


def _draw_arrivals(world: World, rng: Random) -> Facts:
    return {"customer_id": pick(rng, orders(world, "shipped"))["customer_id"]}


def _arrivals(facts: Facts) -> Solution:
    listed = yield do("list_orders", customer_id=facts["customer_id"], status=facts.get("status", "shipped"))
    if facts.get("status") == "placed":
        order = yield choose(listed, key=lambda each: -each["total"])
        full = yield do("get_order", order_id=order["order_id"])
        text = f"The dearest of them is {order['order_id']}, expected on {full['expected_on']}."
        return told(text, order["order_id"], full["expected_on"])
    must(len(listed) >= 2, "nothing to choose between")
    parcels = []
    for each in listed:
        parcels.append((yield do("track_parcel", order_id=each["order_id"])))
    first = yield choose(parcels, key=lambda each: each["expected_on"])
    text = f"{first['order_id']} is first, expected on {first['expected_on']}: {first['carrier']}, {first['tracking']}."
    return told(text, first["order_id"], first["tracking"])


ARRIVALS = WORDS.program(
    "first_arrival",
    _draw_arrivals,
    _arrivals,
    (
        WORDS.twist("those not packed", "change_of_mind", sets={"status": "placed"}),
        COLLEAGUE,
    ),
)


def _draw_complaint(world: World, rng: Random) -> Facts:
    recent = [each for each in orders(world, "shipped", "delivered") if each["placed_on"] >= day(-60)]
    order = pick(rng, recent)
    facts = {"customer_id": order["customer_id"], "order_id": order["order_id"]}
    if any(each["order_id"] == facts["order_id"] for each in world.rows("complaints")):
        raise DeadEnd("there may be an open complaint")
    topics = (
        [each for each in TOPICS if each != "late delivery"] if order["status"] == "delivered" else ["wrong invoice"]
    )
    return {**facts, "topic": rng.choice(topics), "wish": rng.choice(("call back", "written answer"))}


def _complain(facts: Facts) -> Solution:
    parcel = yield do("track_parcel", order_id=facts["order_id"])
    carrier = parcel["carrier"]
    if carrier == facts.get("not_by"):
        return told(f"I filed nothing; the parcel was {parcel['tracking']}.", parcel["tracking"])
    done = yield do("file_complaint", order_id=facts["order_id"], topic=facts["topic"], wish=facts["wish"])
    by = done["answer_by"]
    return told(f"Your complaint is filed; the carrier was {carrier}, you are answered by {by}.", carrier, by)


COMPLAIN = WORDS.program(
    "file_complaint",
    _draw_complaint,
    _complain,
    (
        WORDS.twist(
            "another way to answer",
            "change_of_mind",
            lambda world, rng, facts: {"wish": "call back" if facts["wish"] != "call back" else "written answer"},
        ),
        WORDS.twist(
            "not against one carrier",
            "condition",
            lambda world, rng, facts: {"not_by": rng.choice(("Nordvik Parcel", "Kestrel Logistics", "Paketbogen"))},
        ),
        OTHER_ORDER,
    ),
)

PARCELS = (TRACK, REDIRECT, LOST, ARRIVALS, COMPLAIN)
