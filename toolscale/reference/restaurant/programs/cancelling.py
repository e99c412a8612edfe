"""Requests to cancel what is reserved."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, Twist, World, choose, do, pick
from toolscale.reference.restaurant.programs.draws import (
    LOST_UMBRELLA,
    Steps,
    another,
    some_reservation,
    someone_with_two,
    upcoming,
)


def _cancel_one(reservation_id: str, facts: Facts) -> Steps:
    """Step: cancel, unless too little would come back; returns what to say and to tell."""
    quote = yield do("quote_cancellation", reservation_id=reservation_id)
    refund = f"{quote['refund']:.2f}"
    if quote["refund"] < facts.get("limit", 0.0):
        return f"{reservation_id} stays: only {refund} {quote['currency']} would come back.", (refund,)
    yield do("cancel_reservation", reservation_id=reservation_id)
    fee = f"{quote['fee']:.2f}"
    if quote["fee"] and not quote["refund"]:
        return f"{reservation_id} is cancelled; the fee is {fee} {quote['currency']}.", (fee,)
    return f"{reservation_id} is cancelled; {refund} {quote['currency']} come back.", (refund,)


def _cancel(facts: Facts) -> Policy:
    text, tell = yield from _cancel_one(facts["reservation"], facts)
    if "other" not in facts:
        return Reply(text, tell)
    more, also = yield from _cancel_one(facts["other"], facts)
    return Reply(f"{text} {more}", (*tell, *also))


def _refund_limit(world: World, rng: Random, facts: Facts) -> Facts:
    """A limit near a deposit that the guest has paid, on either side."""
    theirs = [row["deposit"] for row in upcoming(world) if row["guest_id"] == facts["guest_id"] and row["deposit"]]
    return {"limit": round(pick(rng, theirs) * rng.choice((0.55, 0.8, 1.15)), 2)}


AT_LEAST_BACK = Twist(
    name="at_least_back",
    operator="condition",
    voices={
        "plain": "Cancel only if at least {limit:money} comes back to me; otherwise leave it and tell me how much it "
        "would be.",
        "terse": "only if refund >= {limit:money}, otherwise keep it and tell me the refund.",
        "chatty": "But if I get back less than {limit:money}, I would rather go after all, so then just tell me the "
        "sum.",
        "formal": "This applies only where the refund amounts to at least {limit:money}; failing that, please state "
        "it.",
    },
    draw=_refund_limit,
)

CANCEL = Program(
    name="cancel_reservation",
    intent="Cancel a reservation and learn what comes back of the deposit or what it costs",
    voices={
        "plain": "I have to cancel reservation {reservation}. What do I get back, or what does it cost?",
        "terse": "cancel {reservation}, state refund/fee.",
        "chatty": "I am so sorry, but the flu has got us all, we will not make it to {reservation}, please take us off "
        "and tell me what happens to the money.",
        "formal": "I hereby cancel reservation {reservation} and ask for a statement of the refund or the fee.",
        "hurried": "Please drop {reservation} right away, and how much money is that?",
        "non_native": "I can not come, please annul {reservation}, how much I get back or must pay?",
    },
    draw=some_reservation,
    policy=_cancel,
    twists=(
        AT_LEAST_BACK,
        LOST_UMBRELLA,
        Twist(
            name="another_one_too",
            operator="entities",
            voices={
                "plain": "The same goes for {other}.",
                "terse": "ditto {other}.",
                "chatty": "And as none of us can travel, I am afraid {other} has to go the same way.",
            },
            draw=lambda world, rng, facts: {
                "other": another(world, rng, upcoming(world), "reservation_id", facts),
            },
        ),
    ),
)


def _cancel_by_date(facts: Facts) -> Policy:
    rows = yield do("list_reservations", guest_id=facts["guest_id"])
    order = sorted({(row["date"], row["time"]) for row in rows}, reverse=facts.get("which") != "first")
    chosen = yield choose(rows, key=lambda row: order.index((row["date"], row["time"])))
    if len(rows) < 2:
        raise DeadEnd("there is nothing to choose between")
    text, tell = yield from _cancel_one(chosen["reservation_id"], facts)
    return Reply(text, (*tell, chosen["reservation_id"]))


CANCEL_BY_DATE = Program(
    name="cancel_furthest",
    intent="Cancel the upcoming reservation that lies furthest ahead, without knowing its number",
    voices={
        "plain": "I have reserved too much. Cancel whichever of my upcoming reservations is furthest ahead, and tell "
        "me its number and what comes back.",
        "terse": "cancel my furthest upcoming reservation; give number + refund.",
        "chatty": "I got carried away with all those dinners, so the one that is longest away has to go, whichever it "
        "is; which one was it, and what do I see of my money?",
        "formal": "Please cancel the latest-dated of my upcoming reservations and confirm its number and the refund.",
        "non_native": "I have too many reservation, please delete that one with the most late date and say me number "
        "and money back.",
    },
    draw=someone_with_two,
    policy=_cancel_by_date,
    unknown="I do not have the reservation numbers at hand.",
    twists=(
        AT_LEAST_BACK,
        LOST_UMBRELLA,
        Twist(
            name="soonest_instead",
            operator="change_of_mind",
            voices={
                "plain": "Or no: cancel the one that comes first instead.",
                "terse": "changed my mind: the soonest one instead.",
                "chatty": "Hm, no, on second thoughts it is the very next dinner that I cannot face, so that one.",
            },
            sets={"which": "first"},
        ),
    ),
)


def _draw_payback(world: World, rng: Random) -> Facts:
    """A guest whose upcoming reservations are in one currency and include a deposit, as far as the excerpt says."""
    theirs: dict[str, list[Record]] = {}
    for row in upcoming(world):
        theirs.setdefault(row["guest_id"], []).append(row)
    suitable = []
    for guest_id, rows in theirs.items():
        houses = [world.get("restaurants", row["restaurant_id"]) for row in rows]
        currencies = {house["currency"] for house in houses if house}
        if len(rows) > 1 and len(currencies) == 1 and any(row["deposit"] for row in rows):
            suitable.append(guest_id)
    return {"guest_id": pick(rng, suitable or sorted(theirs))}


def _best_refund(facts: Facts) -> Policy:
    rows = yield do("list_reservations", guest_id=facts["guest_id"])
    quotes = []
    for row in rows:
        quotes.append((yield do("quote_cancellation", reservation_id=row["reservation_id"])))
    if len(quotes) < 2 or len({quote["currency"] for quote in quotes}) > 1:
        raise DeadEnd("nothing to compare, or not in one currency")
    best = yield choose(quotes, key=lambda quote: -quote["refund"])
    reservation, refund = best["reservation_id"], f"{best['refund']:.2f}"
    if best["refund"] < facts.get("limit", 0.0):
        return Reply(f"Nothing is cancelled: the most would be {refund} for {reservation}.", (refund, reservation))
    yield do("cancel_reservation", reservation_id=reservation)
    return Reply(f"{reservation} is cancelled, and {refund} {best['currency']} come back.", (reservation, refund))


BEST_REFUND = Program(
    name="cancel_best_refund",
    intent="Give up the upcoming reservation that pays back most of its deposit",
    voices={
        "plain": "I need cash back: cancel the one of my upcoming reservations that refunds the most, and tell me "
        "which one and how much.",
        "terse": "cancel the reservation of mine w/ the biggest refund. which, how much?",
        "chatty": "Money is tight this month, so let the dinner go that brings the most back into my pocket, and do "
        "tell me which one it was and the sum.",
        "formal": "Of my upcoming reservations please cancel the one yielding the highest refund, naming it and the "
        "amount.",
    },
    draw=_draw_payback,
    policy=_best_refund,
    unknown="I do not have the reservation numbers at hand.",
    twists=(AT_LEAST_BACK, LOST_UMBRELLA),
)

PROGRAMS = (
    CANCEL,
    CANCEL_BY_DATE,
    BEST_REFUND,
)
