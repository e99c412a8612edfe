"""Programs that exchange theatre tickets for another performance."""

from random import Random

from toolscale.reference.entertainment.programs.common import (
    AT_THE_BACK,
    UNTOUCHED,
    a_booking,
    clock,
    for_several,
    free_in,
    hours_ahead,
    latest,
    performances_in,
    says,
    seated,
    twist,
)
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, Steps, World, choose, do, pick
from toolscale.reference.sums import shown


def exchangeable(booking: Record, performance: Record, venue: Record) -> bool:
    """Theatre tickets for several, for a performance that takes place in more than 48 hours."""
    return venue["kind"] == "theatre" and for_several(booking, performance, venue) and hours_ahead(performance) > 49


def _exchange(facts: Facts, booking: Record, other: Record) -> Policy:
    group = yield from seated(facts, other["performance_id"], booking["zone"], booking["tickets"])
    done = yield do(
        "exchange_booking",
        booking_id=facts["booking_id"],
        performance_id=other["performance_id"],
        seats=group["seats"],
    )
    starts, charged = clock(done["starts_at"]), shown(done["charged"])
    seats = ", ".join(done["seats"])
    text = f"Exchanged for {done['starts_at'][:10]} at {starts}, seats {seats}; {charged} {done['currency']} charged."
    return Reply(text, (charged, *done["seats"]))


def _same_house(booking: Record, found: list[Record]) -> list[Record]:
    return [
        each
        for each in found
        if each["venue"] == booking["venue"] and each["performance_id"] != booking["performance_id"]
    ]


def later_performances(booking: Record, from_date: str | None = None) -> Steps:
    """Step: performances of the booked show at its house with enough free seats in its zone, after the booked one."""
    found = yield do(
        "search_performances",
        title=booking["title"],
        city=booking["city"],
        from_date=from_date or booking["starts_at"][:10],
    )
    return [
        each
        for each in _same_house(booking, found)
        if each["starts_at"] > booking["starts_at"] and free_in(each, booking["zone"]) >= booking["tickets"]
    ]


def _exchange_later(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    others = yield from later_performances(booking, facts.get("not_before"))
    other = yield choose(others, key=lambda each: each["starts_at"])
    return (yield from _exchange(facts, booking, other))


def _a_later_day(world: World, rng: Random, facts: Facts) -> Facts:
    booking = world.get("bookings", facts["booking_id"])
    if booking is None:
        raise DeadEnd("the booking is out of sight")
    mine = world.get("performances", booking["performance_id"])
    later = [
        row["starts_at"][:10]
        for row in performances_in(world)
        if mine and row["show_id"] == mine["show_id"] and row["starts_at"] > mine["starts_at"]
    ]
    return {"not_before": pick(rng, later)}


NOT_BEFORE = twist(
    "not before a day",
    "constraint",
    says(
        "We are away for a while, so nothing before {not_before:date}.",
        "not before {not_before:date}.",
        "[The grandparents are here|We have guests] until then, so it cannot be any day before {not_before:date}!",
        "Please disregard any performance before {not_before:date}.",
        "Before {not_before:date} I am not here, so only after.",
    ),
    _a_later_day,
)

EXCHANGE_LATER = Program(
    "exchange_later",
    "Exchange theatre tickets for the next later performance with seats",
    says(
        "[I cannot make it to the theatre that evening|I have to work that evening]: exchange {booking_id} for the "
        "next "
        "later performance there that has seats for us in the same zone, together and as near the front as possible. "
        "Which seats are they, and what is charged?",
        "{booking_id}: exchange to next later performance with room, same zone, together, frontmost row. seats + "
        "charge?",
        "Would you believe it, [the babysitter has cancelled|my train is on strike], so could {booking_id} be "
        "exchanged "
        "for the next performance after it that has room for us? Same zone, side by side, near the front, and tell me "
        "the seats and what I pay on top!",
        "I request the exchange of {booking_id} for the next subsequent performance with sufficient adjacent seats in "
        "the same zone, in the foremost row; please state seats and charge.",
        "I can not go that day, please change {booking_id} to next performance after with places together in same "
        "zone, "
        "most in front; what seats and how much I pay more?",
    ),
    a_booking(exchangeable),
    _exchange_later,
    (NOT_BEFORE, AT_THE_BACK, UNTOUCHED),
)


def _exchange_to_last(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    others = yield from later_performances(booking)
    last = yield choose(others, key=lambda each: latest(each["starts_at"]))
    return (yield from _exchange(facts, booking, last))


EXCHANGE_TO_LAST = Program(
    "exchange_to_last",
    "Exchange theatre tickets for the last performance of the run",
    says(
        "[We have decided to wait for it|A colleague says that the last night is the best one], so please exchange "
        "{booking_id} for the very last performance there that still has seats for us: same zone, side by side, in the "
        "frontmost row that has them. Tell me [the seats and the charge|where we sit and what it costs].",
        "{booking_id} -> last performance of the run with room, same zone, together, frontmost row. seats, charge?",
        "The last night of a run is always the most moving, so exchange {booking_id} for the very last performance "
        "that "
        "has room for us! Same zone, all next to each other near the front, and tell me where we sit and what that "
        "costs.",
        "Kindly exchange {booking_id} for the final performance of the run with sufficient adjacent seats in the same "
        "zone, in the foremost row, stating seats and charge.",
        "Please change {booking_id} for the last performance of all with places together in same zone, most in front; "
        "which seats and what I pay?",
    ),
    a_booking(exchangeable),
    _exchange_to_last,
    (AT_THE_BACK, UNTOUCHED),
)

EXCHANGES = (EXCHANGE_LATER, EXCHANGE_TO_LAST)
