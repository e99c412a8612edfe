"""Programs about how an order is sent: to which address, how fast, and wrapped or not."""

from random import Random

from toolscale.reference.ecommerce.programs.common import COLLEAGUE, OTHER_ORDER, euros, near, near_total, orders, told
from toolscale.reference.kit import known, must
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Solution, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)


def _draw_address(world: World, rng: Random) -> Facts:
    order = pick(rng, orders(world, "placed", "packed"))
    now = known(world, "addresses", order["address_id"])
    label = rng.choice([each for each in ("home", "work") if each != now["label"]])
    return {"customer_id": order["customer_id"], "order_id": order["order_id"], "label": label}


def _change_address(facts: Facts) -> Solution:
    order = yield do("get_order", order_id=facts["order_id"])
    must(order["address"]["label"] != facts["label"], "it goes there already")
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    labelled = [each for each in customer["addresses"] if each["label"] == facts["label"]]
    address = yield choose(labelled, key=lambda each: each["address_id"])
    if order["expected_on"] > facts.get("by", order["expected_on"]):
        return told(f"I left it: it arrives on {order['expected_on']}.", order["expected_on"])
    yield do("change_address", order_id=facts["order_id"], address_id=address["address_id"])
    street = address["street"]
    text = f"{facts['order_id']} goes to {street} and arrives on {order['expected_on']}."
    return told(text, street, order["expected_on"])


ADDRESS = WORDS.program(
    "change_address",
    _draw_address,
    _change_address,
    (
        WORDS.twist("only if it comes in time", "condition", lambda world, rng, facts: {"by": day(rng.randint(3, 9))}),
        OTHER_ORDER,
        COLLEAGUE,
    ),
    again="order_id",
)


def _draw_express(world: World, rng: Random) -> Facts:
    slow = [each for each in orders(world, "placed") if each["delivery"] == "standard"]
    order = pick(rng, slow)
    zone = known(world, "zones", (world.get("addresses", order["address_id"]) or {"country": ""})["country"])
    if zone["express_fee"] is None:
        raise DeadEnd("no express delivery there")
    return {"customer_id": order["customer_id"], "order_id": order["order_id"]}


def _express(facts: Facts) -> Solution:
    quote = yield do("quote_express", order_id=facts["order_id"])
    more, sooner = euros(quote["surcharge"]), quote["expected_on"]
    if quote["surcharge"] > facts.get("most", 1e9):
        return told(f"I left it: express would cost {more} EUR more.", more)
    if sooner > facts.get("by", sooner):
        return told(f"I left it: even by express it comes on {sooner}.", sooner)
    done = yield do("upgrade_to_express", order_id=facts["order_id"])
    total = euros(done["total"])
    return told(f"It goes by express for {more} EUR more, {total} EUR in all, and comes on {sooner}.", more, sooner)


EXPRESS = WORDS.program(
    "upgrade_to_express",
    _draw_express,
    _express,
    (
        WORDS.twist("a limit on the surcharge", "condition", near("most", 6, 9, 14)),
        WORDS.twist("only if it helps", "condition", lambda world, rng, facts: {"by": day(rng.randint(0, 4))}),
        OTHER_ORDER,
    ),
    again="order_id",
)


def _draw_wrap(world: World, rng: Random) -> Facts:
    order = pick(rng, [each for each in orders(world, "placed") if each["gift_wrap"] is None])
    facts = {"customer_id": order["customer_id"], "order_id": order["order_id"]}
    return {**facts, "paper": rng.choice(("forest green", "midnight blue", "plain kraft"))}


def _wrap(facts: Facts) -> Solution:
    order = yield do("get_order", order_id=facts["order_id"])
    must(not order["gift_wrap"], "it is wrapped already")
    if order["total"] > facts.get("most", 1e9):
        total = euros(order["total"])
        return told(f"I left it unwrapped: it comes to {total} EUR.", total)
    done = yield do("add_gift_wrap", order_id=facts["order_id"], paper=facts["paper"])
    total = euros(done["total"])
    return told(f"It will be wrapped for {euros(done['fee'])} EUR; the total is {total} EUR.", total)


WRAP = WORDS.program(
    "add_gift_wrap",
    _draw_wrap,
    _wrap,
    (
        WORDS.twist(
            "another paper",
            "change_of_mind",
            lambda world, rng, facts: {
                "paper": pick(rng, [p for p in ("forest green", "midnight blue", "plain kraft") if p != facts["paper"]])
            },
        ),
        WORDS.twist("not for the big one", "condition", near_total("most")),
        OTHER_ORDER,
    ),
)


SENDING = (ADDRESS, EXPRESS, WRAP)
