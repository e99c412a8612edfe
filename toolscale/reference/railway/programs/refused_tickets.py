"""Requests about tickets and claims that the policy forbids: what proves it is looked up and told."""

from random import Random

from toolscale.reference.kit import clock, just, must
from toolscale.reference.program import DeadEnd, Facts, Refusal, Solution, Steps, World, choose, do
from toolscale.reference.railway.programs.choosing import trains_between
from toolscale.reference.railway.programs.common import NOW, Record, a_booking, a_journey, closing, day_after, departure
from toolscale.reference.words import words

WORDS = words(__file__)


def _saver(booking: Record, service: Record) -> bool:
    return "SAVER" in booking["fare_id"] and service["status"] != "cancelled" and service["delay_minutes"] < 60


def _no_refund(facts: Facts) -> Solution:
    quote = yield do("quote_refund", booking_id=facts["booking_id"])
    must(not quote["refund"], "it is refundable after all")
    paid = f"{quote['paid']:.2f}"
    text = f"I cannot refund the {paid} EUR of {facts['booking_id']}: {quote['rule']}. The booking stands."
    return (yield from closing(facts, text, (paid,)))


def _cancel_all_the_same(facts: Facts) -> Steps:
    yield do("cancel_booking", booking_id=facts["booking_id"], refund_to="original_payment")


REFUND_SAVER = WORDS.program(
    "refuse_refund_of_saver",
    lambda world, rng: a_booking(world, rng, suits=_saver),
    _no_refund,
    again="booking_id",
    refusal=Refusal("saver_stays_as_it_is", _cancel_all_the_same),
)


def _draw_upgrade(world: World, rng: Random) -> Facts:
    return a_booking(world, rng, suits=lambda booking, service: _saver(booking, service) and "-2" in booking["fare_id"])


def _no_upgrade(facts: Facts) -> Solution:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    if booking["fare"] != "saver" or booking["travel_class"] != "second":
        raise DeadEnd("it is no saver ticket in second class")
    leaves = clock(booking["departure"])
    text = (
        f"{facts['booking_id']} is a {booking['fare']} ticket and cannot be upgraded; you leave at {leaves} as booked."
    )
    return (yield from closing(facts, text, (leaves, booking["fare"]), booking["service_id"]))


UPGRADE_SAVER = WORDS.program(
    "refuse_upgrade_of_cheap_ticket",
    _draw_upgrade,
    _no_upgrade,
    again="booking_id",
    refusal=Refusal("saver_stays_as_it_is", just("upgrade_booking", "booking_id", where={"payment": "card"})),
)


def _not_due(booking: Record, service: Record) -> bool:
    return bool(service["delay_minutes"] > 9)


def _no_compensation(facts: Facts) -> Solution:
    found = yield do("check_compensation", booking_id=facts["booking_id"])
    if found["eligible"] or "already" in found["reason"]:
        raise DeadEnd("compensation is due")
    late = f"{found['delay_minutes']} minutes"
    text = f"Nothing is due for {facts['booking_id']}: the train was {late} late, and {found['reason']}."
    return (yield from closing(facts, text, (late,)))


CLAIM_NOTHING = WORDS.program(
    "refuse_compensation",
    lambda world, rng: a_booking(world, rng, "travelled", _not_due),
    _no_compensation,
    again="booking_id",
    refusal=Refusal(
        "compensation_as_laid_down", just("file_compensation_claim", "booking_id", where={"payout": "bank_transfer"})
    ),
)


def _leaves_within_a_day(booking: Record, service: Record) -> bool:
    calm = service["status"] != "cancelled" and service["delay_minutes"] < 60
    return calm and "STANDARD" in booking["fare_id"] and NOW < departure(booking, service) < day_after(NOW)


def _too_late(facts: Facts) -> Solution:
    quote = yield do("quote_refund", booking_id=facts["booking_id"])
    must(not quote["refund"], "it is refundable after all")
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    leaves, paid = clock(booking["departure"]), f"{quote['paid']:.2f}"
    text = f"It is too late: the train leaves at {leaves}, in less than a day. You paid {paid} EUR."
    return (yield from closing(facts, text, (leaves, paid)))


REFUND_LATE = WORDS.program(
    "refuse_late_refund",
    lambda world, rng: a_booking(world, rng, suits=_leaves_within_a_day),
    _too_late,
    refusal=Refusal("refunds_by_fare", _cancel_all_the_same),
)


def _draw_crowd(world: World, rng: Random) -> Facts:
    return {**a_journey(world, rng), "crowd": rng.choice((7, 8, 9, 10, 12)), "fare": rng.choice(("standard", "flex"))}


def _too_many(facts: Facts) -> Solution:
    between, trains = yield from trains_between({**facts, "travellers": 0}, facts["date"])
    train = yield choose(trains, key=lambda each: each["departure"])
    must(train["seats_left"] >= facts["crowd"], "for so many, another train would be the first")
    quote = yield do(
        "quote_fare",
        passenger_id=facts["passenger_id"],
        service_id=train["service_id"],
        **between,
        fare=facts["fare"],
    )
    leaves, price = clock(train["departure"]), f"{quote['total']:.2f}"
    text = f"A booking is for six at most. {train['service_id']} leaves first, at {leaves}; you would pay {price} EUR."
    return (yield from closing(facts, text, (leaves, price), train["service_id"]))


def _book_all_the_same(facts: Facts) -> Steps:
    between, trains = yield from trains_between(facts, facts["date"])
    train = yield choose(trains, key=lambda each: each["departure"])
    yield do(
        "book_train",
        passenger_id=facts["passenger_id"],
        service_id=train["service_id"],
        **between,
        fare=facts["fare"],
        travellers=facts["crowd"],
    )


LARGE_PARTY = WORDS.program(
    "refuse_large_party",
    _draw_crowd,
    _too_many,
    refusal=Refusal("sold_for_one_to_six_while_there_is_room", _book_all_the_same),
)

REFUSED_TICKETS = (REFUND_SAVER, UPGRADE_SAVER, CLAIM_NOTHING, REFUND_LATE, LARGE_PARTY)
