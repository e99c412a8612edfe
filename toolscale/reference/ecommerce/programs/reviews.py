"""Programs that look back: reviews, and what was spent."""

from random import Random

from toolscale.reference.ecommerce.catalogue import TITLES
from toolscale.reference.ecommerce.programs.common import (
    COLLEAGUE,
    a_line,
    euros,
    orders,
    says,
    the_product,
    told,
    twist,
)
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, World, choose, do, pick


def _unreviewed(world: World, rng: Random) -> Facts:
    facts, line = a_line(world, rng, "delivered")
    for each in world.rows("reviews"):
        if (each["customer_id"], each["product_id"]) == (line["customer_id"], line["product_id"]):
            raise DeadEnd("it is reviewed already")
    stars = rng.choice((2, 3, 4, 5))
    return {
        "customer_id": facts["customer_id"], "product": facts["product"], "stars": stars,
        "title": rng.choice(TITLES[stars]),
    }  # fmt: skip


def _review(facts: Facts) -> Policy:
    written = yield do("list_reviews", customer_id=facts["customer_id"])
    if any(each["product"] == facts["product"] for each in written):
        raise DeadEnd("it is reviewed already")
    product = yield from the_product(facts["product"])
    done = yield do(
        "write_review", customer_id=facts["customer_id"], product_id=product["product_id"], stars=facts["stars"],
        title=facts["title"],
    )  # fmt: skip
    rating = f"{done['rating_now']} stars"
    return told(f"Your review is out; the {facts['product']} now stands at {rating}.", rating)


REVIEW = Program(
    "write_review",
    "Write a review of a product that was delivered",
    says(
        "Please publish my review of the {product}: {stars:count} stars out of 5, headline \"{title}\". What is its "
        "average rating with mine, to one decimal?",
        "review of {product}: {stars:int} of 5 stars, headline \"{title}\". average rating incl. mine?",
        "I promised myself to write a review of the {product} for once, so {stars:count} stars out of five it is, "
        "and as the headline put \"{title}\"! What average does it have with mine counted in?",
        "Kindly publish a review of the {product} with {stars:count} stars out of 5 and the headline \"{title}\", "
        "and state the average rating that results.",
        "my review, {product}: {stars:int} of 5 stars, headline \"{title}\", what is the average then?",
        "I like to make review for the {product}: {stars:int} from 5 stars, headline is \"{title}\"; what is then the "
        "average?",
    ),
    _unreviewed,
    _review,
    (
        twist("other stars", "change_of_mind", says(
            "Hm, make that {stars:count} stars.",
            "no, {stars:int} stars.",
            "Oh, thinking of it again, {stars:count} stars would be fairer!",
            "Upon reflection, {stars:count} stars would be more appropriate.",
        ), lambda world, rng, facts: {
            "stars": pick(rng, [n for n in (facts["stars"] - 1, facts["stars"] + 1) if 2 <= n <= 5])
        }),
        COLLEAGUE,
    ),
)  # fmt: skip


def _draw_revision(world: World, rng: Random) -> Facts:
    review = pick(rng, world.rows("reviews"))
    product = world.get("products", review["product_id"])
    if product is None:
        raise DeadEnd("the product is out of sight")
    stars = pick(rng, [each for each in (2, 3, 4, 5) if each != review["stars"]])
    return {
        "customer_id": review["customer_id"], "product": product["name"], "stars": stars,
        "title": rng.choice(TITLES[stars]),
    }  # fmt: skip


def _revise(facts: Facts) -> Policy:
    written = yield do("list_reviews", customer_id=facts["customer_id"])
    found = [each for each in written if each["product"] == facts["product"]]
    review = yield choose(found, key=lambda each: each["review_id"])
    if review["stars"] == facts["stars"]:
        raise DeadEnd("it has that many stars")
    if review["written_on"] < facts.get("not_before", "0"):
        return told(f"I left it: it is from {review['written_on']}.", review["written_on"])
    yield do("revise_review", review_id=review["review_id"], stars=facts["stars"], title=facts["title"])
    text = f'{review["review_id"]}, once "{review["title"]}", is changed.'
    return told(text, review["review_id"], review["title"])


REVISE = Program(
    "revise_review",
    "Change one's review of a product",
    says(
        "I have changed my opinion of the {product}: please change my review to {stars:count} stars, headline "
        "\"{title}\". What is the number of the review, and what was the headline before?",
        "change my review of {product} to {stars:int} stars, headline \"{title}\". review no. + old headline?",
        "One lives and learns, so could you change what I wrote about the {product} to {stars:count} stars, and the "
        "headline to \"{title}\"? And do remind me what the old headline was, and the number of it!",
        "I wish to amend my review of the {product} to {stars:count} stars under the headline \"{title}\"; please "
        "state its number and the former headline.",
        "my {product} review: now {stars:int} stars, headline \"{title}\"! number and old headline?",
        "My review for the {product} I want to change into {stars:int} stars, headline \"{title}\"; which number it "
        "has and what was the headline before?",
    ),
    _draw_revision,
    _revise,
    (
        twist("only a recent one", "condition", says(
            "If I wrote it before {not_before:date}, leave it and tell me the day I wrote it.",
            "written before {not_before:date}? leave it, tell me when.",
            "Though if I wrote it before {not_before:date}, let it stand as a memory and just tell me the day!",
            "Should it date from before {not_before:date}, leave it unaltered and state its date.",
        ), lambda world, rng, facts: {"not_before": rng.choice((day(-4), day(-2), day(-60)))}),
        COLLEAGUE,
    ),
    unknown="I do not know the number of my review.",
)  # fmt: skip


def _draw_spending(world: World, rng: Random) -> Facts:
    return {"customer_id": pick(rng, orders(world, "delivered"))["customer_id"]}


def _spending(facts: Facts) -> Policy:
    listed = yield do("list_orders", customer_id=facts["customer_id"], status="delivered")
    wanted = [each for each in listed if each["placed_on"] >= facts.get("since", "0")]
    if len(wanted) < 2:
        raise DeadEnd("nothing to add up")
    dearest = yield choose(wanted, key=lambda each: -each["total"])
    full = yield do("get_order", order_id=dearest["order_id"])
    total, street = euros(sum(each["total"] for each in wanted)), full["address"]["street"]
    text = f"They come to {total} EUR; the dearest, {dearest['order_id']}, went to {street}."
    return told(text, total, dearest["order_id"], street)


SPENDING = Program(
    "sum_of_orders",
    "Add up what the delivered orders cost, and learn where the dearest of them went",
    says(
        "What do the totals of all my delivered orders add up to, which of them is the dearest, and to which street "
        "was that one sent?",
        "sum of my delivered orders, the dearest one, and its street?",
        "I hardly dare to ask: what have all my delivered orders cost together, which was the dearest, and which "
        "street did that one go to?",
        "Please state the sum of my delivered orders, identify the most expensive of them and name the street to which "
        "it was delivered.",
        "delivered orders: total of all, the dearest one, its street!",
        "How much cost together all my delivered orders, which is the most expensive, and to what street it went?",
    ),
    _draw_spending,
    _spending,
    (
        twist("since a day", "constraint", says(
            "Count only orders placed on {since:date} or later.",
            "only those placed from {since:date} on.",
            "It is for my tax papers, so just the ones I placed from {since:date} onwards!",
            "Only orders placed on or after {since:date} are to be considered.",
        ), lambda world, rng, facts: {"since": rng.choice(("2025-01-01", "2025-06-01", "2026-01-01", "2026-07-01"))}),
        COLLEAGUE,
    ),
    unknown="I do not have the order numbers here.",
)  # fmt: skip


REVIEWS = (REVIEW, REVISE, SPENDING)
