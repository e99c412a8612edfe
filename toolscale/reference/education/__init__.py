"""The university: a student office for courses, results, tuition, library and study rooms."""

from pathlib import Path

from toolscale.reference.domain import ReferenceDomain
from toolscale.reference.education.entries import world
from toolscale.reference.education.plausibility import blemish, implausible
from toolscale.reference.education.programs import PROGRAMS
from toolscale.reference.education.programs.anywhere import DESCRIPTIONS, TWISTS
from toolscale.reference.education.programs.outcomes import OUTCOMES
from toolscale.reference.education.schema import SCHEMA

DOMAIN = ReferenceDomain(
    name="education",
    folder=Path(__file__).parent,
    schema=SCHEMA,
    world=world,
    implausible=implausible,
    blemish=blemish,
    identity="student_id",
    matters=frozenset({"booking_id", "book", "invoice_id", "loan_id", "place_id", "result_id"}),
    standing={"total_remaining": "student_id"},
    programs=PROGRAMS,
    once=(
        frozenset({"the phone number on file", "update_contact"}),
        frozenset({"apply_for_scholarship", "withdraw_application", "refuse_scholarship"}),
        frozenset({"what_is_owed", "what remains in all"}),
        frozenset({"consult_adviser", "the adviser's e-mail address"}),
    ),
    twists=(*TWISTS, *OUTCOMES),
    descriptions=DESCRIPTIONS,
)
