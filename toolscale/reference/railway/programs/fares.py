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
    journey_with,
    trains_between,
)
from toolscale.reference.railway.programs.common import (
    FLYING,
    TRAINSET,
    a_journey,
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


def _compare(facts: Facts) -> Policy:
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
    more = f"{totals['flex'] - totals['standard']:.2f}"
    text = f"On {train['service_id']}, flex costs {more} EUR more than standard ({totals['standard']:.2f} EUR)."
    return (yield from closing(facts, text, (more,), train["service_id"]))


COMPARE = Program(
    "compare_fares",
    "Find out how much more the flexible fare costs on the first train of a day",
    {
        "plain": "How much more would I pay for flex than for standard on the first train from {origin} to "
        "{destination} on {date:date}? [Just tell me, do not book.|I only want to know, please book nothing.]",
        "terse": "flex minus standard, first train {date:date}, {origin} to {destination}? no booking.",
        "chatty": "I can never decide between flex and standard! For the first train on {date:date} from {origin} to "
        "{destination}, what is the difference for me? I will sleep on it before booking.",
        "formal": "Please advise me of the surcharge of the flex over the standard fare for the first train from "
        "{origin} to {destination} on {date:date}; no booking is desired.",
        "hurried": "Difference flex/standard for me, first train {origin} to {destination}, {date:date}? Only asking!",
        "non_native": "The first train of {date:date}, {origin} to {destination}: for me, how much more costs flex "
        "than standard? Only say me, not book.",
        "confused": "I read about flex and standard and got quite lost, so how much more is flex than standard for "
        "me, on the first train from {origin} to {destination} on {date:date}? I am not booking anything yet.",
    },
    a_journey,
    _compare,
    (LEAVE_AFTER, ARRIVE_BY, FIRST_CLASS, TRAINSET, FLYING),
)


FARES = (QUOTE, COMPARE)
