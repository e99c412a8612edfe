"""Programs that ask for what the policy forbids: the agent looks up, and tells the fact that proves it."""

from random import Random

from toolscale.reference.education.catalogue import SCHOLARSHIPS, SUBJECTS
from toolscale.reference.education.programs.coursework import an_assignment, assignment_named
from toolscale.reference.education.programs.enrolling import enrol_all_the_same
from toolscale.reference.education.programs.results import a_result
from toolscale.reference.education.programs.shared import (
    TODAY_ISO,
    a_place,
    course_titled,
    day_and_time,
    just_a_student,
    sections_titled,
)
from toolscale.reference.education.schema import APPEAL_GROUNDS
from toolscale.reference.kit import just, must
from toolscale.reference.program import Facts, Refusal, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _not_extendable(facts: Facts) -> Solution:
    task = yield from assignment_named(facts)
    must(not task["longest_extension_days"], "it can be extended")
    full = yield do("get_assignment", assignment_id=task["assignment_id"])
    day, time = day_and_time(full["due_at"])
    text = f"The {full['title']} cannot be extended; it stays at {day}, {time}. Your teacher is {full['teacher']}."
    return Reply(text, (day, time, full["teacher"]))


def _extend_all_the_same(facts: Facts) -> Steps:
    task = yield from assignment_named(facts)
    yield do(
        "grant_extension",
        student_id=facts["student_id"],
        assignment_id=task["assignment_id"],
        days=facts["days"],
        reason=facts["reason"],
    )


NO_EXTENSION = WORDS.program(
    "refuse_extension",
    lambda world, rng: an_assignment(world, rng, extendable=False),
    _not_extendable,
    refusal=Refusal("extensions_within_limits", _extend_all_the_same),
)


def _too_late(facts: Facts) -> Solution:
    result = yield do("get_result", enrolment_id=facts["result_id"])
    must(result["appeal_until"] < TODAY_ISO, "an appeal is possible")
    published, until = result["published_on"], result["appeal_until"]
    text = f"{result['title']} was published on {published}; an appeal was possible until {until}."
    return Reply(text, (published, until))


TOO_LATE = WORDS.program(
    "refuse_late_appeal",
    lambda world, rng: {**a_result(world, rng, recent=False), "ground": rng.choice(APPEAL_GROUNDS)},
    _too_late,
    refusal=Refusal("appeals_in_time_and_once", just("file_appeal", enrolment_id="result_id", ground="ground")),
)


def _draw_unprepared(world: World, rng: Random) -> Facts:
    advanced = [title for subject in SUBJECTS.values() for title in subject.titles[2:]]
    return {**just_a_student(world, rng), "course": rng.choice(advanced)}


def _unprepared(facts: Facts) -> Solution:
    sections = yield from sections_titled(facts["course"])
    section = yield choose([each for each in sections if each["places_left"]], key=lambda each: -each["places_left"])
    check = yield do("check_eligibility", student_id=facts["student_id"], section_id=section["section_id"])
    must(check["missing_prerequisites"], "nothing is missing")
    missing = check["missing_prerequisites"][0]
    must_pass = yield from course_titled(missing)
    text = f"You cannot take it before you have passed {missing} ({must_pass['course_id']})."
    return Reply(text, (missing, must_pass["course_id"]))


UNPREPARED = WORDS.program(
    "refuse_without_prerequisite",
    _draw_unprepared,
    _unprepared,
    refusal=Refusal("prerequisites_passed", enrol_all_the_same),
)


def _draw_debtor(world: World, rng: Random) -> Facts:
    late = [
        each["student_id"] for each in world.rows("invoices") if each["status"] == "open" and each["due_on"] < TODAY_ISO
    ]
    first_level = [title for subject in SUBJECTS.values() for title in subject.titles[:2]]
    return {
        "student_id": rng.choice(late) if late else just_a_student(world, rng)["student_id"],
        "course": rng.choice(first_level),
    }


def _debtor(facts: Facts) -> Solution:
    listed = yield do("list_invoices", student_id=facts["student_id"])
    must(listed["overdue"], "nothing is overdue")
    first = yield choose([e for e in listed["invoices"] if e["due_on"] < TODAY_ISO], key=lambda each: each["due_on"])
    sections = yield from sections_titled(facts["course"])
    section = yield choose([each for each in sections if each["places_left"]], key=lambda each: -each["places_left"])
    check = yield do("check_eligibility", student_id=facts["student_id"], section_id=section["section_id"])
    overdue = shown(check["overdue"])
    text = f"{overdue} EUR are overdue, first of all {first['invoice_id']}; without that no place is given."
    return Reply(text, (overdue, first["invoice_id"]))


DEBTOR = WORDS.program(
    "refuse_while_overdue", _draw_debtor, _debtor, refusal=Refusal("nothing_while_overdue", enrol_all_the_same)
)


def _draw_stuck(world: World, rng: Random) -> Facts:
    loan = pick(
        rng,
        [
            each
            for each in world.rows("loans")
            if each["status"] == "on loan"
            and (
                each["renewals"] == 2
                or each["due_on"] < TODAY_ISO
                or (world.get("books", each["book_id"]) or {"queue": 0})["queue"]
            )
        ],
    )
    return {"student_id": loan["student_id"], "loan_id": loan["loan_id"]}


def _stuck(facts: Facts) -> Solution:
    loan = yield do("get_loan", loan_id=facts["loan_id"])
    why = (
        f"it has been overdue since {loan['due_on']}"
        if loan["due_on"] < TODAY_ISO
        else "it was renewed twice"
        if loan["renewals"] == 2
        else f"{loan['queue']} others wait for it"
        if loan["queue"]
        else ""
    )
    must(why, "it can be renewed")
    text = f"{loan['title']} by {loan['author']} cannot be renewed: {why}. The date of return is {loan['due_on']}."
    return Reply(text, (loan["due_on"], loan["author"]))


STUCK = WORDS.program(
    "refuse_renewal",
    _draw_stuck,
    _stuck,
    refusal=Refusal("renewals_within_limits", just("renew_loan", "loan_id")),
    again="loan_id",
)


def _draw_unworthy(world: World, rng: Random) -> Facts:
    student = pick(rng, world.rows("students"))
    beyond = [
        name
        for name, _, department, average, _, _ in SCHOLARSHIPS
        if department in (None, student["programme"]) and average > student["average"]
    ]
    return {"student_id": student["student_id"], "scholarship": pick(rng, beyond), "payout": "bank account"}


def _named_scholarship(facts: Facts) -> Steps:
    found = yield do("find_scholarship", name=facts["scholarship"])
    return (yield choose(found, key=lambda each: each["scholarship_id"]))


def _unworthy(facts: Facts) -> Solution:
    scholarship = yield from _named_scholarship(facts)
    file = yield do("get_student", student_id=facts["student_id"])
    must(file["average"] < scholarship["least_average"], "the average is enough")
    asked, has = str(scholarship["least_average"]), str(file["average"])
    return Reply(f"The {scholarship['name']} asks for an average of {asked}; yours is {has}.", (asked, has))


def _apply_all_the_same(facts: Facts) -> Steps:
    scholarship = yield from _named_scholarship(facts)
    yield do(
        "apply_for_scholarship",
        student_id=facts["student_id"],
        scholarship_id=scholarship["scholarship_id"],
        payout="bank account",
    )


UNWORTHY = WORDS.program(
    "refuse_scholarship", _draw_unworthy, _unworthy, refusal=Refusal("scholarships_by_their_terms", _apply_all_the_same)
)


def _draw_passed(world: World, rng: Random) -> Facts:
    passed = a_place(world, rng, "completed", suits=lambda each: each.enrolment["points"] >= 50).enrolment
    return {"student_id": passed["student_id"], "result_id": passed["enrolment_id"]}


def _passed(facts: Facts) -> Solution:
    result = yield do("get_result", enrolment_id=facts["result_id"])
    must(result["passed"], "it is failed")
    text = (
        f"{result['title']} is passed with {result['points']} points, published on {result['published_on']}; what is "
        "passed is not sat again."
    )
    return Reply(text, (str(result["points"]), result["published_on"]))


def _resit_all_the_same(facts: Facts) -> Steps:
    result = yield do("get_result", enrolment_id=facts["result_id"])
    exams = yield do("list_resit_exams", course_id=result["course_id"])
    exam = yield choose([each for each in exams if each["places_left"]], key=lambda each: each["starts_at"])
    yield do("register_for_resit", enrolment_id=facts["result_id"], exam_id=exam["exam_id"])


PASSED = WORDS.program(
    "refuse_resit_of_passed_course",
    _draw_passed,
    _passed,
    refusal=Refusal("resits_only_of_failed_courses", _resit_all_the_same),
)

REFUSED = (NO_EXTENSION, TOO_LATE, UNPREPARED, DEBTOR, STUCK, UNWORTHY, PASSED)
