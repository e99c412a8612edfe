"""Programs about the counter: documents, contact details and consultations."""

from random import Random

from toolscale.reference.education.programs.shared import TODAY_ISO, a_place, day_and_time, just_a_student
from toolscale.reference.education.schema import DOCUMENTS
from toolscale.reference.kit import latest_first, must
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)

LANGUAGES = ("English", "German", "French", "Spanish")


def _draw_document(world: World, rng: Random) -> Facts:
    late = {
        each["student_id"] for each in world.rows("invoices") if each["status"] == "open" and each["due_on"] < TODAY_ISO
    }
    students = [each["student_id"] for each in world.rows("students") if each["student_id"] not in late]
    return {
        "student_id": pick(rng, students),
        "kind": rng.choice(DOCUMENTS),
        "language": rng.choice(LANGUAGES),
        "copies": rng.randint(1, 5) + 1,
        "delivery": rng.choice(("post", "pickup")),
    }


def _document(facts: Facts) -> Solution:
    owed = yield do("list_invoices", student_id=facts["student_id"])
    must(not owed["overdue"], "money is overdue")
    done = yield do(
        "order_document",
        student_id=facts["student_id"],
        kind=facts["kind"],
        language=facts["language"],
        copies=facts["copies"],
        delivery=facts["delivery"],
    )
    fee = shown(done["fee"])
    text = f"{done['copies']} copies ({done['document_id']}) are ready on {done['ready_on']}, for {fee} EUR."
    return Reply(text, (fee, done["ready_on"]))


DOCUMENT = WORDS.program(
    "order_document",
    _draw_document,
    _document,
    (
        WORDS.twist(
            "another language",
            "change_of_mind",
            draw=lambda world, rng, facts: {
                "language": pick(rng, [each for each in LANGUAGES if each != facts.get("language")])
            },
        ),
        WORDS.twist("more copies", "change_of_mind", draw=lambda world, rng, facts: {"copies": rng.randint(7, 10)}),
    ),
)


def _draw_contact(world: World, rng: Random) -> Facts:
    """A new mailbox under the same name, and a new number in the same country."""
    student = pick(rng, world.rows("students"))
    first, _, last = student["email"].partition("@")[0].partition(".")
    mailbox = rng.choice((f"{first[0]}.{last}", f"{last}.{first}", f"{first}{rng.randint(2, 98)}", f"{first}_{last}"))
    return {
        "student_id": student["student_id"],
        "email": f"{mailbox}@{rng.choice(('example.com', 'example.org', 'example.net'))}",
        "phone": f"{student['phone'][:-4]}{rng.randint(1000, 9999)}",
    }


def _contact(facts: Facts) -> Solution:
    if facts.get("if_old"):
        file = yield do("get_student", student_id=facts["student_id"])
        if not file["email"].endswith(facts["if_old"]):
            return Reply(f"I changed nothing: your file has {file['email']}.", (file["email"],))
    done = yield do("update_contact", student_id=facts["student_id"], email=facts["email"], phone=facts.get("phone"))
    text = f"It was {done['email_before']} until now, the phone was {done['phone_before']}; both are up to date."
    return Reply(text, (done["email_before"],))


def _old_mailbox(world: World, rng: Random, facts: Facts) -> Facts:
    student = world.get("students", facts["student_id"])
    true = student["email"].partition("@")[2] if student else "example.org"
    return {"if_old": rng.choice((true, true, true, "example.edu"))}


CONTACT = WORDS.program(
    "update_contact",
    _draw_contact,
    _contact,
    (WORDS.twist("only if the old address is of a kind", "condition", draw=_old_mailbox),),
)


def _slot_with(facts: Facts, instructor_id: str) -> Solution:
    teacher = yield do("get_teacher", instructor_id=instructor_id)
    free = [each for each in teacher["free_consultations"] if each["starts_at"][11:] >= facts.get("from_time", "")]
    if facts.get("last"):
        slot = yield choose(free, key=lambda each: latest_first(each["starts_at"]))
    else:
        slot = yield choose(free, key=lambda each: each["starts_at"])
    done = yield do("book_consultation", student_id=facts["student_id"], slot_id=slot["slot_id"])
    day, time = day_and_time(done["starts_at"])
    text = f"{done['teacher']} sees you on {day} at {time} in {done['office']}."
    return Reply(text, (day, time, done["office"]))


def _consult_teacher(facts: Facts) -> Solution:
    place = yield do("get_enrolment", enrolment_id=facts["place_id"])
    return (yield from _slot_with(facts, place["instructor_id"]))


def _draw_consult(world: World, rng: Random) -> Facts:
    enrolment = a_place(world, rng, "enrolled", "autumn-2026").enrolment
    return {"student_id": enrolment["student_id"], "place_id": enrolment["enrolment_id"]}


AFTERNOON = WORDS.twist(
    "not before a time",
    "constraint",
    draw=lambda world, rng, facts: {"from_time": rng.choice(("10:00", "10:30", "13:00"))},
)
LAST = WORDS.twist("the last time instead", "change_of_mind", sets={"last": True})

CONSULT_TEACHER = WORDS.program("consult_teacher", _draw_consult, _consult_teacher, (AFTERNOON, LAST), again="place_id")


def _consult_adviser(facts: Facts) -> Solution:
    file = yield do("get_student", student_id=facts["student_id"])
    if file["credits_earned"] < facts.get("least_credits", 0):
        text = f"I booked none: you have {file['credits_earned']} credits. Your adviser is {file['adviser']}."
        return Reply(text, (file["adviser"],))
    reply = yield from _slot_with(facts, file["adviser_id"])
    return Reply(f"Your adviser is {file['adviser']}. {reply.text}", (file["adviser"], *reply.tell))


CONSULT_ADVISER = WORDS.program(
    "consult_adviser",
    just_a_student,
    _consult_adviser,
    (
        AFTERNOON,
        LAST,
        WORDS.twist(
            "only with enough credits",
            "condition",
            draw=lambda world, rng, facts: {"least_credits": rng.choice((30, 45, 60, 90))},
        ),
    ),
)

OFFICE = (DOCUMENT, CONTACT, CONSULT_TEACHER, CONSULT_ADVISER)
