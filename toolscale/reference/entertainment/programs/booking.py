"""Programs that buy tickets: the cheapest, the next, on a day, with a gift card, or a place on the waiting list."""

from random import Random

from toolscale.reference.entertainment.programs.common import (
    AT_THE_BACK,
    an_evening,
    clock,
    free_in,
    latest,
    near_total,
    price_in,
    says,
    seated,
    twist,
)
from toolscale.reference.moments import TODAY
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Steps, World, choose, do, pick
from toolscale.reference.sums import shown


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


def buy(facts: Facts, performance_id: str, zone: str, tickets: int) -> Policy:
    """The policy of every purchase: seats, price, limit, payment, booking."""
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


LIMIT = twist(
    "a limit on the total",
    "condition",
    says(
        "[But book only if|Only do it if] the tickets come to at most {most_total:money} in all, fees included; "
        "otherwise book nothing and tell me the sum.",
        "max {most_total:money} in total incl. fees, else don't book, just the sum.",
        "We have {most_total:money} in the kitty for it all, fees included, so if it is more, do not book, only tell "
        "me "
        "what it would be!",
        "The purchase is conditional on a total of no more than {most_total:money}, fees included; failing that, state "
        "the total and refrain from booking.",
        "But if all tickets with fees cost more than {most_total:money}, please not book and only say me the sum.",
    ),
    near_total,
)
OTHER_NUMBER = twist(
    "another number of seats",
    "change_of_mind",
    says(
        "Sorry, I counted wrong: make that {tickets:count} seats.",
        "correction: {tickets:count} seats.",
        "Oh no, [my sister cancelled on us|somebody always changes their mind], so we need {tickets:count} seats now!",
        "I must correct the number of seats to {tickets:count}.",
        "I said wrong number, we are {tickets:count} persons, so {tickets:count} seats.",
    ),
    lambda world, rng, facts: {"tickets": pick(rng, [each for each in (2, 3, 4) if each != facts["tickets"]])},
)


def _holds_a_card(world: World, rng: Random, facts: Facts) -> Facts:
    pick(rng, [row for row in world.rows("gift_cards") if row["member_id"] == facts["member_id"]
               and row["balance"] >= facts["price"] * facts["tickets"]])  # fmt: skip
    return {}


BY_GIFT_CARD = twist(
    "paid with a gift card",
    "constraint",
    says(
        "Pay with [one of my gift cards|a gift card of mine]: of those that cover all of it, the one that expires "
        "first.",
        "pay by gift card, the one expiring first that covers it.",
        "And I have those gift cards from Christmas, so please use the one that runs out first, as long as it covers "
        "everything!",
        "Payment shall be made by whichever of my gift cards expires first and suffices for the whole sum.",
        "Payment please with my gift card, the one which finishes first and has enough money for all.",
    ),
    _holds_a_card,
    by_gift_card=True,
)


def _draw_period(world: World, rng: Random) -> Facts:
    facts = an_evening(world, rng)
    at = (TODAY.fromisoformat(facts["date"]) - TODAY).days
    first, last = max(1, at - rng.randint(0, 4)), at + rng.randint(2, 9)
    start, end = (TODAY.fromordinal(TODAY.toordinal() + offset).isoformat() for offset in (first, last))
    return {**facts, "from_date": start, "to_date": end}


def _cheapest(facts: Facts) -> Policy:
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


BOOK_CHEAPEST = Program(
    "book_cheapest",
    "Book seats for a show on whichever day of a period it is cheapest",
    says(
        "[Please book|I would like to book] {tickets:count} {zone} seats side by side for {title} in {city}, on "
        "whichever day from {from_date:date} to {to_date:date} is cheapest[ (the earlier if two cost the same)|; the "
        "earlier of two at one price]. Take the frontmost row that has them. When does it begin, and what do I pay?",
        "{tickets:count} {zone} seats together, {title} in {city}, cheapest date {from_date:date} to {to_date:date} "
        "(earlier if tied), frontmost row. start time + total?",
        "[My niece talks of nothing but this show|We need a night out], so {tickets:count} {zone} seats next to each "
        "other for {title} in {city}, any day from {from_date:date} to {to_date:date}, the cheapest there is, and the "
        "earlier one in a tie! As far to the front as it goes, and tell me when it starts and what it costs us!",
        "Kindly book {tickets:count} adjacent {zone} seats for {title} in {city} at the least expensive performance "
        "from "
        "{from_date:date} to {to_date:date}, the earlier in case of a tie, in the foremost row available, and state "
        "the hour and the total.",
        "I want {tickets:count} {zone} seats together for {title} in {city}, from {from_date:date} to {to_date:date} "
        "the day with best price, if same price the more early, in the row most in front; when starts and how much?",
    ),
    _draw_period,
    _cheapest,
    (AT_THE_BACK, LIMIT, OTHER_NUMBER, BY_GIFT_CARD),
)


def _draw_next(world: World, rng: Random) -> Facts:
    return an_evening(world, rng)


def _earliest(facts: Facts) -> Policy:
    found = yield do("search_performances", title=facts["title"], city=facts["city"])
    suitable = [each for each in found if free_in(each, facts["zone"]) >= facts["tickets"]]
    order = -1 if facts.get("last_one") else 1
    best = yield choose(suitable, key=lambda each: -order * latest(each["starts_at"]))
    return (yield from buy(facts, best["performance_id"], facts["zone"], facts["tickets"]))


LAST_ONE = twist(
    "the last performance",
    "change_of_mind",
    says(
        "On second thoughts, take the very last performance that has so many seats left, not the first.",
        "no, the last performance with enough seats, not the first.",
        "Hm, now that I think of it, the very last performance suits us so much better than the first, as long as the "
        "seats are there!",
        "I have reconsidered: the final performance with sufficient seats is preferred to the first.",
        "Sorry, better is the last performance of all which has the seats, not the first.",
    ),
    last_one=True,
)

BOOK_FIRST = Program(
    "book_first_performance",
    "Book seats at the first performance of a show that has enough of them left",
    says(
        "[Get us|Please book] {tickets:count} {zone} seats together at the first performance of {title} in {city} that "
        "still has so many[, in the front row of what is left|, as near to the front as possible]. What is the "
        "starting "
        "time and the total?",
        "{title} in {city}, first performance with {tickets:count} {zone} seats left, together, as near the front as "
        "possible. time + total?",
        "We simply cannot wait for {title} in {city}, so the first performance that has {tickets:count} {zone} seats "
        "for us, side by side and near the front! What time must we be there, and what do I owe you?",
        "I request {tickets:count} neighbouring {zone} seats, as near the front as possible, at the first performance "
        "of "
        "{title} in {city} with that many left; please state its hour and the total.",
        "Please {tickets:count} {zone} seats together, near to front, for first performance of {title} in {city} which "
        "has the places; what hour and how much all?",
        "First performance of {title} in {city} with {tickets:count} {zone} seats left, together, near the front, book "
        "it! Time and total?",
    ),
    _draw_next,
    _earliest,
    (LAST_ONE, AT_THE_BACK, LIMIT, OTHER_NUMBER),
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
    if len(found) > 1:
        raise DeadEnd("it is played twice on that day")
    return (yield choose(found, key=lambda each: each["starts_at"]))


def _draw_paid_by_card(world: World, rng: Random) -> Facts:
    """A member with a gift card that may cover two seats somewhere in the same currency."""
    cards = [row for row in world.rows("gift_cards") if row["valid_until"] > TODAY.isoformat()]
    card = pick(rng, cards)
    facts = an_evening(world.narrowed_to(card["member_id"]), rng, lambda p, v: v["currency"] == card["currency"])
    if facts["price"] * facts["tickets"] * 1.15 > card["balance"]:
        raise DeadEnd("the gift card holds too little")
    return facts


def _with_card(facts: Facts) -> Policy:
    performance = yield from on_day(facts)
    return (
        yield from buy({**facts, "by_gift_card": True}, performance["performance_id"], facts["zone"], facts["tickets"])
    )


BOOK_WITH_CARD = Program(
    "book_with_gift_card",
    "Book seats on a certain day with a gift card",
    says(
        "I want to use up a gift card: book {tickets:count} {zone} seats side by side for {title} in {city} on "
        "{date:date}, frontmost row, and take [the gift card|that card of mine] that expires first among those that "
        "cover it. Tell me the time and the price.",
        "{title}, {city}, {date:date}: {tickets:count} {zone} seats together, frontmost row, by gift card (first to "
        "expire that covers it). time + price?",
        "[Grandpa gave me gift cards and they will expire at this rate|I always forget my gift cards], so please use "
        "one "
        "for {tickets:count} {zone} seats together for {title} in {city} on {date:date}, front row of what is free! "
        "The "
        "card that runs out first, if it covers it. What time, and how much is gone then?",
        "Please reserve {tickets:count} adjacent {zone} seats in the foremost free row for {title} in {city} on "
        "{date:date}, to be settled with the gift card that expires first and suffices; kindly state hour and price.",
        "For {title} in {city} the {date:date} please {tickets:count} {zone} seats together most in front, I pay with "
        "gift card, the one which ends first and has enough; tell the hour and price.",
    ),
    _draw_paid_by_card,
    _with_card,
    (AT_THE_BACK, OTHER_NUMBER),
)


BOOKING = (BOOK_CHEAPEST, BOOK_FIRST, BOOK_WITH_CARD)
