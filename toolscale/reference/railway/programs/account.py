"""Programs about the account: rail cards, points, what is coming up and what it costs."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Twist, World, choose, do, pick
from toolscale.reference.railway.programs.common import (
    FLYING,
    a_passenger,
    an_account,
    closing,
    later_first,
    several,
)


def _buy_card(facts: Facts) -> Policy:
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


BUY_CARD = Program(
    "buy_rail_card",
    "Buy the cheapest rail card that gives a certain discount",
    {
        "plain": "[Please sell me|I want to buy] the cheapest rail card with at least {percent:int} percent discount "
        "that I am entitled to, valid from {date:date}. [Which card is it and what does it cost?|Tell me its name and "
        "price.]",
        "terse": "rail card, {percent:int} percent or more, cheapest I can get, from {date:date}. which + price?",
        "chatty": "I travel so much these days that I want a rail card starting {date:date}, at least {percent:int} "
        "percent off, the cheapest you would let me have! Which one would that be and for how much?",
        "formal": "I wish to purchase, with validity from {date:date}, the least expensive rail card open to me that "
        "grants {percent:int} percent or more; please name it and its price.",
        "non_native": "I like to buy card for discount of {percent:int} percent minimum, which is cheapest for me, "
        "starting at {date:date}; how is called and how much?",
        "confused": "My sister says that I need a rail card, {percent:int} percent or more, from {date:date}, the "
        "cheapest one that I am allowed to have. Can you sell me that, and what is it called and how much is it?",
    },
    _draw_card,
    _buy_card,
    (
        Twist(
            "valid in first class",
            "constraint",
            {
                "plain": "The rail card has to be valid in first class.",
                "terse": "card must cover 1st class.",
                "chatty": "I do like the big seats, so the rail card must count in first class too!",
                "formal": "The validity of the rail card in first class is a requirement.",
            },
            sets={"first_class": True},
        ),
        Twist(
            "valid for a year",
            "constraint",
            {
                "plain": "No trial cards: the rail card must run for a full year.",
                "terse": "card for 12 months, no trial.",
                "chatty": "And none of those trial cards, it should run for a full twelve months!",
                "formal": "It is presupposed that the rail card be valid for twelve months.",
            },
            sets={"full_year": True},
        ),
        Twist(
            "a limit on the card's price",
            "condition",
            {
                "plain": "If the rail card costs more than {max_price:money} EUR, do not buy it and just tell me the "
                "price.",
                "terse": "no card above {max_price:money} EUR, then only tell me its price.",
                "chatty": "But hey, a card above {max_price:money} EUR would make my brother protest, so then only "
                "tell me what it would cost!",
                "formal": "The purchase is subject to the rail card's price not exceeding {max_price:money} EUR, "
                "failing which only the price is to be stated.",
            },
            draw=lambda world, rng, facts: {"max_price": rng.choice((35.00, 60.00, 90.00, 150.00, 300.00))},
        ),
    ),
)


def _renewal(facts: Facts) -> Policy:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    renewing = [card for card in passenger["cards"] if card["auto_renew"]]
    if facts.get("keep_first"):
        card = yield choose(several(renewing), key=lambda each: later_first(each["valid_until"]))
    else:
        card = yield choose(renewing, key=lambda each: each["valid_until"])
    if card["valid_until"] > facts.get("until", card["valid_until"]):
        text = f"I left the {card['name']} ({card['card_id']}) as it is: it runs until {card['valid_until']}."
        return (yield from closing(facts, text, (card["card_id"],)))
    done = yield do("set_card_renewal", card_id=card["card_id"], auto_renew=False)
    text = f"Your {done['name']} ({card['card_id']}) ends on {done['valid_until']} and does not renew."
    return (yield from closing(facts, text, (card["card_id"],)))


STOP_RENEWAL = Program(
    "stop_renewal",
    "Stop the automatic renewal of a rail card",
    {
        "plain": "[Please switch off|I want to switch off] the automatic renewal of my rail card; if several renew, "
        "of the one that runs out first. Tell me the number of that card.",
        "terse": "stop auto-renewal of my rail card (the first to expire). its number?",
        "chatty": "[That rail card hardly pays off for me|My sister says that the rail card is a waste], so please "
        "stop it from renewing itself, the first to run out if I have more than one! What is its number, for my notes?",
        "formal": "Kindly terminate the automatic renewal of my rail card, or of the first to expire should there be "
        "several, and state its number.",
        "hurried": "My rail card must not renew, the first one that ends, what is its number?",
        "non_native": "My rail card shall not be renewed alone, I speak of the card which finishes first; which "
        "number has it?",
    },
    an_account,
    _renewal,
    (
        Twist(
            "the other card",
            "change_of_mind",
            {
                "plain": "No, sorry, the card that runs longest should be the one not to renew.",
                "terse": "wrong: the one that runs longest.",
                "chatty": "Oh no, I mixed them up, it is the one that runs longest that should not renew!",
                "formal": "I stand corrected: the card with the latest expiry is the one concerned.",
            },
            sets={"keep_first": True},
        ),
        Twist(
            "only if it ends soon",
            "condition",
            {
                "plain": "If that card runs beyond {until:date}, leave it as it is and only tell me its number.",
                "terse": "only if it ends by {until:date}, else just its number.",
                "chatty": "Though if it runs beyond {until:date} anyway, leave it be and just tell me its number!",
                "formal": "Where its validity extends beyond {until:date}, please leave it unaltered and state only "
                "its number.",
            },
            draw=lambda world, rng, facts: {"until": rng.choice(("2027-01-15", "2027-04-01", "2027-06-30"))},
        ),
        FLYING,
    ),
    unknown="I do not know the number of the card.",
)


def _convert(facts: Facts) -> Policy:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    points = facts.get("points", passenger["points"])
    if not 500 <= points <= passenger["points"]:
        raise DeadEnd("too few points")
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
    passenger = world.get("passengers", facts["passenger_id"])
    if passenger is None or passenger["points"] < 1000:
        raise DeadEnd("too few points to leave some")
    return {"points": rng.randrange(2, passenger["points"] // 250) * 250}


CONVERT = Program(
    "convert_points",
    "Turn the points on the account into a voucher",
    {
        "plain": "[Please convert|I would like to turn] all of my points into a voucher. What is its number and what "
        "is it worth?",
        "terse": "all my points into a voucher. number + value?",
        "chatty": "I have been collecting points for ages, so turn the whole lot into a voucher! What number does it "
        "have and how much is it worth?",
        "formal": "I request the conversion of all my points into a voucher, and to be told its number and value.",
        "hurried": "Turn all my points into a voucher, number and value!",
        "non_native": "My points, please make a voucher from all of them; which number has it and which value?",
        "confused": "I have these points and do not know what to do with them, can they all become a voucher? What "
        "number does it have then, and what is it worth?",
    },
    _draw_points,
    _convert,
    (
        Twist(
            "only some of the points",
            "change_of_mind",
            {
                "plain": "Actually no, convert only {points:int} points.",
                "terse": "just {points:int} points, not all.",
                "chatty": "Hm, on second thoughts let me keep some for Christmas, so only {points:int} points!",
                "formal": "On reflection the conversion should be limited to {points:int} points.",
                "non_native": "No, not all, only take {points:int} points.",
            },
            draw=_draw_some_points,
        ),
        Twist(
            "a least worth",
            "condition",
            {
                "plain": "If my points give less than {least:money} EUR, leave them alone and tell me how many I have.",
                "terse": "points worth under {least:money} EUR? then don't, just tell me how many.",
                "chatty": "If my points do not even make {least:money} EUR, then leave them and tell me how many "
                "there are!",
                "formal": "Should the points be worth less than {least:money} EUR, I ask only for their number.",
            },
            draw=lambda world, rng, facts: {"least": rng.choice((12.50, 22.50, 37.50, 52.50))},
        ),
    ),
    unknown="I do not know how many points I have.",
)


ACCOUNT = (BUY_CARD, STOP_RENEWAL, CONVERT)
