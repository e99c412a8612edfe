"""Figures that members want worked out, and steps that go on from what a request led to."""

from random import Random

from toolscale.reference.computed import Figure, computed
from toolscale.reference.kit import known, must
from toolscale.reference.program import OUTCOME, Facts, Reply, Solution, World, do
from toolscale.reference.words import words

WORDS = words(__file__)

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
    member = known(world, "members", facts["member_id"])
    must(member["guest_passes"], "no guest passes, or out of sight")
    return {"friends": rng.randint(1, min(3, member["guest_passes"]))}


def _bring(facts: Facts) -> Solution:
    booking = facts[OUTCOME]["booking_id"]
    yield do("bring_guests", booking_id=booking, guests=facts["friends"])
    return Reply(f"Your guests are entered for {booking}.", (booking,))


GUESTS = WORDS.twist(
    "guests on the new court", "dependent", draw=_draw_guests, suits="book_", after=_bring, takes=("book_court",)
)

OUTCOMES = (*computed(*FIGURES), GUESTS)
