"""Programs about what a journey costs."""

from toolscale.reference.program import Facts, Solution, choose, do
from toolscale.reference.railway.programs.choosing import (
    ARRIVE_BY,
    FIRST_CLASS,
    LEAVE_AFTER,
    OTHER_FARE,
    buy,
    journey_with,
    trains_between,
)
from toolscale.reference.railway.programs.common import FLYING, TRAINSET, closing
from toolscale.reference.words import words

WORDS = words(__file__)


def _quote(facts: Facts) -> Solution:
    between, trains = yield from trains_between(facts, facts["date"])
    train = yield choose(trains, key=lambda each: each["departure"])
    quote = yield do(
        "quote_fare",
        passenger_id=facts["passenger_id"],
        service_id=train["service_id"],
        **between,
        fare=facts["fare"],
        travel_class=facts.get("travel_class"),
        travellers=facts["travellers"],
    )
    total = f"{quote['total']:.2f}"
    text = f"The earliest train is {train['service_id']}; for all of you it would come to {total} EUR."
    return (yield from closing(facts, text, (total,), train["service_id"]))


QUOTE = WORDS.program(
    "quote_party",
    journey_with(travellers=(2, 3, 4), fare=("standard", "flex")),
    _quote,
    (LEAVE_AFTER, ARRIVE_BY, FIRST_CLASS, OTHER_FARE, TRAINSET),
)


def _flex_or_standard(facts: Facts) -> Solution:
    between, trains = yield from trains_between(facts, facts["date"])
    train = yield choose(trains, key=lambda each: each["departure"])
    totals = {}
    for fare in ("standard", "flex"):
        quote = yield do(
            "quote_fare",
            passenger_id=facts["passenger_id"],
            service_id=train["service_id"],
            **between,
            fare=fare,
            travel_class=facts.get("travel_class"),
        )
        totals[fare] = quote["total"]
    more = round(totals["flex"] - totals["standard"], 2)
    booking = yield from buy({**facts, "fare": "flex" if more <= facts["most_more"] else "standard"}, between, train)
    price = f"{booking['price_total']:.2f}"
    text = (
        f"Flex costs {more:.2f} EUR more, so {train['service_id']} is booked as {booking['booking_id']}, {price} EUR."
    )
    return (yield from closing(facts, text, (booking["booking_id"], price), train["service_id"]))


FLEX_OR_STANDARD = WORDS.program(
    "book_flex_or_standard",
    journey_with(most_more=(10.0, 15.0, 20.0, 30.0, 40.0, 60.0)),
    _flex_or_standard,
    (LEAVE_AFTER, ARRIVE_BY, FIRST_CLASS, TRAINSET, FLYING),
)


FARES = (QUOTE, FLEX_OR_STANDARD)
