"""Figures that members want worked out, and steps that go on from what a request led to."""

from random import Random

from toolscale.reference.computed import Figure, computed
from toolscale.reference.program import OUTCOME, DeadEnd, Facts, Policy, Reply, Twist, World, do

FIGURES = (
    Figure(
        ("cancel_court_booking", "return_tickets", "cancel_hire"),
        "refund",
        "the refund",
        "the refunds",
        {"cancel_court_booking": (15.0, 30.0)},
    ),
    Figure(
        ("book_court",),
        "price",
        "the price of the court",
        "the prices of the courts",
        {"book_court": (25.0, 40.0)},
        "book_",
    ),
    Figure(
        ("buy_tickets",),
        "price",
        "the price of the tickets",
        "the prices of the tickets",
        {"buy_tickets": (50.0, 100.0)},
    ),
    Figure(("hire_equipment",), "price", "the hire charge", "the hire charges", {"hire_equipment": (20.0, 40.0)}),
    Figure(
        ("extend_hire",),
        "charged",
        "the charge for the extension",
        "the charges for the extensions",
        {"extend_hire": (10.0, 20.0)},
    ),
)


def _draw_guests(world: World, rng: Random, facts: Facts) -> Facts:
    member = world.get("members", facts["member_id"])
    if member is None or not member["guest_passes"]:
        raise DeadEnd("no guest passes, or out of sight")
    return {"friends": rng.randint(1, min(3, member["guest_passes"]))}


def _bring(facts: Facts) -> Policy:
    booking = facts[OUTCOME]["booking_id"]
    yield do("bring_guests", booking_id=booking, guests=facts["friends"])
    return Reply(f"Your guests are entered for {booking}.", (booking,))


GUESTS = Twist(
    "guests on the new court",
    "dependent",
    {
        "plain": "[Once the court is booked,|For the new booking] enter {friends:count} with a guest pass each, and "
        "tell me the number of the booking.",
        "terse": "guests for that booking: {friends:count}. booking no.?",
        "chatty": "And [I am not playing against myself|the more the merrier], so as soon as the court is mine put "
        "{friends:count} down on it as guests, and what is the booking's number?",
        "formal": "For the court so booked, guests to the number of {friends:count} are to be entered; please state "
        "the number of the booking.",
        "non_native": "For this new court I bring guests, {friends:count}, please write them, and tell me the number "
        "of booking.",
    },
    draw=_draw_guests,
    suits="book_",
    after=_bring,
    takes=("book_court",),
)

OUTCOMES = (*computed(*FIGURES), GUESTS)
