"""Programs about the counter: documents, contact details and consultations."""

from random import Random

from toolscale.reference.education.programs.shared import (
    TODAY_ISO,
    a_place,
    day_and_time,
    just_a_student,
    later_first,
    must,
)
from toolscale.reference.education.schema import DOCUMENTS
from toolscale.reference.program import Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sums import shown

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


def _document(facts: Facts) -> Policy:
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


DOCUMENT = Program(
    "order_document",
    "Order copies of an official document in a language",
    {
        "plain": "Provided that nothing is overdue on my account, I need {copies:count} copies of my {kind} in "
        "{language}, delivery by {delivery}. What do they cost, and when are they ready?",
        "terse": "order: my {kind}, {language}, {copies:int} copies, {delivery}. cost + ready when? (nothing overdue "
        "i hope)",
        "chatty": "My aunt's company wants to see my {kind}, in {language} of all things! So {copies:count} copies, "
        "please, by {delivery}, if nothing is overdue, and how much is that, and when will they be ready?",
        "formal": "Subject to there being no overdue amounts, I order {copies:count} copies of my {kind}, issued in "
        "{language}, by {delivery}, and ask for the fee and the date of completion.",
        "non_native": "I need my {kind} in {language} language, {copies:count} copies, by {delivery}, if I have no "
        "late payment; how much it costs and when is it ready?",
        "hurried": "My {kind} in {language}, {copies:count} copies, {delivery}, if nothing is overdue, what cost and "
        "which day?",
    },
    _draw_document,
    _document,
    (
        Twist(
            "another language",
            "change_of_mind",
            {
                "plain": "Wait, they want it in {language}.",
                "terse": "in {language}, sorry.",
                "chatty": "Oh no, I misread the letter, it has to be in {language}!",
                "formal": "I have since been told that it must be in {language}.",
            },
            draw=lambda world, rng, facts: {
                "language": pick(rng, [each for each in LANGUAGES if each != facts.get("language")])
            },
        ),
        Twist(
            "more copies",
            "change_of_mind",
            {
                "plain": "Better make it {copies:int} copies.",
                "terse": "{copies:int} copies rather.",
                "chatty": "You know what, one can never have enough of them, so {copies:int} copies!",
                "formal": "The number of copies should be raised to {copies:int}.",
            },
            draw=lambda world, rng, facts: {"copies": rng.randint(7, 10)},
        ),
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


def _contact(facts: Facts) -> Policy:
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


CONTACT = Program(
    "update_contact",
    "Change the e-mail address and phone number on file",
    {
        "plain": "I have a new e-mail address, {email}, and a new phone number, {phone}. Please change both in my "
        "file, and tell me which e-mail address you had until now.",
        "terse": "update my contact: {email}, {phone}. which e-mail was on file before?",
        "chatty": "New phone, new me! My e-mail is {email} now, and the number is {phone}, so put that in my file, and "
        "which e-mail address did you have there before?",
        "formal": "Kindly amend my contact details to {email} and {phone}, and inform me of the e-mail address held "
        "until now.",
        "non_native": "I have now other e-mail, it is {email}, and other telephone, it is {phone}; please change in my "
        "file and tell which e-mail was before.",
        "hurried": "New e-mail {email}, new phone {phone}, change both, which e-mail did you have before?",
    },
    _draw_contact,
    _contact,
    (
        Twist(
            "only if the old address is of a kind",
            "condition",
            {
                "plain": "If the e-mail address in my file does not end in {if_old}, somebody has changed it already, "
                "so then change nothing and tell me what it is.",
                "terse": "only if the e-mail on file ends in {if_old}, else tell me what it is.",
                "formal": "This applies only if the e-mail address on file ends in {if_old}; otherwise leave all "
                "unchanged and state the address.",
            },
            draw=_old_mailbox,
        ),
    ),
)


def _slot_with(facts: Facts, instructor_id: str) -> Policy:
    teacher = yield do("get_teacher", instructor_id=instructor_id)
    free = [each for each in teacher["free_consultations"] if each["starts_at"][11:] >= facts.get("from_time", "")]
    if facts.get("last"):
        slot = yield choose(free, key=lambda each: later_first(each["starts_at"]))
    else:
        slot = yield choose(free, key=lambda each: each["starts_at"])
    done = yield do("book_consultation", student_id=facts["student_id"], slot_id=slot["slot_id"])
    day, time = day_and_time(done["starts_at"])
    text = f"{done['teacher']} sees you on {day} at {time} in {done['office']}."
    return Reply(text, (day, time, done["office"]))


def _consult_teacher(facts: Facts) -> Policy:
    place = yield do("get_enrolment", enrolment_id=facts["place_id"])
    return (yield from _slot_with(facts, place["instructor_id"]))


def _draw_consult(world: World, rng: Random) -> Facts:
    enrolment = a_place(world, rng, "enrolled", "autumn-2026").enrolment
    return {"student_id": enrolment["student_id"], "place_id": enrolment["enrolment_id"]}


AFTERNOON = Twist(
    "not before a time",
    "constraint",
    {
        "plain": "I can only come from {from_time:time} on.",
        "terse": "from {from_time:time} on only.",
        "chatty": "I work at the bakery in the mornings, so only from {from_time:time} on!",
        "formal": "I am available only from {from_time:time} onwards.",
    },
    draw=lambda world, rng, facts: {"from_time": rng.choice(("10:00", "10:30", "13:00"))},
)
LAST = Twist(
    "the last time instead",
    "change_of_mind",
    {
        "plain": "Or no, I need time to prepare: the last free time, not the first.",
        "terse": "rather the last free time.",
        "chatty": "Oh, wait, I should read the whole book before that, so the last free time instead!",
        "formal": "In order to prepare, I should rather have the last free time.",
    },
    sets={"last": True},
)

CONSULT_TEACHER = Program(
    "consult_teacher",
    "Book a consultation with the teacher of a running course",
    {
        "plain": "I would like to speak to whoever teaches me, it is about {place_id} this term. Please book the first "
        "free consultation. On what day, at what time, and in which office?",
        "terse": "first free consultation with the teacher of {place_id}, this term. date, time, office?",
        "chatty": "I sit there and understand nothing, I mean {place_id} this term, so I had better talk to the "
        "teacher! Could you get me the first free consultation, and tell me day, hour and office?",
        "formal": "I request the first available consultation with the teacher in charge of {place_id} this term, with "
        "its date, time and office.",
        "non_native": "I like to talk with teacher about {place_id} in this term, please book the first free meeting; "
        "which day, hour, office?",
        "hurried": "Teacher of {place_id} this term, first free consultation, which day, hour, office?",
    },
    _draw_consult,
    _consult_teacher,
    (AFTERNOON, LAST),
    again="place_id",
)


def _consult_adviser(facts: Facts) -> Policy:
    file = yield do("get_student", student_id=facts["student_id"])
    if file["credits_earned"] < facts.get("least_credits", 0):
        text = f"I booked none: you have {file['credits_earned']} credits. Your adviser is {file['adviser']}."
        return Reply(text, (file["adviser"],))
    reply = yield from _slot_with(facts, file["adviser_id"])
    return Reply(f"Your adviser is {file['adviser']}. {reply.text}", (file["adviser"], *reply.tell))


CONSULT_ADVISER = Program(
    "consult_adviser",
    "Book a consultation with one's study adviser about the thesis",
    {
        "plain": "I want to talk about my thesis with my study adviser, whose name I forgot. Please book the first "
        "free consultation, and tell me the name, the day, the time and the office.",
        "terse": "thesis talk with my study adviser, first free consultation. name, date, time, office?",
        "chatty": "It is high time that I start thinking about my thesis, so who is my study adviser again? Book me "
        "the first free consultation there, and tell me the day, the hour and the office!",
        "formal": "With regard to my thesis, please reserve the first free consultation with my study adviser, and "
        "state the name, the date, the time and the office.",
        "non_native": "For my thesis I must speak to my study adviser, please book the first free meeting and tell the "
        "name, day, hour and office.",
        "confused": "I am supposed to plan my thesis with my study adviser, but who is that, so book the first free "
        "consultation, and tell me who it is, when and in which office?",
    },
    just_a_student,
    _consult_adviser,
    (
        AFTERNOON,
        LAST,
        Twist(
            "only with enough credits",
            "condition",
            {
                "plain": "It only makes sense with at least {least_credits:int} credits, so if I have fewer, do not "
                "book and just tell me the name.",
                "terse": "only if i have {least_credits:int} credits or more, else just the name.",
                "chatty": "They say one needs {least_credits:int} credits for that, so if I have fewer, skip it and "
                "just tell me who it is!",
                "formal": "This presupposes no fewer than {least_credits:int} credits; failing that, state the name "
                "only.",
            },
            draw=lambda world, rng, facts: {"least_credits": rng.choice((30, 45, 60, 90))},
        ),
    ),
)

OFFICE = (DOCUMENT, CONTACT, CONSULT_TEACHER, CONSULT_ADVISER)
