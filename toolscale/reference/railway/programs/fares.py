"""Programs about what a journey costs, and about paying one that is held."""

from toolscale.reference.program import (
    Facts,
    Policy,
    Program,
    Twist,
    choose,
    do,
)
from toolscale.reference.railway.programs.booking import (
    ARRIVE_BY,
    FIRST_CLASS,
    LEAVE_AFTER,
    OTHER_FARE,
    journey_with,
    trains_between,
)
from toolscale.reference.railway.programs.common import (
    FLYING,
    POINTS,
    TRAINSET,
    a_budget,
    a_journey,
    an_account,
    closing,
    money,
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
        "plain": "What would the earliest train from {origin} to {destination} on {date:date} cost for "
        "{travellers:int} of us at the {fare} fare, with my rail card if I have one? I am not booking yet.",
        "terse": "price check only: {travellers:int} x {fare}, {origin} to {destination}, {date:date}, earliest train.",
        "chatty": "We are still dreaming about it, so no booking yet, but what would {travellers:int} of us pay on "
        "the earliest {fare} train on {date:date} that goes from {origin} to {destination}?",
        "formal": "Without obligation, please quote the {fare} fare for {travellers:int} travellers on the first "
        "train of {date:date} between {origin} and {destination}.",
        "non_native": "I do not buy now, only ask how much costs {fare} for {travellers:int} persons, {date:date}, "
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
        "{destination} on {date:date}? Just tell me, do not book.",
        "terse": "flex minus standard, first train {date:date}, {origin} to {destination}? no booking.",
        "chatty": "I can never decide between flex and standard! For the first train on {date:date} from {origin} to "
        "{destination}, what is the difference for me? I will sleep on it before booking.",
        "formal": "Please advise me of the surcharge of the flex over the standard fare for the first train from "
        "{origin} to {destination} on {date:date}; no booking is desired.",
        "hurried": "Difference flex/standard for me, first train {origin} to {destination}, {date:date}? Only asking!",
    },
    a_journey,
    _compare,
    (LEAVE_AFTER, ARRIVE_BY, FIRST_CLASS, TRAINSET, FLYING),
)


def _settle(facts: Facts) -> Policy:
    held = yield do("list_bookings", passenger_id=facts["passenger_id"], status="held")
    first = yield choose(held, key=lambda each: each["hold_until"])
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    vouchers = passenger["open_vouchers"]
    if facts.get("largest_voucher"):
        voucher = yield choose(vouchers, key=lambda each: -each["amount"])
    else:
        voucher = yield choose(vouchers, key=lambda each: each["valid_until"])
    booking = yield do("get_booking", booking_id=first["booking_id"])
    if "max_price" in facts and booking["price_total"] > facts["max_price"]:
        price = f"{booking['price_total']:.2f}"
        text = f"I have not paid {first['booking_id']}: it costs {price} EUR."
        return (yield from closing(facts, text, (price,), first["service_id"]))
    method = facts.get("method", "card")
    paid = yield do("pay_held_booking", booking_id=first["booking_id"], method=method, voucher_id=voucher["voucher_id"])
    rest = f"{paid['paid_by_method']:.2f}"
    text = f"{first['booking_id']} is paid with voucher {voucher['voucher_id']}, and {rest} EUR by {method}."
    tell = money(paid["paid_by_method"], first["booking_id"])
    return (yield from closing(facts, text, tell, first["service_id"]))


SETTLE = Program(
    "pay_held",
    "Pay the held booking that lapses first, with a voucher before it expires",
    {
        "plain": "Please pay the held booking of mine that lapses first. Use the voucher that expires soonest and my "
        "card for the rest. Which booking was it, and how much was the rest?",
        "terse": "pay my held booking (earliest deadline), soonest-expiring voucher first, rest by card. booking no. "
        "+ rest?",
        "chatty": "I have a booking on hold, the most urgent one if there are several, and some voucher that is about "
        "to expire, so use that up for it and put the rest on my card! Then tell me which booking it was and how much "
        "the rest came to.",
        "formal": "I request settlement of my held booking with the nearest deadline, applying the voucher closest to "
        "expiry, with the remainder charged to my card; please state the booking and the remainder.",
        "hurried": "Pay what I have on hold before it lapses, first-expiring voucher, rest card, tell me booking and "
        "rest!",
        "non_native": "I have reservation in hold not paid, the first which finishes; pay it with voucher which "
        "expires first, the other money from card. Which booking is, and how much from card?",
    },
    an_account,
    _settle,
    (
        Twist(
            "the largest voucher",
            "change_of_mind",
            {
                "plain": "Actually, take the voucher with the largest amount instead.",
                "terse": "no, biggest voucher instead.",
                "chatty": "Hmm, now that I think of it, use my biggest voucher rather than the one about to expire!",
                "formal": "On reflection, the voucher of the highest value is to be applied instead.",
            },
            sets={"largest_voucher": True},
        ),
        Twist(
            "the rest by points",
            "change_of_mind",
            {
                "plain": "Wait, not my card: pay the rest with my points.",
                "terse": "rest by points, not card.",
                "chatty": "Oh no, my card is maxed out, so let my points cover the rest!",
                "formal": "Contrary to the above, please charge the remainder to my points.",
            },
            sets={"method": "points"},
        ),
        Twist(
            "a limit on the held price",
            "condition",
            {
                "plain": "Do this only if that booking costs no more than {max_price:money} EUR in total, or else "
                "tell me its price and leave it.",
                "terse": "only if it costs max {max_price:money} EUR, else leave it and tell me the price.",
                "formal": "This applies only where its price does not exceed {max_price:money} EUR; otherwise state "
                "the price.",
            },
            draw=a_budget,
        ),
        POINTS,
    ),
    unknown="I do not remember the booking's number or the voucher's.",
)


FARES = (QUOTE, COMPARE, SETTLE)
