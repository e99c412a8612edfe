"""Programs that give a journey up: by number, by date, or whichever brings the most back."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Twist, World, choose, do, pick
from toolscale.reference.railway.programs.common import (
    CARD,
    COFFEE,
    FLYING,
    POINTS,
    Record,
    Step,
    a_booking,
    an_account,
    another_booking,
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
        "terse": "only if refund is {least:money} EUR or more, else keep and tell me the figure.",
        "chatty": "Mind you, I would only do it for {least:money} EUR or more, otherwise leave it and tell me what it "
        "would be!",
        "formal": "Should the refund fall short of {least:money} EUR, the booking is to stand and I ask to be told "
        "the sum.",
    },
    draw=lambda world, rng, facts: {"least": rng.choice((28.00, 45.50, 66.00, 92.50, 120.00))},
)
CANCEL_TOO = Twist(
    "another booking too",
    "entities",
    {
        "plain": "Do the same with booking {other_booking}.",
        "terse": "same for {other_booking}.",
        "chatty": "And since the whole holiday is off, the same goes for {other_booking}!",
        "formal": "Kindly proceed likewise with booking {other_booking}.",
        "non_native": "The booking {other_booking}, please do with it the same.",
    },
    draw=another_booking,
)


def _cancel(facts: Facts, booking_ids: list[str]) -> Step:
    """Cancel bookings, or leave those that bring too little; what to say, and what must be heard."""
    quotes = []
    for booking_id in booking_ids:
        quotes.append((yield do("quote_refund", booking_id=booking_id)))
    if not all(quote["refund"] for quote in quotes):
        raise DeadEnd("one of them is not refundable")
    texts = []
    for quote in quotes:
        booking_id, back = quote["booking_id"], f"{quote['refund']:.2f}"
        if quote["refund"] < facts.get("least", 0):
            texts.append(f"Booking {booking_id} stays as it is: you would get only {back} EUR back.")
            continue
        done = yield do("cancel_booking", booking_id=booking_id, refund_to=facts.get("refund_to", "original_payment"))
        texts.append(f"Booking {booking_id} is cancelled and {back} EUR are refunded.")
        if done["voucher_id"]:
            texts.append(f"Your voucher is {done['voucher_id']}.")
    return " ".join(texts), tuple(f"{quote['refund']:.2f}" for quote in quotes)


def _cancel_given(facts: Facts) -> Policy:
    others = [facts["other_booking"]] if "other_booking" in facts else []
    text, tell = yield from _cancel(facts, [facts["booking_id"], *others])
    return (yield from closing(facts, text, tell))


CANCEL = Program(
    "cancel_booking",
    "Cancel a booking and learn how much money comes back",
    {
        "plain": "Please cancel my booking {booking_id}, refund the money to the card I paid with and tell me how "
        "much it is.",
        "terse": "cancel {booking_id}, money back the way I paid. how much?",
        "chatty": "Sadly our trip is off, so could you cancel {booking_id} and send the money back where it came "
        "from? I would love to know how much that is!",
        "formal": "I hereby ask you to cancel booking {booking_id}, to refund my original means of payment, and to "
        "state the amount.",
        "hurried": "Cancel {booking_id} right now, money back as paid, how much do I get?",
        "non_native": "I can not travel, please make cancellation of {booking_id} and the money return same way; how "
        "much will be?",
    },
    _draw_refundable,
    _cancel_given,
    (AS_VOUCHER, AT_LEAST, CANCEL_TOO, POINTS, FLYING),
)


def _cancel_on_day(facts: Facts) -> Policy:
    bookings = yield do("list_bookings", passenger_id=facts["passenger_id"])
    on_day = [each for each in bookings if each["travel_date"] == facts["date"]]
    if len(on_day) > 1:
        raise DeadEnd("several journeys on that day")
    booking = yield choose(on_day, key=lambda each: each["departure"])
    text, tell = yield from _cancel(facts, [booking["booking_id"]])
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
        "plain": "I cannot make the trip I booked for {date:date}. Please cancel it, refund my original payment and "
        "give me the booking number and the amount.",
        "terse": "cancel whatever I have on {date:date}, original payment. need number + amount.",
        "chatty": "I have come down with the flu and will not be on that train on {date:date}, so please cancel it, "
        "money back as I paid, and tell me number and amount for my notes!",
        "formal": "Please annul the journey that I booked for {date:date}, refund the original payment, and confirm "
        "both the booking number and the sum.",
        "non_native": "The train of {date:date} I will not take, cancel please and money back like I paid, and say me "
        "the number and how much.",
    },
    _draw_day,
    _cancel_on_day,
    (AS_VOUCHER, AT_LEAST, POINTS, CARD, FLYING),
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
    text, tell = yield from _cancel(facts, [best["booking_id"]])
    return (yield from closing(facts, text, (best["booking_id"], *tell)))


CANCEL_BEST = Program(
    "cancel_highest_refund",
    "Cancel whichever upcoming journey gives the highest refund",
    {
        "plain": "I have to give up one of my upcoming trips. Cancel the one for which I get the most money back, to "
        "my original payment, and tell me which and how much.",
        "terse": "drop one upcoming booking: the one with the highest refund, as paid. which one, how much?",
        "chatty": "My budget is a disaster, one of my coming trips must go! Whichever brings the biggest refund, "
        "cancel it, money back as I paid, and tell me which it was and what I get!",
        "formal": "One of my forthcoming journeys must be relinquished; please cancel that with the largest refund, "
        "payable as originally paid, and inform me of its number and the amount.",
        "non_native": "I must cancel one of my next travels: the one which gives back most money, same way as I paid. "
        "Say me which and how much.",
    },
    an_account,
    _cancel_best,
    (AS_VOUCHER, AT_LEAST, CARD, COFFEE),
    unknown="I do not know which of my bookings that is.",
)


CANCELLING = (CANCEL, CANCEL_ON_DAY, CANCEL_BEST)
