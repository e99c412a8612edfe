"""Programs about what a journey costs."""

from toolscale.reference.program import (
    Facts,
    Policy,
    Program,
    choose,
    do,
)
from toolscale.reference.railway.programs.choosing import (
    ARRIVE_BY,
    FIRST_CLASS,
    LEAVE_AFTER,
    OTHER_FARE,
    buy,
    journey_with,
    trains_between,
)
from toolscale.reference.railway.programs.common import (
    FLYING,
    TRAINSET,
    closing,
)


def _quote(facts: Facts) -> Policy:
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


QUOTE = Program(
    "quote_party",
    "Find out what a party would pay on the earliest train, rail card included",
    {
        "plain": "[What would|How much would] the earliest train from {origin} to {destination} on {date:date} cost "
        "for {travellers:count} of us at the {fare} fare, with my rail card if I have one? [I am not booking yet.|Do "
        "not book it yet.]",
        "terse": "price check only: {fare} for {travellers:count}, {origin} to {destination}, {date:date}, earliest "
        "train. no booking.",
        "chatty": "We are still dreaming about it, so no booking yet, but what would {travellers:count} of us pay on "
        "the earliest {fare} train on {date:date} that goes from {origin} to {destination}?",
        "formal": "Without obligation, please quote the {fare} fare for {travellers:count} travellers on the first "
        "train of {date:date} from {origin} to {destination}.",
        "non_native": "I do not buy now, only ask how much costs {fare} for {travellers:count} persons, {date:date}, "
        "train most early, start {origin}, finish {destination}.",
    },
    journey_with(travellers=(2, 3, 4), fare=("standard", "flex")),
    _quote,
    (LEAVE_AFTER, ARRIVE_BY, FIRST_CLASS, OTHER_FARE, TRAINSET),
)


def _flex_or_standard(facts: Facts) -> Policy:
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


FLEX_OR_STANDARD = Program(
    "book_flex_or_standard",
    "Book the first train of a day, with the flexible fare only if it costs little more",
    {
        "plain": "[Please book me|Book me] the first train from {origin} to {destination} on {date:date}: with flex if "
        "that is at most {most_more:money} EUR dearer than standard, otherwise with standard. [What is the booking "
        "number, and what do I pay?|Tell me the booking number and the price.]",
        "terse": "first train {date:date}, {origin} to {destination}: flex if max {most_more:money} EUR above "
        "standard, else standard. book. number + price?",
        "chatty": "I can never decide between flex and standard! On the first train of {date:date} from {origin} to "
        "{destination}, give me flex if it is no more than {most_more:money} EUR on top, and otherwise standard, book "
        "it, and tell me the number and the price!",
        "formal": "For the first train from {origin} to {destination} on {date:date}, please book the flex fare "
        "provided that its surcharge over the standard fare is {most_more:money} EUR or less, and the standard fare "
        "otherwise, and state the booking number and the price.",
        "hurried": "First train {origin} to {destination}, {date:date}, book it! Flex if it's {most_more:money} EUR "
        "more at most, else standard! Number, price?",
        "non_native": "The first train of {date:date}, {origin} to {destination}: book with flex if costs maximum "
        "{most_more:money} EUR more than standard, if not, book with standard. Say me number and price.",
        "confused": "I read about flex and standard and got quite lost, so for the first train from {origin} to "
        "{destination} on {date:date} book flex if it is no more than {most_more:money} EUR above standard, and "
        "otherwise standard. What number does it get, and what does it cost?",
    },
    journey_with(most_more=(10.0, 15.0, 20.0, 30.0, 40.0, 60.0)),
    _flex_or_standard,
    (LEAVE_AFTER, ARRIVE_BY, FIRST_CLASS, TRAINSET, FLYING),
)


FARES = (QUOTE, FLEX_OR_STANDARD)
