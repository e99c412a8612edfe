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
    says,
    told,
    twist,
)
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, World, choose, do, pick


def _track(facts: Facts) -> Policy:
    parcel = yield do("track_parcel", order_id=facts["order_id"])
    order = yield do("get_order", order_id=facts["order_id"])
    street, tracking, comes = order["address"]["street"], parcel["tracking"], parcel["expected_on"]
    text = f"The parcel {tracking} is {parcel['status']} to {street}, expected on {comes}."
    if comes < facts.get("before", "0"):
        done = yield do("file_complaint", order_id=facts["order_id"], topic="late delivery", wish=facts["wish"])
        by = done["answer_by"]
        return told(f"{text} Your complaint is answered by {by}.", tracking, street, comes, by)
    return told(text, tracking, street, comes)


TRACK = Program(
    "track_parcel",
    "Find out where a parcel is and when it comes",
    says(
        "Where is the parcel of {order_id}? I need the tracking number, the street it goes to, and the day on which it "
        "[is|was] expected.",
        "{order_id}: tracking no., street it goes to, expected day?",
        "I keep looking out of the window for {order_id}! Could you give me the tracking number, and tell me to which "
        "street it is going and what day it is expected?",
        "Please let me have the tracking number of {order_id}, the street to which it is addressed and the expected "
        "day of delivery.",
        "tracking number of {order_id}, which street, which day, quick!",
        "Please say me the tracking number of {order_id}, to which street it goes and the day when it shall come.",
    ),
    lambda world, rng: an_order(world, rng, "shipped"),
    _track,
    (
        twist("complain if it is late", "condition", says(
            "If it was expected before {before:date}, file a complaint about late delivery as well; I would like a "
            "{wish}. By when is that answered?",
            "expected before {before:date}? then complaint: late delivery, want a {wish}. answered by when?",
            "And if it was expected before {before:date}, that will not do at all, so file a complaint about late "
            "delivery and let me have a {wish}! By what day, in that case?",
            "Should it have been expected before {before:date}, lodge a complaint of late delivery, requesting a "
            "{wish}, and state by when it is answered.",
        ), lambda world, rng, facts: {
            "before": day(rng.choice((-3, 0, 1))), "wish": rng.choice(("call back", "written answer"))
        }),
        OTHER_ORDER,
    ),
    again="order_id",
)  # fmt: skip


def _draw_redirect(world: World, rng: Random) -> Facts:
    order = pick(rng, [each for each in orders(world, "shipped") if each["expected_on"] >= day(0)])
    address = world.get("addresses", order["address_id"])
    if address is None:
        raise DeadEnd("the address is out of sight")
    return {"customer_id": order["customer_id"], "order_id": order["order_id"], "city": address["city"]}


def _redirect(facts: Facts) -> Policy:
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


REDIRECT = Program(
    "redirect_parcel",
    "Have a parcel brought to a pickup point instead",
    says(
        "[I am never at home|Nobody is at home] during the day, so please redirect {order_id} to the pickup point in "
        "{city} that closes latest. Which one is it, and until when does the parcel wait there?",
        "redirect {order_id} to a pickup point in {city}, the one that closes latest. name + held until?",
        "The courier and I always miss each other, so let {order_id} go to a pickup point in {city}, whichever closes "
        "latest! What is it called and how long will they keep it?",
        "I request that {order_id} be redirected to the pickup point in {city} with the latest closing hour; please "
        "name it and the day until which the parcel is held.",
        "{order_id} to a pickup point in {city}, latest closing one! which, and kept until when?",
        "Please bring {order_id} to the pickup place in {city} which closes most late; how is the name and until what "
        "day it waits?",
    ),
    _draw_redirect,
    _redirect,
    (
        twist("the one that opens first", "change_of_mind", says(
            "Actually, take the one that opens earliest in the morning.",
            "no, the one that opens earliest.",
            "Ah, no, I start work late, so the one that opens earliest would be handier!",
            "On reflection, the one with the earliest opening hour would be preferable.",
        ), earliest=True),
        twist("only while away", "condition", says(
            "If it is expected before {away_from:date}, leave it as it is and tell me the expected day.",
            "expected before {away_from:date}? leave it, just the day.",
            "I am only away from {away_from:date} on, so if it is expected before that, leave it be and tell me the "
            "day!",
            "Should it be expected before {away_from:date}, make no change and state the day.",
        ), lambda world, rng, facts: {"away_from": day(rng.randint(-2, 3))}),
        OTHER_ORDER,
    ),
)  # fmt: skip


def _draw_lost(world: World, rng: Random) -> Facts:
    order = pick(rng, [each for each in orders(world, "shipped") if each["expected_on"] <= day(-7)])
    return {"customer_id": order["customer_id"], "order_id": order["order_id"]}


def _lost(facts: Facts) -> Policy:
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
            if variant["stock"] < line["quantity"]:
                raise DeadEnd("it cannot be sent again")
    done = yield do("report_lost", order_id=facts["order_id"], settle_by=way)
    tracking = parcel["tracking"]
    if way == "refund":
        back = euros(done["refund"])
        return told(f"{tracking} counts as lost; {back} EUR are on your store credit.", tracking, back)
    comes = done["new_parcel_expected_on"]
    return told(f"{tracking} counts as lost; a new parcel comes on {comes}.", tracking, comes)


LOST = Program(
    "report_lost",
    "Report a parcel that never came and have it paid back or sent again",
    says(
        "The parcel of {order_id} is long overdue. Please declare it lost and pay me back to my store credit. Which "
        "tracking number was it, and how much do I get?",
        "{order_id} never came. declare lost, refund as store credit. tracking no. + amount?",
        "I have waited and waited for {order_id}, it must be at the bottom of the sea by now! Declare it lost, refund "
        "it to my store credit, and tell me the tracking number and how much it was!",
        "As {order_id} has not arrived long after its due date, I ask you to declare it lost and to refund it to my "
        "store credit, stating the tracking number and the sum.",
        "{order_id} still not here, declare it lost and refund me in store credit! tracking number and amount?",
        "The {order_id} did not come since long, please say it is lost and give the money to store credit; tracking "
        "number and how much?",
    ),
    _draw_lost,
    _lost,
    (
        twist("send it again", "change_of_mind", says(
            "No, on second thoughts, I would rather have it sent again; tell me the new day.",
            "no refund, reship it. new date?",
            "Oh, but I do want the things, so please send it all again instead, and what day will that be?",
            "I would in fact prefer a reshipment to the refund, and ask for its expected day.",
        ), settle_by="reshipment"),
        twist("money only for a large one", "condition", says(
            "Only if the order was over {refund_above:money} euros; otherwise have it shipped again and tell me the "
            "new day.",
            "refund only if over {refund_above:money}, else reship + new date.",
            "If it was {refund_above:money} euros or less, though, just ship it again and tell me the new day!",
            "The refund is requested only for a total above {refund_above:money} EUR; otherwise a reshipment, with its "
            "expected day.",
        ), near_total("refund_above")),
        OTHER_ORDER,
    ),
)  # fmt: skip


def _draw_arrivals(world: World, rng: Random) -> Facts:
    return {"customer_id": pick(rng, orders(world, "shipped"))["customer_id"]}


def _arrivals(facts: Facts) -> Policy:
    listed = yield do("list_orders", customer_id=facts["customer_id"], status=facts.get("status", "shipped"))
    if facts.get("status") == "placed":
        order = yield choose(listed, key=lambda each: -each["total"])
        full = yield do("get_order", order_id=order["order_id"])
        text = f"The dearest of them is {order['order_id']}, expected on {full['expected_on']}."
        return told(text, order["order_id"], full["expected_on"])
    if len(listed) < 2:
        raise DeadEnd("nothing to choose between")
    parcels = []
    for each in listed:
        parcels.append((yield do("track_parcel", order_id=each["order_id"])))
    first = yield choose(parcels, key=lambda each: each["expected_on"])
    text = f"{first['order_id']} is first, expected on {first['expected_on']}: {first['carrier']}, {first['tracking']}."
    return told(text, first["order_id"], first["tracking"])


ARRIVALS = Program(
    "first_arrival",
    "Find out which of the parcels on their way has the earliest expected day",
    says(
        "Of my orders that have been shipped and not delivered, which one has the earliest expected day? I need its "
        "number and the tracking number.",
        "which of my shipped orders is due earliest? order + tracking no.",
        "There must be parcels of mine on the road, so which of those shipped orders is due the earliest? Give me its "
        "number and the tracking number, would you?",
        "Please identify, among my orders in shipment, the one with the earliest expected day, with its tracking "
        "number.",
        "shipped orders: which one is due earliest? order number, tracking number!",
        "From my orders which are sent, which has the most early day? I need number of order and of tracking.",
    ),
    _draw_arrivals,
    _arrivals,
    (
        twist("those not packed", "change_of_mind", says(
            "Sorry, forget the shipped ones: I mean the dearest of the orders that are placed but not packed, and its "
            "expected day.",
            "no: the dearest one placed but not packed, and its expected day.",
            "Oh, wait, what I need to know is the dearest one among those only placed and not packed yet, and when "
            "that is expected!",
            "I correct myself: I refer to the dearest of the orders placed but not packed, and its expected day.",
        ), status="placed"),
        COLLEAGUE,
    ),
    unknown="[I do not have any of the numbers.|I cannot find the confirmation mails.]",
)  # fmt: skip


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


def _complain(facts: Facts) -> Policy:
    parcel = yield do("track_parcel", order_id=facts["order_id"])
    carrier = parcel["carrier"]
    if carrier == facts.get("not_by"):
        return told(f"I filed nothing; the parcel was {parcel['tracking']}.", parcel["tracking"])
    done = yield do("file_complaint", order_id=facts["order_id"], topic=facts["topic"], wish=facts["wish"])
    by = done["answer_by"]
    return told(f"Your complaint is filed; the carrier was {carrier}, you are answered by {by}.", carrier, by)


COMPLAIN = Program(
    "file_complaint",
    "Complain about an order and learn who carried it and when the answer comes",
    says(
        "I want to complain about {order_id}: {topic}. I would like a {wish}. Which company carried the parcel, and by "
        "which day am I answered?",
        "complaint re {order_id}: {topic}. want a {wish}. carrier + answer by when?",
        "I never complain, but {order_id} really was too much ({topic}), so please file that and let me have a "
        "{wish}! Who "
        "carried it, and by what day will I hear?",
        "I wish to lodge a complaint concerning {order_id} on the grounds of {topic}, and request a {wish}; please "
        "name the carrier and the day by which it is answered.",
        "complaint: {order_id}, {topic}, I want a {wish}. which carrier, answer by?",
        "I make complaint for {order_id}, the problem is {topic}, and I want a {wish}; which company brought it and "
        "until when comes the answer?",
    ),
    _draw_complaint,
    _complain,
    (
        twist("another way to answer", "change_of_mind", says(
            "As to the answer, a {wish} would be better after all.",
            "rather a {wish}.",
            "Hm, thinking about it, a {wish} would suit me better!",
            "As regards the reply, I should after all prefer a {wish}.",
        ), lambda world, rng, facts: {"wish": "call back" if facts["wish"] != "call back" else "written answer"}),
        twist("not against one carrier", "condition", says(
            "If {not_by} carried it, file nothing[, I know them|]; just tell me the tracking number.",
            "carried by {not_by}? then no complaint, just the tracking no.",
            "But if it was {not_by}, then never mind, my cousin drives for them, just tell me the tracking number!",
            "Should {not_by} have carried it, please lodge nothing and state the tracking number.",
        ), lambda world, rng, facts: {
            "not_by": rng.choice(("Nordvik Parcel", "Kestrel Logistics", "Paketbogen"))
        }),
        OTHER_ORDER,
    ),
)  # fmt: skip

PARCELS = (TRACK, REDIRECT, LOST, ARRIVALS, COMPLAIN)
