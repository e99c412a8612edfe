"""Programs about what a card may do: its daily limit, and where it works."""

from collections.abc import Callable
from random import Random

from toolscale.reference.finance.catalogue import CURRENCIES, SCALE
from toolscale.reference.finance.programs.shared import a_customer, currency_of, limit_on, owner, says
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, Twist, World, choose, do, pick
from toolscale.reference.sums import shown

USES = {"online payments": "online", "payments abroad": "abroad", "contactless payments": "contactless"}
TRIPS = {"Great Britain": "GBP", "Switzerland": "CHF", "Sweden": "SEK", "Denmark": "DKK", "Poland": "PLN",
         "the United States": "USD", "Portugal": "EUR", "Finland": "EUR"}  # fmt: skip


def _working(world: World) -> list[Record]:
    return [each for each in world.rows("cards") if each["status"] == "active"]


def _draw_limit(world: World, rng: Random) -> Facts:
    card = pick(rng, _working(world))
    currency = currency_of(world, card)
    limits = [each * SCALE[currency] for each in (150, 250, 350, 650, 950, 1350, 2250, 2750)]
    return {**owner(card), "card_id": card["card_id"], "limit": float(rng.choice(limits)), "currency": currency}


def _set_limit(facts: Facts) -> Policy:
    card = yield do("get_card", card_id=facts["card_id"])
    if card["status"] != "active" or facts["limit"] > card["highest_limit"] or facts["limit"] == card["daily_limit"]:
        raise DeadEnd("the limit cannot be set")
    before = shown(card["daily_limit"])
    if facts.get("only_down") and facts["limit"] > card["daily_limit"]:
        return Reply(f"I left the limit at {before} {card['currency']}.", (before,))
    yield do("set_card_limit", card_id=facts["card_id"], daily_limit=facts["limit"])
    return Reply(f"Done; before, it was {before} {card['currency']} a day.", (before,))


OTHER_LIMIT = Twist(
    "another card limit",
    "change_of_mind",
    says(
        "[No, that is not right|Let me correct that]: a limit of {limit:money} a day.",
        "correction: {limit:money} a day.",
        "Hm, now that I say it out loud, let us have {limit:money} a day instead!",
        "I amend my request: the limit per day shall be {limit:money}.",
        confused="Or is that not how it is counted? I mean {limit:money} for a day, yes, that.",
    ),
    draw=lambda world, rng, facts: {"limit": facts["limit"] + rng.choice((-100, -50, 50, 100, 200))},
)

LIMIT = Program(
    "set_card_limit",
    "Set how much a card may spend a day",
    says(
        "Please set the daily limit of my card {card_id} to {limit:money} {currency}, and tell me [what it was before|"
        "the limit I had so far].",
        "daily limit card {card_id}: {limit:money} {currency}. what was it before?",
        "[My teenager has discovered online shops|I am buying a sofa this week], so could my card {card_id} have a "
        "daily limit of {limit:money} {currency}? And what was it up to now?",
        "I wish the daily limit of my card {card_id} to be set to {limit:money} {currency}; kindly state the previous "
        "limit.",
        hurried="Card {card_id}, daily limit {limit:money} {currency}, what was it so far?",
        non_native="For my card {card_id} the limit of one day please make {limit:money} {currency}, and how much it "
        "was before?",
    ),
    _draw_limit,
    _set_limit,
    (
        OTHER_LIMIT,
        Twist(
            "never upwards",
            "condition",
            says(
                "But I only want it lower than now: if it would go up, leave it and tell me the present limit.",
                "only if that lowers it. else leave it, tell me the limit.",
                "Only if that makes it smaller, mind you, I am trying to be good! If not, leave it and tell me what it "
                "is.",
                "This is meant as a reduction; should it be an increase, leave the limit in place and state it.",
            ),
            sets={"only_down": True},
        ),
    ),
)


def _draw_highest(world: World, rng: Random) -> Facts:
    facts = _draw_limit(world, rng)
    return {key: facts[key] for key in ("customer_id", "limit", "currency")}


def _limit_highest(facts: Facts) -> Policy:
    cards = yield do("list_cards", customer_id=facts["customer_id"])
    working = [each for each in cards if each["status"] == "active" and each["kind"] == facts.get("kind", each["kind"])]
    if len(working) < 2:
        raise DeadEnd("nothing to choose between")
    chosen = yield choose(working, key=lambda each: -each["daily_limit"])
    card = yield do("get_card", card_id=chosen["card_id"])
    if facts["limit"] > card["highest_limit"] or facts["limit"] == card["daily_limit"]:
        raise DeadEnd("the limit cannot be set")
    yield do("set_card_limit", card_id=card["card_id"], daily_limit=facts["limit"])
    before = shown(card["daily_limit"])
    return Reply(f"{card['card_id']} had {before} {card['currency']} a day.", (card["card_id"], before))


LIMIT_HIGHEST = Program(
    "limit_most_generous_card",
    "Change the limit of whichever working card has the highest one",
    says(
        "Of my working cards, please take the one with the highest daily limit and change that limit to {limit:money} "
        "{currency}. [Which card is it, and what limit did it have?|Tell me its number and the limit it had.]",
        "my working card w/ highest daily limit: change to {limit:money} {currency}. card number + old limit?",
        "I have just read about fraud in the paper and am all worried! Whichever of my working cards has the biggest "
        "daily limit, change that to {limit:money} {currency}, and tell me the number and how big it was!",
        "Kindly identify that of my working cards which bears the highest daily limit, change it to {limit:money} "
        "{currency}, and inform me of the card's number and its former limit.",
    ),
    _draw_highest,
    _limit_highest,
    (
        OTHER_LIMIT,
        Twist(
            "debit cards alone",
            "constraint",
            says(
                "Look at debit cards only.",
                "debit cards only.",
                "Not the credit cards, I look after those myself, so only the debit ones!",
                "Credit cards are not to be considered.",
            ),
            sets={"kind": "debit"},
        ),
    ),
    unknown="I do not know the card's number.",
)


def _draw_use(allowed: bool) -> Callable[[World, Random], Facts]:
    def draw(world: World, rng: Random) -> Facts:
        found = [(card, use) for card in _working(world) for use, field in USES.items() if card[field] is not allowed]
        card, use = pick(rng, found)
        return {**owner(card), "card_id": card["card_id"], "use": use}

    return draw


def _forbid(facts: Facts) -> Policy:
    card = yield do("get_card", card_id=facts["card_id"])
    use = USES[facts["use"]]
    if card["status"] != "active" or not card[use]:
        raise DeadEnd("it is forbidden already")
    limit = shown(card["daily_limit"])
    if facts.get("and_limit") and facts["and_limit"] < card["daily_limit"]:
        yield do("set_card_limit", card_id=facts["card_id"], daily_limit=facts["and_limit"])
    yield do("set_card_use", card_id=facts["card_id"], use=use, allowed=False)
    return Reply(f"They are off. The limit was {limit} {card['currency']} a day.", (limit,))


FORBID = Program(
    "forbid_card_use",
    "Switch off a use of a card, such as payments abroad",
    says(
        "Please switch off {use} for my card {card_id}, and tell me the daily limit that it [has|has at the moment].",
        "card {card_id}: {use} off. current daily limit?",
        "[I have read such stories about stolen cards|My nephew is staying with us], so {use} should not work any more "
        "with my card {card_id}, and what was its daily limit again?",
        "I request that {use} be disabled on my card {card_id}; kindly state the daily limit standing on it.",
        non_native="With my card {card_id} I want no more {use}, please close this, and how much is the limit for a "
        "day now?",
    ),
    _draw_use(False),
    _forbid,
    (
        Twist(
            "and a lower limit",
            "condition",
            says(
                "If that limit is above {and_limit:money}, lower it to {and_limit:money} as well.",
                "and if limit > {and_limit:money}, lower it to {and_limit:money}.",
                "And should that limit be above {and_limit:money}, bring it down to {and_limit:money} while you are at "
                "it!",
                "Should that limit exceed {and_limit:money}, reduce it to {and_limit:money}.",
            ),
            draw=limit_on("cards", "card_id", "daily_limit", "and_limit", (0.3, 0.5, 0.7, 1.3)),
        ),
    ),
)


def _draw_trip(world: World, rng: Random) -> Facts:
    card = pick(rng, [each for each in _working(world) if not each["abroad"]])
    sells = currency_of(world, card)
    trip = rng.choice([place for place, currency in TRIPS.items() if currency != sells])
    amount = float(rng.choice((100, 250, 300, 500)) * SCALE[sells])
    return {
        **owner(card),
        "card_id": card["card_id"],
        "place": trip,
        "buy": TRIPS[trip],
        "amount": amount,
        "sell": sells,
    }


def _trip(facts: Facts) -> Policy:
    card = yield do("get_card", card_id=facts["card_id"])
    if card["status"] != "active" or card["abroad"]:
        raise DeadEnd("it works there anyway")
    buys = facts["buy"]
    got = yield do(
        "convert_currency", customer_id=facts["customer_id"], sell=facts["sell"], buy=buys, amount=facts["amount"]
    )
    if facts.get("least_limit", 0) > card["daily_limit"]:
        if facts["least_limit"] > card["highest_limit"]:
            raise DeadEnd("no such limit")
        yield do("set_card_limit", card_id=facts["card_id"], daily_limit=facts["least_limit"])
    yield do("set_card_use", card_id=facts["card_id"], use="abroad", allowed=True)
    bought, limit = shown(got["bought"]), shown(card["daily_limit"])
    text = f"It works abroad now. The limit was {limit} a day, and you would get {bought} {buys}."
    return Reply(text, (bought, limit))


TRIP = Program(
    "prepare_card_for_trip",
    "Get a card ready for a trip: payments abroad on, and what money is worth there",
    says(
        "I am travelling to {place}. Please allow payments abroad on my card {card_id}, tell me its daily limit as it "
        "is now, and how much local money I would get there for {amount:money} {sell}. [They pay in "
        "{buy} there.|It is {buy} that one pays with there.]",
        "trip to {place} ({buy}): card {card_id} on for abroad, daily limit now? {amount:money} {sell} = how much "
        "there?",
        "We are off to {place} at last, all five of us, and one pays in {buy} there! Could my card {card_id} work "
        "abroad, and what is its limit a day right now, and what would {amount:money} {sell} be over there?",
        "I am about to travel to {place}, where {buy} is the currency. Kindly enable payments abroad on my card "
        "{card_id}, and state its present daily limit and the sum that I would receive for {amount:money} {sell}.",
        confused="They tell me that one pays in {buy} in {place}, where we are going, and that my card {card_id} must "
        "be allowed abroad first? And the limit a day now, and what would I get for {amount:money} {sell}?",
    ),
    _draw_trip,
    _trip,
    (
        Twist(
            "a limit for the trip",
            "condition",
            says(
                "If the daily limit is below {least_limit:money} now, raise it to {least_limit:money}.",
                "daily limit < {least_limit:money}? raise it to {least_limit:money}.",
                "Should the daily limit be below {least_limit:money}, do raise it to {least_limit:money}, hotels are "
                "not cheap!",
                "Should the daily limit lie below {least_limit:money}, raise it to {least_limit:money}.",
            ),
            draw=lambda world, rng, facts: {"least_limit": rng.choice((700.0, 950.0, 1450.0)) * SCALE[facts["sell"]]},
        ),
    ),
)


def _draw_rate(world: World, rng: Random) -> Facts:
    sell, buy = rng.sample(sorted(CURRENCIES), 2)
    amount = float(rng.choice((100, 250, 340, 500, 750, 1200)) * SCALE[sell])
    return {**a_customer(world, rng), "sell": sell, "buy": buy, "amount": amount}


def _rate(facts: Facts) -> Policy:
    got = []
    for buy in (facts["buy"], *([facts["also"]] if "also" in facts else [])):
        got.append(
            (
                yield do(
                    "convert_currency",
                    customer_id=facts["customer_id"],
                    sell=facts["sell"],
                    buy=buy,
                    amount=facts["amount"],
                )
            )
        )
    sums = tuple(shown(each["bought"]) for each in got)
    return Reply(f"You would get {' or '.join(sums)}; the rate is {got[0]['rate']}.", (*sums, str(got[0]["rate"])))


RATE = Program(
    "ask_exchange_rate",
    "Ask what an amount is worth in another currency today",
    says(
        "How much {buy} would I get for {amount:money} {sell} today on my plan, and at what rate?",
        "{amount:money} {sell} in {buy} today on my plan? rate?",
        "Just dreaming a little: what would {amount:money} {sell} make in {buy} today, with the plan that I have, and "
        "what is the rate?",
        "Kindly inform me what sum in {buy} I should obtain today, under my plan, for {amount:money} {sell}, and at "
        "which rate.",
    ),
    _draw_rate,
    _rate,
    (
        Twist(
            "a second currency",
            "entities",
            says(
                "And how much would I get if I changed it into {also} instead?",
                "and into {also} instead?",
                "And if I changed it into {also} instead, how much would I get then, I wonder?",
                "I should also like to know what I should obtain if it were changed into {also} instead.",
            ),
            draw=lambda world, rng, facts: {
                "also": pick(rng, [each for each in sorted(CURRENCIES) if each not in (facts["buy"], facts["sell"])])
            },
        ),
    ),
)

CARD_SETTINGS = (LIMIT, LIMIT_HIGHEST, FORBID, TRIP, RATE)
