"""Requests about flights that the agency's policy forbids: what proves it is looked up and told."""

from toolscale.reference.moments import NOW, day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Refusal, Reply, Steps, do
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import (
    Record,
    a_flight_booking,
    clock,
    runs,
)


def _light(booking: Record, flight: Record) -> bool:
    return booking["fare_id"] == "FR-LIGHT" and runs(booking, flight)


def _no_refund(facts: Facts) -> Policy:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    if booking["refund_now"] or booking["fare"] != "light":
        raise DeadEnd("it is refundable")
    paid, leaves = shown(booking["price_total"]), clock(booking["departure"])
    text = f"A light fare is not refunded: the {paid} EUR are spent. The booking stands, you leave at {leaves}."
    return Reply(text, (paid, leaves))


def _cancel_all_the_same(facts: Facts) -> Steps:
    yield do("cancel_flight", booking_id=facts["booking_id"], refund_to="card")


REFUND_LIGHT = Program(
    "refuse_refund_of_light_fare",
    "Ask for the money of a light fare back, which the policy forbids",
    {
        "plain": "I cannot use {booking_id} after all. Please cancel it and give me my money back. [If that is "
        "impossible, keep the booking and tell me what I paid and when it leaves.|If not, leave it, and tell me the "
        "price that I paid and the departure time.]",
        "terse": "{booking_id}: cancel with refund. not refundable? keep it, tell me price paid + departure.",
        "chatty": "[The concert is off|My cousin called the party off], so I want my money back for {booking_id}! And "
        "if you really cannot do that, then leave it alone, and what did I pay and when does it go, so that I can at "
        "least use it?",
        "formal": "I wish to be reimbursed for {booking_id}, which is to be cancelled. In case of refusal the booking "
        "should remain, and the price paid and the departure be stated.",
        "non_native": "I want give back {booking_id} and receive all my money. If is not permitted, no change, only "
        "say me the price I paid and when it goes.",
    },
    a_flight_booking(suits=_light),
    _no_refund,
    again="booking_id",
    refusal=Refusal("light_fares_stay_as_they_are", _cancel_all_the_same),
)


def _room_for_a_bag(booking: Record, flight: Record) -> bool:
    return _light(booking, flight) and booking["cabin"] == "economy" and not booking["extra_bags"]


def _no_upgrade(facts: Facts) -> Policy:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    if booking["fare"] != "light" or booking["cabin"] != "economy":
        raise DeadEnd("it is no light fare in economy")
    done = yield do("add_bags", booking_id=facts["booking_id"], bags=facts["bags"])
    lands, charged = clock(booking["arrival"]), shown(done["charged"])
    text = f"Light fares cannot be upgraded. I added the bag for {charged} EUR; you land at {lands} as booked."
    return Reply(text, (lands, charged))


def _upgrade_all_the_same(facts: Facts) -> Steps:
    yield do("upgrade_cabin", booking_id=facts["booking_id"], payment="card")


UPGRADE_LIGHT = Program(
    "refuse_upgrade_of_light_fare",
    "Ask for business class with a light fare, which cannot be upgraded, or else for a bag",
    {
        "plain": "Please put me in business class on {booking_id}, at the expense of my card. If my fare does not "
        "allow that, add {bags:count} extra bag instead, and tell me what that costs and when I land.",
        "terse": "{booking_id} -> business, on my card. fare doesn't allow it? then add {bags:count} bag. its price + "
        "landing time?",
        "chatty": "[I have earned some luxury|My back is killing me], so business class on {booking_id}, from my "
        "card! And if my fare does not let me, then at least put {bags:count} more bag on it, and what do I pay for "
        "that, and when do we land?",
        "formal": "I request business class for {booking_id}, to be charged to my card; if my fare precludes this, "
        "{bags:count} additional bag is to be booked instead, and its fee and the time of landing to be stated.",
        "non_native": "On {booking_id} I would sit in business class, take it from my card. If my fare not permits, "
        "then put {bags:count} bag more; how much it costs and at what hour I arrive?",
    },
    a_flight_booking(suits=_room_for_a_bag, bags=(1,)),
    _no_upgrade,
    refusal=Refusal("light_fares_stay_as_they_are", _upgrade_all_the_same),
)


def _no_late_cancelling(facts: Facts) -> Policy:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    if booking["refund_now"] or booking["fare"] == "light":
        raise DeadEnd("it is refundable, or never was")
    each = booking["change_fee_each"]
    paid, leaves = shown(booking["price_total"]), clock(booking["departure"])
    text = f"{booking['refund_rule']}, so nothing comes back of the {paid} EUR; it leaves at {leaves} and stays booked."
    return Reply(f"{text} A change costs {shown(each)} EUR each.", (paid, leaves))


def _soon(booking: Record, flight: Record) -> bool:
    hours = {"FR-CLASSIC": 3, "FR-FLEX": 1}.get(booking["fare_id"], 0)
    return runs(booking, flight) and flight["departure"] < f"{day(hours)}T{NOW[11:]}"


LATE_CANCELLING = Program(
    "refuse_refund_too_late",
    "Ask for a refund of a flight when the time for it has passed",
    {
        "plain": "I would like to cancel {booking_id} with whatever refund there still is. If nothing comes back any "
        "more, keep it, and tell me what I paid and at what time it takes off.",
        "terse": "{booking_id}: cancel if any refund left. nothing back any more? keep it, what did i pay, take-off?",
        "chatty": "I know I am late with this, but {booking_id}, could I still cancel it and see some of my money? If "
        "there is nothing to be had any more, keep it for me, and what did I pay, and when does it take off?",
        "formal": "I ask you to cancel {booking_id}, provided that some refund is still due; otherwise it is to be "
        "kept, and the price paid and the time of take-off to be stated.",
        "non_native": "For {booking_id}, I want cancel if some money still returns. If no money any more, please "
        "keep, and say what I paid and hour of take-off.",
    },
    a_flight_booking(suits=_soon),
    _no_late_cancelling,
    refusal=Refusal("flights_are_refunded_by_fare", _cancel_all_the_same),
)


def _no_compensation(facts: Facts) -> Policy:
    found = yield do("check_compensation", booking_id=facts["booking_id"])
    if found["due"] or "before" in found["reason"] or "close" in found["reason"]:
        raise DeadEnd("it is due, or was claimed")
    late = f"{found['delay_minutes']} minutes"
    cause = (found["cause"] or "").replace("_", " ")
    return Reply(f"Nothing is due: it was {late} late ({cause}), and {found['reason']}.", (late, cause))


def _claim_all_the_same(facts: Facts) -> Steps:
    yield do("claim_compensation", booking_id=facts["booking_id"], payout="bank_transfer")


NO_COMPENSATION = Program(
    "refuse_compensation",
    "Claim compensation for a delay for which none is due",
    {
        "plain": "I want compensation for the delay of {booking_id}, paid to my bank account. If none is due, tell me "
        "by how many minutes it was late according to you, and for what cause.",
        "terse": "{booking_id} was delayed: compensation to my bank. none due? minutes late + cause.",
        "chatty": "We missed the whole birthday dinner thanks to {booking_id}, so I want to be compensated, to my "
        "bank account! And if you say no, then by how many minutes was it late, and what was the cause?",
        "formal": "I claim compensation, payable to my bank account, for the late arrival under {booking_id}; in the "
        "event of rejection I ask for the recorded delay in minutes and its cause.",
        "non_native": "For the delay of {booking_id} please pay me compensation in my bank. If you not pay, tell how "
        "many minutes it was and the cause.",
        "hurried": "Compensation for {booking_id}, it was late, to my bank! If not, minutes and cause?",
    },
    a_flight_booking("flown", lambda booking, flight: bool(flight["delay_minutes"])),
    _no_compensation,
    refusal=Refusal("compensation_as_laid_down", _claim_all_the_same),
)


REFUSED_FLIGHTS = (REFUND_LIGHT, UPGRADE_LIGHT, LATE_CANCELLING, NO_COMPENSATION)
