"""Requests about tickets and claims that the policy forbids: what proves it is looked up and told."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Refusal, Steps, World, choose, do
from toolscale.reference.railway.programs.choosing import trains_between
from toolscale.reference.railway.programs.common import (
    NOW,
    Record,
    a_booking,
    a_journey,
    clock,
    closing,
    day_after,
    departure,
)


def _saver(booking: Record, service: Record) -> bool:
    return "SAVER" in booking["fare_id"] and service["status"] != "cancelled" and service["delay_minutes"] < 60


def _no_refund(facts: Facts) -> Policy:
    quote = yield do("quote_refund", booking_id=facts["booking_id"])
    if quote["refund"]:
        raise DeadEnd("it is refundable after all")
    paid = f"{quote['paid']:.2f}"
    text = f"I cannot refund the {paid} EUR of {facts['booking_id']}: {quote['rule']}. The booking stands."
    return (yield from closing(facts, text, (paid,)))


def _cancel_all_the_same(facts: Facts) -> Steps:
    yield do("cancel_booking", booking_id=facts["booking_id"], refund_to="original_payment")


REFUND_SAVER = Program(
    "refuse_refund_of_saver",
    "Ask for the money of a saver ticket back, which the policy forbids",
    {
        "plain": "[I cannot travel after all|My plans have changed|I fell ill], so please cancel {booking_id} and "
        "refund me. [If you cannot, tell me how much money I lose.|If that is impossible, I want to know what I paid "
        "for it.]",
        "terse": "{booking_id}: cancel + refund. if not possible tell me what [i paid|the ticket cost].",
        "chatty": "[My aunt moved her birthday|The concert was called off|My friends have let me down], so I will not "
        "need {booking_id} any more, could I have my money back, pretty please? And if you really cannot, do tell me "
        "what sum I paid!",
        "formal": "I wish to withdraw from {booking_id} against reimbursement; should this be [refused|declined], "
        "kindly state the price that was paid.",
        "non_native": "I want give back the ticket {booking_id} and receive my money; if is not possible say me the "
        "price which I payed.",
        "confused": "I think I booked the wrong thing with {booking_id}, or was it the right one, anyway can you "
        "cancel it and give me my money back? If not, how much was it again?",
    },
    lambda world, rng: a_booking(world, rng, suits=_saver),
    _no_refund,
    again="booking_id",
    refusal=Refusal("saver_stays_as_it_is", _cancel_all_the_same),
)


def _draw_upgrade(world: World, rng: Random) -> Facts:
    return a_booking(world, rng, suits=lambda booking, service: _saver(booking, service) and "-2" in booking["fare_id"])


def _no_upgrade(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    if booking["fare"] != "saver" or booking["travel_class"] != "second":
        raise DeadEnd("it is no saver ticket in second class")
    leaves = clock(booking["departure"])
    text = (
        f"{facts['booking_id']} is a {booking['fare']} ticket and cannot be upgraded; you leave at {leaves} as booked."
    )
    return (yield from closing(facts, text, (leaves, booking["fare"]), booking["service_id"]))


def _upgrade_all_the_same(facts: Facts) -> Steps:
    yield do("upgrade_booking", booking_id=facts["booking_id"], payment="card")


UPGRADE_SAVER = Program(
    "refuse_upgrade_of_cheap_ticket",
    "Ask for first class with a ticket that cannot be upgraded",
    {
        "plain": "Please upgrade {booking_id} to first class, charged to my card. [If my ticket does not allow it, "
        "tell me what kind of fare it is and when I leave.|If the fare is wrong for that, say which fare I have and "
        "at what time I depart.]",
        "terse": "{booking_id} to 1st class, card. else: which fare do i have + departure?",
        "chatty": "It is [our anniversary|my mother's first train ride in years], so I would love first class on "
        "{booking_id}, just charge my card! If that is not allowed, what fare did I buy there and when do we leave?",
        "formal": "Kindly upgrade {booking_id} to first class at the expense of my card; failing that, state the fare "
        "that I hold and the time of departure.",
        "hurried": "First class for {booking_id} on my card, quick, or tell me my fare and departure time!",
        "non_native": "I like to sit in first class with {booking_id}, pay with card. If not permitted, which fare is "
        "mine and when goes the train?",
    },
    _draw_upgrade,
    _no_upgrade,
    again="booking_id",
    refusal=Refusal("saver_stays_as_it_is", _upgrade_all_the_same),
)


def _not_due(booking: Record, service: Record) -> bool:
    return bool(service["delay_minutes"] > 9)


def _no_compensation(facts: Facts) -> Policy:
    found = yield do("check_compensation", booking_id=facts["booking_id"])
    if found["eligible"] or "already" in found["reason"]:
        raise DeadEnd("compensation is due")
    late = f"{found['delay_minutes']} minutes"
    text = f"Nothing is due for {facts['booking_id']}: the train was {late} late, and {found['reason']}."
    return (yield from closing(facts, text, (late,)))


def _claim_all_the_same(facts: Facts) -> Steps:
    yield do("file_compensation_claim", booking_id=facts["booking_id"], payout="bank_transfer")


CLAIM_NOTHING = Program(
    "refuse_compensation",
    "Claim compensation for a delay for which none is due",
    {
        "plain": "My train of {booking_id} was late. Please file a claim and pay by bank transfer. [Should nothing be "
        "due, tell me how many minutes late it was by your records.|If I get nothing, I want to hear the delay in "
        "minutes.]",
        "terse": "claim for late train, {booking_id}, bank transfer. if nothing due: delay in minutes?",
        "chatty": "We were so late on {booking_id} [that my coffee went cold|that we missed the concert|], surely "
        "there is some compensation, to my bank please? And if not, how many minutes was it, officially?",
        "formal": "I hereby claim compensation for the late arrival under {booking_id}, payable by bank transfer; in "
        "case of rejection, kindly state the recorded delay in minutes.",
        "hurried": "{booking_id} was late, compensate me by bank transfer, or tell me the minutes!",
        "non_native": "The train of {booking_id} came late, I want compensation on my bank; if no, how much minutes "
        "was late?",
    },
    lambda world, rng: a_booking(world, rng, "travelled", _not_due),
    _no_compensation,
    again="booking_id",
    refusal=Refusal("compensation_as_laid_down", _claim_all_the_same),
)


def _leaves_within_a_day(booking: Record, service: Record) -> bool:
    calm = service["status"] != "cancelled" and service["delay_minutes"] < 60
    return calm and "STANDARD" in booking["fare_id"] and NOW < departure(booking, service) < day_after(NOW)


def _too_late(facts: Facts) -> Policy:
    quote = yield do("quote_refund", booking_id=facts["booking_id"])
    if quote["refund"]:
        raise DeadEnd("it is refundable after all")
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    leaves, paid = clock(booking["departure"]), f"{quote['paid']:.2f}"
    text = f"It is too late: the train leaves at {leaves}, in less than a day. You paid {paid} EUR."
    return (yield from closing(facts, text, (leaves, paid)))


REFUND_LATE = Program(
    "refuse_late_refund",
    "Ask for the refund of a standard ticket when less than a day is left",
    {
        "plain": "[Something came up at short notice|My meeting was put off only now], so please cancel {booking_id} "
        "and give me back what the fare allows. If it is too late for any refund, leave it, and tell me [when the "
        "train leaves and what I paid|what I paid and the time of departure].",
        "terse": "last minute: cancel {booking_id} for whatever refund is left. too late? then departure + price paid.",
        "chatty": "[My babysitter has just cancelled on me|Of all days, I woke up with a fever], so could you cancel "
        "{booking_id} and see what I get back? If I am too late for a refund, keep it and tell me when it leaves and "
        "what I paid, perhaps I drag myself there!",
        "formal": "At short notice I must ask you to cancel {booking_id} and to refund what the fare still provides; "
        "should the time for a refund have passed, let the booking stand and state its departure and the price paid.",
        "non_native": "I know it is late, but please cancel {booking_id} and return the money which is possible. If "
        "is too late for money, not cancel, only say me when it goes and how much I paid.",
        "confused": "I only saw today what I have booked, so is {booking_id} still good for a refund, and if so "
        "cancel it? If it is too late, leave it and tell me when it goes and what I paid.",
    },
    lambda world, rng: a_booking(world, rng, suits=_leaves_within_a_day),
    _too_late,
    refusal=Refusal("refunds_by_fare", _cancel_all_the_same),
)


def _draw_crowd(world: World, rng: Random) -> Facts:
    return {**a_journey(world, rng), "crowd": rng.choice((7, 8, 9, 10, 12)), "fare": rng.choice(("standard", "flex"))}


def _too_many(facts: Facts) -> Policy:
    between, trains = yield from trains_between({**facts, "travellers": 0}, facts["date"])
    train = yield choose(trains, key=lambda each: each["departure"])
    if train["seats_left"] < facts["crowd"]:
        raise DeadEnd("for so many, another train would be the first")
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


LARGE_PARTY = Program(
    "refuse_large_party",
    "Ask for one booking of more people than a booking may have",
    {
        "plain": "[Please book|I would like you to book] the first train from {origin} to {destination} on "
        "{date:date} for {crowd:count} people in a single booking, {fare} fare, second class. If that is too many for "
        "one booking, book nothing, and tell me when that train leaves and what my own ticket would cost.",
        "terse": "{crowd:count} people, 1 booking, first train {origin} to {destination} {date:date}, {fare} 2nd "
        "class. too many? then no booking, only departure + price of my own ticket.",
        "chatty": "The whole [choir|team|family] is going from {origin} to {destination} on {date:date}, that makes "
        "{crowd:count} of us on one second class booking at the {fare} fare, first train of the day! If you do not do "
        "so many at once, leave it and tell me when it goes and how much I myself would pay.",
        "formal": "I request a single booking for {crowd:count} persons in second class at the {fare} fare on the "
        "first service of {date:date} from {origin} to {destination}; should that number exceed what one booking may "
        "hold, kindly refrain and state the departure and the price of my own ticket.",
        "hurried": "{crowd:count} of us in one booking, {origin} to {destination}, {date:date}, first train, {fare}, "
        "second class! Too many? Then just departure and price for me alone!",
        "non_native": "We are a group, {crowd:count} persons, and want all in one booking the first train of "
        "{date:date} from {origin} to {destination}, second class, {fare}. If it is too many persons, not book, say "
        "me the hour and the price for me alone.",
    },
    _draw_crowd,
    _too_many,
    refusal=Refusal("sold_for_one_to_six_while_there_is_room", _book_all_the_same),
)

REFUSED_TICKETS = (REFUND_SAVER, UPGRADE_SAVER, CLAIM_NOTHING, REFUND_LATE, LARGE_PARTY)
