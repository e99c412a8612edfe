"""Programs that give a booking up for money, or complain about what one got for it."""

from random import Random

from toolscale.reference.entertainment.programs.common import (
    UNTOUCHED,
    a_booking,
    a_holder,
    bookings_in,
    hours_ahead,
    latest,
    says,
    twist,
)
from toolscale.reference.entertainment.schema import PROBLEMS
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, World, choose, do, pick
from toolscale.reference.sums import limit_near, shown


def refundable(booking: Record, performance: Record, venue: Record) -> bool:
    """Giving it up brings money back today."""
    return bool(performance["status"] != "scheduled" or venue["kind"] == "cinema" or booking["protection_cost"])


def resalable(booking: Record, performance: Record, venue: Record) -> bool:
    """A stage booking more than a day ahead."""
    return bool(venue["kind"] != "cinema" and performance["status"] == "scheduled" and hours_ahead(performance) > 25)


AS_GIFT_CARD = twist(
    "the refund as a gift card",
    "change_of_mind",
    says(
        "Come to think of it, [put the refund on a new gift card|give me a gift card] instead of the money.",
        "correction: refund as gift card.",
        "Oh wait, I shall buy other tickets anyway, so a gift card would be even nicer than the money!",
        "I now prefer to receive the refund in the form of a gift card.",
        "I change my idea, better a gift card and not the money.",
    ),
    refund_to="gift_card",
)


def _least(world: World, rng: Random, facts: Facts) -> Facts:
    booking = world.get("bookings", facts["booking_id"])
    if booking is None:
        raise DeadEnd("the booking is out of sight")
    return {"least": limit_near(rng, booking["total"], (0.4, 0.6, 0.7, 1.2))}


AT_LEAST = twist(
    "a least refund",
    "condition",
    says(
        "But cancel only if I get {least:money} or more back; otherwise keep it and tell me the refund.",
        "only if refund is {least:money} or more, else keep it and tell me the figure.",
        "Mind you, I would only do it for {least:money} or more, otherwise leave it and tell me what it would be!",
        "Should the refund fall short of {least:money}, the booking is to stand and I ask to be told the sum.",
    ),
    _least,
)


def give_up(facts: Facts, quote: Record) -> Policy:
    """The policy of every cancellation, once its refund is quoted."""
    booking_id, back, currency = quote["booking_id"], shown(quote["refund"]), quote["currency"]
    if not quote["refund"]:
        raise DeadEnd("it brings nothing back")
    if quote["refund"] < facts.get("least", 0):
        return Reply(f"{booking_id} stays: only {back} {currency} would come back.", (back,))
    yield do("cancel_booking", booking_id=booking_id, refund_to=facts.get("refund_to", "original_payment"))
    return Reply(f"{booking_id} is cancelled, {back} {currency} come back.", (back,))


def _cancel(facts: Facts) -> Policy:
    quote = yield do("quote_refund", booking_id=facts["booking_id"])
    return (yield from give_up(facts, quote))


CANCEL = Program(
    "cancel_booking",
    "Cancel a booking and learn how much money comes back",
    says(
        "[Please cancel|We cannot go, so please cancel] {booking_id}, refund it the way I paid, and tell me how much "
        "[it is|comes "
        "back].",
        "cancel {booking_id}, money back the way i paid. how much?",
        "What a pity, [the whole family has the flu|we cannot go], so {booking_id} must be cancelled! The money back "
        "where it came from, please, and how much will that be?",
        "I ask you to cancel {booking_id}, to refund the original means of payment, and to state the amount.",
        "I can not go, please make cancellation of {booking_id} and money back same way; how much will be?",
        "Cancel {booking_id}, money back as paid, how much?",
    ),
    a_booking(refundable),
    _cancel,
    (AS_GIFT_CARD, AT_LEAST, UNTOUCHED),
    again="booking_id",
)


def _called_off(facts: Facts) -> Policy:
    bookings = yield do("list_bookings", member_id=facts["member_id"])
    off = [each for each in bookings if each["performance_status"] in ("cancelled", "postponed")]
    if not off:
        raise DeadEnd("nothing was called off")
    quotes: list[Record] = []
    for each in off:
        quotes.append((yield do("quote_refund", booking_id=each["booking_id"])))
    for quote in quotes:
        yield do("cancel_booking", booking_id=quote["booking_id"], refund_to=facts.get("refund_to", "original_payment"))
    parts = [f"{quote['booking_id']}: {shown(quote['refund'])} {quote['currency']}" for quote in quotes]
    told = (told for quote in quotes for told in (quote["booking_id"], shown(quote["refund"])))
    return Reply(f"Cancelled and refunded: {'; '.join(parts)}.", tuple(told))


CALLED_OFF = Program(
    "refund_called_off",
    "Get the money back for whatever was cancelled or postponed",
    says(
        "I hear that something I have tickets for was called off. Cancel every booking of mine whose performance is "
        "cancelled or postponed, refund it the way I paid, and tell me the booking numbers and the amounts.",
        "refund all my bookings with cancelled/postponed performances, as paid. numbers + amounts?",
        "Somebody said on the radio that a show was called off, and I think I have tickets! Whatever of mine is "
        "cancelled "
        "or postponed, give it back for the money as I paid it, and tell me which and how much!",
        "Insofar as performances for which I hold bookings were cancelled or postponed, kindly cancel those bookings "
        "against refund of the original payment, and state their numbers and the amounts.",
        "If some show of my bookings is cancelled or moved to later, please give back these bookings and return money "
        "same way, and say me numbers and how much.",
    ),
    a_holder(lambda b, p, v: p["status"] in ("cancelled", "postponed")),
    _called_off,
    (AS_GIFT_CARD,),
    unknown="[I do not know which booking that is.|I do not have the booking numbers.]",
)


def _best_refund(facts: Facts) -> Policy:
    bookings = yield do("list_bookings", member_id=facts["member_id"])
    if len(bookings) < 2:
        raise DeadEnd("nothing to compare")
    quotes: list[Record] = []
    for each in bookings:
        quotes.append((yield do("quote_refund", booking_id=each["booking_id"])))
    if len({quote["currency"] for quote in quotes}) > 1:
        raise DeadEnd("the refunds are in different currencies")
    best = yield choose(quotes, key=lambda quote: -quote["refund"])
    reply = yield from give_up(facts, best)
    return Reply(reply.text, (best["booking_id"], *reply.tell))


CANCEL_BEST = Program(
    "cancel_highest_refund",
    "Cancel whichever booking brings the most money back",
    says(
        "I have booked too much and must give up one of my bookings. Cancel the one that brings the most back, refund "
        "it the way I paid, and tell me which it was and how much I get.",
        "cancel whichever of my bookings has the highest refund, as paid. which one, how much?",
        "The car needs repairs again, so one of my evenings out must go! Whichever booking gives the biggest refund, "
        "cancel it, money back as I paid, and tell me which and what I get!",
        "One of my bookings has to be relinquished; please cancel the one with the largest refund, payable as "
        "originally paid, and name its number and the sum.",
        "I must give back one of my bookings, the one where most money returns, same way as I paid; which is and how "
        "much?",
    ),
    a_holder(refundable),
    _best_refund,
    (AS_GIFT_CARD,),
    unknown="I do not know which of them that is.",
)


def _draw_complaint(world: World, rng: Random) -> Facts:
    used = bookings_in(world, lambda b, p, v: hours_ahead(p) > -14 * 24 + 2, "used")
    complained = {row["booking_id"] for row in world.rows("complaints")}
    booking = pick(rng, [row for row in used if row["booking_id"] not in complained])
    return {"member_id": booking["member_id"], "problem": rng.choice(PROBLEMS).replace("_", " ")}


def _complain(facts: Facts) -> Policy:
    used = yield do("list_bookings", member_id=facts["member_id"], status="used")
    last = yield choose(used, key=lambda each: latest(each["starts_at"]))
    done = yield do("file_complaint", booking_id=last["booking_id"], problem=facts["problem"].replace(" ", "_"))
    goodwill = shown(done["goodwill"])
    text = (
        f"I filed it for {last['booking_id']}; {goodwill} {done['currency']} are on gift card {done['gift_card_id']}."
    )
    return Reply(text, (goodwill, last["booking_id"]))


COMPLAIN = Program(
    "complain",
    "Complain about the last visit and learn what is offered in return",
    says(
        "I want to complain about the last performance that I went to. The problem: {problem}. [File it|Please file "
        "that], and tell me the booking number it concerns and the goodwill I get.",
        "complaint about my last visit, problem: {problem}. booking no. + goodwill?",
        "I had so looked forward to my last evening out, and then this: {problem}! Please file a complaint and tell me "
        "which booking that was and what you can do for me.",
        "I wish to lodge a complaint regarding the most recent performance that I attended, the ground being: "
        "{problem}. Kindly state the booking concerned and the goodwill granted.",
        "The last show where I was had a problem: {problem}. I want complaint; tell booking number and what I get "
        "back.",
    ),
    _draw_complaint,
    _complain,
    unknown="[I have thrown the tickets away.|I do not have that booking number any more.]",
)

CANCELLING = (CANCEL, CALLED_OFF, CANCEL_BEST, COMPLAIN)
