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
    description=(
        "Student office of a European university with three campuses and online courses: courses with prerequisites, "
        "sections with waiting lists, assignments and extensions, results, appeals and resits, tuition and "
        "scholarships, the library, study rooms, documents and consultations."
    ),
    folder=Path(__file__).parent,
    schema=SCHEMA,
    world=world,
    implausible=implausible,
    blemish=blemish,
    identity="student_id",
    matters=frozenset({"booking_id", "book", "invoice_id", "loan_id", "place_id", "result_id"}),
    identity_lines={
        "plain": "[My student number is {student_id}.|I am student {student_id}.|My number is {student_id}.]",
        "terse": "[student no {student_id}|{student_id} here.|id {student_id}]",
        "chatty": "You will find me under {student_id}, that is my student number!",
        "formal": "I am registered under the student number {student_id}.",
        "hurried": "Student {student_id}, quick please!",
        "non_native": "The number of me as student is {student_id}.",
        "confused": "[My card says {student_id}, I suppose that is it.|Student number, wait, here: {student_id}.]",
    },
    personas={
        "plain": (
            "A student who keeps a tidy calendar.",
            "A mature student who studies beside a job in a bakery.",
            "A student representative who knows how offices work.",
        ),
        "terse": (
            "A student who writes as if to a terminal.",
            "A student athlete between two training sessions.",
            "A night owl who types one line before going to bed.",
        ),
        "chatty": (
            "A student who finds everything exciting.",
            "A student who cannot tell a short story.",
            "A choir singer who shares all the gossip of the dormitory.",
        ),
        "formal": (
            "A student from a family of civil servants who words messages like applications.",
            "A student on the debating team who never uses a contraction.",
            "A retired officer who has gone back to university.",
        ),
        "hurried": (
            "A student who is on the way into an exam.",
            "A waiter who answers between two tables.",
            "A working mother who studies after the children are asleep.",
        ),
        "non_native": (
            "A student who came from far away for this degree.",
            "A student who translates every sentence in the head.",
            "A student who learned the language from films.",
        ),
        "confused": (
            "A student who is lost in the portals.",
            "A student who has changed programmes twice and mixes up the rules.",
            "A guest student of seventy who never used such an office before.",
        ),
    },
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
    asides=(
        "[I asked at the counter, but the queue went round the corner.|My lecture starts in a little while.|I am "
        "writing from the reading room.|The tram was late again, so I missed the office hours.|The portal logged me "
        "out twice this morning.|My flatmate says that you answer quickly.]",
    ),
)
