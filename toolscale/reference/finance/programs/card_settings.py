"""Programs about what a card may do: its daily limit, and where it works."""

from collections.abc import Callable
from random import Random

from toolscale.reference.finance.catalogue import CURRENCIES, SCALE
from toolscale.reference.finance.programs.shared import a_customer, currency_of, limit_on, owner
from toolscale.reference.kit import must
from toolscale.reference.program import DeadEnd, Facts, Record, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)

USES = {"online payments": "online", "payments abroad": "abroad", "contactless payments": "contactless"}
TRIPS = {
    "Great Britain": "GBP",
    "Switzerland": "CHF",
    "Sweden": "SEK",
    "Denmark": "DKK",
    "Poland": "PLN",
    "the United States": "USD",
    "Portugal": "EUR",
    "Finland": "EUR",
}


def _working(world: World) -> list[Record]:
    return [each for each in world.rows("cards") if each["status"] == "active"]


def _draw_limit(world: World, rng: Random) -> Facts:
    card = pick(rng, _working(world))
    currency = currency_of(world, card)
    limits = [each * SCALE[currency] for each in (150, 250, 350, 650, 950, 1350, 2250, 2750)]
    return {**owner(card), "card_id": card["card_id"], "limit": float(rng.choice(limits)), "currency": currency}


def _set_limit(facts: Facts) -> Solution:
    card = yield do("get_card", card_id=facts["card_id"])
    if card["status"] != "active" or facts["limit"] > card["highest_limit"] or facts["limit"] == card["daily_limit"]:
        raise DeadEnd("the limit cannot be set")
    before = shown(card["daily_limit"])
    if facts.get("only_down") and facts["limit"] > card["daily_limit"]:
        return Reply(f"I left the limit at {before} {card['currency']}.", (before,))
    yield do("set_card_limit", card_id=facts["card_id"], daily_limit=facts["limit"])
    return Reply(f"Done; before, it was {before} {card['currency']} a day.", (before,))


OTHER_LIMIT = WORDS.twist(
    "another card limit",
    "change_of_mind",
    draw=lambda world, rng, facts: {"limit": facts["limit"] + rng.choice((-100, -50, 50, 100, 200))},
)

LIMIT = WORDS.program(
    "set_card_limit",
    _draw_limit,
    _set_limit,
    (
        OTHER_LIMIT,
        WORDS.twist("never upwards", "condition", sets={"only_down": True}),
    ),
)


def _draw_highest(world: World, rng: Random) -> Facts:
    facts = _draw_limit(world, rng)
    return {key: facts[key] for key in ("customer_id", "limit", "currency")}


def _limit_highest(facts: Facts) -> Solution:
    cards = yield do("list_cards", customer_id=facts["customer_id"])
    working = [each for each in cards if each["status"] == "active" and each["kind"] == facts.get("kind", each["kind"])]
    must(len(working) >= 2, "nothing to choose between")
    chosen = yield choose(working, key=lambda each: -each["daily_limit"])
    card = yield do("get_card", card_id=chosen["card_id"])
    if facts["limit"] > card["highest_limit"] or facts["limit"] == card["daily_limit"]:
        raise DeadEnd("the limit cannot be set")
    yield do("set_card_limit", card_id=card["card_id"], daily_limit=facts["limit"])
    before = shown(card["daily_limit"])
    return Reply(f"{card['card_id']} had {before} {card['currency']} a day.", (card["card_id"], before))


LIMIT_HIGHEST = WORDS.program(
    "limit_most_generous_card",
    _draw_highest,
    _limit_highest,
    (
        OTHER_LIMIT,
        WORDS.twist("debit cards alone", "constraint", sets={"kind": "debit"}),
    ),
)


def _draw_use(allowed: bool) -> Callable[[World, Random], Facts]:
    def draw(world: World, rng: Random) -> Facts:
        found = [(card, use) for card in _working(world) for use, field in USES.items() if card[field] is not allowed]
        card, use = pick(rng, found)
        return {**owner(card), "card_id": card["card_id"], "use": use}

    return draw


def _forbid(facts: Facts) -> Solution:
    card = yield do("get_card", card_id=facts["card_id"])
    use = USES[facts["use"]]
    if card["status"] != "active" or not card[use]:
        raise DeadEnd("it is forbidden already")
    limit = shown(card["daily_limit"])
    if facts.get("and_limit") and facts["and_limit"] < card["daily_limit"]:
        yield do("set_card_limit", card_id=facts["card_id"], daily_limit=facts["and_limit"])
    yield do("set_card_use", card_id=facts["card_id"], use=use, allowed=False)
    return Reply(f"They are off. The limit was {limit} {card['currency']} a day.", (limit,))


FORBID = WORDS.program(
    "forbid_card_use",
    _draw_use(False),
    _forbid,
    (
        WORDS.twist(
            "and a lower limit",
            "condition",
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


def _trip(facts: Facts) -> Solution:
    card = yield do("get_card", card_id=facts["card_id"])
    if card["status"] != "active" or card["abroad"]:
        raise DeadEnd("it works there anyway")
    buys = facts["buy"]
    got = yield do(
        "convert_currency", customer_id=facts["customer_id"], sell=facts["sell"], buy=buys, amount=facts["amount"]
    )
    if facts.get("least_limit", 0) > card["daily_limit"]:
        must(facts["least_limit"] <= card["highest_limit"], "no such limit")
        yield do("set_card_limit", card_id=facts["card_id"], daily_limit=facts["least_limit"])
    yield do("set_card_use", card_id=facts["card_id"], use="abroad", allowed=True)
    bought, limit = shown(got["bought"]), shown(card["daily_limit"])
    text = f"It works abroad now. The limit was {limit} a day, and you would get {bought} {buys}."
    return Reply(text, (bought, limit))


TRIP = WORDS.program(
    "prepare_card_for_trip",
    _draw_trip,
    _trip,
    (
        WORDS.twist(
            "a limit for the trip",
            "condition",
            draw=lambda world, rng, facts: {"least_limit": rng.choice((700.0, 950.0, 1450.0)) * SCALE[facts["sell"]]},
        ),
    ),
)


def _draw_rate(world: World, rng: Random) -> Facts:
    sell, buy = rng.sample(sorted(CURRENCIES), 2)
    amount = float(rng.choice((100, 250, 340, 500, 750, 1200)) * SCALE[sell])
    return {**a_customer(world, rng), "sell": sell, "buy": buy, "amount": amount}


def _rate(facts: Facts) -> Solution:
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


RATE = WORDS.program(
    "ask_exchange_rate",
    _draw_rate,
    _rate,
    (
        WORDS.twist(
            "a second currency",
            "entities",
            draw=lambda world, rng, facts: {
                "also": pick(rng, [each for each in sorted(CURRENCIES) if each not in (facts["buy"], facts["sell"])])
            },
        ),
    ),
)

CARD_SETTINGS = (LIMIT, LIMIT_HIGHEST, FORBID, TRIP, RATE)
