"""Programs about falls in price and the warranty."""

from random import Random

from toolscale.reference.ecommerce.catalogue import faults_of
from toolscale.reference.ecommerce.programs.common import (
    COLLEAGUE,
    OTHER_ORDER,
    TO_CREDIT,
    a_line,
    an_order,
    euros,
    near,
    says,
    the_line,
    told,
    twist,
)
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, World, choose, do


def _cheaper_now(world: World, line: Record) -> bool:
    return bool(
        line["unit_price"] > line["price"]
        and line["placed_on"] >= day(-14)
        and not line["voucher_code"]
        and not line["adjusted"]
    )


def _draw_adjust(world: World, rng: Random) -> Facts:
    facts, _ = a_line(
        world, rng, "placed", "packed", "shipped", "delivered", suits=lambda line: _cheaper_now(world, line)
    )
    return facts


def _adjust(facts: Facts) -> Policy:
    line = yield from the_line(facts)
    found = yield do("check_price", order_id=facts["order_id"], sku=line["sku"])
    if found["obstacle"]:
        raise DeadEnd(found["obstacle"])
    now, amount = euros(found["price_today"]), euros(found["amount"])
    if found["amount"] < facts.get("least", 0):
        return told(f"I left it: it would be {amount} EUR, at a price of {now} EUR today.", amount, now)
    yield do(
        "adjust_price", order_id=facts["order_id"], sku=line["sku"],
        refund_to=facts.get("refund_to", "original payment"),
    )  # fmt: skip
    return told(f"It costs {now} EUR today, so {amount} EUR come back to you.", now, amount)


ADJUST = Program(
    "adjust_price",
    "Have a fall in price paid back",
    says(
        "The {product} that I bought with {order_id} has become cheaper. Please pay the difference back the way I "
        "paid. What does it cost today and how much comes back?",
        "{product} from {order_id} got cheaper, refund the difference the way i paid. price today + amount?",
        "Would you believe it, I bought the {product} with {order_id} and now I see it cheaper, so let me have the "
        "difference back the way I paid! What is the price today, and what do I get?",
        "As the price of the {product} bought with {order_id} has fallen, I claim the difference, payable to the "
        "original payment; kindly state today's price and the sum.",
        "{product} is cheaper now than in {order_id}! difference back how I paid, price now, how much?",
        "I see the {product} of {order_id} costs now less, please give the difference back same way I paid; how much "
        "it costs today and how much I get?",
    ),
    _draw_adjust,
    _adjust,
    (
        TO_CREDIT,
        twist("if it is worth it", "condition", says(
            "If the difference is less than {least:money} euros, forget it and just tell me the two sums.",
            "under {least:money}? skip it, just the numbers.",
            "For less than {least:money} euros I would not want to bother you, so then just tell me both sums and "
            "leave it!",
            "Should the difference be below {least:money} EUR, refrain from it and state both sums only.",
        ), near("least", 5, 10, 18)),
        OTHER_ORDER,
    ),
)  # fmt: skip


def _draw_best_adjustment(world: World, rng: Random) -> Facts:
    facts = _draw_adjust(world, rng)
    return {"customer_id": facts["customer_id"], "order_id": facts["order_id"]}


def _best_adjustment(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["order_id"])
    if len(order["lines"]) < 2:
        raise DeadEnd("nothing to compare")
    due = []
    for line in order["lines"]:
        found = yield do("check_price", order_id=facts["order_id"], sku=line["sku"])
        due += [found] if not found["obstacle"] else []
    if not due:
        raise DeadEnd("nothing is due")
    wanted = due
    if facts.get("largest_only"):
        wanted = [(yield choose(due, key=lambda each: -each["amount"]))]
    for found in wanted:
        yield do(
            "adjust_price", order_id=facts["order_id"], sku=found["sku"],
            refund_to=facts.get("refund_to", "original payment"),
        )  # fmt: skip
    total = euros(sum(each["amount"] for each in wanted))
    names = [each["product"] for each in wanted]
    return told(f"{total} EUR come back, for {', '.join(names)}.", total, *names)


ADJUST_ALL = Program(
    "adjust_all_prices",
    "Have every fall in price of an order paid back",
    says(
        "Please check everything in {order_id} for lower prices today and pay all differences back the way I paid. "
        "Which products are concerned and what is it in total?",
        "check all of {order_id} for price drops, refund them the way i paid. which products + total?",
        "I have a feeling that you have lowered your prices, so go through all of {order_id} and give me back whatever "
        "it is, the way I paid! Which products were they and how much altogether?",
        "Please examine every product of {order_id} for a lower price today and refund all differences to the original "
        "payment, naming the products and the total.",
        "{order_id}: anything cheaper now? refund all of it how I paid. products, total?",
        "Please look everything in {order_id} if today is cheaper and give all differences back same way I paid; which "
        "products and how much together?",
    ),
    _draw_best_adjustment,
    _best_adjustment,
    (
        TO_CREDIT,
        twist("only the largest", "constraint", says(
            "Only the largest of the differences is worth the trouble; leave the others.",
            "just the largest difference.",
            "Oh, but do not go to any trouble, just the one that is the largest sum will do!",
            "Only the largest single difference is to be refunded.",
        ), largest_only=True),
        COLLEAGUE,
    ),
)  # fmt: skip


def _covered(line: Record) -> bool:
    days = line["warranty_months"] * 30
    return bool(days and day(-days) < line["delivered_on"] < day(-2))


def _draw_claim(world: World, rng: Random) -> Facts:
    facts, line = a_line(world, rng, "delivered", suits=_covered)
    return {**facts, "fault": rng.choice(faults_of(line["name"], line["category"]))}


def _claim(facts: Facts) -> Policy:
    line = yield from the_line(facts)
    found = yield do("check_warranty", order_id=facts["order_id"], sku=line["sku"])
    if not found["covered"]:
        raise DeadEnd("no warranty")
    until = found["warranty_until"]
    if until < facts.get("runs_until", until):
        return told(f"I left it: the warranty ends on {until}.", until)
    remedy = "replacement" if facts.get("rather_new") and found["replacement_possible"] else "repair"
    yield do("claim_warranty", order_id=facts["order_id"], sku=line["sku"], fault=facts["fault"], remedy=remedy)
    return told(f"Your {facts['product']} ({line['option']}) is accepted for {remedy}, under warranty until {until}.",
                until)  # fmt: skip


CLAIM = Program(
    "claim_warranty",
    "Have a faulty product repaired under warranty",
    says(
        "My {product} from {order_id} has a fault: {fault}. Please file a warranty claim for a repair and tell me how "
        "long the warranty runs.",
        "{product} from {order_id}, fault: {fault}. warranty repair please, warranty ends when?",
        "I was so fond of my {product} from {order_id}, and now it is a case of \"{fault}\"! Put in a warranty claim "
        "to have it repaired, would you, and until when does that warranty run?",
        "I give notice of a fault (\"{fault}\") of the {product} from {order_id}, and claim its repair under warranty; "
        "kindly state when the warranty ends.",
        "{product} of {order_id} is faulty, {fault}, repair under warranty please, until when does it run?",
        "The {product} of {order_id} has problem: {fault}. Please make warranty repair, and until which day is the "
        "warranty?",
    ),
    _draw_claim,
    _claim,
    (
        twist("a new one if possible", "change_of_mind", says(
            "Thinking about it, I would rather have a replacement if that is possible, and the repair only if not.",
            "replacement if possible, else repair.",
            "Oh, but if you could just give me a new one, a replacement, that would be lovely, and the repair only if "
            "you cannot!",
            "Insofar as a replacement is possible, it is preferred to the repair.",
        ), rather_new=True),
        twist("if the warranty is long enough", "condition", says(
            "If the warranty ends before {runs_until:date}, file nothing and just tell me the day.",
            "warranty over before {runs_until:date}? file nothing, just the date.",
            "If it ends before {runs_until:date} I will mend it myself, so then just tell me the day!",
            "Should the warranty end prior to {runs_until:date}, file nothing and state the date.",
        ), lambda world, rng, facts: {"runs_until": day(rng.choice((30, 120, 300, 500)))}),
        OTHER_ORDER,
    ),
)  # fmt: skip


def _warranties(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["order_id"])
    found = []
    for line in order["lines"]:
        found.append((yield do("check_warranty", order_id=facts["order_id"], sku=line["sku"])))
    running = [each for each in found if each["covered"]]
    if len(found) < 2:
        raise DeadEnd("nothing to compare")
    sign = -1 if facts.get("longest") else 1
    first = yield choose(running, key=lambda each: sign * int(each["warranty_until"].replace("-", "")))
    until = first["warranty_until"]
    return told(f"It is the {first['product']}, until {until}.", first["product"], until)


WARRANTIES = Program(
    "warranty_that_ends_first",
    "Find out for which product of an order the warranty ends first",
    says(
        "Which product in {order_id} has the warranty that ends first of those still running, and on which day does it "
        "end?",
        "{order_id}: which running warranty ends first, and when?",
        "I am finally putting my papers in order, so of everything in {order_id}, which warranty that still runs is "
        "the first to end, and on what day?",
        "Of the products in {order_id}, please name the one whose running warranty ends first, and the date.",
        "first warranty to end in {order_id} of the ones still running: product and date!",
        "In {order_id}, from the warranties not finished, which one finishes first and what day?",
    ),
    lambda world, rng: an_order(world, rng, "delivered"),
    _warranties,
    (
        twist("the longest", "change_of_mind", says(
            "No, sorry, I need the one that runs longest.",
            "no, the longest one.",
            "Oh no, it is the other way round, I need the one that runs longest!",
            "I correct myself: the one that runs longest is of interest.",
        ), longest=True),
        OTHER_ORDER,
    ),
)  # fmt: skip


AFTER_SALES = (ADJUST, ADJUST_ALL, CLAIM, WARRANTIES)
