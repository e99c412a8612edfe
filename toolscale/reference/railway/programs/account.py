"""Programs about the account: rail cards, points, what is coming up and what it costs."""

from random import Random

from toolscale.reference.kit import known, latest_first, must
from toolscale.reference.program import Facts, Solution, World, choose, do, pick
from toolscale.reference.railway.programs.common import FLYING, a_passenger, an_account, closing, several
from toolscale.reference.words import words

WORDS = words(__file__)


def _buy_card(facts: Facts) -> Solution:
    products = yield do("list_card_products", passenger_id=facts["passenger_id"])
    suitable = [
        each
        for each in products
        if each["discount_percent"] >= facts["percent"]
        and (not facts.get("first_class") or each["travel_class"] == "first")
        and (not facts.get("full_year") or each["months"] == 12)
    ]
    product = yield choose(suitable, key=lambda each: each["price"])
    name, price = product["name"], f"{product['price']:.2f}"
    if product["price"] > facts.get("max_price", product["price"]):
        text = f"I bought no card: the cheapest is the {name} at {price} EUR."
        return (yield from closing(facts, text, (price,)))
    card = yield do(
        "buy_rail_card",
        passenger_id=facts["passenger_id"],
        product_id=product["product_id"],
        valid_from=facts["date"],
    )
    text = f"You have a {name} ({card['card_id']}) for {price} EUR, valid until {card['valid_until']}."
    return (yield from closing(facts, text, (name, price)))


def _draw_card(world: World, rng: Random) -> Facts:
    days = [f"2026-11-{day}" for day in (24, 26, 28, 30)] + [f"2026-12-{day:02d}" for day in (1, 4, 10, 15, 21)]
    return {
        "passenger_id": a_passenger(world, rng),
        "percent": rng.choice((20, 25, 30, 40, 50)),
        "date": rng.choice(days),
    }


BUY_CARD = WORDS.program(
    "buy_rail_card",
    _draw_card,
    _buy_card,
    (
        WORDS.twist("valid in first class", "constraint", sets={"first_class": True}),
        WORDS.twist("valid for a year", "constraint", sets={"full_year": True}),
        WORDS.twist(
            "a limit on the card's price",
            "condition",
            draw=lambda world, rng, facts: {"max_price": rng.choice((35.00, 60.00, 90.00, 150.00, 300.00))},
        ),
    ),
)


def _renewal(facts: Facts) -> Solution:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    renewing = [card for card in passenger["cards"] if card["auto_renew"]]
    if facts.get("keep_first"):
        card = yield choose(several(renewing), key=lambda each: latest_first(each["valid_until"]))
    else:
        card = yield choose(renewing, key=lambda each: each["valid_until"])
    if card["valid_until"] > facts.get("until", card["valid_until"]):
        text = f"I left the {card['name']} ({card['card_id']}) as it is: it runs until {card['valid_until']}."
        return (yield from closing(facts, text, (card["card_id"],)))
    done = yield do("set_card_renewal", card_id=card["card_id"], auto_renew=False)
    text = f"Your {done['name']} ({card['card_id']}) ends on {done['valid_until']} and does not renew."
    return (yield from closing(facts, text, (card["card_id"],)))


STOP_RENEWAL = WORDS.program(
    "stop_renewal",
    an_account,
    _renewal,
    (
        WORDS.twist("the other card", "change_of_mind", sets={"keep_first": True}),
        WORDS.twist(
            "only if it ends soon",
            "condition",
            draw=lambda world, rng, facts: {"until": rng.choice(("2027-01-15", "2027-04-01", "2027-06-30"))},
        ),
        FLYING,
    ),
)


def _convert(facts: Facts) -> Solution:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    points = facts.get("points", passenger["points"])
    must(500 <= points <= passenger["points"], "too few points")
    value = points / 100
    if value < facts.get("least", 0):
        balance = str(passenger["points"])
        text = f"I converted nothing: you have only {balance} points."
        return (yield from closing(facts, text, (balance,)))
    voucher = yield do("convert_points", passenger_id=facts["passenger_id"], points=points)
    worth, left = f"{voucher['amount']:.2f}", str(voucher["points_left"])
    text = f"Your voucher {voucher['voucher_id']} is worth {worth} EUR; {left} points are left."
    return (yield from closing(facts, text, (voucher["voucher_id"], worth)))


def _draw_points(world: World, rng: Random) -> Facts:
    able = [each for each in world.rows("passengers") if each["points"] >= 500]
    return {"passenger_id": pick(rng, able)["passenger_id"]}


def _draw_some_points(world: World, rng: Random, facts: Facts) -> Facts:
    passenger = known(world, "passengers", facts["passenger_id"])
    must(passenger["points"] >= 1000, "too few points to leave some")
    return {"points": rng.randrange(2, passenger["points"] // 250) * 250}


CONVERT = WORDS.program(
    "convert_points",
    _draw_points,
    _convert,
    (
        WORDS.twist("only some of the points", "change_of_mind", draw=_draw_some_points),
        WORDS.twist(
            "a least worth",
            "condition",
            draw=lambda world, rng, facts: {"least": rng.choice((12.50, 22.50, 37.50, 52.50))},
        ),
    ),
)


ACCOUNT = (BUY_CARD, STOP_RENEWAL, CONVERT)
