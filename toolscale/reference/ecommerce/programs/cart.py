"""Programs about filling the cart: choose, compare, take out."""

from random import Random

from toolscale.reference.ecommerce.programs.common import (
    COLLEAGUE,
    a_customer,
    euros,
    near,
    says,
    the_product,
    the_variant,
    told,
    twist,
)
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, World, choose, do, pick


def _offered(world: World, rng: Random) -> tuple[Record, Record]:
    """A variant in sight that is in stock, and its product."""
    variant = pick(rng, [each for each in world.rows("variants") if each["stock"]])
    product = world.get("products", variant["product_id"])
    if product is None:
        raise DeadEnd("the product is out of sight")
    return product, variant


def _draw_add(world: World, rng: Random) -> Facts:
    product, variant = _offered(world, rng)
    return {
        **a_customer(world, rng), "product": product["name"], "option": variant["option"],
        "quantity": rng.choice((1, 2, 3, 4)),
    }  # fmt: skip


def _add(facts: Facts) -> Policy:
    product = yield from the_product(facts["product"])
    variant = yield from the_variant(product, facts["option"])
    price = euros(variant["price"])
    if variant["stock"] < facts["quantity"]:
        raise DeadEnd("sold out")
    if variant["price"] > facts.get("most", 1e9):
        return told(f"I left it out: one costs {price} EUR.", price)
    cart = yield do("get_cart", customer_id=facts["customer_id"])
    if any(each["sku"] == variant["sku"] for each in cart["lines"]):
        raise DeadEnd("it is in the cart already")
    done = yield do(
        "set_cart_quantity", customer_id=facts["customer_id"], sku=variant["sku"], quantity=facts["quantity"]
    )
    return told(f"At {price} EUR each; the cart holds {euros(done['goods'])} EUR of goods.", price,
                euros(done["goods"]))  # fmt: skip


ADD = Program(
    "add_to_cart",
    "Put a product into the cart and learn its price",
    says(
        "Please put {quantity:count} of the {product} ({option}) into my cart. What does one cost, and what is the "
        "value of the goods in the cart then?",
        "cart: {quantity:int} of {product} ({option}). price each + value of cart goods?",
        "I have been eyeing the {product} ({option}) for weeks, so put {quantity:count} of it in my cart at last! What "
        "is one, and what do the goods in my cart come to now?",
        "Please place {quantity:count} of the {product} ({option}) in my cart, and state the unit price and the value "
        "of goods in it.",
        "{quantity:int} of {product} ({option}) into my cart! price of one, value of the goods?",
        "Please to put in my cart {quantity:int} of {product} ({option}); how much is one and how much all goods in "
        "the cart?",
    ),
    _draw_add,
    _add,
    (
        twist("not too dear", "condition", says(
            "If one costs more than {most:money} euros, leave it out and just tell me its price.",
            "over {most:money} each? leave it out, just the price.",
            "But not if it is more than {most:money} euros apiece, in that case just tell me the price!",
            "Should the unit price exceed {most:money} EUR, leave the cart as it is and state the price.",
        ), near("most", 60, 90, 150)),
        twist("another number", "change_of_mind", says(
            "Sorry, make it {quantity:count} in all.",
            "no, {quantity:int}.",
            "Hm, hold on, {quantity:count} would be the right number, not what I just said!",
            "I should rather have {quantity:count} of it.",
        ), lambda world, rng, facts: {"quantity": pick(rng, [n for n in (1, 2, 3, 5, 6) if n != facts["quantity"]])}),
        COLLEAGUE,
    ),
)  # fmt: skip


def _draw_cheapest(world: World, rng: Random) -> Facts:
    product, _ = _offered(world, rng)
    if product["category"] in ("clothing", "home"):
        raise DeadEnd("all options cost the same")
    return {**a_customer(world, rng), "product": product["name"], "quantity": rng.choice((1, 2, 3))}


def _cheapest(facts: Facts) -> Policy:
    product = yield from the_product(facts["product"])
    in_stock = [each for each in product["variants"] if each["stock"] >= facts["quantity"]]
    sign = -1 if facts.get("dearest") else 1
    variant = yield choose(in_stock, key=lambda each: sign * each["price"])
    if len(in_stock) < 2:
        raise DeadEnd("nothing to choose between")
    cart = yield do("get_cart", customer_id=facts["customer_id"])
    if any(each["sku"] == variant["sku"] for each in cart["lines"]):
        raise DeadEnd("it is in the cart already")
    yield do("set_cart_quantity", customer_id=facts["customer_id"], sku=variant["sku"], quantity=facts["quantity"])
    price = euros(variant["price"])
    return told(f"It is {variant['option']} at {price} EUR each.", variant["option"], price)


CHEAPEST = Program(
    "add_cheapest_option",
    "Put the cheapest option of a product into the cart",
    says(
        "Which is the cheapest {product} that you have enough of in stock? Please put {quantity:count} of that into my "
        "cart, and tell me which it is and its price.",
        "cheapest {product} in stock, {quantity:int} into cart. which one + price each?",
        "I am not fussy at all, so just pop {quantity:count} of the cheapest {product} you have in stock into my cart! "
        "Which kind is it then, and how much?",
        "Of the {product}, please place {quantity:count} of the least expensive version in stock in my cart, stating "
        "which it is and the price.",
        "{quantity:int} of the cheapest {product} you have into my cart, which one is it, price?",
        "From the {product} please take the most cheap which is in stock, {quantity:int} to my cart; which is it and "
        "what price?",
    ),
    _draw_cheapest,
    _cheapest,
    (
        twist("the dearest", "change_of_mind", says(
            "No, it is a present: take the dearest one in stock instead.",
            "no, the dearest one in stock.",
            "Ah, what am I saying, it is for my mother, so the dearest one in stock please!",
            "On reflection, the most expensive version in stock is desired.",
        ), dearest=True),
        COLLEAGUE,
    ),
    unknown="I do not know which sizes or kinds there are.",
)  # fmt: skip


def _draw_better(world: World, rng: Random) -> Facts:
    product, _ = _offered(world, rng)
    others = [each for each in world.rows("products") if each["category"] == product["category"]]
    other = pick(rng, [each for each in others if each["name"] != product["name"]])
    return {**a_customer(world, rng), "product": product["name"], "other": other["name"]}


def _better(facts: Facts) -> Policy:
    first = yield from the_product(facts["product"])
    second = yield from the_product(facts["other"])
    both = [first, second]
    if facts.get("by_reviews"):
        better = yield choose(both, key=lambda each: -each["reviews"])
    else:
        better = yield choose(both, key=lambda each: -(each["rating"] or 0))
    variant = yield choose([each for each in better["variants"] if each["stock"]], key=lambda each: -each["stock"])
    if not better["rating"]:
        raise DeadEnd("nobody has reviewed it")
    cart = yield do("get_cart", customer_id=facts["customer_id"])
    if {facts["product"], facts["other"]} & {each["product"] for each in cart["lines"]}:
        raise DeadEnd("one of the two is in the cart already")
    yield do("set_cart_quantity", customer_id=facts["customer_id"], sku=variant["sku"], quantity=1)
    rating, price = f"{better['rating']} stars", euros(variant["price"])
    text = f"The {better['name']} has {rating}; one ({variant['option']}) at {price} EUR is in your cart."
    return told(text, rating, price)


BETTER = Program(
    "add_better_rated",
    "Compare two products by their ratings and put the better one into the cart",
    says(
        "I can afford only one of the two, the {product} or the {other}. Please put one piece of whichever is better "
        "rated into my cart, in the option that you have most of in stock. How many stars has it, to one decimal, and "
        "what does it cost?",
        "{product} or the {other}: 1 piece of whichever is better rated into cart, option with most stock. stars (1 "
        "decimal) + price?",
        "My sister says the {product}, I say the {other}, so let the buyers decide: one piece of whichever is better "
        "rated into my cart, in the option that you have most of! How many stars has it, with the decimal, and what is "
        "the price?",
        "Wishing to buy either the {product} or the {other}, I ask you to compare their average ratings and to "
        "place one piece of whichever is rated higher in "
        "my cart, in the option of which you hold most stock, stating its rating to one decimal and its price.",
        "money for one thing only, which is rated better, {product} versus the {other}? "
        "one of it into my cart, option with the most stock, "
        "stars with decimal, price!",
        "I have money only for one; please look which has better stars, {product} against the {other}, "
        "and put one piece of the better one in my cart, the "
        "option you have the most pieces; how much stars with the comma and what price?",
    ),
    _draw_better,
    _better,
    (
        twist("by the number of reviews", "change_of_mind", says(
            "Actually, go by the number of reviews instead of the stars: the one that has more of them.",
            "no, go by number of reviews, not stars.",
            "Oh, but stars can be misleading, so take the one with more reviews instead!",
            "On reflection, the greater number of reviews should decide rather than the stars.",
        ), by_reviews=True),
        COLLEAGUE,
    ),
)  # fmt: skip


def _tidy(facts: Facts) -> Policy:
    cart = yield do("get_cart", customer_id=facts["customer_id"])
    if len(cart["lines"]) < 2:
        raise DeadEnd("nothing to choose between")
    sign = 1 if facts.get("cheapest") else -1
    line = yield choose(cart["lines"], key=lambda each: sign * each["price"])
    done = yield do("remove_from_cart", customer_id=facts["customer_id"], sku=line["sku"])
    left = euros(done["goods"])
    return told(f"The {line['product']} is out; {left} EUR of goods are left.", line["product"], left)


TIDY = Program(
    "take_out_of_cart",
    "Take out of the cart what has the highest price a piece",
    says(
        "My cart has become too expensive: please take out entirely the product with the highest price a "
        "piece. Which one is it, and what are the goods left in the cart worth?",
        "cart: remove the product with the highest unit price. which + value left?",
        "Goodness, that cart of mine! Take the one with the highest price a piece right out of it, and tell me "
        "which it was and what the rest is worth!",
        "Please remove from my cart the product with the highest unit price, naming it and the remaining "
        "value of goods.",
        "highest price per piece in my cart has to go! which one, what is left in value?",
        "In my cart the product with most high price for one piece please take out; which was it and how much "
        "are the other goods?",
    ),
    a_customer,
    _tidy,
    (
        twist("the cheapest", "change_of_mind", says(
            "No, keep that one and take out the product with the lowest price a piece.",
            "no: the lowest unit price.",
            "But that is the very thing I want! Then rather take out the one with the lowest price a piece.",
            "Upon reflection, the product with the lowest unit price is to be removed instead.",
        ), cheapest=True),
        COLLEAGUE,
    ),
)  # fmt: skip


CART = (ADD, CHEAPEST, BETTER, TIDY)
