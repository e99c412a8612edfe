"""Programs about filling the cart: choose, compare, take out."""

from random import Random

from toolscale.reference.ecommerce.programs.common import (
    COLLEAGUE,
    a_customer,
    euros,
    near,
    the_product,
    the_variant,
    told,
)
from toolscale.reference.kit import known, must
from toolscale.reference.program import DeadEnd, Facts, Record, Solution, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)


def _offered(world: World, rng: Random) -> tuple[Record, Record]:
    """A variant in sight that is in stock, and its product."""
    variant = pick(rng, [each for each in world.rows("variants") if each["stock"]])
    product = known(world, "products", variant["product_id"])
    return product, variant


def _draw_add(world: World, rng: Random) -> Facts:
    product, variant = _offered(world, rng)
    return {
        **a_customer(world, rng),
        "product": product["name"],
        "option": variant["option"],
        "quantity": rng.choice((1, 2, 3, 4)),
    }


def _add(facts: Facts) -> Solution:
    product = yield from the_product(facts["product"])
    variant = yield from the_variant(product, facts["option"])
    price = euros(variant["price"])
    must(variant["stock"] >= facts["quantity"], "sold out")
    if variant["price"] > facts.get("most", 1e9):
        return told(f"I left it out: one costs {price} EUR.", price)
    cart = yield do("get_cart", customer_id=facts["customer_id"])
    must(not any(each["sku"] == variant["sku"] for each in cart["lines"]), "it is in the cart already")
    done = yield do(
        "set_cart_quantity", customer_id=facts["customer_id"], sku=variant["sku"], quantity=facts["quantity"]
    )
    return told(
        f"At {price} EUR each; the cart holds {euros(done['goods'])} EUR of goods.", price, euros(done["goods"])
    )


ADD = WORDS.program(
    "add_to_cart",
    _draw_add,
    _add,
    (
        WORDS.twist("not too dear", "condition", near("most", 60, 90, 150)),
        WORDS.twist(
            "another number",
            "change_of_mind",
            lambda world, rng, facts: {"quantity": pick(rng, [n for n in (1, 2, 3, 5, 6) if n != facts["quantity"]])},
        ),
        COLLEAGUE,
    ),
)


def _draw_cheapest(world: World, rng: Random) -> Facts:
    product, _ = _offered(world, rng)
    must(product["category"] not in ("clothing", "home"), "all options cost the same")
    return {**a_customer(world, rng), "product": product["name"], "quantity": rng.choice((1, 2, 3))}


def _cheapest(facts: Facts) -> Solution:
    product = yield from the_product(facts["product"])
    in_stock = [each for each in product["variants"] if each["stock"] >= facts["quantity"]]
    sign = -1 if facts.get("dearest") else 1
    variant = yield choose(in_stock, key=lambda each: sign * each["price"])
    must(len(in_stock) >= 2, "nothing to choose between")
    cart = yield do("get_cart", customer_id=facts["customer_id"])
    must(not any(each["sku"] == variant["sku"] for each in cart["lines"]), "it is in the cart already")
    yield do("set_cart_quantity", customer_id=facts["customer_id"], sku=variant["sku"], quantity=facts["quantity"])
    price = euros(variant["price"])
    return told(f"It is {variant['option']} at {price} EUR each.", variant["option"], price)


CHEAPEST = WORDS.program(
    "add_cheapest_option",
    _draw_cheapest,
    _cheapest,
    (
        WORDS.twist("the dearest", "change_of_mind", sets={"dearest": True}),
        COLLEAGUE,
    ),
)


def _draw_better(world: World, rng: Random) -> Facts:
    product, _ = _offered(world, rng)
    others = [each for each in world.rows("products") if each["category"] == product["category"]]
    other = pick(rng, [each for each in others if each["name"] != product["name"]])
    return {**a_customer(world, rng), "product": product["name"], "other": other["name"]}


def _better(facts: Facts) -> Solution:
    first = yield from the_product(facts["product"])
    second = yield from the_product(facts["other"])
    both = [first, second]
    if facts.get("by_reviews"):
        better = yield choose(both, key=lambda each: -each["reviews"])
    else:
        better = yield choose(both, key=lambda each: -(each["rating"] or 0))
    variant = yield choose([each for each in better["variants"] if each["stock"]], key=lambda each: -each["stock"])
    must(better["rating"], "nobody has reviewed it")
    cart = yield do("get_cart", customer_id=facts["customer_id"])
    if {facts["product"], facts["other"]} & {each["product"] for each in cart["lines"]}:
        raise DeadEnd("one of the two is in the cart already")
    yield do("set_cart_quantity", customer_id=facts["customer_id"], sku=variant["sku"], quantity=1)
    rating, price = f"{better['rating']} stars", euros(variant["price"])
    text = f"The {better['name']} has {rating}; one ({variant['option']}) at {price} EUR is in your cart."
    return told(text, rating, price)


BETTER = WORDS.program(
    "add_better_rated",
    _draw_better,
    _better,
    (
        WORDS.twist("by the number of reviews", "change_of_mind", sets={"by_reviews": True}),
        COLLEAGUE,
    ),
)


def _tidy(facts: Facts) -> Solution:
    cart = yield do("get_cart", customer_id=facts["customer_id"])
    must(len(cart["lines"]) >= 2, "nothing to choose between")
    sign = 1 if facts.get("cheapest") else -1
    line = yield choose(cart["lines"], key=lambda each: sign * each["price"])
    done = yield do("remove_from_cart", customer_id=facts["customer_id"], sku=line["sku"])
    left = euros(done["goods"])
    return told(f"The {line['product']} is out; {left} EUR of goods are left.", line["product"], left)


TIDY = WORDS.program(
    "take_out_of_cart",
    a_customer,
    _tidy,
    (
        WORDS.twist("the cheapest", "change_of_mind", sets={"cheapest": True}),
        COLLEAGUE,
    ),
)


CART = (ADD, CHEAPEST, BETTER, TIDY)
