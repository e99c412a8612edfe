"""Programs about how an order is sent: to which address, how fast, and wrapped or not."""

from random import Random

from toolscale.reference.ecommerce.programs.common import (
    COLLEAGUE,
    OTHER_ORDER,
    euros,
    near,
    near_total,
    orders,
    says,
    told,
    twist,
)
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, World, choose, do, pick


def _draw_address(world: World, rng: Random) -> Facts:
    order = pick(rng, orders(world, "placed", "packed"))
    now = world.get("addresses", order["address_id"])
    if now is None:
        raise DeadEnd("the address is out of sight")
    label = rng.choice([each for each in ("home", "work") if each != now["label"]])
    return {"customer_id": order["customer_id"], "order_id": order["order_id"], "label": label}


def _change_address(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["order_id"])
    if order["address"]["label"] == facts["label"]:
        raise DeadEnd("it goes there already")
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    labelled = [each for each in customer["addresses"] if each["label"] == facts["label"]]
    address = yield choose(labelled, key=lambda each: each["address_id"])
    if order["expected_on"] > facts.get("by", order["expected_on"]):
        return told(f"I left it: it arrives on {order['expected_on']}.", order["expected_on"])
    yield do("change_address", order_id=facts["order_id"], address_id=address["address_id"])
    street = address["street"]
    text = f"{facts['order_id']} goes to {street} and arrives on {order['expected_on']}."
    return told(text, street, order["expected_on"])


ADDRESS = Program(
    "change_address",
    "Send an order that has not left yet to another of one's addresses",
    says(
        "Please send {order_id} to my {label} address instead. To which street does it go then, and on which day does "
        "it arrive?",
        "{order_id} to my {label} address. which street do you have + arrival day?",
        "[Nobody will be there to open|The doorbell is broken again], so would you send {order_id} to my {label} "
        "address? Just tell me which street you have for that, and the day it comes!",
        "I ask that {order_id} be delivered to my {label} address; kindly confirm the street and the expected day.",
        "{order_id} must go to the {label} address! which street, which day?",
        "The order {order_id}, please bring it to my address \"{label}\"; which street you have and which day it "
        "comes?",
    ),
    _draw_address,
    _change_address,
    (
        twist("only if it comes in time", "condition", says(
            "If it does not arrive by {by:date}, leave it as it is and just tell me the expected day.",
            "only if it arrives by {by:date}, else leave it, just the day.",
            "But I am away after {by:date}, so if it arrives later than that, leave it and just tell me the day!",
            "This applies only if it arrives by {by:date}; otherwise leave it unaltered and name the expected day.",
        ), lambda world, rng, facts: {"by": day(rng.randint(3, 9))}),
        OTHER_ORDER,
        COLLEAGUE,
    ),
    again="order_id",
)  # fmt: skip


def _draw_express(world: World, rng: Random) -> Facts:
    slow = [each for each in orders(world, "placed") if each["delivery"] == "standard"]
    order = pick(rng, slow)
    zone = world.get("zones", (world.get("addresses", order["address_id"]) or {"country": ""})["country"])
    if zone is None or zone["express_fee"] is None:
        raise DeadEnd("no express delivery there")
    return {"customer_id": order["customer_id"], "order_id": order["order_id"]}


def _express(facts: Facts) -> Policy:
    quote = yield do("quote_express", order_id=facts["order_id"])
    more, sooner = euros(quote["surcharge"]), quote["expected_on"]
    if quote["surcharge"] > facts.get("most", 1e9):
        return told(f"I left it: express would cost {more} EUR more.", more)
    if sooner > facts.get("by", sooner):
        return told(f"I left it: even by express it comes on {sooner}.", sooner)
    done = yield do("upgrade_to_express", order_id=facts["order_id"])
    total = euros(done["total"])
    return told(f"It goes by express for {more} EUR more, {total} EUR in all, and comes on {sooner}.", more, sooner)


EXPRESS = Program(
    "upgrade_to_express",
    "Have an order sent by express and learn the surcharge and the new day",
    says(
        "Please upgrade {order_id} to express delivery. What is the surcharge, and on what day does it [come|arrive] "
        "then?",
        "{order_id} by express pls. surcharge + new arrival date?",
        "It is [a birthday present|for my niece], and I dawdled, so could {order_id} still go by express? What does "
        "that cost extra and what day will it be here?",
        "I should like {order_id} to be dispatched by express; please state the surcharge and the expected day.",
        "express for {order_id}, now! extra cost, new date?",
        "The {order_id} I need faster, please with express; how much more and which day it comes?",
    ),
    _draw_express,
    _express,
    (
        twist("a limit on the surcharge", "condition", says(
            "Only if that costs at most {most:money} euros more; otherwise just tell me the surcharge.",
            "max {most:money} extra, otherwise only tell me the surcharge.",
            "I would spend up to {most:money} euros on that, if it is dearer, just tell me how much and leave it!",
            "The surcharge must not exceed {most:money} EUR, failing which I ask only for the amount.",
        ), near("most", 6, 9, 14)),
        twist("only if it helps", "condition", says(
            "If even that does not bring it by {by:date}, leave it and tell me the day it would come by express.",
            "no use after {by:date}: then leave it, just the express date.",
            "The party is on {by:date}, so if express is too slow for that day, leave it and tell me when it would "
            "have come!",
            "Should express delivery not arrive by {by:date}, leave the order as it is and state the express date.",
        ), lambda world, rng, facts: {"by": day(rng.randint(0, 4))}),
        OTHER_ORDER,
    ),
    again="order_id",
)  # fmt: skip


def _draw_wrap(world: World, rng: Random) -> Facts:
    order = pick(rng, [each for each in orders(world, "placed") if each["gift_wrap"] is None])
    facts = {"customer_id": order["customer_id"], "order_id": order["order_id"]}
    return {**facts, "paper": rng.choice(("forest green", "midnight blue", "plain kraft"))}


def _wrap(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["order_id"])
    if order["gift_wrap"]:
        raise DeadEnd("it is wrapped already")
    if order["total"] > facts.get("most", 1e9):
        total = euros(order["total"])
        return told(f"I left it unwrapped: it comes to {total} EUR.", total)
    done = yield do("add_gift_wrap", order_id=facts["order_id"], paper=facts["paper"])
    total = euros(done["total"])
    return told(f"It will be wrapped for {euros(done['fee'])} EUR; the total is {total} EUR.", total)


WRAP = Program(
    "add_gift_wrap",
    "Have an order wrapped as a gift",
    says(
        "Please have {order_id} gift-wrapped in the {paper} paper. What is the total[ of the order|] with the "
        "wrapping?",
        "gift wrap {order_id}, {paper} paper. total with wrapping?",
        "Guess what, {order_id} is going to be a present, so would you wrap it in that lovely {paper} paper? And what "
        "does it all come to with that?",
        "I request gift wrapping in {paper} paper for {order_id}, and ask for the total including it.",
        "wrap {order_id} as a gift, {paper} paper, new total?",
        "The {order_id} is a gift, please pack it in the paper of {paper}; how much is the total with this?",
    ),
    _draw_wrap,
    _wrap,
    (
        twist("another paper", "change_of_mind", says(
            "No, rather take the {paper} paper.",
            "make that {paper}.",
            "Hm, wait, {paper} paper would suit her even better, so take that one!",
            "Upon consideration, {paper} paper would be preferable.",
        ), lambda world, rng, facts: {
            "paper": pick(rng, [p for p in ("forest green", "midnight blue", "plain kraft") if p != facts["paper"]])
        }),
        twist("not for the big one", "condition", says(
            "But if the order is over {most:money} euros without it, do not wrap it and tell me the total.",
            "order over {most:money} before wrapping? don't wrap, tell me the total.",
            "Unless it comes to more than {most:money} euros as it is, then no wrapping, just tell me the total!",
            "If the order exceeds {most:money} EUR as it stands, omit the wrapping and state the total.",
        ), near_total("most")),
        OTHER_ORDER,
    ),
)  # fmt: skip


SENDING = (ADDRESS, EXPRESS, WRAP)
