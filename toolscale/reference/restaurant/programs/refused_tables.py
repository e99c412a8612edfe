"""Requests about reservations and tickets that the rules of the desk forbid: what proves it is looked up and told."""

from random import Random

from toolscale.reference.moments import NOW
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Refusal, Steps, World, do, pick
from toolscale.reference.restaurant.programs.common import (
    a_reservation,
    says,
    still_free,
    sum_of,
    told,
    upcoming,
)
from toolscale.reference.restaurant.programs.returns import ticket
from toolscale.reference.sums import shown


def _draw_resize(rows: list[Record], rng: Random) -> Facts:
    row = pick(rng, rows)
    size = pick(rng, [each for each in range(2, 9) if abs(each - row["party_size"]) in (1, 2)])
    return {"guest_id": row["guest_id"], "reservation": row["reservation_id"], "party": size}


def _soon(world: World, rng: Random) -> Facts:
    return _draw_resize([row for row in upcoming(world) if not still_free(world, row)], rng)


def _too_near(facts: Facts) -> Policy:
    quote = yield do("quote_cancellation", reservation_id=facts["reservation"])
    until = quote["free_until"]
    if until >= NOW.replace("T", " "):
        raise DeadEnd("it can still be changed")
    text = f"{facts['reservation']} could be changed until {until} only; now it can be kept or cancelled."
    if not facts.get("cancel_then"):
        return told(text, until)
    done = yield do("cancel_reservation", reservation_id=facts["reservation"])
    fee, with_currency = sum_of(done, "cancellation_fee")
    return told(f"{text} I cancelled it; the fee is {with_currency}.", until, fee)


def _change_all_the_same(facts: Facts) -> Steps:
    kept = yield do("get_reservation", reservation_id=facts["reservation"])
    yield do(
        "change_reservation",
        reservation_id=facts["reservation"],
        table_id=kept["table_id"],
        date=kept["date"],
        time=kept["time"],
        party_size=facts["party"],
    )


CHANGE_TOO_LATE = Program(
    "refuse_late_change",
    "Ask for a change of a reservation when it is too late for one",
    says(
        "We will be {party:count} instead at {reservation}, please change that. If it is too late for changes, leave "
        "it and tell me until when [exactly it could have been changed|exactly that would have been possible].",
        "for {reservation} make it {party:count} people. too late? leave it, tell me the exact deadline.",
        "[My brother-in-law invited himself|Half of the family fell ill|The twins want to bring friends], so make it "
        "{party:count} of us for {reservation}, can you? And if I am too late for that, keep it as it is, and until "
        "when exactly would it have worked?",
        "Please amend {reservation} to {party:count} persons. Should the period for changes have lapsed, no change is "
        "needed, but kindly state when exactly it ended.",
        "{party:count} people now for {reservation}! Too late? Then leave it, exact deadline that was?",
        "For {reservation} we are now {party:count} persons, please change. If is too late, no change, say me until "
        "which day and hour was possible.",
        "I think we are {party:count} now, or so they tell me, for {reservation}, can that still be changed? If it is "
        "too late, leave it, and by when exactly should I have called?",
    ),
    _soon,
    _too_near,
    refusal=Refusal("no_change_after_the_free_hours", _change_all_the_same),
)

CHANGE_OR_CANCEL = Program(
    "refuse_late_change_and_cancel",
    "Ask for a change that comes too late, and to cancel the reservation in that case",
    says(
        "Please change {reservation} to {party:count} people. If it is too late for that, cancel it and tell me the "
        "fee and until when exactly I could have changed it.",
        "change {reservation} to {party:count} pax; too late for that? cancel it, give me fee + the exact deadline i "
        "missed.",
        "There are {party:count} of us now for {reservation}, could you make it so? If it is too late it makes no "
        "sense any more, then rather cancel it, and tell me what that costs and until when exactly I could have rung!",
        "Kindly amend {reservation} to {party:count} persons or, should it be too late for amendments, cancel it and "
        "state the fee together with the exact end of the period for changes.",
        "{party:count} people for {reservation}! Too late? Then cancel, fee and exact missed deadline please!",
    ),
    _soon,
    lambda facts: _too_near({**facts, "cancel_then": True}),
    refusal=Refusal("no_change_after_the_free_hours", _change_all_the_same),
)


def _changed_before(world: World, rng: Random) -> Facts:
    rows = [row for row in upcoming(world) if row["changed_at"] and still_free(world, row)]
    return _draw_resize(rows, rng)


def _only_once(facts: Facts) -> Policy:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    if not reservation["changed_at"]:
        raise DeadEnd("it was never changed")
    quote = yield do("quote_cancellation", reservation_id=facts["reservation"])
    changed, until = reservation["changed_at"].replace("T", " "), quote["free_until"]
    text = f"{facts['reservation']} was changed already on {changed}, and can be only once."
    return told(f"{text} You can cancel it free of charge until {until}.", until)


CHANGE_TWICE = Program(
    "refuse_second_change",
    "Ask to change a reservation that was changed before",
    says(
        "I have to ask again: [make it|change it to] {party:count} people for {reservation}. If it cannot be changed a "
        "second time, leave it and tell me until when exactly I can cancel free of charge.",
        "for {reservation} {party:count} people, 2nd change. only once? leave it, exact deadline for free cancel?",
        "I know, I have pestered you with this before, but now we are {party:count} for {reservation}! If one may only "
        "change it once, leave it be, and until when exactly could I still call it off for nothing?",
        "I must request a further amendment, to {party:count} persons, of {reservation}. Should a second amendment not "
        "be permitted, kindly leave it and state the exact end of the period for free cancellation.",
        "Change again, {party:count} people for {reservation}! Only once allowed? Then exact deadline for free cancel?",
        "Sorry, one more change, {party:count} persons for {reservation}. If second time is not permitted, no change, "
        "say me until which day and hour I cancel for free.",
    ),
    _changed_before,
    _only_once,
    refusal=Refusal("changed_once_at_most", _change_all_the_same),
)


def _with_menu(world: World, rng: Random) -> Facts:
    return a_reservation(lambda world, row: row["set_menu_id"] is not None)(world, rng)


def _menu_stays(facts: Facts) -> Policy:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    if not reservation["set_menu_id"]:
        raise DeadEnd("no set menu was chosen")
    menus = yield do("list_set_menus", restaurant_id=reservation["restaurant_id"])
    chosen = next(menu for menu in menus if menu["set_menu_id"] == reservation["set_menu_id"])
    total = shown(chosen["price_per_head"] * reservation["party_size"])
    return told(f"{chosen['name']} is ordered and stays; it comes to {total} in all.", chosen["name"], total)


def _choose_all_the_same(facts: Facts) -> Steps:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    menus = yield do("list_set_menus", restaurant_id=reservation["restaurant_id"])
    other = next(menu for menu in menus if menu["set_menu_id"] != reservation["set_menu_id"])
    yield do("choose_set_menu", reservation_id=facts["reservation"], set_menu_id=other["set_menu_id"])


MENU_TWICE = Program(
    "refuse_other_menu",
    "Ask for another set menu than the one that was chosen for a reservation",
    says(
        "I want the cheapest of the other set menus for {reservation} in place of the one that we chose. If that one "
        "stays, tell me its name and what it comes to for all of us.",
        "for {reservation}: other set menu, the cheapest. not possible? name of the chosen one + total for all?",
        "We have talked it over and would rather have another set menu for {reservation}, the cheapest of the others! "
        "And if we are stuck with ours, which one was it, and what does it come to for the whole lot of us?",
        "I request that the set menu chosen for {reservation} be replaced by the cheapest of the others. Should it "
        "have to stand, kindly name it and state the total for the party.",
        "Other set menu, the cheapest, for {reservation}! Not possible? Name of ours and total for all!",
    ),
    _with_menu,
    _menu_stays,
    refusal=Refusal("a_set_menu_in_time_and_for_good", _choose_all_the_same),
)


def _kept(facts: Facts) -> Policy:
    held = yield do("get_ticket", ticket_id=facts["ticket"])
    if held["back_per_seat"]:
        raise DeadEnd("something comes back")
    until, paid = held["half_refund_until"], shown(held["paid"])
    return told(f"Nothing comes back after {until}; you keep the ticket, for which you paid {paid}.", until, paid)


def _give_back_all_the_same(facts: Facts) -> Steps:
    yield do("return_tickets", ticket_id=facts["ticket"], seats=1)


RETURN_TOO_LATE = Program(
    "refuse_late_return",
    "Ask to give a ticket back when nothing comes back any more",
    says(
        "I would like to give {ticket} back for whatever there still is. If nothing comes back any more, we keep it; "
        "then tell me [until which day|what the last day was on which] something would have come back, and what we "
        "paid.",
        "return {ticket} if any refund left. nothing? keep it, last day for a refund + price paid?",
        "We are all in bed with fever, so could you take back {ticket} for a little money at least? If it brings "
        "nothing, leave it to us, my sister will go, and until what day would we have got some of it, and what did we "
        "pay?",
        "I ask you to take back {ticket}, provided that some refund is still due; otherwise it is to be kept, and the "
        "last day for a refund and the price paid to be stated.",
        "Take {ticket} back if there is any money left in it! No? Keep it, last day that was, and what did I pay?",
        "Please take back {ticket} if I get some money. If no money, I keep, say me which day was last possible and "
        "how much I paid.",
    ),
    ticket(0, 1),
    _kept,
    refusal=Refusal("seats_are_taken_back_by_the_scale", _give_back_all_the_same),
)

PROGRAMS = (CHANGE_TOO_LATE, CHANGE_OR_CANCEL, CHANGE_TWICE, MENU_TWICE, RETURN_TOO_LATE)
