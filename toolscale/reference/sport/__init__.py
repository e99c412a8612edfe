"""Sport: a network of sports clubs in eight European cities, its members, courts, classes, leagues and matches."""

from pathlib import Path

from toolscale.reference.domain import ReferenceDomain
from toolscale.reference.sport.entries import world
from toolscale.reference.sport.plausibility import blemish, implausible
from toolscale.reference.sport.programs import PROGRAMS
from toolscale.reference.sport.programs.anywhere import DESCRIPTIONS, TWISTS
from toolscale.reference.sport.programs.outcomes import OUTCOMES
from toolscale.reference.sport.schema import SCHEMA

INJURIES = ("report_injury", "report_injury_and_cancel_courts")
"""Who reports one does not ask to play in the same breath ..."""
PLAY = (
    *("book_cheapest_court", "book_at_the_cheaper_club", "book_the_same_court_again", "refuse_fifth_court"),
    *("move_court_to_another_day", "swap_for_a_cheaper_court", "bring_guests"),
    *(
        "join_first_class",
        "wait_for_full_class",
        "swap_class",
        "hire_cheapest_equipment",
        "extend_hire",
        "refuse_long_hire",
    ),
)
"""... any of these."""

DOMAIN = ReferenceDomain(
    name="sport",
    folder=Path(__file__).parent,
    schema=SCHEMA,
    world=world,
    implausible=implausible,
    blemish=blemish,
    identity="member_id",
    matters=frozenset({"booking_id", "fixture_id", "hire_id", "place_id", "ticket_id"}),
    away=frozenset({"day", "second_day"}),
    once=(
        frozenset(
            {
                *("change_to_plan_with_discount", "freeze_membership", "end_membership", "how long the term runs"),
                *("refuse_long_freeze", "refuse_early_end", "refuse_cheaper_plan"),
            }
        ),
        frozenset(
            {"report_injury", "report_injury_and_cancel_courts", "submit_doctors_note", "refuse_class_with_injury"}
        ),
        frozenset({"credit on the account", "only with so much credit", "leave_class", "end_membership"}),
        frozenset({"next_court", "sum_of_courts"}),
        *(frozenset({hurt, play}) for hurt in INJURIES for play in PLAY),
    ),
    standing={"credit": "member_id"},
    programs=PROGRAMS,
    twists=(*TWISTS, *OUTCOMES),
    descriptions=DESCRIPTIONS,
)
