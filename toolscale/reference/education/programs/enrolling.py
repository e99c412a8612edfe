"""Programs about getting a place: by weekday, by free places, at a level, or on a waiting list."""

from random import Random

from toolscale.reference.education.catalogue import SUBJECTS
from toolscale.reference.education.programs.shared import Record, a_student, fee_limit, places, sections_titled
from toolscale.reference.kit import must
from toolscale.reference.program import Facts, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def an_open_course(world: World, rng: Random) -> Facts:
    """A student and a section of next spring, whose course the student seems able to take."""
    student = world.get("students", a_student(world, rng)) or {}
    narrowed = world.narrowed_to(student["student_id"])
    known = list(places(narrowed, "completed")) + list(places(narrowed, "enrolled"))
    passed = {each.course["course_id"] for each in known if (each.enrolment["points"] or 0) >= 50}
    taken = {each.course["course_id"] for each in known} | {
        each.course["course_id"] for each in places(narrowed, "waitlisted")
    }
    fitting = []
    for section in world.rows("sections"):
        course = world.get("courses", section["course_id"])
        coming = section["term_id"] == "spring-2027" and section["places_left"]
        if course and coming and course["course_id"] not in taken and set(course["prerequisites"]) <= passed:
            fitting.append((section, course))
    section, course = pick(rng, fitting)
    return {"student_id": student["student_id"], "course": course["title"], "weekday": section["weekday"]}


def _enrol_in(facts: Facts, section: Record) -> Solution:
    check = yield do("check_eligibility", student_id=facts["student_id"], section_id=section["section_id"])
    must(check["eligible"], "not eligible")
    fee = shown(section["fee"])
    if section["fee"] > facts.get("most", section["fee"]):
        return Reply(f"I did not enrol you: the fee is {fee} EUR.", (fee,))
    credits = check["credits_of_the_term"]
    if credits > facts.get("most_credits", credits):
        return Reply(f"I did not: you would have {credits} credits in spring. The fee is {fee} EUR.", (fee,))
    done = yield do("enrol", student_id=facts["student_id"], section_id=section["section_id"])
    text = f"You are in section {done['section_id']}, {done['weekday']} {done['starts_at']}, for {fee} EUR."
    return Reply(text, (done["section_id"], fee))


def _on_weekday(facts: Facts) -> Solution:
    sections = yield from sections_titled(facts["course"])
    wanted = [each for each in sections if each["weekday"] == facts["weekday"] and each["places_left"]]
    section = yield choose(wanted, key=lambda each: each["starts_at"])
    return (yield from _enrol_in(facts, section))


FEE = WORDS.twist("a limit on the fee", "condition", draw=fee_limit)
CREDITS = WORDS.twist(
    "a limit on the credits of the term",
    "condition",
    draw=lambda world, rng, facts: {"most_credits": rng.choice((12, 18, 20, 24))},
)

ON_WEEKDAY = WORDS.program("enrol_on_weekday", an_open_course, _on_weekday, (FEE, CREDITS))


def _most_places(facts: Facts) -> Solution:
    sections = yield from sections_titled(facts["course"])
    free = [
        each for each in sections if each["places_left"] and (not facts.get("on_site") or each["campus"] != "online")
    ]
    if facts.get("earliest"):
        section = yield choose(free, key=lambda each: each["starts_at"])
    else:
        section = yield choose(free, key=lambda each: -each["places_left"])
    return (yield from _enrol_in(facts, section))


MOST_PLACES = WORDS.program(
    "enrol_where_most_places",
    an_open_course,
    _most_places,
    (
        WORDS.twist("the earliest in the day", "change_of_mind", sets={"earliest": True}),
        WORDS.twist("not online", "constraint", sets={"on_site": True}),
        FEE,
        CREDITS,
    ),
    again="course",
)


def _at_level(facts: Facts) -> Solution:
    courses = yield do("find_courses", department=facts["department"], level=facts["level"])
    candidates = []
    for course in courses:
        sections = yield do("search_sections", course_id=course["course_id"], term="spring-2027")
        candidates += [each for each in sections if each["places_left"]]
    if facts.get("on_site"):
        candidates = [each for each in candidates if each["campus"] != "online"]
    eligible = False
    while not eligible:
        if facts.get("latest"):
            section = yield choose(candidates, key=lambda each: -int(each["starts_at"][:2]))
        else:
            section = yield choose(candidates, key=lambda each: -each["places_left"])
        check = yield do("check_eligibility", student_id=facts["student_id"], section_id=section["section_id"])
        eligible = check["eligible"]
        candidates.remove(section)
    done = yield do("enrol", student_id=facts["student_id"], section_id=section["section_id"])
    text = f"You are in {section['title']}, section {done['section_id']}, {done['weekday']} {done['starts_at']}."
    return Reply(text, (section["title"], done["section_id"]))


def _draw_level(world: World, rng: Random) -> Facts:
    student = pick(rng, world.rows("students"))
    return {
        "student_id": student["student_id"],
        "department": rng.choice(sorted(SUBJECTS)),
        "level": rng.choice((1, 1, 1, 2)),
    }


AT_LEVEL = WORDS.program(
    "enrol_at_level",
    _draw_level,
    _at_level,
    (
        WORDS.twist("the latest in the day", "change_of_mind", sets={"latest": True}),
        WORDS.twist("nothing online", "constraint", sets={"on_site": True}),
    ),
)


def _wait(facts: Facts) -> Solution:
    sections = yield from sections_titled(facts["course"])
    full = [each for each in sections if each["weekday"] == facts["weekday"] and not each["places_left"]]
    section = yield choose(full, key=lambda each: each["section_id"])
    check = yield do("check_eligibility", student_id=facts["student_id"], section_id=section["section_id"])
    must(check["eligible"], "not eligible")
    if section["waiting"] > facts.get("most_waiting", section["waiting"]):
        text = f"I left it: {section['waiting']} students wait for {section['section_id']}, with {section['teacher']}."
        return Reply(text, (section["section_id"], section["teacher"]))
    done = yield do("join_waiting_list", student_id=facts["student_id"], section_id=section["section_id"])
    text = f"You are number {done['position']} in line for {section['section_id']}, with {section['teacher']}."
    return Reply(text, (section["section_id"], section["teacher"]))


def _draw_full(world: World, rng: Random) -> Facts:
    full = [
        (section["weekday"], course["title"])
        for section in world.rows("sections")
        for course in [world.get("courses", section["course_id"])]
        if course and section["term_id"] == "spring-2027" and not section["places_left"]
    ]
    weekday, title = pick(rng, full)
    return {"student_id": a_student(world, rng), "course": title, "weekday": weekday}


def _how_many_wait(world: World, rng: Random, facts: Facts) -> Facts:
    return {"most_waiting": rng.choice((3, 5, 7, 9, 10))}


WAIT = WORDS.program(
    "join_waiting_list", _draw_full, _wait, (WORDS.twist("not if many wait", "condition", draw=_how_many_wait),)
)


def enrol_all_the_same(facts: Facts) -> Steps:
    """What an agent does that enrols somebody whatever stands against it."""
    sections = yield from sections_titled(facts["course"])
    section = yield choose([each for each in sections if each["places_left"]], key=lambda each: -each["places_left"])
    yield do("enrol", student_id=facts["student_id"], section_id=section["section_id"])


ENROLLING = (ON_WEEKDAY, MOST_PLACES, AT_LEVEL, WAIT)
