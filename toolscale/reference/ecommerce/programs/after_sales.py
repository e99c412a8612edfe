"""Programs about falls in price and the warranty."""

from random import Random

from toolscale.reference.ecommerce.catalogue import FAULTS
from toolscale.reference.ecommerce.programs.common import (
    COLLEAGUE,
    OTHER_ORDER,
    TO_CREDIT,
    a_line,
    an_order,
    euros,
    near,
    the_line,
    told,
)
from toolscale.reference.kit import must
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Record, Solution, World, choose, do
from toolscale.reference.words import words

WORDS = words(__file__)


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


def _adjust(facts: Facts) -> Solution:
    line = yield from the_line(facts)
    found = yield do("check_price", order_id=facts["order_id"], sku=line["sku"])
    must(not found["obstacle"], found["obstacle"])
    now, amount = euros(found["price_today"]), euros(found["amount"])
    if found["amount"] < facts.get("least", 0):
        return told(f"I left it: it would be {amount} EUR, at a price of {now} EUR today.", amount, now)
    yield do(
        "adjust_price",
        order_id=facts["order_id"],
        sku=line["sku"],
        refund_to=facts.get("refund_to", "original payment"),
    )
    return told(f"It costs {now} EUR today, so {amount} EUR come back to you.", now, amount)


ADJUST = WORDS.program(
    "adjust_price",
    _draw_adjust,
    _adjust,
    (
        TO_CREDIT,
        WORDS.twist("if it is worth it", "condition", near("least", 5, 10, 18)),
        OTHER_ORDER,
    ),
)


def _draw_best_adjustment(world: World, rng: Random) -> Facts:
    facts = _draw_adjust(world, rng)
    return {"customer_id": facts["customer_id"], "order_id": facts["order_id"]}


def _best_adjustment(facts: Facts) -> Solution:
    order = yield do("get_order", order_id=facts["order_id"])
    must(len(order["lines"]) >= 2, "nothing to compare")
    due = []
    for line in order["lines"]:
        found = yield do("check_price", order_id=facts["order_id"], sku=line["sku"])
        due += [found] if not found["obstacle"] else []
    must(due, "nothing is due")
    wanted = due
    if facts.get("largest_only"):
        wanted = [(yield choose(due, key=lambda each: -each["amount"]))]
    for found in wanted:
        yield do(
            "adjust_price",
            order_id=facts["order_id"],
            sku=found["sku"],
            refund_to=facts.get("refund_to", "original payment"),
        )
    total = euros(sum(each["amount"] for each in wanted))
    names = [each["product"] for each in wanted]
    return told(f"{total} EUR come back, for {', '.join(names)}.", total, *names)


ADJUST_ALL = WORDS.program(
    "adjust_all_prices",
    _draw_best_adjustment,
    _best_adjustment,
    (
        TO_CREDIT,
        WORDS.twist("only the largest", "constraint", sets={"largest_only": True}),
        COLLEAGUE,
    ),
)


def _covered(line: Record) -> bool:
    days = line["warranty_months"] * 30
    return bool(days and day(-days) < line["delivered_on"] < day(-2))


def _draw_claim(world: World, rng: Random) -> Facts:
    facts, line = a_line(world, rng, "delivered", suits=_covered)
    return {**facts, "fault": rng.choice(FAULTS[line["name"]])}


def _claim(facts: Facts) -> Solution:
    line = yield from the_line(facts)
    found = yield do("check_warranty", order_id=facts["order_id"], sku=line["sku"])
    must(found["covered"], "no warranty")
    until = found["warranty_until"]
    if until < facts.get("runs_until", until):
        return told(f"I left it: the warranty ends on {until}.", until)
    remedy = "replacement" if facts.get("rather_new") and found["replacement_possible"] else "repair"
    yield do("claim_warranty", order_id=facts["order_id"], sku=line["sku"], fault=facts["fault"], remedy=remedy)
    return told(
        f"Your {facts['product']} ({line['option']}) is accepted for {remedy}, under warranty until {until}.", until
    )


CLAIM = WORDS.program(
    "claim_warranty",
    _draw_claim,
    _claim,
    (
        WORDS.twist("a new one if possible", "change_of_mind", sets={"rather_new": True}),
        WORDS.twist(
            "if the warranty is long enough",
            "condition",
            lambda world, rng, facts: {"runs_until": day(rng.choice((30, 120, 300, 500)))},
        ),
        OTHER_ORDER,
    ),
)


def _warranties(facts: Facts) -> Solution:
    order = yield do("get_order", order_id=facts["order_id"])
    found = []
    for line in order["lines"]:
        found.append((yield do("check_warranty", order_id=facts["order_id"], sku=line["sku"])))
    running = [each for each in found if each["covered"]]
    must(len(found) >= 2, "nothing to compare")
    sign = -1 if facts.get("longest") else 1
    first = yield choose(running, key=lambda each: sign * int(each["warranty_until"].replace("-", "")))
    until = first["warranty_until"]
    return told(f"It is the {first['product']}, until {until}.", first["product"], until)


WARRANTIES = WORDS.program(
    "warranty_that_ends_first",
    lambda world, rng: an_order(world, rng, "delivered"),
    _warranties,
    (
        WORDS.twist("the longest", "change_of_mind", sets={"longest": True}),
        OTHER_ORDER,
    ),
)


AFTER_SALES = (ADJUST, ADJUST_ALL, CLAIM, WARRANTIES)
