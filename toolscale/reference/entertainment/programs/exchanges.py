"""Programs that exchange theatre tickets for another performance."""

from random import Random

from toolscale.reference.entertainment.programs.common import (
    AT_THE_BACK,
    UNTOUCHED,
    a_booking,
    for_several,
    free_in,
    hours_ahead,
    performances_in,
    seated,
)
from toolscale.reference.kit import clock, known, latest_first
from toolscale.reference.program import Facts, Record, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def exchangeable(booking: Record, performance: Record, venue: Record) -> bool:
    """Theatre tickets for several, for a performance that takes place in more than 48 hours."""
    return venue["kind"] == "theatre" and for_several(booking, performance, venue) and hours_ahead(performance) > 49


def _exchange(facts: Facts, booking: Record, other: Record) -> Solution:
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


def _exchange_later(facts: Facts) -> Solution:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    others = yield from later_performances(booking, facts.get("not_before"))
    other = yield choose(others, key=lambda each: each["starts_at"])
    return (yield from _exchange(facts, booking, other))


def _a_later_day(world: World, rng: Random, facts: Facts) -> Facts:
    booking = known(world, "bookings", facts["booking_id"])
    mine = world.get("performances", booking["performance_id"])
    later = [
        row["starts_at"][:10]
        for row in performances_in(world)
        if mine and row["show_id"] == mine["show_id"] and row["starts_at"] > mine["starts_at"]
    ]
    return {"not_before": pick(rng, later)}


NOT_BEFORE = WORDS.twist("not before a day", "constraint", _a_later_day)

EXCHANGE_LATER = WORDS.program(
    "exchange_later", a_booking(exchangeable), _exchange_later, (NOT_BEFORE, AT_THE_BACK, UNTOUCHED)
)


def _exchange_to_last(facts: Facts) -> Solution:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    others = yield from later_performances(booking)
    last = yield choose(others, key=lambda each: latest_first(each["starts_at"]))
    return (yield from _exchange(facts, booking, last))


EXCHANGE_TO_LAST = WORDS.program(
    "exchange_to_last", a_booking(exchangeable), _exchange_to_last, (AT_THE_BACK, UNTOUCHED)
)

EXCHANGES = (EXCHANGE_LATER, EXCHANGE_TO_LAST)
