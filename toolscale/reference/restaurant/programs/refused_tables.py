"""Requests about reservations and tickets that the rules of the desk forbid: what proves it is looked up and told."""

from random import Random

from toolscale.reference.kit import just, must, told
from toolscale.reference.moments import NOW
from toolscale.reference.program import Facts, Record, Refusal, Solution, Steps, World, do, pick
from toolscale.reference.restaurant.programs.common import a_reservation, still_free, sum_of, upcoming
from toolscale.reference.restaurant.programs.returns import ticket
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _draw_resize(rows: list[Record], rng: Random) -> Facts:
    row = pick(rng, rows)
    size = pick(rng, [each for each in range(2, 9) if abs(each - row["party_size"]) in (1, 2)])
    return {"guest_id": row["guest_id"], "reservation": row["reservation_id"], "party": size}


def _soon(world: World, rng: Random) -> Facts:
    return _draw_resize([row for row in upcoming(world) if not still_free(world, row)], rng)


def _too_near(facts: Facts) -> Solution:
    quote = yield do("quote_cancellation", reservation_id=facts["reservation"])
    until = quote["free_until"]
    must(until < NOW.replace("T", " "), "it can still be changed")
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


CHANGE_TOO_LATE = WORDS.program(
    "refuse_late_change", _soon, _too_near, refusal=Refusal("no_change_after_the_free_hours", _change_all_the_same)
)

CHANGE_OR_CANCEL = WORDS.program(
    "refuse_late_change_and_cancel",
    _soon,
    lambda facts: _too_near({**facts, "cancel_then": True}),
    refusal=Refusal("no_change_after_the_free_hours", _change_all_the_same),
)


def _changed_before(world: World, rng: Random) -> Facts:
    rows = [row for row in upcoming(world) if row["changed_at"] and still_free(world, row)]
    return _draw_resize(rows, rng)


def _only_once(facts: Facts) -> Solution:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    must(reservation["changed_at"], "it was never changed")
    quote = yield do("quote_cancellation", reservation_id=facts["reservation"])
    changed, until = reservation["changed_at"].replace("T", " "), quote["free_until"]
    text = f"{facts['reservation']} was changed already on {changed}, and can be only once."
    return told(f"{text} You can cancel it free of charge until {until}.", until)


CHANGE_TWICE = WORDS.program(
    "refuse_second_change", _changed_before, _only_once, refusal=Refusal("changed_once_at_most", _change_all_the_same)
)


def _with_menu(world: World, rng: Random) -> Facts:
    return a_reservation(lambda world, row: row["set_menu_id"] is not None)(world, rng)


def _menu_stays(facts: Facts) -> Solution:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    must(reservation["set_menu_id"], "no set menu was chosen")
    menus = yield do("list_set_menus", restaurant_id=reservation["restaurant_id"])
    chosen = next(menu for menu in menus if menu["set_menu_id"] == reservation["set_menu_id"])
    total = shown(chosen["price_per_head"] * reservation["party_size"])
    return told(f"{chosen['name']} is ordered and stays; it comes to {total} in all.", chosen["name"], total)


def _choose_all_the_same(facts: Facts) -> Steps:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    menus = yield do("list_set_menus", restaurant_id=reservation["restaurant_id"])
    other = next(menu for menu in menus if menu["set_menu_id"] != reservation["set_menu_id"])
    yield do("choose_set_menu", reservation_id=facts["reservation"], set_menu_id=other["set_menu_id"])


MENU_TWICE = WORDS.program(
    "refuse_other_menu",
    _with_menu,
    _menu_stays,
    refusal=Refusal("a_set_menu_in_time_and_for_good", _choose_all_the_same),
)


def _kept(facts: Facts) -> Solution:
    held = yield do("get_ticket", ticket_id=facts["ticket"])
    must(not held["back_per_seat"], "something comes back")
    until, paid = held["half_refund_until"], shown(held["paid"])
    return told(f"Nothing comes back after {until}; you keep the ticket, for which you paid {paid}.", until, paid)


RETURN_TOO_LATE = WORDS.program(
    "refuse_late_return",
    ticket(0, 1),
    _kept,
    refusal=Refusal(
        "seats_are_taken_back_by_the_scale", just("return_tickets", where={"seats": 1}, ticket_id="ticket")
    ),
)

PROGRAMS = (CHANGE_TOO_LATE, CHANGE_OR_CANCEL, CHANGE_TWICE, MENU_TWICE, RETURN_TOO_LATE)
