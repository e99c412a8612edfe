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
    description=(
        "Member service of a network of sports clubs in eight European cities: memberships, courts and guests, classes "
        "and waiting lists, leagues with referees and results, equipment for hire, match tickets, injuries, complaints."
    ),
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
    identity_lines={
        "plain": "[My member number is {member_id}.|I am member {member_id}.|You have me as member {member_id}.]",
        "confused": "[It says {member_id} on my card, I think that is the member number.|My member number, let me see, "
        "{member_id}.]",
        "terse": "[member no. {member_id}.|{member_id} here.|member {member_id}]",
        "chatty": "Oh, and you will want my member number, that is {member_id}!",
        "formal": "My membership is kept under the number {member_id}.",
        "hurried": "Member {member_id}, quick please!",
        "non_native": "My number of member is {member_id}.",
    },
    personas={
        "plain": (
            "A physiotherapist who plays badminton twice a week.",
            "A retired postman who has been in the club for years.",
        ),
        "terse": ("A squash player who answers between two rallies.", "A league captain with forty unread messages."),
        "chatty": (
            "A grandmother who took up padel and tells everybody.",
            "A barman who knows the whole club by first name.",
        ),
        "formal": ("A solicitor who plays tennis on Sundays.", "The honorary treasurer of a chess society."),
        "hurried": ("A surgeon who fits in a class between two shifts.", "A father of three on the way to training."),
        "non_native": ("A doctoral student from abroad who joined last month.", "A cook who is new in the city."),
        "confused": ("A beginner who mixes up courts and classes.", "A pensioner whose niece signed her up."),
    },
    standing={"credit": "member_id"},
    programs=PROGRAMS,
    twists=(*TWISTS, *OUTCOMES),
    descriptions=DESCRIPTIONS,
    asides=(
        "[My legs still hurt from last time.|The showers are lovely, by the way.|Your notice board "
        "says to write here.|The coffee at your bar is rather good.]",
    ),
)
