"""Requests about tickets that the policy forbids: the proof is looked up and told."""

from random import Random

from toolscale.reference.entertainment.programs.booking import on_day
from toolscale.reference.entertainment.programs.cancelling import resalable
from toolscale.reference.entertainment.programs.common import (
    a_booking,
    an_evening,
    bookings_in,
    clock,
    free_in,
    hours_ahead,
    says,
    seated,
)
from toolscale.reference.entertainment.programs.exchanges import later_performances
from toolscale.reference.moments import NOW
from toolscale.reference.program import (
    DeadEnd,
    Facts,
    Policy,
    Program,
    Record,
    Refusal,
    Reply,
    Steps,
    World,
    choose,
    do,
    pick,
)
from toolscale.reference.sums import shown


def _no_refund(facts: Facts) -> Policy:
    quote = yield do("quote_refund", booking_id=facts["booking_id"])
    if quote["refund"]:
        raise DeadEnd("it is refunded after all")
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    paid, until = shown(quote["paid"]), booking["resale_until"]
    text = f"{quote['reason']}; you paid {paid}. You can resell it until {until[:10]}, {clock(until)}."
    return Reply(text, (paid, clock(until)))


def _refund_all_the_same(facts: Facts) -> Steps:
    yield do("cancel_booking", booking_id=facts["booking_id"], refund_to="original_payment")


NO_STAGE_REFUND = Program(
    "refuse_stage_refund",
    "Ask for the money back for stage tickets without protection",
    says(
        "I want my money back for {booking_id}. If you do not refund that, tell me how much I paid for it and [the "
        "exact "
        "time|the day and hour] until which I could resell it.",
        "refund {booking_id}. not possible? then: amount paid + resale deadline with time?",
        "Something has come up, so {booking_id} must go back for the money! And if that cannot be, remind me what I "
        "paid, "
        "and until when, to the hour, I might sell it to somebody.",
        "I request reimbursement of {booking_id}; should this be excluded, kindly state the sum paid and the day and "
        "hour until which resale is possible.",
        "I want the money of {booking_id} back. If is not possible, tell what I paid and until what day and hour I can "
        "sell it to others.",
    ),
    a_booking(lambda b, p, v: resalable(b, p, v) and not b["protection_cost"]),
    _no_refund,
    refusal=Refusal("stage_tickets_are_not_refunded", _refund_all_the_same),
)


def _too_late(booking: Record, performance: Record, venue: Record) -> bool:
    near = hours_ahead(performance) < 48
    return bool(venue["kind"] == "theatre" and performance["status"] == "scheduled" and near)


def _late_exchange(facts: Facts) -> Policy:
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


LATE_EXCHANGE = Program(
    "refuse_late_exchange",
    "Ask for another evening when it is too late to exchange the tickets",
    says(
        "We would rather go another evening: exchange {booking_id} for the next performance after it[, same zone|]. If "
        "it is too late for that, tell me until when, to the minute, it was possible, and which seats we have.",
        "{booking_id}: exchange for a later performance. too late? then the exact deadline + my seats?",
        "Can {booking_id} become another evening, any later one, the children are not well! And if I am too late, what "
        "was the very last moment, and where do we sit, so that we can still decide?",
        "I ask for {booking_id} to be exchanged for a later performance; should the period have lapsed, kindly state "
        "the exact moment at which it ended, and our seats.",
        "Please change {booking_id} for another evening later. Is it too late, say me the last hour it was possible "
        "and "
        "our seats.",
    ),
    _draw_late,
    _late_exchange,
    refusal=Refusal("only_theatres_exchange", _exchange_all_the_same),
)


def _draw_scalper(world: World, rng: Random) -> Facts:
    booking = pick(rng, bookings_in(world, resalable))
    asking = float(round(booking["price_each"] * rng.choice((1.3, 1.5, 1.8, 2.0))))
    return {"member_id": booking["member_id"], "booking_id": booking["booking_id"], "asking": asking}


def _at_most(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    if facts["asking"] <= booking["price_each"]:
        raise DeadEnd("that is allowed")
    done = yield do("list_for_resale", booking_id=facts["booking_id"], price_each=booking["price_each"])
    most, payout = shown(done["price_each"]), shown(done["payout_if_sold"])
    return Reply(f"{most} each is the most; it is on resale for that, and you would receive {payout}.", (most, payout))


def _scalp(facts: Facts) -> Steps:
    yield do("list_for_resale", booking_id=facts["booking_id"], price_each=facts["asking"])


SCALPING = Program(
    "refuse_scalping",
    "Ask for more than one paid when reselling tickets",
    says(
        "Put {booking_id} on resale at {asking:money} a ticket. If that is more than you allow, take the highest price "
        "that is allowed instead, and tell me that price and what I would receive in all.",
        "{booking_id} on resale at {asking:money} each; if too high, the most that's allowed. price each + payout?",
        "That show is all the rage, so {booking_id} should go on resale at {asking:money} a ticket! Or as much as you "
        "let me ask, if that is too cheeky, and then tell me how much that is and what I get!",
        "Kindly offer {booking_id} for resale at {asking:money} a ticket or, if that exceeds the limit, at the highest "
        "admissible price, and state that price and the payout.",
        "Sell {booking_id} to other people for {asking:money} each ticket. If not allowed so much, then the most you "
        "allow; say me this price and what I receive.",
    ),
    _draw_scalper,
    _at_most,
    refusal=Refusal("resale_at_no_more_than_was_paid", _scalp),
)


def _seats_left(facts: Facts) -> Policy:
    performance = yield from on_day(facts)
    if free_in(performance, facts["zone"]) < facts["tickets"]:
        raise DeadEnd("there is something to wait for")
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


NO_WAITING = Program(
    "refuse_needless_waiting",
    "Ask for the waiting list where seats are left",
    says(
        "I am told that {title} in {city} on {date:date} is as good as gone, so only put me on the waiting list for "
        "{tickets:count} {zone} seats. If there is nothing to wait for, do not book yet, but tell me what they would "
        "cost me in all, and when it starts.",
        "only waitlist: {tickets:count} {zone} seats, {title}, {city}, {date:date}. seats left after all? don't book, "
        "tell me total for me + start.",
        "They say one cannot get in any more, so just the waiting list for {tickets:count} {zone} seats for {title} in "
        "{city} on {date:date}! If there are seats after all, do not book them, I must ask at home, but what would I "
        "pay "
        "in all, and when does it begin?",
        "Kindly place me on the waiting list, and nothing more, for {tickets:count} {zone} seats for {title} in {city} "
        "on {date:date}; should seats remain, book none, but state my total and the hour.",
    ),
    an_evening,
    _seats_left,
    refusal=Refusal("waiting_only_for_what_is_sold_out", _wait_all_the_same),
)


REFUSED = (NO_STAGE_REFUND, LATE_EXCHANGE, SCALPING, NO_WAITING)
