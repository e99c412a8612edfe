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
    must,
    sections_titled,
)
from toolscale.reference.education.schema import APPEAL_GROUNDS
from toolscale.reference.program import Facts, Policy, Program, Refusal, Reply, Steps, World, choose, do, pick
from toolscale.reference.sums import shown


def _not_extendable(facts: Facts) -> Policy:
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


NO_EXTENSION = Program(
    "refuse_extension",
    "Ask for more time where no extension is possible",
    {
        "plain": "Can my {task} in {course} be postponed by {days:count} days, because of {reason}? If that is not "
        "possible, tell me the date and time that count, and the name of the teacher.",
        "terse": "postpone my {task} in {course} by {days:int} days ({reason}). if impossible: date + time that count, "
        "teacher's name?",
        "chatty": "Is there any way to put off my {task} in {course} by {days:count} days? It is because of {reason}! "
        "If there really is not, tell me the day, the hour and who the teacher is!",
        "formal": "I ask that my {task} in {course} be deferred by {days:count} days owing to {reason}; if this cannot "
        "be granted, kindly state its date and time and the name of the teacher.",
        "non_native": "Please put my {task} in {course} {days:count} days later, it is for {reason}; if not allowed, "
        "which day and hour is it and who is the teacher?",
        "hurried": "Put off my {task} in {course} by {days:count} days, {reason}, and if you can't, date, hour, "
        "teacher?",
    },
    lambda world, rng: an_assignment(world, rng, extendable=False),
    _not_extendable,
    refusal=Refusal("extensions_within_limits", _extend_all_the_same),
)


def _too_late(facts: Facts) -> Policy:
    result = yield do("get_result", enrolment_id=facts["result_id"])
    must(result["appeal_until"] < TODAY_ISO, "an appeal is possible")
    published, until = result["published_on"], result["appeal_until"]
    text = f"{result['title']} was published on {published}; an appeal was possible until {until}."
    return Reply(text, (published, until))


def _appeal_all_the_same(facts: Facts) -> Steps:
    yield do("file_appeal", enrolment_id=facts["result_id"], ground=facts["ground"])


TOO_LATE = Program(
    "refuse_late_appeal",
    "Appeal against a result after the time for it",
    {
        "plain": "I only noticed now that {result_id} has to be contested for {ground}. Please file that, or if it is "
        "too late, tell me when it was published and until when I could have done it.",
        "terse": "contest {result_id} for {ground}. too late? then: published when, possible until?",
        "chatty": "I was tidying up and looked at {result_id} again, and it was down to {ground}, I could swear! Do "
        "contest "
        "it for me, and if I slept too long, when did it come out and when was the last day?",
        "formal": "I request that {result_id} be contested by reason of {ground}; should the time for this have "
        "elapsed, kindly state the date of publication and the last day.",
        "non_native": "I want to contest {result_id} for {ground}; if it is too late, on which day it was published "
        "and what was the last day?",
        "confused": "I found the old letter about {result_id}, and I think one should contest it for {ground}, or is "
        "that over, and when did it come out and what was the last day then?",
    },
    lambda world, rng: {**a_result(world, rng, recent=False), "ground": rng.choice(APPEAL_GROUNDS)},
    _too_late,
    refusal=Refusal("appeals_in_time_and_once", _appeal_all_the_same),
)


def _draw_unprepared(world: World, rng: Random) -> Facts:
    advanced = [title for subject in SUBJECTS.values() for title in subject.titles[2:]]
    return {**just_a_student(world, rng), "course": rng.choice(advanced)}


def _unprepared(facts: Facts) -> Policy:
    sections = yield from sections_titled(facts["course"])
    section = yield choose([each for each in sections if each["places_left"]], key=lambda each: -each["places_left"])
    check = yield do("check_eligibility", student_id=facts["student_id"], section_id=section["section_id"])
    must(check["missing_prerequisites"], "nothing is missing")
    missing = check["missing_prerequisites"][0]
    must_pass = yield from course_titled(missing)
    text = f"You cannot take it before you have passed {missing} ({must_pass['course_id']})."
    return Reply(text, (missing, must_pass["course_id"]))


UNPREPARED = Program(
    "refuse_without_prerequisite",
    "Ask for a place in a course whose prerequisite one has not passed",
    {
        "plain": "I would like a place in {course} in spring, in the section with the most free places. Should "
        "something be missing for it, tell me what I must pass first, with title and course number.",
        "terse": "want into {course}, spring, section with most places. if i lack a prerequisite: title + course no?",
        "chatty": "I have my heart set on {course} in spring, the section with the most room, please! And if I am not "
        "ready for it, what do I have to pass first, its title and course number?",
        "formal": "I apply for {course} in spring, in the section with the most vacancies; if a requirement is not "
        "met, kindly name the course to be passed first and its number.",
        "non_native": "I want a place in {course} for spring, the group where is most place; if I miss something, "
        "which course I must pass before, the title and the number?",
        "hurried": "Spring, {course}, section with most places, or else what must I pass first, title and number?",
    },
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


def _debtor(facts: Facts) -> Policy:
    listed = yield do("list_invoices", student_id=facts["student_id"])
    must(listed["overdue"], "nothing is overdue")
    first = yield choose([e for e in listed["invoices"] if e["due_on"] < TODAY_ISO], key=lambda each: each["due_on"])
    sections = yield from sections_titled(facts["course"])
    section = yield choose([each for each in sections if each["places_left"]], key=lambda each: -each["places_left"])
    check = yield do("check_eligibility", student_id=facts["student_id"], section_id=section["section_id"])
    overdue = shown(check["overdue"])
    text = f"{overdue} EUR are overdue, first of all {first['invoice_id']}; without that no place is given."
    return Reply(text, (overdue, first["invoice_id"]))


DEBTOR = Program(
    "refuse_while_overdue",
    "Ask for a place while money is overdue",
    {
        "plain": "I paid some invoices late, I think. Can I still get into {course} for spring, the section with the "
        "most free places? If my debts stand in the way, tell me how much is overdue and the number of the oldest "
        "invoice.",
        "terse": "get me into {course} for spring despite debts, section with most places? if not: sum overdue + "
        "number of oldest overdue invoice?",
        "chatty": "I have been a bit careless with money, I admit it, but could you squeeze me into {course} for "
        "spring, wherever most places are left? If not, how much is overdue, and which invoice is the oldest of them?",
        "formal": "Notwithstanding any arrears, I ask for {course} in spring, in the section with the most vacancies; "
        "should the arrears preclude it, kindly state their sum and the number of the oldest invoice.",
        "non_native": "I have maybe late payments, but please give me {course} for spring, in the group with most "
        "place; if it not goes, how much is late and which number has the oldest invoice?",
        "confused": "I get letters about money all the time, can I have {course} for spring all the same, where there "
        "is most room, or how much is overdue then, and which invoice is the oldest?",
    },
    _draw_debtor,
    _debtor,
    refusal=Refusal("nothing_while_overdue", enrol_all_the_same),
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


def _stuck(facts: Facts) -> Policy:
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


def _renew_all_the_same(facts: Facts) -> Steps:
    yield do("renew_loan", loan_id=facts["loan_id"])


STUCK = Program(
    "refuse_renewal",
    "Ask to keep a book that cannot be renewed",
    {
        "plain": "May I keep {loan_id} for another period? If that is not allowed, tell me its date of return and the "
        "author, so that I can look for another copy.",
        "terse": "keep {loan_id} longer? if not: return date + author.",
        "chatty": "I have grown fond of {loan_id}, may I keep it for another period? And if I may not, what is the day "
        "of return, and who is the author, so that I can find my own copy?",
        "formal": "I ask leave to keep {loan_id} for a further period; failing that, kindly state the date of return "
        "and the author.",
        "non_native": "Can I keep {loan_id} more time? If it is not possible, which day I must bring it and who is the "
        "author?",
        "hurried": "Can I keep {loan_id} longer, or which day is it due and who is the author?",
    },
    _draw_stuck,
    _stuck,
    refusal=Refusal("renewals_within_limits", _renew_all_the_same),
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


def _unworthy(facts: Facts) -> Policy:
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


UNWORTHY = Program(
    "refuse_scholarship",
    "Apply for a scholarship whose average one does not have",
    {
        "plain": "Please apply for the {scholarship} in my name, with payment to my account at the bank. If my average "
        "is not enough for it, tell me what it asks for and what mine is.",
        "terse": "apply for {scholarship} for me, to the bank. average too low? then: required vs mine?",
        "chatty": "My tutor said that I should try for the {scholarship}, so put my name down, with the money to the "
        "bank! And if my average is not good enough, what would I need, and what have I got?",
        "formal": "I wish to apply for the {scholarship}, payable to the bank; if my average falls short, kindly state "
        "the average required and my own.",
        "non_native": "I want to get the {scholarship}, money to the bank please; if my average is too small, which is "
        "needed and which I have?",
        "confused": "I heard of something called the {scholarship}, could you apply for me, to the bank, or is my "
        "average too low, and what is it, and what does one need?",
    },
    _draw_unworthy,
    _unworthy,
    refusal=Refusal("scholarships_by_their_terms", _apply_all_the_same),
)


def _draw_passed(world: World, rng: Random) -> Facts:
    passed = a_place(world, rng, "completed", suits=lambda each: each.enrolment["points"] >= 50).enrolment
    return {"student_id": passed["student_id"], "result_id": passed["enrolment_id"]}


def _passed(facts: Facts) -> Policy:
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


PASSED = Program(
    "refuse_resit_of_passed_course",
    "Ask to sit the exam of a passed course again for more points",
    {
        "plain": "I am not content with {result_id} and want to sit that exam again for more points. If one may not, "
        "tell me how many points I have and when they were published.",
        "terse": "want more points than {result_id}, sit that exam again. if not allowed: my points + published when?",
        "chatty": "I know that {result_id} is a pass, but I could do so much better, so let me sit it again! If that "
        "is against the rules, how many points have I got, and when did they come out?",
        "formal": "Being dissatisfied with {result_id}, I wish to sit that exam again so as to improve; if this is "
        "inadmissible, kindly state the points awarded and the date of publication.",
        "non_native": "I want better points than {result_id}, please let me make the exam again; if it is forbidden, "
        "how much points I have and which day it was published?",
        "hurried": "Want to beat {result_id}, sit that exam again, or how many points have I got, published when?",
    },
    _draw_passed,
    _passed,
    refusal=Refusal("resits_only_of_failed_courses", _resit_all_the_same),
)

REFUSED = (NO_EXTENSION, TOO_LATE, UNPREPARED, DEBTOR, STUCK, UNWORTHY, PASSED)
