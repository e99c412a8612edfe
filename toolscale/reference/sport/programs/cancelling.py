"""Programs that cancel courts, or take stock of those that are booked."""

from datetime import date, timedelta
from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sport.programs.common import (
    IN_A_DAY,
    WAYS,
    Record,
    a_court_booking,
    near_price,
    unless_said,
    way,
)
from toolscale.reference.sums import shown


def _cancel(facts: Facts) -> Policy:
    booking = yield do("get_court_booking", booking_id=facts["booking_id"])
    to = facts.get("refund_to") or way(facts)
    if booking["price"] < facts.get("least", 0):
        price = shown(booking["price"])
        return Reply(f"I kept {booking['court']}: only {price} EUR would come back.", (price,))
    done = yield do("cancel_court_booking", booking_id=facts["booking_id"], refund_to=to)
    refund = shown(done["refund"])
    return Reply(f"{booking['court']} is cancelled and {refund} EUR come back.", (booking["court"], refund))


def _draw_cancel(world: World, rng: Random) -> Facts:
    booking = a_court_booking(world, rng)
    return {
        "member_id": booking["member_id"],
        "booking_id": booking["booking_id"],
        "way": rng.choice(sorted(WAYS)),
    }


CANCEL_COURT = Program(
    "cancel_court",
    "Cancel a court and have its price refunded",
    {
        "plain": "Please cancel {booking_id}[, my partner is ill|, I will be away|]. The money should go {way}. [Which "
        "court was it and how much is it?|Tell me the court and the amount.]",
        "terse": "cancel {booking_id}, money {way}. [court + amount?|which court, how much?]",
        "chatty": "[My back says no|We are off to the mountains], so {booking_id} has to be cancelled, sadly! Could "
        "the money go {way}, and will you tell me which court that was and how much I get?",
        "formal": "I hereby cancel {booking_id} and ask that the sum be paid {way}; please confirm the court and the "
        "amount.",
        "non_native": "I must cancel {booking_id}, the money please {way}; say me which court it was and how much is "
        "coming.",
    },
    _draw_cancel,
    _cancel,
    (
        Twist(
            "only if it is worth it",
            "condition",
            {
                "plain": "If less than {least:money} EUR would come back, keep the court and tell me what it cost.",
                "terse": "under {least:money} EUR back keep it, just tell me the price.",
                "chatty": "If I get less than {least:money} EUR for it, then we will play after all, so keep it and "
                "tell me what it cost!",
                "formal": "Where the refund falls short of {least:money} EUR, the court is to be kept and its price "
                "stated.",
            },
            draw=near_price("court_bookings", "booking_id"),
        ),
        Twist(
            "as credit rather",
            "change_of_mind",
            {
                "plain": "On reflection, [make it credit|I would rather have it as credit], wherever I said it should "
                "go.",
                "terse": "no wait, credit after all.",
                "chatty": "Hm, you know what, make it credit in any case, I will play again soon enough!",
                "formal": "I have reconsidered: in any event the sum is to become credit.",
            },
            draw=lambda world, rng, facts: unless_said(facts, "credit"),
            sets={"refund_to": "credit"},
        ),
    ),
    again="booking_id",
)


def _clear_days(facts: Facts) -> Policy:
    listed = yield do("list_court_bookings", member_id=facts["member_id"])
    affected = [each for each in listed if facts["first"] <= each["day"] <= facts["last"]]
    if not affected or any(f"{each['day']}T{each['start']}" < IN_A_DAY for each in affected):
        raise DeadEnd("nothing to cancel, or too late for it")
    refunds = []
    for each in affected:
        if each["sport"] != facts.get("kept_sport"):
            done = yield do("cancel_court_booking", booking_id=each["booking_id"], refund_to=facts.get("to", "card"))
            refunds.append(shown(done["refund"]))
    if not refunds:
        raise DeadEnd("all of them are kept")
    return Reply(f"Cancelled; you get back, in EUR: {', '.join(refunds)}.", tuple(refunds))


def _draw_absence(world: World, rng: Random) -> Facts:
    booking = a_court_booking(world, rng)
    if booking["starts"][:10] < day(2):
        raise DeadEnd("too soon")
    first, last = max(day(2), _near(booking, -rng.randint(0, 3))), _near(booking, rng.randint(2, 6))
    return {"member_id": booking["member_id"], "first": first, "last": last}


def _near(booking: Record, days: int) -> str:
    return (date.fromisoformat(booking["starts"][:10]) + timedelta(days=days)).isoformat()


CLEAR_DAYS = Program(
    "cancel_courts_of_an_absence",
    "Cancel every court booked for the days of an absence",
    {
        "plain": "I [am away|will be travelling] from {first:date} to {last:date}. Please cancel all courts that I "
        "have booked for those days, with the money back to my card, and tell me how much I get for each.",
        "terse": "away {first:date} to {last:date}: cancel every court of mine in that time, refund to card. amounts?",
        "chatty": "[Holidays at last|My mother has her operation], I am gone from {first:date} until {last:date}! So "
        "all my courts in those days must go, back to my card with the money, and how much is it for each?",
        "formal": "Owing to my absence from {first:date} until {last:date}, please cancel all courts reserved by me "
        "for that period against a refund to my card, and list the amounts.",
        "non_native": "From {first:date} to {last:date} I am not here, cancel please all my courts of these days, "
        "money to card, and say the amounts.",
    },
    _draw_absence,
    _clear_days,
    (
        Twist(
            "credit for all of them",
            "change_of_mind",
            {
                "plain": "Or rather, let all of it become credit instead of going to my card.",
                "terse": "scratch the card, credit for all of it.",
                "chatty": "Oh, forget the card, let it all be credit, I will be back before you know it!",
                "formal": "I would, after all, prefer credit to a refund on my card.",
            },
            sets={"to": "credit"},
        ),
        Twist(
            "one sport is kept",
            "constraint",
            {
                "plain": "Only a {kept_sport} court may stay if there is one, my brother will use it.",
                "terse": "keep any {kept_sport} court though.",
                "chatty": "Except for {kept_sport}, should there be any, my brother takes that over!",
                "formal": "A {kept_sport} court, should there be one, is exempt from this.",
            },
            draw=lambda world, rng, facts: {"kept_sport": rng.choice(("tennis", "padel", "badminton", "squash"))},
        ),
    ),
)


def _costs(facts: Facts) -> Policy:
    listed = yield do("list_court_bookings", member_id=facts["member_id"], status=facts.get("status", "confirmed"))
    if len(listed) < 2:
        raise DeadEnd("nothing to add up")
    bookings = []
    for each in listed:
        bookings.append((yield do("get_court_booking", booking_id=each["booking_id"])))
    dearest = yield choose(bookings, key=lambda each: -each["price"])
    total = shown(sum(each["price"] for each in bookings))
    return Reply(f"They come to {total} EUR; the dearest is {dearest['booking_id']}.", (total, dearest["booking_id"]))


def _draw_costs(world: World, rng: Random) -> Facts:
    held = [each["member_id"] for each in world.rows("court_bookings") if each["status"] == "confirmed"]
    return {"member_id": pick(rng, [key for key in held if held.count(key) > 1] or held)}


COSTS = Program(
    "sum_of_courts",
    "Add up what the booked courts cost and name the dearest",
    {
        "plain": "What do all the courts that I have booked [and not yet played on|for the coming weeks] cost "
        "altogether, and which booking is the dearest?",
        "terse": "total of my upcoming courts + number of the dearest booking?",
        "chatty": "I dare not add it up myself: what do all my coming courts cost together, and which one is the "
        "dearest?",
        "formal": "Please state the total price of the courts reserved by me, and identify the most expensive "
        "reservation.",
        "non_native": "All my courts which I will play, how much cost together, and which booking is most expensive?",
    },
    _draw_costs,
    _costs,
    (
        Twist(
            "those that were played",
            "change_of_mind",
            {
                "plain": "No, I mean the courts that I have played on already.",
                "terse": "no, the played ones.",
                "chatty": "Silly me, it is for last month's accounts, so the courts I have already played on!",
                "formal": "Rather, I refer to the courts on which I have already played.",
            },
            sets={"status": "played"},
        ),
    ),
    unknown="[I do not have the booking numbers here.|I have not kept the numbers.]",
)


def _next_court(facts: Facts) -> Policy:
    listed = yield do("list_court_bookings", member_id=facts["member_id"])
    following = yield choose(listed, key=lambda each: (each["day"], each["start"]))
    booking = yield do("get_court_booking", booking_id=following["booking_id"])
    until, hour = booking["change_until"].split("T")
    text = f"Next is {booking['court']}, {booking['booking_id']}; it can be changed until {until}, {hour}."
    return Reply(text, (booking["court"], booking["booking_id"], until, hour))


NEXT_COURT = Program(
    "next_court",
    "Ask for the next court and until when it can be changed",
    {
        "plain": "Which court do I play on next, what is the number of that booking, and until when could I still "
        "change it?",
        "terse": "my next court: name, booking no., latest time to change it?",
        "chatty": "My calendar is [a mess|full of coffee stains]: which court is my next one, what was the booking "
        "number, and until when may I still change my mind?",
        "formal": "Please inform me of the court that I have reserved next, its booking number, and the deadline for "
        "changes to it.",
        "confused": "There is a court I have to go to next, but which one? I need its booking number too, and until "
        "when it can be changed.",
    },
    lambda world, rng: {"member_id": a_court_booking(world, rng)["member_id"]},
    _next_court,
    unknown="[I do not know the number.|I have no booking numbers with me.]",
)

CANCELLING = (CANCEL_COURT, CLEAR_DAYS, COSTS, NEXT_COURT)
