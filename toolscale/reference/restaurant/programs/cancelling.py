"""Requests to cancel what is reserved."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Steps, Twist, World, choose, do, pick
from toolscale.reference.restaurant.programs.common import (
    MOSTLY_LESS,
    a_reservation,
    known,
    line_at,
    says,
    someone_with_two,
    still_free,
    sum_of,
    told,
    upcoming,
)
from toolscale.reference.sums import shown


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


def _cancel(facts: Facts) -> Policy:
    text, tell = yield from _cancel_one(facts["reservation"], facts)
    return told(text, *tell)


def _refund_limit(world: World, rng: Random, facts: Facts) -> Facts:
    """A limit near a deposit that the guest has paid, on either side."""
    rows = [row for row in upcoming(world) if row["reservation_id"] == facts.get("reservation", row["reservation_id"])]
    theirs = [row["deposit"] for row in rows if row["guest_id"] == facts["guest_id"] and row["deposit"]]
    return {"limit": line_at(rng, pick(rng, theirs), MOSTLY_LESS)}


AT_LEAST_BACK = Twist(
    "only if enough comes back",
    "condition",
    {
        "plain": "Cancel only if at least {limit:money} comes back to me; otherwise leave it and tell me how much it "
        "would be.",
        "terse": "only if refund >= {limit:money}, otherwise keep it and tell me the refund.",
        "chatty": "But if I get back less than {limit:money}, I would rather go after all, so then just tell me the "
        "sum.",
        "formal": "This applies only where the refund amounts to at least {limit:money}; failing that, please keep "
        "the table and state it.",
    },
    draw=_refund_limit,
)

CANCEL = Program(
    "cancel_reservation",
    "Cancel a reservation and learn what comes back of the deposit or what it costs",
    says(
        "I have to cancel {reservation}[, we are all ill|, something has come up|]. What do I get back, or what does "
        "it cost?",
        "cancel {reservation}, state refund/fee.",
        "I am so sorry, but [the flu has got us all|my sister has broken her arm], we will not make it, so please "
        "cancel {reservation} and tell me what happens to the money.",
        "I hereby cancel {reservation} and ask for a statement of the refund or the fee.",
        "Please drop {reservation} right away, and how much money is that?",
        "I can not come, please annul {reservation}, how much I get back or must pay?",
        "We cannot come after all, so {reservation} has to be cancelled, I suppose. Does that cost me anything, or do "
        "I get something back, and how much?",
    ),
    a_reservation(lambda world, row: bool(row["deposit"]) or not still_free(world, row)),
    _cancel,
    (AT_LEAST_BACK,),
    again="reservation",
)


def _cancel_by_date(facts: Facts) -> Policy:
    rows = yield do("list_reservations", guest_id=facts["guest_id"])
    if len(rows) < 2:
        raise DeadEnd("there is nothing to choose between")
    order = sorted({(row["date"], row["time"]) for row in rows}, reverse=facts.get("which") != "first")
    chosen = yield choose(rows, key=lambda row: order.index((row["date"], row["time"])))
    text, tell = yield from _cancel_one(chosen["reservation_id"], facts)
    return told(text, *tell, chosen["reservation_id"])


CANCEL_BY_DATE = Program(
    "cancel_furthest",
    "Cancel the upcoming reservation that lies furthest ahead, without knowing its number",
    says(
        "I have reserved too much. Cancel whichever of my upcoming reservations is furthest ahead, and tell me its "
        "number and what comes back[ or what I must pay|, or the fee].",
        "cancel my furthest upcoming reservation; give number + refund or fee.",
        "I got carried away with all those dinners, so the one that is longest away has to go, whichever it is; which "
        "number was it, and what do I see of my money, or owe you?",
        "Please cancel the latest-dated of my upcoming reservations and confirm its number and the refund or fee.",
        "Too many dinners! Cancel my last one, furthest ahead, number and refund or fee please.",
        "I have too many reservation, please delete that one with the most late date and say me number and money back "
        "or to pay.",
    ),
    someone_with_two,
    _cancel_by_date,
    (
        AT_LEAST_BACK,
        Twist(
            "the soonest instead",
            "change_of_mind",
            {
                "plain": "Or no: cancel the one that comes first instead.",
                "terse": "changed my mind: the soonest one instead.",
                "chatty": "Hm, no, on second thoughts it is the very next dinner that I cannot face, so that one.",
                "formal": "On reflection, the earliest of them is to be cancelled instead.",
            },
            sets={"which": "first"},
        ),
    ),
    "I do not have the reservation numbers at hand.",
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


def _best_refund(facts: Facts) -> Policy:
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


BEST_REFUND = Program(
    "cancel_best_refund",
    "Give up the upcoming reservation that pays back most of its deposit",
    says(
        "I need cash back: cancel the one of my upcoming reservations that refunds the most, and tell me [which "
        "one|its number] and how much.",
        "cancel the reservation of mine w/ the biggest refund. which, how much?",
        "Money is tight this month, so let the dinner go that brings the most back into my pocket, and do tell me "
        "which number it was and the sum.",
        "Of my upcoming reservations please cancel the one yielding the highest refund, naming it and the amount.",
        "Need money: cancel my reservation with the highest refund, number and sum!",
        "Please annul the one reservation that gives me back most money, which number is it and how much money?",
    ),
    _draw_payback,
    _best_refund,
    (AT_LEAST_BACK,),
    "I do not have the reservation numbers at hand.",
)

PROGRAMS = (CANCEL, CANCEL_BY_DATE, BEST_REFUND)
