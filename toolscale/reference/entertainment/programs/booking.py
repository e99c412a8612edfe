"""Programs that buy tickets: the cheapest, the next, on a day, with a gift card, or a place on the waiting list."""

from random import Random

from toolscale.reference.entertainment.programs.common import (
    AT_THE_BACK,
    an_evening,
    free_in,
    near_total,
    price_in,
    seated,
)
from toolscale.reference.kit import clock, latest_first, must
from toolscale.reference.moments import TODAY
from toolscale.reference.program import Facts, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _paying_card(facts: Facts, total: float, currency: str) -> Steps:
    """Step: the gift card that expires first among those that cover the sum; None if the card on file pays."""
    if not facts.get("by_gift_card"):
        return None
    cards = yield do("list_gift_cards", member_id=facts["member_id"])
    enough = [
        each for each in cards if not each["expired"] and each["currency"] == currency and each["balance"] >= total
    ]
    card = yield choose(enough, key=lambda each: each["valid_until"])
    return card["gift_card_id"]


def buy(facts: Facts, performance_id: str, zone: str, tickets: int) -> Solution:
    """The solution of every purchase: seats, price, limit, payment, booking."""
    group = yield from seated(facts, performance_id, zone, tickets)
    quote = yield do(
        "quote_tickets", member_id=facts["member_id"], performance_id=performance_id, zone=zone, tickets=tickets
    )
    total, currency = shown(quote["total"]), quote["currency"]
    if quote["total"] > facts.get("most_total", float("inf")):
        return Reply(f"I booked nothing: the tickets would come to {total} {currency}.", (total,))
    card = yield from _paying_card(facts, quote["total"], currency)
    booked = yield do(
        "book_seats",
        member_id=facts["member_id"],
        performance_id=performance_id,
        seats=group["seats"],
        gift_card_id=card,
    )
    starts, seats = clock(booked["starts_at"]), ", ".join(booked["seats"])
    text = f"Booked for {booked['starts_at'][:10]} at {starts}: seats {seats}, {total} {currency} in all."
    return Reply(text, (starts, total))


LIMIT = WORDS.twist("a limit on the total", "condition", near_total)
OTHER_NUMBER = WORDS.twist(
    "another number of seats",
    "change_of_mind",
    lambda world, rng, facts: {"tickets": pick(rng, [each for each in (2, 3, 4) if each != facts["tickets"]])},
)


def _holds_a_card(world: World, rng: Random, facts: Facts) -> Facts:
    pick(
        rng,
        [
            row
            for row in world.rows("gift_cards")
            if row["member_id"] == facts["member_id"] and row["balance"] >= facts["price"] * facts["tickets"]
        ],
    )
    return {}


BY_GIFT_CARD = WORDS.twist("paid with a gift card", "constraint", _holds_a_card, sets={"by_gift_card": True})


def _draw_period(world: World, rng: Random) -> Facts:
    facts = an_evening(world, rng)
    at = (TODAY.fromisoformat(facts["date"]) - TODAY).days
    first, last = max(1, at - rng.randint(0, 4)), at + rng.randint(2, 9)
    start, end = (TODAY.fromordinal(TODAY.toordinal() + offset).isoformat() for offset in (first, last))
    return {**facts, "from_date": start, "to_date": end}


def _cheapest(facts: Facts) -> Solution:
    found = yield do(
        "search_performances",
        title=facts["title"],
        city=facts["city"],
        from_date=facts["from_date"],
        to_date=facts["to_date"],
    )
    suitable = [each for each in found if free_in(each, facts["zone"]) >= facts["tickets"]]
    best = yield choose(suitable, key=lambda each: (price_in(each, facts["zone"]), each["starts_at"]))
    return (yield from buy(facts, best["performance_id"], facts["zone"], facts["tickets"]))


BOOK_CHEAPEST = WORDS.program(
    "book_cheapest", _draw_period, _cheapest, (AT_THE_BACK, LIMIT, OTHER_NUMBER, BY_GIFT_CARD)
)


def _draw_next(world: World, rng: Random) -> Facts:
    return an_evening(world, rng)


def _earliest(facts: Facts) -> Solution:
    found = yield do("search_performances", title=facts["title"], city=facts["city"])
    suitable = [each for each in found if free_in(each, facts["zone"]) >= facts["tickets"]]
    order = latest_first if facts.get("last_one") else str
    best = yield choose(suitable, key=lambda each: order(each["starts_at"]))
    return (yield from buy(facts, best["performance_id"], facts["zone"], facts["tickets"]))


LAST_ONE = WORDS.twist("the last performance", "change_of_mind", sets={"last_one": True})

BOOK_FIRST = WORDS.program(
    "book_first_performance", _draw_next, _earliest, (LAST_ONE, AT_THE_BACK, LIMIT, OTHER_NUMBER)
)


def on_day(facts: Facts) -> Steps:
    """Step: the one performance of a show in a city on a day."""
    found = yield do(
        "search_performances",
        title=facts["title"],
        city=facts["city"],
        from_date=facts["date"],
        to_date=facts["date"],
    )
    must(len(found) <= 1, "it is played twice on that day")
    return (yield choose(found, key=lambda each: each["starts_at"]))


def _draw_paid_by_card(world: World, rng: Random) -> Facts:
    """A member with a gift card that may cover two seats somewhere in the same currency."""
    cards = [row for row in world.rows("gift_cards") if row["valid_until"] > TODAY.isoformat()]
    card = pick(rng, cards)
    facts = an_evening(world.narrowed_to(card["member_id"]), rng, lambda p, v: v["currency"] == card["currency"])
    must(facts["price"] * facts["tickets"] * 1.15 <= card["balance"], "the gift card holds too little")
    return facts


def _with_card(facts: Facts) -> Solution:
    performance = yield from on_day(facts)
    return (
        yield from buy({**facts, "by_gift_card": True}, performance["performance_id"], facts["zone"], facts["tickets"])
    )


BOOK_WITH_CARD = WORDS.program("book_with_gift_card", _draw_paid_by_card, _with_card, (AT_THE_BACK, OTHER_NUMBER))


BOOKING = (BOOK_CHEAPEST, BOOK_FIRST, BOOK_WITH_CARD)
