"""Programs that give a journey up: by number, by date, or whichever brings the most back."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Twist, World, choose, do, pick
from toolscale.reference.railway.programs.common import (
    FLYING,
    Record,
    Step,
    a_booking,
    a_least,
    an_account,
    bookings_in,
    closing,
)


def _refundable(booking: Record, service: Record) -> bool:
    late = service["status"] == "cancelled" or service["delay_minutes"] >= 60
    fare = booking["fare_id"]
    return late or "FLEX" in fare or ("STANDARD" in fare and service["travel_date"] >= "2026-11-25")


def _draw_refundable(world: World, rng: Random) -> Facts:
    return a_booking(world, rng, suits=_refundable)


AS_VOUCHER = Twist(
    "the refund as a voucher",
    "change_of_mind",
    {
        "plain": "Come to think of it, give me a voucher instead of the money.",
        "terse": "correction: refund as voucher.",
        "chatty": "Oh wait, I will travel again soon anyway, so a voucher would be even nicer than the money!",
        "formal": "I now prefer to receive the refund in the form of a voucher.",
        "hurried": "No, voucher instead of money!",
        "non_native": "I change my idea, better give me voucher and not the money.",
    },
    sets={"refund_to": "voucher"},
)
AT_LEAST = Twist(
    "a least refund",
    "condition",
    {
        "plain": "But cancel only if I get at least {least:money} EUR back; otherwise keep it and tell me the refund.",
        "terse": "cancel only if refund is {least:money} EUR or more, else keep and tell me the figure.",
        "chatty": "Mind you, I would only do it for {least:money} EUR or more, otherwise leave it and tell me what it "
        "would be!",
        "formal": "Should the refund fall short of {least:money} EUR, that booking is to stand and I ask to be told "
        "the sum.",
    },
    draw=a_least(0.8),
)


def _cancel(facts: Facts, quote: Record) -> Step:
    """Cancel a booking, or leave one that brings too little; what to say, and what must be heard."""
    if not quote["refund"]:
        raise DeadEnd("it is not refundable")
    booking_id, back = quote["booking_id"], f"{quote['refund']:.2f}"
    if quote["refund"] < facts.get("least", 0):
        return f"Booking {booking_id} stays as it is: you would get only {back} EUR back.", (back,)
    done = yield do("cancel_booking", booking_id=booking_id, refund_to=facts.get("refund_to", "original_payment"))
    text = f"Booking {booking_id} is cancelled and {back} EUR are refunded."
    if done["voucher_id"]:
        text = f"{text} Your voucher is {done['voucher_id']}."
    return text, (back,)


def _cancel_given(facts: Facts) -> Policy:
    quote = yield do("quote_refund", booking_id=facts["booking_id"])
    text, tell = yield from _cancel(facts, quote)
    return (yield from closing(facts, text, tell))


CANCEL = Program(
    "cancel_booking",
    "Cancel a booking and learn how much money comes back",
    {
        "plain": "[Please cancel|I have to cancel|I need you to cancel] {booking_id}[, I am ill|, my plans have "
        "changed|]. Refund the money the way I paid and tell me how much it is.",
        "terse": "cancel {booking_id}, money back the way I paid. how much?",
        "chatty": "Sadly our trip is off, so could you cancel {booking_id} and send the money back where it came "
        "from? I would love to know how much that is!",
        "formal": "I hereby ask you to cancel {booking_id}, to refund my original means of payment, and to state the "
        "amount.",
        "hurried": "Cancel {booking_id} right now, money back as paid, how much do I get?",
        "non_native": "I can not travel, please make cancellation of {booking_id} and the money return same way; how "
        "much will be?",
        "confused": "I am not sure if one can simply cancel, but I do not need {booking_id} any more, so cancel it "
        "please, money back the way I paid, and how much would that be?",
    },
    _draw_refundable,
    _cancel_given,
    (AS_VOUCHER, AT_LEAST, FLYING),
    again="booking_id",
)


def _cancel_on_day(facts: Facts) -> Policy:
    bookings = yield do("list_bookings", passenger_id=facts["passenger_id"])
    on_day = [each for each in bookings if each["travel_date"] == facts["date"]]
    if len(on_day) > 1:
        raise DeadEnd("several journeys on that day")
    booking = yield choose(on_day, key=lambda each: each["departure"])
    quote = yield do("quote_refund", booking_id=booking["booking_id"])
    text, tell = yield from _cancel(facts, quote)
    return (yield from closing(facts, text, (booking["booking_id"], *tell)))


def _draw_day(world: World, rng: Random) -> Facts:
    booking = pick(rng, bookings_in(world, "confirmed", _refundable))
    service = world.get("services", booking["service_id"])
    if service is None:
        raise DeadEnd("the train is out of sight")
    return {"passenger_id": booking["passenger_id"], "date": service["travel_date"]}


CANCEL_ON_DAY = Program(
    "cancel_by_date",
    "Cancel the journey booked for a certain day without knowing its booking number",
    {
        "plain": "I cannot make the trip I booked for {date:date}[ after all|]. Please cancel it, refund my original "
        "payment and [give me the booking number and the amount|tell me the booking number and how much comes back].",
        "terse": "cancel whatever I have on {date:date}, original payment. need number + amount.",
        "chatty": "I have come down with the flu and will not be on that train on {date:date}, so please cancel it, "
        "money back as I paid, and tell me number and amount for my notes!",
        "formal": "Please annul the journey that I booked for {date:date}, refund the original payment, and confirm "
        "both the booking number and the sum.",
        "hurried": "Can't travel on {date:date}! Cancel what I booked for that day, money back as paid, number and "
        "amount?",
        "non_native": "The train of {date:date} I will not take, cancel please and money back like I paid, and say me "
        "the number and how much.",
    },
    _draw_day,
    _cancel_on_day,
    (AS_VOUCHER, AT_LEAST, FLYING),
    unknown="I do not have the booking number at hand.",
)


def _cancel_best(facts: Facts) -> Policy:
    bookings = yield do("list_bookings", passenger_id=facts["passenger_id"])
    if len(bookings) < 2:
        raise DeadEnd("nothing to compare")
    quotes = []
    for booking in bookings:
        quotes.append((yield do("quote_refund", booking_id=booking["booking_id"])))
    best = yield choose(quotes, key=lambda each: -each["refund"])
    text, tell = yield from _cancel(facts, best)
    return (yield from closing(facts, text, (best["booking_id"], *tell)))


CANCEL_BEST = Program(
    "cancel_highest_refund",
    "Cancel whichever upcoming journey gives the highest refund",
    {
        "plain": "I have to give up one of my upcoming trips. [Cancel|Please cancel] the one for which I get the most "
        "money back, to my original payment, and tell me [which and how much|which it was and what I get].",
        "terse": "drop one upcoming booking: the one with the highest refund, as paid. which one, how much?",
        "chatty": "My budget is a disaster, one of my coming trips must go! Whichever brings the biggest refund, "
        "cancel it, money back as I paid, and tell me which it was and what I get!",
        "formal": "One of my forthcoming journeys must be relinquished; please cancel that with the largest refund, "
        "payable as originally paid, and inform me of its number and the amount.",
        "non_native": "I must cancel one of my next travels: the one which gives back most money, same way as I paid. "
        "Say me which and how much.",
        "confused": "I booked too many trips and one has to go, I think the one that gives the most money back, so "
        "please cancel that one, money the way I paid, and tell me which it was and how much.",
    },
    an_account,
    _cancel_best,
    (AS_VOUCHER, AT_LEAST),
    unknown="I do not know which of my bookings that is.",
)


CANCELLING = (CANCEL, CANCEL_ON_DAY, CANCEL_BEST)
