"""Programs that alter a journey already booked: another train the same day, or another day."""

from random import Random

from toolscale.reference.kit import clock, latest_first
from toolscale.reference.program import Facts, Solution, World, choose, do, pick
from toolscale.reference.railway.programs.common import (
    DAYS,
    FLYING,
    TRAINSET,
    Record,
    Step,
    a_booking,
    bookings_in,
    closing,
    money,
    several,
)
from toolscale.reference.words import words

WORDS = words(__file__)


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


def _move(facts: Facts, train: Record) -> Solution:
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


def _exchange_same_day(facts: Facts) -> Solution:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    trains = yield from _choose_train(facts, booking, booking["travel_date"])
    if facts.get("first_train"):
        train = yield choose(several(trains), key=lambda each: each["departure"])
    else:
        train = yield choose(trains, key=lambda each: latest_first(each["departure"]))
    return (yield from _move(facts, train))


def _exchangeable(booking: Record, service: Record) -> bool:
    return "SAVER" not in booking["fare_id"]


EXCHANGE_BUDGET = WORDS.twist(
    "a limit on what the exchange costs",
    "condition",
    draw=lambda world, rng, facts: {"max_price": rng.choice((10.0, 20.0, 35.0, 45.0, 60.0, 90.0))},
)
NOT_BEFORE = WORDS.twist(
    "not before a time",
    "constraint",
    draw=lambda world, rng, facts: {"leave_after": rng.choice(("07:15", "08:20", "09:35", "10:10"))},
)
ARRIVED_BY = WORDS.twist(
    "arrival of the new train",
    "constraint",
    draw=lambda world, rng, facts: {"arrive_by": rng.choice(("14:45", "16:35", "19:05", "21:25", "22:40"))},
)

EXCHANGE_SAME_DAY = WORDS.program(
    "exchange_same_day",
    lambda world, rng: a_booking(world, rng, suits=_exchangeable),
    _exchange_same_day,
    (
        WORDS.twist("the first train instead", "change_of_mind", sets={"first_train": True}),
        EXCHANGE_BUDGET,
        NOT_BEFORE,
        ARRIVED_BY,
        TRAINSET,
    ),
    again="booking_id",
)


def _exchange_to_date(facts: Facts) -> Solution:
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


EXCHANGE_TO_DATE = WORDS.program(
    "exchange_to_date",
    _draw_to_date,
    _exchange_to_date,
    (
        WORDS.twist("the first train of the day", "change_of_mind", sets={"first_train": True}),
        EXCHANGE_BUDGET,
        NOT_BEFORE,
        ARRIVED_BY,
        FLYING,
    ),
    again="booking_id",
)


CHANGES = (EXCHANGE_SAME_DAY, EXCHANGE_TO_DATE)
