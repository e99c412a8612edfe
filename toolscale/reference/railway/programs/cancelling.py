"""Programs that give a journey up: by number, by date, or whichever brings the most back."""

from random import Random

from toolscale.reference.kit import known, must
from toolscale.reference.program import Facts, Solution, World, choose, do, pick
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
from toolscale.reference.words import words

WORDS = words(__file__)


def _refundable(booking: Record, service: Record) -> bool:
    late = service["status"] == "cancelled" or service["delay_minutes"] >= 60
    fare = booking["fare_id"]
    return late or "FLEX" in fare or ("STANDARD" in fare and service["travel_date"] >= "2026-11-25")


def _draw_refundable(world: World, rng: Random) -> Facts:
    return a_booking(world, rng, suits=_refundable)


AS_VOUCHER = WORDS.twist("the refund as a voucher", "change_of_mind", sets={"refund_to": "voucher"})
AT_LEAST = WORDS.twist("a least refund", "condition", draw=a_least(0.8))


def _cancel(facts: Facts, quote: Record) -> Step:
    """Cancel a booking, or leave one that brings too little; what to say, and what must be heard."""
    must(quote["refund"], "it is not refundable")
    booking_id, back = quote["booking_id"], f"{quote['refund']:.2f}"
    if quote["refund"] < facts.get("least", 0):
        return f"Booking {booking_id} stays as it is: you would get only {back} EUR back.", (back,)
    done = yield do("cancel_booking", booking_id=booking_id, refund_to=facts.get("refund_to", "original_payment"))
    text = f"Booking {booking_id} is cancelled and {back} EUR are refunded."
    if done["voucher_id"]:
        text = f"{text} Your voucher is {done['voucher_id']}."
    return text, (back,)


def _cancel_given(facts: Facts) -> Solution:
    quote = yield do("quote_refund", booking_id=facts["booking_id"])
    text, tell = yield from _cancel(facts, quote)
    return (yield from closing(facts, text, tell))


CANCEL = WORDS.program(
    "cancel_booking", _draw_refundable, _cancel_given, (AS_VOUCHER, AT_LEAST, FLYING), again="booking_id"
)


def _cancel_on_day(facts: Facts) -> Solution:
    bookings = yield do("list_bookings", passenger_id=facts["passenger_id"])
    on_day = [each for each in bookings if each["travel_date"] == facts["date"]]
    must(len(on_day) <= 1, "several journeys on that day")
    booking = yield choose(on_day, key=lambda each: each["departure"])
    quote = yield do("quote_refund", booking_id=booking["booking_id"])
    text, tell = yield from _cancel(facts, quote)
    return (yield from closing(facts, text, (booking["booking_id"], *tell)))


def _draw_day(world: World, rng: Random) -> Facts:
    booking = pick(rng, bookings_in(world, "confirmed", _refundable))
    service = known(world, "services", booking["service_id"])
    return {"passenger_id": booking["passenger_id"], "date": service["travel_date"]}


CANCEL_ON_DAY = WORDS.program("cancel_by_date", _draw_day, _cancel_on_day, (AS_VOUCHER, AT_LEAST, FLYING))


def _cancel_best(facts: Facts) -> Solution:
    bookings = yield do("list_bookings", passenger_id=facts["passenger_id"])
    must(len(bookings) >= 2, "nothing to compare")
    quotes = []
    for booking in bookings:
        quotes.append((yield do("quote_refund", booking_id=booking["booking_id"])))
    best = yield choose(quotes, key=lambda each: -each["refund"])
    text, tell = yield from _cancel(facts, best)
    return (yield from closing(facts, text, (best["booking_id"], *tell)))


CANCEL_BEST = WORDS.program("cancel_highest_refund", an_account, _cancel_best, (AS_VOUCHER, AT_LEAST))


CANCELLING = (CANCEL, CANCEL_ON_DAY, CANCEL_BEST)
