"""Programs about subscriptions."""

from dataclasses import replace
from random import Random

from toolscale.reference.ecommerce.programs.common import (
    COLLEAGUE,
    Step,
    a_customer,
    euros,
    near,
    the_product,
    the_variant,
    told,
)
from toolscale.reference.kit import must
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Solution, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)


def _draw_start(world: World, rng: Random) -> Facts:
    variants = [each for each in world.rows("variants") if each["stock"] > 5]
    supplies = {each["product_id"]: each["name"] for each in world.rows("products") if each["subscribable"]}
    variant = pick(rng, [each for each in variants if each["product_id"] in supplies])
    return {
        **a_customer(world, rng),
        "product": supplies[variant["product_id"]],
        "option": variant["option"],
        "quantity": rng.choice((1, 2, 3)),
        "weeks": rng.choice((2, 3, 4, 6, 8)),
    }


def _start(facts: Facts) -> Solution:
    running = yield do("list_subscriptions", customer_id=facts["customer_id"])
    must(not any(each["product"] == facts["product"] for each in running), "there is a subscription of that already")
    product = yield from the_product(facts["product"])
    variant = yield from the_variant(product, facts["option"])
    if variant["price"] > facts.get("most", 1e9):
        price = euros(variant["price"])
        return told(f"I set nothing up: one costs {price} EUR.", price)
    done = yield do(
        "start_subscription",
        customer_id=facts["customer_id"],
        sku=variant["sku"],
        quantity=facts["quantity"],
        every_weeks=facts["weeks"],
    )
    price, first = euros(done["price_a_delivery"]), done["next_on"]
    return told(f"The first delivery comes on {first}, at {price} EUR.", first, price)


START = WORDS.program(
    "start_subscription",
    _draw_start,
    _start,
    (
        WORDS.twist(
            "another interval",
            "change_of_mind",
            lambda world, rng, facts: {"weeks": pick(rng, [each for each in (3, 5, 7, 10) if each != facts["weeks"]])},
        ),
        WORDS.twist("not too dear", "condition", near("most", 14, 22)),
        COLLEAGUE,
    ),
)


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


def _change(facts: Facts) -> Solution:
    found = yield from _known(facts)
    must((found["quantity"], found["every_weeks"]) != (facts["quantity"], facts["weeks"]), "it is like that already")
    if found["price_a_delivery"] > facts.get("most", 1e9):
        price = euros(found["price_a_delivery"])
        return told(f"I left it as it is, at {price} EUR a delivery.", price)
    done = yield do(
        "change_subscription",
        subscription_id=facts["subscription_id"],
        quantity=facts["quantity"],
        every_weeks=facts["weeks"],
    )
    price, coming = euros(done["price_a_delivery"]), done["next_on"]
    return told(f"The {done['product']} comes next on {coming}, at {price} EUR a delivery.", price, coming)


CHANGE = WORDS.program(
    "change_subscription",
    _draw_change,
    _change,
    (
        WORDS.twist("only while it is cheap", "condition", near("most", 25, 45, 60)),
        COLLEAGUE,
    ),
)


def _draw_skip(world: World, rng: Random) -> Facts:
    return {**_draw_subscription(world, rng), "deliveries": rng.choice((2, 3))}


def _skip(facts: Facts) -> Solution:
    found = yield from _known(facts)
    if found["next_on"] > facts.get("by", found["next_on"]):
        return told(f"I left it: the next one comes on {found['next_on']} anyway.", found["next_on"])
    done = yield do("skip_delivery", subscription_id=facts["subscription_id"], deliveries=facts["deliveries"])
    text = f"The {done['product']} comes next on {done['next_on']}; it was to come on {found['next_on']}."
    return told(text, done["next_on"], found["next_on"])


SKIP = WORDS.program(
    "skip_delivery",
    _draw_skip,
    _skip,
    (
        WORDS.twist(
            "only if it comes soon", "condition", lambda world, rng, facts: {"by": day(rng.choice((10, 24, 40)))}
        ),
        COLLEAGUE,
    ),
    again="subscription_id",
)


def _pause_dearest(facts: Facts) -> Solution:
    listed = yield do("list_subscriptions", customer_id=facts["customer_id"])
    active = [each for each in listed if each["status"] == "active"]
    must(len(active) >= 2, "nothing to choose between")
    if facts.get("soonest"):
        found = yield choose(active, key=lambda each: each["next_on"])
    else:
        found = yield choose(active, key=lambda each: -each["price_a_delivery"])
    must(found["next_on"] >= day(3), "it is being packed")
    yield do("set_subscription_status", subscription_id=found["subscription_id"], status=facts.get("status", "paused"))
    price = euros(found["price_a_delivery"])
    text = f"The {found['product']}, {found['subscription_id']}, at {price} EUR a delivery, has stopped."
    return told(text, found["product"], found["subscription_id"], price)


PAUSE = WORDS.program(
    "pause_dearest",
    a_customer,
    _pause_dearest,
    (
        WORDS.twist("end it", "change_of_mind", sets={"status": "ended"}),
        WORDS.twist("the next to come", "change_of_mind", sets={"soonest": True}),
        COLLEAGUE,
    ),
)


def _resume(facts: Facts) -> Solution:
    listed = yield do("list_subscriptions", customer_id=facts["customer_id"])
    paused = [each for each in listed if each["status"] == "paused"]
    found = yield choose(paused, key=lambda each: each["price_a_delivery"])
    price = euros(found["price_a_delivery"])
    if found["price_a_delivery"] > facts.get("most", 1e9):
        return told(f"I left {found['subscription_id']} paused: it is {price} EUR a delivery.", price)
    done = yield do("set_subscription_status", subscription_id=found["subscription_id"], status="active")
    if facts.get("weeks", found["every_weeks"]) != found["every_weeks"]:
        yield do(
            "change_subscription",
            subscription_id=found["subscription_id"],
            quantity=found["quantity"],
            every_weeks=facts["weeks"],
        )
    text = f"The {found['product']} runs again from {done['next_on']}, at {price} EUR a delivery."
    return told(text, found["product"], done["next_on"], price)


RESUME = WORDS.program(
    "resume_subscription",
    a_customer,
    _resume,
    (
        WORDS.twist("only if it is cheap", "condition", near("most", 25, 45, 60)),
        replace(  # it goes by the same name as that of another program, so that no user says both
            WORDS.twist(
                "another interval afterwards",
                "constraint",
                lambda world, rng, facts: {"weeks": rng.choice((5, 7, 9, 10))},
            ),
            name="another interval",
        ),
        COLLEAGUE,
    ),
)


SUBSCRIPTIONS = (START, CHANGE, SKIP, PAUSE, RESUME)
