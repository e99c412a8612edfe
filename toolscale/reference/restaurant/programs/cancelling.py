"""Requests to cancel what is reserved."""

from random import Random

from toolscale.reference.kit import known, must, told
from toolscale.reference.program import DeadEnd, Facts, Solution, Steps, World, choose, do, pick
from toolscale.reference.restaurant.programs.common import (
    MOSTLY_LESS,
    a_reservation,
    line_at,
    someone_with_two,
    still_free,
    sum_of,
    upcoming,
)
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _cancel_one(reservation_id: str, facts: Facts) -> Steps:
    """Step: cancel, unless too little would come back; returns what to say and to tell."""
    quote = yield do("quote_cancellation", reservation_id=reservation_id)
    refund, with_currency = sum_of(quote, "refund")
    if quote["refund"] < facts.get("limit", 0.0):
        return f"{reservation_id} stays: only {with_currency} would come back.", (refund,)
    yield do("cancel_reservation", reservation_id=reservation_id)
    if quote["fee"] and not quote["refund"]:
        fee, with_currency = sum_of(quote, "fee")
        return f"{reservation_id} is cancelled; the fee is {with_currency}.", (fee,)
    if not quote["refund"]:
        return f"{reservation_id} is cancelled; there is nothing to pay and nothing to come back.", ()
    return f"{reservation_id} is cancelled; {with_currency} come back.", (refund,)


def _cancel(facts: Facts) -> Solution:
    text, tell = yield from _cancel_one(facts["reservation"], facts)
    return told(text, *tell)


def _refund_limit(world: World, rng: Random, facts: Facts) -> Facts:
    """A limit near a deposit that the guest has paid, on either side."""
    rows = [row for row in upcoming(world) if row["reservation_id"] == facts.get("reservation", row["reservation_id"])]
    theirs = [row["deposit"] for row in rows if row["guest_id"] == facts["guest_id"] and row["deposit"]]
    return {"limit": line_at(rng, pick(rng, theirs), MOSTLY_LESS)}


AT_LEAST_BACK = WORDS.twist("only if enough comes back", "condition", draw=_refund_limit)

CANCEL = WORDS.program(
    "cancel_reservation",
    a_reservation(lambda world, row: bool(row["deposit"]) or not still_free(world, row)),
    _cancel,
    (AT_LEAST_BACK,),
    again="reservation",
)


def _cancel_by_date(facts: Facts) -> Solution:
    rows = yield do("list_reservations", guest_id=facts["guest_id"])
    must(len(rows) >= 2, "there is nothing to choose between")
    order = sorted({(row["date"], row["time"]) for row in rows}, reverse=facts.get("which") != "first")
    chosen = yield choose(rows, key=lambda row: order.index((row["date"], row["time"])))
    text, tell = yield from _cancel_one(chosen["reservation_id"], facts)
    return told(text, *tell, chosen["reservation_id"])


CANCEL_BY_DATE = WORDS.program(
    "cancel_furthest",
    someone_with_two,
    _cancel_by_date,
    (
        AT_LEAST_BACK,
        WORDS.twist("the soonest instead", "change_of_mind", sets={"which": "first"}),
    ),
)


def _draw_payback(world: World, rng: Random) -> Facts:
    """A guest whose upcoming reservations are in one currency and include a deposit, as far as the excerpt says."""
    suitable = []
    for guest_id in sorted({row["guest_id"] for row in upcoming(world)}):
        rows = [row for row in upcoming(world) if row["guest_id"] == guest_id]
        currencies = {known(world, "restaurants", row["restaurant_id"])["currency"] for row in rows}
        if len(rows) > 1 and len(currencies) == 1 and any(row["deposit"] for row in rows):
            suitable.append(guest_id)
    return {"guest_id": pick(rng, suitable)}


def _best_refund(facts: Facts) -> Solution:
    rows = yield do("list_reservations", guest_id=facts["guest_id"])
    quotes = []
    for row in rows:
        quotes.append((yield do("quote_cancellation", reservation_id=row["reservation_id"])))
    if len(quotes) < 2 or len({quote["currency"] for quote in quotes}) > 1:
        raise DeadEnd("nothing to compare, or not in one currency")
    best = yield choose([quote for quote in quotes if quote["refund"]], key=lambda quote: -quote["refund"])
    reservation, refund = best["reservation_id"], shown(best["refund"])
    if best["refund"] < facts.get("limit", 0.0):
        return told(f"Nothing is cancelled: the most would be {refund} for {reservation}.", refund, reservation)
    yield do("cancel_reservation", reservation_id=reservation)
    return told(f"{reservation} is cancelled, and {refund} {best['currency']} come back.", reservation, refund)


BEST_REFUND = WORDS.program("cancel_best_refund", _draw_payback, _best_refund, (AT_LEAST_BACK,))

PROGRAMS = (CANCEL, CANCEL_BY_DATE, BEST_REFUND)
