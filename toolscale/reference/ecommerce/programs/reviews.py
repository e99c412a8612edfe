"""Programs that look back: reviews, and what was spent."""

from random import Random

from toolscale.reference.ecommerce.catalogue import TITLES
from toolscale.reference.ecommerce.programs.common import COLLEAGUE, a_line, euros, orders, the_product, told
from toolscale.reference.kit import known, must
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Solution, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)


def _unreviewed(world: World, rng: Random) -> Facts:
    facts, line = a_line(world, rng, "delivered")
    for each in world.rows("reviews"):
        if (each["customer_id"], each["product_id"]) == (line["customer_id"], line["product_id"]):
            raise DeadEnd("it is reviewed already")
    stars = rng.choice((2, 3, 4, 5))
    return {
        "customer_id": facts["customer_id"],
        "product": facts["product"],
        "stars": stars,
        "title": rng.choice(TITLES[stars]),
    }


def _review(facts: Facts) -> Solution:
    written = yield do("list_reviews", customer_id=facts["customer_id"])
    must(not any(each["product"] == facts["product"] for each in written), "it is reviewed already")
    product = yield from the_product(facts["product"])
    done = yield do(
        "write_review",
        customer_id=facts["customer_id"],
        product_id=product["product_id"],
        stars=facts["stars"],
        title=facts["title"],
    )
    rating = f"{done['rating_now']} stars"
    return told(f"Your review is out; the {facts['product']} now stands at {rating}.", rating)


REVIEW = WORDS.program(
    "write_review",
    _unreviewed,
    _review,
    (
        WORDS.twist(
            "other stars",
            "change_of_mind",
            lambda world, rng, facts: {
                "stars": pick(rng, [n for n in (facts["stars"] - 1, facts["stars"] + 1) if 2 <= n <= 5])
            },
        ),
        COLLEAGUE,
    ),
)


def _draw_revision(world: World, rng: Random) -> Facts:
    review = pick(rng, world.rows("reviews"))
    product = known(world, "products", review["product_id"])
    stars = pick(rng, [each for each in (2, 3, 4, 5) if each != review["stars"]])
    return {
        "customer_id": review["customer_id"],
        "product": product["name"],
        "stars": stars,
        "title": rng.choice(TITLES[stars]),
    }


def _revise(facts: Facts) -> Solution:
    written = yield do("list_reviews", customer_id=facts["customer_id"])
    found = [each for each in written if each["product"] == facts["product"]]
    review = yield choose(found, key=lambda each: each["review_id"])
    must(review["stars"] != facts["stars"], "it has that many stars")
    if review["written_on"] < facts.get("not_before", "0"):
        return told(f"I left it: it is from {review['written_on']}.", review["written_on"])
    yield do("revise_review", review_id=review["review_id"], stars=facts["stars"], title=facts["title"])
    text = f'{review["review_id"]}, once "{review["title"]}", is changed.'
    return told(text, review["review_id"], review["title"])


REVISE = WORDS.program(
    "revise_review",
    _draw_revision,
    _revise,
    (
        WORDS.twist(
            "only a recent one",
            "condition",
            lambda world, rng, facts: {"not_before": rng.choice((day(-4), day(-2), day(-60)))},
        ),
        COLLEAGUE,
    ),
)


def _draw_spending(world: World, rng: Random) -> Facts:
    return {"customer_id": pick(rng, orders(world, "delivered"))["customer_id"]}


def _spending(facts: Facts) -> Solution:
    listed = yield do("list_orders", customer_id=facts["customer_id"], status="delivered")
    wanted = [each for each in listed if each["placed_on"] >= facts.get("since", "0")]
    must(len(wanted) >= 2, "nothing to add up")
    dearest = yield choose(wanted, key=lambda each: -each["total"])
    full = yield do("get_order", order_id=dearest["order_id"])
    total, street = euros(sum(each["total"] for each in wanted)), full["address"]["street"]
    text = f"They come to {total} EUR; the dearest, {dearest['order_id']}, went to {street}."
    return told(text, total, dearest["order_id"], street)


SPENDING = WORDS.program(
    "sum_of_orders",
    _draw_spending,
    _spending,
    (
        WORDS.twist(
            "since a day",
            "constraint",
            lambda world, rng, facts: {"since": rng.choice(("2025-01-01", "2025-06-01", "2026-01-01", "2026-07-01"))},
        ),
        COLLEAGUE,
    ),
)


REVIEWS = (REVIEW, REVISE, SPENDING)
