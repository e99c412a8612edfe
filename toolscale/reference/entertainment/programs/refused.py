"""Requests about tickets that the policy forbids: the proof is looked up and told."""

from random import Random

from toolscale.reference.entertainment.programs.booking import on_day
from toolscale.reference.entertainment.programs.cancelling import resalable
from toolscale.reference.entertainment.programs.common import (
    a_booking,
    an_evening,
    bookings_in,
    free_in,
    hours_ahead,
    seated,
)
from toolscale.reference.entertainment.programs.exchanges import later_performances
from toolscale.reference.kit import clock, just, must
from toolscale.reference.moments import NOW
from toolscale.reference.program import DeadEnd, Facts, Record, Refusal, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _no_refund(facts: Facts) -> Solution:
    quote = yield do("quote_refund", booking_id=facts["booking_id"])
    must(not quote["refund"], "it is refunded after all")
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    paid, until = shown(quote["paid"]), booking["resale_until"]
    text = f"{quote['reason']}; you paid {paid}. You can resell it until {until[:10]}, {clock(until)}."
    return Reply(text, (paid, clock(until)))


NO_STAGE_REFUND = WORDS.program(
    "refuse_stage_refund",
    a_booking(lambda b, p, v: resalable(b, p, v) and not b["protection_cost"]),
    _no_refund,
    refusal=Refusal(
        "stage_tickets_are_not_refunded", just("cancel_booking", "booking_id", where={"refund_to": "original_payment"})
    ),
)


def _too_late(booking: Record, performance: Record, venue: Record) -> bool:
    near = hours_ahead(performance) < 48
    return bool(venue["kind"] == "theatre" and performance["status"] == "scheduled" and near)


def _late_exchange(facts: Facts) -> Solution:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    until = booking["exchange_until"]
    if not until or until > NOW:
        raise DeadEnd("it can still be exchanged")
    starts = clock(booking["starts_at"])
    text = (
        f"Exchange was possible until {until[:10]} at {clock(until)}; seats {', '.join(booking['seats'])} at {starts}."
    )
    return Reply(text, (clock(until), *booking["seats"]))


def _exchange_all_the_same(facts: Facts) -> Steps:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    other = yield choose((yield from later_performances(booking)), key=lambda each: each["starts_at"])
    group = yield from seated(facts, other["performance_id"], booking["zone"], booking["tickets"])
    yield do(
        "exchange_booking",
        booking_id=facts["booking_id"],
        performance_id=other["performance_id"],
        seats=group["seats"],
    )


def _draw_late(world: World, rng: Random) -> Facts:
    booking = pick(rng, bookings_in(world, _too_late))
    return {"member_id": booking["member_id"], "booking_id": booking["booking_id"]}


LATE_EXCHANGE = WORDS.program(
    "refuse_late_exchange",
    _draw_late,
    _late_exchange,
    refusal=Refusal("only_theatres_exchange", _exchange_all_the_same),
)


def _draw_scalper(world: World, rng: Random) -> Facts:
    booking = pick(rng, bookings_in(world, resalable))
    asking = float(round(booking["price_each"] * rng.choice((1.3, 1.5, 1.8, 2.0))))
    return {"member_id": booking["member_id"], "booking_id": booking["booking_id"], "asking": asking}


def _at_most(facts: Facts) -> Solution:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    must(facts["asking"] > booking["price_each"], "that is allowed")
    done = yield do("list_for_resale", booking_id=facts["booking_id"], price_each=booking["price_each"])
    most, payout = shown(done["price_each"]), shown(done["payout_if_sold"])
    return Reply(f"{most} each is the most; it is on resale for that, and you would receive {payout}.", (most, payout))


SCALPING = WORDS.program(
    "refuse_scalping",
    _draw_scalper,
    _at_most,
    refusal=Refusal("resale_at_no_more_than_was_paid", just("list_for_resale", "booking_id", price_each="asking")),
)


def _seats_left(facts: Facts) -> Solution:
    performance = yield from on_day(facts)
    must(free_in(performance, facts["zone"]) >= facts["tickets"], "there is something to wait for")
    quote = yield do(
        "quote_tickets",
        member_id=facts["member_id"],
        performance_id=performance["performance_id"],
        zone=facts["zone"],
        tickets=facts["tickets"],
    )
    total, starts = shown(quote["total"]), clock(performance["starts_at"])
    text = f"There are seats left, so there is no list: {total} {quote['currency']} in all, at {starts}."
    return Reply(text, (total, starts))


def _wait_all_the_same(facts: Facts) -> Steps:
    performance = yield from on_day(facts)
    yield do(
        "join_waitlist",
        member_id=facts["member_id"],
        performance_id=performance["performance_id"],
        zone=facts["zone"],
        tickets=facts["tickets"],
    )


NO_WAITING = WORDS.program(
    "refuse_needless_waiting",
    an_evening,
    _seats_left,
    refusal=Refusal("waiting_only_for_what_is_sold_out", _wait_all_the_same),
)


REFUSED = (NO_STAGE_REFUND, LATE_EXCHANGE, SCALPING, NO_WAITING)
