"""What several programs draw, say and twist alike."""

from collections.abc import Callable, Generator
from random import Random
from typing import Any

from toolscale.artifacts import Call
from toolscale.reference.kit import another_of_theirs, known, somebody
from toolscale.reference.program import Choice, Facts, Record, Reply, World, choose, do, pick
from toolscale.reference.sums import limit_near, shown
from toolscale.reference.words import words

WORDS = words(__file__)

Step = Generator[Call | Choice, Any, Any]
"""A part of a solution: it calls and chooses, and returns what it found out instead of a reply."""
Draw = Callable[[World, Random, Facts], Facts]


def told(text: str, *facts: str) -> Reply:
    """The reply, and what must be heard of it; a sum of nothing can be said in many ways and need not be."""
    return Reply(text, tuple(dict.fromkeys(fact for fact in facts if fact not in ("0.00", "None"))))


def orders(world: World, *statuses: str) -> list[Record]:
    """The orders in sight in one of the statuses."""
    return [each for each in world.rows("orders") if each["status"] in statuses]


def an_order(world: World, rng: Random, *statuses: str) -> Facts:
    """An order in one of the statuses, and whose it is."""
    order = pick(rng, orders(world, *statuses))
    return {"customer_id": order["customer_id"], "order_id": order["order_id"]}


def lines(world: World, *statuses: str) -> list[Record]:
    """Lines of orders in one of the statuses, each with its order's, variant's and product's fields."""
    found = []
    for line in world.rows("order_lines"):
        order, variant = world.get("orders", line["order_id"]), world.get("variants", line["sku"])
        product = world.get("products", variant["product_id"]) if variant else None
        if order and variant and product and order["status"] in statuses:
            found.append({**product, **variant, **order, **line})
    return found


def a_line(
    world: World, rng: Random, *statuses: str, suits: Callable[[Record], bool] = lambda line: True
) -> tuple[Facts, Record]:
    """What a user says of a line of an order (whose, which order, which product), and the line."""
    line = pick(rng, [each for each in lines(world, *statuses) if suits(each)])
    facts = {"customer_id": line["customer_id"], "order_id": line["order_id"], "product": line["name"]}
    return facts, line


a_customer = somebody("customers")
"""Any customer in sight, for requests that say no more than that."""


def the_line(facts: Facts) -> Step:
    """The order's line that holds the product."""
    order = yield do("get_order", order_id=facts["order_id"])
    held = [each for each in order["lines"] if each["product"] == facts["product"]]
    return (yield choose(held, key=lambda each: each["sku"]))


def the_product(name: str) -> Step:
    """A product's record, found by its full name."""
    found = yield do("search_products", words=name)
    named = yield choose([each for each in found if each["name"] == name], key=lambda each: each["product_id"])
    return (yield do("get_product", product_id=named["product_id"]))


def the_variant(product: Record, option: str) -> Step:
    """The product's variant of that option."""
    return (yield choose([v for v in product["variants"] if v["option"] == option], key=lambda each: each["sku"]))


def another_option(rng: Random, line: Record) -> str:
    """An option of the line's product that it is not."""
    return str(pick(rng, [each for each in line["options"] if each != line["option"]]))


def near(slot: str, *amounts: float) -> Draw:
    """Draws a limit near one of a few amounts."""

    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        return {slot: limit_near(rng, rng.choice(amounts))}

    return draw


def near_total(slot: str) -> Draw:
    """Draws a limit near the total of the order."""

    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        order = known(world, "orders", facts["order_id"])
        return {slot: limit_near(rng, order["total"])}

    return draw


def euros(amount: float) -> str:
    """The sum as it is told."""
    return shown(amount)


TO_CREDIT = WORDS.twist("store credit instead", "change_of_mind", sets={"refund_to": "store credit"})
OTHER_ORDER = WORDS.twist(
    "another order that stays as it is", "distractor", another_of_theirs("untouched", "orders", "order_id")
)
COLLEAGUE = WORDS.twist("a remark on a friend", "distractor")
