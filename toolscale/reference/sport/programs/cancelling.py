"""Programs that cancel courts, or take stock of those that are booked."""

from datetime import date, timedelta
from random import Random

from toolscale.reference.kit import must
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Reply, Solution, World, choose, do, pick
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
from toolscale.reference.words import words

WORDS = words(__file__)


def _cancel(facts: Facts) -> Solution:
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


CANCEL_COURT = WORDS.program(
    "cancel_court",
    _draw_cancel,
    _cancel,
    (
        WORDS.twist("only if it is worth it", "condition", draw=near_price("court_bookings", "booking_id")),
        WORDS.twist(
            "as credit rather",
            "change_of_mind",
            draw=lambda world, rng, facts: unless_said(facts, "credit"),
            sets={"refund_to": "credit"},
        ),
    ),
    again="booking_id",
)


def _clear_days(facts: Facts) -> Solution:
    listed = yield do("list_court_bookings", member_id=facts["member_id"])
    affected = [each for each in listed if facts["first"] <= each["day"] <= facts["last"]]
    if not affected or any(f"{each['day']}T{each['start']}" < IN_A_DAY for each in affected):
        raise DeadEnd("nothing to cancel, or too late for it")
    refunds = []
    for each in affected:
        if each["sport"] != facts.get("kept_sport"):
            done = yield do("cancel_court_booking", booking_id=each["booking_id"], refund_to=facts.get("to", "card"))
            refunds.append(shown(done["refund"]))
    must(refunds, "all of them are kept")
    return Reply(f"Cancelled; you get back, in EUR: {', '.join(refunds)}.", tuple(refunds))


def _draw_absence(world: World, rng: Random) -> Facts:
    booking = a_court_booking(world, rng)
    must(booking["starts"][:10] >= day(2), "too soon")
    first, last = max(day(2), _near(booking, -rng.randint(0, 3))), _near(booking, rng.randint(2, 6))
    return {"member_id": booking["member_id"], "first": first, "last": last}


def _near(booking: Record, days: int) -> str:
    return (date.fromisoformat(booking["starts"][:10]) + timedelta(days=days)).isoformat()


CLEAR_DAYS = WORDS.program(
    "cancel_courts_of_an_absence",
    _draw_absence,
    _clear_days,
    (
        WORDS.twist("credit for all of them", "change_of_mind", sets={"to": "credit"}),
        WORDS.twist(
            "one sport is kept",
            "constraint",
            draw=lambda world, rng, facts: {"kept_sport": rng.choice(("tennis", "padel", "badminton", "squash"))},
        ),
    ),
)


def _costs(facts: Facts) -> Solution:
    listed = yield do("list_court_bookings", member_id=facts["member_id"], status=facts.get("status", "confirmed"))
    must(len(listed) >= 2, "nothing to add up")
    bookings = []
    for each in listed:
        bookings.append((yield do("get_court_booking", booking_id=each["booking_id"])))
    dearest = yield choose(bookings, key=lambda each: -each["price"])
    total = shown(sum(each["price"] for each in bookings))
    return Reply(f"They come to {total} EUR; the dearest is {dearest['booking_id']}.", (total, dearest["booking_id"]))


def _draw_costs(world: World, rng: Random) -> Facts:
    held = [each["member_id"] for each in world.rows("court_bookings") if each["status"] == "confirmed"]
    return {"member_id": pick(rng, [key for key in held if held.count(key) > 1] or held)}


COSTS = WORDS.program(
    "sum_of_courts",
    _draw_costs,
    _costs,
    (WORDS.twist("those that were played", "change_of_mind", sets={"status": "played"}),),
)


def _next_court(facts: Facts) -> Solution:
    listed = yield do("list_court_bookings", member_id=facts["member_id"])
    following = yield choose(listed, key=lambda each: (each["day"], each["start"]))
    booking = yield do("get_court_booking", booking_id=following["booking_id"])
    until, hour = booking["change_until"].split("T")
    text = f"Next is {booking['court']}, {booking['booking_id']}; it can be changed until {until}, {hour}."
    return Reply(text, (booking["court"], booking["booking_id"], until, hour))


NEXT_COURT = WORDS.program(
    "next_court", lambda world, rng: {"member_id": a_court_booking(world, rng)["member_id"]}, _next_court
)

CANCELLING = (CANCEL_COURT, CLEAR_DAYS, COSTS, NEXT_COURT)
