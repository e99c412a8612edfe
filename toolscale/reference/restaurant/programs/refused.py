"""Requests that the rules of the desk forbid: what proves it is looked up and told."""

from datetime import date
from random import Random

from toolscale.artifacts import PRESENT
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Refusal, Reply, Steps, World, choose, do, pick
from toolscale.reference.restaurant.programs.draws import upcoming


def _soon(world: World, rng: Random) -> Facts:
    """A reservation within four days: perhaps too near to be changed, which the policy looks up."""
    near = [row for row in upcoming(world) if (date.fromisoformat(row["date"]) - PRESENT.date()).days <= 4]
    reservation = pick(rng, near)
    sizes = [size for size in range(2, 7) if size != reservation["party_size"]]
    return {
        "guest_id": reservation["guest_id"],
        "reservation": reservation["reservation_id"],
        "party": rng.choice(sizes),
    }


def _too_near(facts: Facts) -> Policy:
    quote = yield do("quote_cancellation", reservation_id=facts["reservation"])
    if quote["free_until"] >= PRESENT.strftime("%Y-%m-%d %H:%M"):
        raise DeadEnd("it can still be changed")
    until = quote["free_until"]
    text = f"{facts['reservation']} could be changed until {until} only; now it can be kept or cancelled."
    if facts.get("cancel_then"):
        done = yield do("cancel_reservation", reservation_id=facts["reservation"])
        fee = f"{done['cancellation_fee']:.2f}"
        return Reply(f"{text} I cancelled it; the fee is {fee} {done['currency']}.", (until, fee))
    return Reply(text, (until,))


def _or_cancelled(facts: Facts) -> Policy:
    return (yield from _too_near({**facts, "cancel_then": True}))


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
    name="refuse_late_change",
    intent="Ask for a change of a reservation when it is too late for one",
    voices={
        "plain": "We will be {party:count} instead at {reservation}, please change that. If it is too late, tell me "
        "until when [it could have been changed|that would have been possible].",
        "terse": "{reservation}: make it {party:count} people. too late? then tell me the deadline.",
        "chatty": "[My brother-in-law invited himself|Half of the family fell ill|The twins want to bring friends], "
        "so at {reservation} we would be {party:count}, can you change that? And if I am too late, until when would "
        "it have worked?",
        "formal": "Please amend reservation {reservation} to {party:count} persons. Should the period for changes have "
        "lapsed, kindly state when it ended.",
        "non_native": "In reservation {reservation} we are now {party:count} persons, please change. If is too late, "
        "say me until when was possible.",
        "confused": "I think we are {party:count} now at {reservation}, or so they tell me, can that still be "
        "changed? If not, when should I have called?",
    },
    draw=_soon,
    policy=_too_near,
    refusal=Refusal("no_change_after_the_free_hours", _change_all_the_same),
)

CHANGE_OR_CANCEL = Program(
    name="refuse_late_change_and_cancel",
    intent="Ask for a change that comes too late, and to cancel the reservation in that case",
    voices={
        "plain": "Please change {reservation} to {party:count} people. If that is no longer allowed, cancel it and "
        "tell me [the fee and|what it costs and] until when I could have changed it.",
        "terse": "{reservation} to {party:count} pax; if no longer possible cancel it, give me fee + the deadline i "
        "missed.",
        "chatty": "There are {party:count} of us now for {reservation}, could you make it so? Otherwise it makes no "
        "sense, then rather cancel it, and tell me what that costs and when I ought to have rung!",
        "formal": "Kindly amend {reservation} to {party:count} persons or, should amendments no longer be permitted, "
        "cancel it and state the fee together with the end of the period for changes.",
        "hurried": "{party:count} people for {reservation}! Too late? Then cancel, fee and missed deadline please!",
    },
    draw=_soon,
    policy=_or_cancelled,
    refusal=Refusal("no_change_after_the_free_hours", _change_all_the_same),
)


def _draw_forbidden(world: World, rng: Random) -> Facts:
    """A guest with an allergy, an open order of theirs, and a dish of its house that contains the allergen."""
    orders = [row for row in world.rows("orders") if row["status"] == "placed"]
    order = pick(rng, orders)
    guest = world.get("guests", order["guest_id"])
    if guest is None:
        raise DeadEnd("the guest is out of sight")
    dishes = [
        row
        for row in world.rows("dishes")
        if row["restaurant_id"] == order["restaurant_id"] and set(row["allergens"]) & set(guest["allergies"])
    ]
    dish = pick(rng, dishes)
    return {"guest_id": order["guest_id"], "order": order["order_id"], "dish": dish["name"]}


def _find_dish(facts: Facts) -> Steps:
    """Step: the order, and the dish of its house that the guest means."""
    order = yield do("get_order", order_id=facts["order"])
    found = yield do("search_dishes", restaurant_id=order["restaurant_id"], name=facts["dish"], takeaway=True)
    dish = yield choose([each for each in found if each["name"] == facts["dish"]], key=lambda each: each["dish_id"])
    return order, dish


def _allergic(facts: Facts) -> Policy:
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    order, found = yield from _find_dish(facts)
    dish = yield do("get_dish", dish_id=found["dish_id"])
    allergens = tuple(sorted(set(dish["allergens"]) & set(guest["allergies"])))
    if not allergens:
        raise DeadEnd("nothing stands against the dish")
    total = f"{order['total']:.2f}"
    text = f"{facts['dish']} contains {' and '.join(allergens)}, to which you are allergic."
    return Reply(f"{text} Your order stays at {total}.", (*allergens, total))


def _add_all_the_same(facts: Facts) -> Steps:
    _, dish = yield from _find_dish(facts)
    yield do("add_to_order", order_id=facts["order"], dish_id=dish["dish_id"], quantity=1)


FORBIDDEN_DISH = Program(
    name="refuse_forbidden_dish",
    intent="Ask for a dish that contains what the guest is allergic to",
    voices={
        "plain": "Please add one portion of {dish} to order {order}[, I am sure that I can eat it|, it will do me no "
        "harm]. If you cannot, tell me what is in it that speaks against it, and what my order comes to as it is.",
        "terse": "+1 {dish} on {order}. if not: which allergen, and my total as is?",
        "chatty": "I have been dreaming of {dish} all week, so put one on my order {order}, a little bit never hurt "
        "anybody! If you really must refuse, what in it is the trouble, and how much is my order as it stands?",
        "formal": "Kindly add a portion of {dish} to order {order}; in case of refusal, name the allergen concerned "
        "and the present total of the order.",
        "hurried": "One more {dish} on {order}! No? Why, what is in it, and my total then?",
    },
    draw=_draw_forbidden,
    policy=_allergic,
    refusal=Refusal("nothing_that_the_guest_is_allergic_to", _add_all_the_same),
)

PROGRAMS = (CHANGE_TOO_LATE, CHANGE_OR_CANCEL, FORBIDDEN_DISH)
