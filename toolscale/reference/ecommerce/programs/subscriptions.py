"""Programs about subscriptions."""

from random import Random

from toolscale.reference.ecommerce.programs.common import (
    COLLEAGUE,
    Step,
    a_customer,
    euros,
    near,
    says,
    the_product,
    the_variant,
    told,
    twist,
)
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, World, choose, do, pick


def _draw_start(world: World, rng: Random) -> Facts:
    variants = [each for each in world.rows("variants") if each["stock"] > 5]
    supplies = {each["product_id"]: each["name"] for each in world.rows("products") if each["subscribable"]}
    variant = pick(rng, [each for each in variants if each["product_id"] in supplies])
    return {
        **a_customer(world, rng), "product": supplies[variant["product_id"]], "option": variant["option"],
        "quantity": rng.choice((1, 2, 3)), "weeks": rng.choice((2, 3, 4, 6, 8)),
    }  # fmt: skip


def _start(facts: Facts) -> Policy:
    running = yield do("list_subscriptions", customer_id=facts["customer_id"])
    if any(each["product"] == facts["product"] for each in running):
        raise DeadEnd("there is a subscription of that already")
    product = yield from the_product(facts["product"])
    variant = yield from the_variant(product, facts["option"])
    if variant["price"] > facts.get("most", 1e9):
        price = euros(variant["price"])
        return told(f"I set nothing up: one costs {price} EUR.", price)
    done = yield do(
        "start_subscription", customer_id=facts["customer_id"], sku=variant["sku"], quantity=facts["quantity"],
        every_weeks=facts["weeks"],
    )  # fmt: skip
    price, first = euros(done["price_a_delivery"]), done["next_on"]
    return told(f"The first delivery comes on {first}, at {price} EUR.", first, price)


START = Program(
    "start_subscription",
    "Subscribe to supplies",
    says(
        "I would like to subscribe to the {product} ({option}), {quantity:count} of it every {weeks:count} weeks. When "
        "does it come first, and what does each delivery cost?",
        "subscription: {quantity:int} of {product} ({option}), every {weeks:int} weeks. first date + price per "
        "delivery?",
        "We get through so much {product} ({option}) that I had better subscribe, {quantity:count} of it every "
        "{weeks:count} weeks! What day does it start, and what is it each time?",
        "I wish to take out a subscription to the {product} ({option}), {quantity:count} of it at intervals of "
        "{weeks:count} weeks; kindly state the first day and the price of each delivery.",
        "subscribe me: {product} ({option}), {quantity:int} of it, every {weeks:int} weeks, starting when, how much?",
        "I want to receive regular {product} ({option}), {quantity:int} pieces, each {weeks:int} weeks; when is the "
        "first and how much every time?",
    ),
    _draw_start,
    _start,
    (
        twist("another interval", "change_of_mind", says(
            "Hm, every {weeks:count} weeks is better.",
            "make it every {weeks:int} weeks.",
            "Let me think, no, every {weeks:count} weeks will do nicely!",
            "An interval of {weeks:count} weeks would after all be more suitable.",
        ), lambda world, rng, facts: {"weeks": pick(rng, [each for each in (3, 5, 7, 10) if each != facts["weeks"]])}),
        twist("not too dear", "condition", says(
            "If one costs over {most:money} euros without the discount, do not subscribe me and tell me that price.",
            "list price over {most:money}? no subscription, just the price.",
            "But if a single one is more than {most:money} euros at the normal price, leave it and tell me how much!",
            "Should the regular price of one exceed {most:money} EUR, do not set it up but state the price.",
        ), near("most", 14, 22)),
        COLLEAGUE,
    ),
)  # fmt: skip


def _draw_subscription(world: World, rng: Random) -> Facts:
    free = [each for each in world.rows("subscriptions") if each["status"] == "active" and each["next_on"] >= day(3)]
    found = pick(rng, free)
    return {"customer_id": found["customer_id"], "subscription_id": found["subscription_id"]}


def _known(facts: Facts) -> Step:
    """The subscription, looked up among the customer's."""
    listed = yield do("list_subscriptions", customer_id=facts["customer_id"])
    mine = [each for each in listed if each["subscription_id"] == facts["subscription_id"]]
    found = yield choose(mine, key=lambda each: each["subscription_id"])
    if found["status"] != "active" or found["next_on"] < day(3):
        raise DeadEnd("it cannot be changed")
    return found


def _draw_change(world: World, rng: Random) -> Facts:
    facts = _draw_subscription(world, rng)
    return {**facts, "quantity": rng.choice((2, 3, 4, 5)), "weeks": rng.choice((2, 3, 4, 5, 6, 8))}


def _change(facts: Facts) -> Policy:
    found = yield from _known(facts)
    if (found["quantity"], found["every_weeks"]) == (facts["quantity"], facts["weeks"]):
        raise DeadEnd("it is like that already")
    if found["price_a_delivery"] > facts.get("most", 1e9):
        price = euros(found["price_a_delivery"])
        return told(f"I left it as it is, at {price} EUR a delivery.", price)
    done = yield do(
        "change_subscription", subscription_id=facts["subscription_id"], quantity=facts["quantity"],
        every_weeks=facts["weeks"],
    )  # fmt: skip
    price, coming = euros(done["price_a_delivery"]), done["next_on"]
    return told(f"The {done['product']} comes next on {coming}, at {price} EUR a delivery.", price, coming)


CHANGE = Program(
    "change_subscription",
    "Change how much of a subscription comes how often",
    says(
        "Please change {subscription_id} to {quantity:count} pieces every {weeks:count} weeks. What does a delivery "
        "cost then, and when is the next one?",
        "{subscription_id}: now {quantity:int} every {weeks:int} weeks. price per delivery + next date?",
        "Our cupboards tell me that {subscription_id} is not quite right, so let it be {quantity:count} pieces every "
        "{weeks:count} weeks! What is that a delivery, and when is the next?",
        "I request that {subscription_id} be altered to {quantity:count} pieces at intervals of {weeks:count} weeks; "
        "please state the price of a delivery and the date of the next.",
        "{subscription_id} should be {quantity:int} pieces, every {weeks:int} weeks! price each time, next when?",
        "Please make {subscription_id} now {quantity:int} pieces each {weeks:int} weeks; how much is one delivery "
        "and when is next?",
    ),
    _draw_change,
    _change,
    (
        twist("only while it is cheap", "condition", says(
            "If a delivery costs more than {most:money} euros as it is now, leave it and tell me that price.",
            "currently over {most:money} per delivery? leave it, tell me the price.",
            "But if a delivery is more than {most:money} euros already, leave it and tell me how much!",
            "Should a delivery at present exceed {most:money} EUR, make no change and state its price.",
        ), near("most", 25, 45, 60)),
        COLLEAGUE,
    ),
)  # fmt: skip


def _draw_skip(world: World, rng: Random) -> Facts:
    return {**_draw_subscription(world, rng), "deliveries": rng.choice((2, 3))}


def _skip(facts: Facts) -> Policy:
    found = yield from _known(facts)
    if found["next_on"] > facts.get("by", found["next_on"]):
        return told(f"I left it: the next one comes on {found['next_on']} anyway.", found["next_on"])
    done = yield do("skip_delivery", subscription_id=facts["subscription_id"], deliveries=facts["deliveries"])
    text = f"The {done['product']} comes next on {done['next_on']}; it was to come on {found['next_on']}."
    return told(text, done["next_on"], found["next_on"])


SKIP = Program(
    "skip_delivery",
    "Leave out coming deliveries of a subscription",
    says(
        "[We are away for a while|We still have plenty], so please leave out the next {deliveries:count} "
        "deliveries of {subscription_id}. When was it due, and when does it come now?",
        "skip next {deliveries:int} of {subscription_id}. date before + new date?",
        "We are drowning in the stuff, so skip {deliveries:count} of the next boxes of {subscription_id}, would you? "
        "What day was it going to come, and what day will it be now?",
        "Please omit the next {deliveries:count} consignments under {subscription_id}, stating the day originally "
        "foreseen and the new one.",
        "{subscription_id}: skip {deliveries:int}, still enough here! old day, new day?",
        "For {subscription_id} please not send the next {deliveries:int}; which day it should come before and which "
        "day now?",
    ),
    _draw_skip,
    _skip,
    (
        twist("only if it comes soon", "condition", says(
            "If it is due after {by:date} anyway, leave it and just tell me when.",
            "due after {by:date}? leave it, just the date.",
            "Unless it only comes after {by:date}, we will be home by then, so in that case just tell me the day!",
            "Should it fall due after {by:date}, make no change and state the day.",
        ), lambda world, rng, facts: {"by": day(rng.choice((10, 24, 40)))}),
        COLLEAGUE,
    ),
    again="subscription_id",
)  # fmt: skip


def _pause_dearest(facts: Facts) -> Policy:
    listed = yield do("list_subscriptions", customer_id=facts["customer_id"])
    active = [each for each in listed if each["status"] == "active"]
    if len(active) < 2:
        raise DeadEnd("nothing to choose between")
    if facts.get("soonest"):
        found = yield choose(active, key=lambda each: each["next_on"])
    else:
        found = yield choose(active, key=lambda each: -each["price_a_delivery"])
    if found["next_on"] < day(3):
        raise DeadEnd("it is being packed")
    yield do("set_subscription_status", subscription_id=found["subscription_id"], status=facts.get("status", "paused"))
    price = euros(found["price_a_delivery"])
    text = f"The {found['product']}, {found['subscription_id']}, at {price} EUR a delivery, has stopped."
    return told(text, found["product"], found["subscription_id"], price)


PAUSE = Program(
    "pause_dearest",
    "Pause the subscription that costs most a delivery",
    says(
        "I have to save money: please pause the active subscription of mine that costs most a delivery. Which one is "
        "it, with its number, and what is the price of a delivery?",
        "pause my priciest active subscription (per delivery). product, number, price?",
        "It is a lean winter, so the subscription that costs me the most a delivery should take a rest, pause it "
        "please! Which one is that, what is its number, and how much was it each time?",
        "Please suspend whichever of my active subscriptions has the highest price a delivery, naming the product, its "
        "number and that price.",
        "pause the dearest subscription per delivery I have! what is it, number, price?",
        "Please make pause for my subscription which is most expensive for one delivery; which product, what number, "
        "what price?",
    ),
    a_customer,
    _pause_dearest,
    (
        twist("end it", "change_of_mind", says(
            "No, do not only pause it: end it for good.",
            "not pause, end it.",
            "Oh, let us be honest, I will not want it back, so end it for good!",
            "On reflection, it is to be ended for good rather than suspended.",
        ), status="ended"),
        twist("the next to come", "change_of_mind", says(
            "Wait, what matters is which one comes next: stop the one with the earliest next delivery instead.",
            "no, the one with the earliest next delivery.",
            "Hm, no, we are going away, so rather the one that would come soonest!",
            "I should rather have the one whose next delivery is earliest stopped.",
        ), soonest=True),
        COLLEAGUE,
    ),
    unknown="I do not have the numbers of my subscriptions.",
)  # fmt: skip


def _resume(facts: Facts) -> Policy:
    listed = yield do("list_subscriptions", customer_id=facts["customer_id"])
    paused = [each for each in listed if each["status"] == "paused"]
    found = yield choose(paused, key=lambda each: each["price_a_delivery"])
    price = euros(found["price_a_delivery"])
    if found["price_a_delivery"] > facts.get("most", 1e9):
        return told(f"I left {found['subscription_id']} paused: it is {price} EUR a delivery.", price)
    done = yield do("set_subscription_status", subscription_id=found["subscription_id"], status="active")
    if facts.get("weeks", found["every_weeks"]) != found["every_weeks"]:
        yield do(
            "change_subscription", subscription_id=found["subscription_id"], quantity=found["quantity"],
            every_weeks=facts["weeks"],
        )  # fmt: skip
    text = f"The {found['product']} runs again from {done['next_on']}, at {price} EUR a delivery."
    return told(text, found["product"], done["next_on"], price)


RESUME = Program(
    "resume_subscription",
    "Have a paused subscription run again",
    says(
        "Please let my paused subscription run again, or the one that costs least a delivery if several are paused. "
        "Which product is it, when does it come, and what does a delivery cost?",
        "resume my paused subscription (cheapest per delivery if there are several). product, next date, price?",
        "We have run out at last, so wake up that sleeping subscription of mine, the cheapest a delivery of the paused "
        "ones! What is it of, when may we expect it, and how much is it each time?",
        "Kindly reactivate whichever of my suspended subscriptions has the lowest price a delivery, stating the "
        "product, the day of the next delivery and that price.",
        "paused subscription should run again, the cheapest per delivery of them! which, when, how much?",
        "My subscription is in pause, please start it again, if more then the cheapest for one delivery; which product "
        "is it, when comes it and how much?",
    ),
    a_customer,
    _resume,
    (
        twist("only if it is cheap", "condition", says(
            "If a delivery is more than {most:money} euros, leave it paused and tell me the price.",
            "over {most:money} per delivery? leave it paused, just the price.",
            "Though if it is more than {most:money} euros a time, let it sleep on and just tell me how much!",
            "Should a delivery exceed {most:money} EUR, leave it suspended and state the price.",
        ), near("most", 25, 45, 60)),
        twist("another interval", "constraint", says(
            "From then on it should come every {weeks:count} weeks.",
            "every {weeks:int} weeks from then on.",
            "Only, let it come every {weeks:count} weeks from then on, that will be plenty!",
            "It is henceforth to be delivered every {weeks:count} weeks.",
        ), lambda world, rng, facts: {"weeks": rng.choice((5, 7, 9, 10))}),
        COLLEAGUE,
    ),
    unknown="I do not have the number of the subscription.",
)  # fmt: skip


SUBSCRIPTIONS = (START, CHANGE, SKIP, PAUSE, RESUME)
