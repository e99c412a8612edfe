"""Programs that alter a journey already booked: another train the same day, or another day."""

from random import Random

from toolscale.reference.program import Facts, Policy, Program, Twist, World, choose, do, pick
from toolscale.reference.railway.programs.common import (
    DAYS,
    FLYING,
    TRAINSET,
    Record,
    Step,
    a_booking,
    bookings_in,
    clock,
    closing,
    later_first,
    money,
    several,
)


def _choose_train(facts: Facts, booking: Record, day: str) -> Step:
    """Trains between the booking's stations that have room for its party, other than its own."""
    found = yield do(
        "search_trains",
        origin=booking["origin"],
        destination=booking["destination"],
        travel_date=day,
        fare=booking["fare"],
        travel_class=booking["travel_class"],
    )
    by, after = facts.get("arrive_by"), facts.get("leave_after")
    return [
        train
        for train in found
        if train["seats_left"] >= booking["travellers"]
        and train["service_id"] != booking["service_id"]
        and train["departure"].startswith(day)
        and (not by or train["arrival"] <= f"{day}T{by}")
        and (not after or clock(train["departure"]) >= after)
    ]


def _move(facts: Facts, train: Record) -> Policy:
    """Move the booking to the train, unless that costs more than the user accepts."""
    booking_id, service_id = facts["booking_id"], train["service_id"]
    if "max_price" in facts:
        quote = yield do("quote_exchange", booking_id=booking_id, new_service_id=service_id)
        if quote["total"] > facts["max_price"]:
            total = f"{quote['total']:.2f}"
            text = f"I left {booking_id} as it is: moving it to {service_id} would cost {total} EUR."
            return (yield from closing(facts, text, (total,), service_id))
    moved = yield do("exchange_booking", booking_id=booking_id, new_service_id=service_id)
    leaves, total = clock(moved["departure"]), f"{moved['total']:.2f}"
    text = f"{booking_id} is now on {service_id}, departure {leaves}; I charged {total} EUR."
    return (yield from closing(facts, text, money(moved["total"], leaves), service_id))


def _exchange_same_day(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    trains = yield from _choose_train(facts, booking, booking["travel_date"])
    if facts.get("first_train"):
        train = yield choose(several(trains), key=lambda each: each["departure"])
    else:
        train = yield choose(trains, key=lambda each: later_first(each["departure"]))
    return (yield from _move(facts, train))


def _exchangeable(booking: Record, service: Record) -> bool:
    return "SAVER" not in booking["fare_id"]


EXCHANGE_BUDGET = Twist(
    "a limit on what the exchange costs",
    "condition",
    {
        "plain": "If changing the train costs more than {max_price:money} EUR, leave that booking as it is and tell "
        "me the cost.",
        "terse": "change trains only if that costs max {max_price:money} EUR, else tell me the cost.",
        "chatty": "I will not pay more than {max_price:money} EUR for changing, so above that just leave it and name "
        "the price!",
        "formal": "The exchange is to be made provided that the charge does not exceed {max_price:money} EUR; "
        "otherwise merely state it.",
    },
    draw=lambda world, rng, facts: {"max_price": rng.choice((10.0, 20.0, 35.0, 45.0, 60.0, 90.0))},
)
NOT_BEFORE = Twist(
    "not before a time",
    "constraint",
    {
        "plain": "The new train must not leave before {leave_after:time}.",
        "terse": "new departure {leave_after:time} or later.",
        "chatty": "I have the dentist in the morning, so nothing that leaves before {leave_after:time}, alas!",
        "formal": "The new departure must be at {leave_after:time} or later.",
    },
    draw=lambda world, rng, facts: {"leave_after": rng.choice(("07:15", "08:20", "09:35", "10:10"))},
)
ARRIVED_BY = Twist(
    "arrival of the new train",
    "constraint",
    {
        "plain": "The new train has to arrive by {arrive_by:time} on the day it leaves.",
        "terse": "must arrive by {arrive_by:time} same day.",
        "chatty": "The new one has to bring me there by {arrive_by:time} that same day or my mother will worry!",
        "formal": "Arrival on the same day by {arrive_by:time} is indispensable.",
    },
    draw=lambda world, rng, facts: {"arrive_by": rng.choice(("14:45", "16:35", "19:05", "21:25", "22:40"))},
)

EXCHANGE_SAME_DAY = Program(
    "exchange_same_day",
    "Move a booking to the last other train of the same day",
    {
        "plain": "[Please move|I would like you to move] {booking_id} to the last other train of the same day that "
        "has room, and tell me its departure and [what I pay|what that costs me].",
        "terse": "{booking_id}: last other train same day. new departure + cost?",
        "chatty": "My meeting got longer, as ever, so could you put {booking_id} on the last other train that day? Do "
        "tell me when it leaves and what I owe you!",
        "formal": "I request the exchange of {booking_id} for the last alternative service of the same day, with an "
        "indication of its departure and of the charge.",
        "hurried": "Meeting got longer! {booking_id} onto the last other train that day, when and how much?",
        "non_native": "Please change {booking_id} to the other train most late of the same day, and say me the hour "
        "and the price.",
    },
    lambda world, rng: a_booking(world, rng, suits=_exchangeable),
    _exchange_same_day,
    (
        Twist(
            "the first train instead",
            "change_of_mind",
            {
                "plain": "Sorry, I mean the first other train of that day, not the last.",
                "terse": "no: first train that day, not last.",
                "chatty": "Silly me, I got it the wrong way round, it should be the first other train that day!",
                "formal": "I must correct myself: the first alternative service of that day is meant.",
            },
            sets={"first_train": True},
        ),
        EXCHANGE_BUDGET,
        NOT_BEFORE,
        ARRIVED_BY,
        TRAINSET,
    ),
    again="booking_id",
)


def _exchange_to_date(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    trains = yield from _choose_train(facts, booking, facts["date"])
    if facts.get("first_train"):
        train = yield choose(several(trains), key=lambda each: each["departure"])
    else:
        train = yield choose(trains, key=lambda each: each["price"])
    return (yield from _move(facts, train))


def _draw_to_date(world: World, rng: Random) -> Facts:
    booking = pick(rng, bookings_in(world, "confirmed", _exchangeable))
    service = world.get("services", booking["service_id"]) or {}
    days = [day for day in DAYS if day != service.get("travel_date")]
    return {
        "passenger_id": booking["passenger_id"],
        "booking_id": booking["booking_id"],
        "date": rng.choice(days),
    }


EXCHANGE_TO_DATE = Program(
    "exchange_to_date",
    "Move a booking to the cheapest train of another day",
    {
        "plain": "I need to travel on {date:date} instead. Please move {booking_id} to the train with the lowest "
        "ticket price that day and tell me [its departure and what I pay|when it leaves and what the change costs].",
        "terse": "shift {booking_id} to {date:date}, lowest-priced train. departure + cost?",
        "chatty": "My plans have changed completely, so {booking_id} should be on {date:date} now, on the train with "
        "the lowest price please! When does it leave, and what will that cost me?",
        "formal": "Kindly transfer {booking_id} to the lowest-priced service of {date:date}, and let me know its "
        "departure and the charge.",
        "non_native": "I must travel other day: {date:date}. Move {booking_id} to train with lowest price there; at "
        "which hour it goes and how much I pay?",
        "confused": "I mixed up my days, it should have been {date:date}, so can {booking_id} go on the train with "
        "the lowest price that day? And when does it leave and what do I pay?",
    },
    _draw_to_date,
    _exchange_to_date,
    (
        Twist(
            "the first train of the day",
            "change_of_mind",
            {
                "plain": "Actually, price does not matter: take the first train of that day.",
                "terse": "forget price, first train of that day.",
                "chatty": "Ah, never mind the price after all, I had better take the very first train that day!",
                "formal": "On further consideration, irrespective of price, the first service of that day is "
                "preferred.",
            },
            sets={"first_train": True},
        ),
        EXCHANGE_BUDGET,
        NOT_BEFORE,
        ARRIVED_BY,
        FLYING,
    ),
    again="booking_id",
)


CHANGES = (EXCHANGE_SAME_DAY, EXCHANGE_TO_DATE)
