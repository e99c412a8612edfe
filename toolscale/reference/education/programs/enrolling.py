"""Programs about getting a place: by weekday, by free places, at a level, or on a waiting list."""

from random import Random

from toolscale.reference.education.catalogue import SUBJECTS
from toolscale.reference.education.programs.shared import (
    Record,
    a_student,
    fee_limit,
    must,
    places,
    sections_titled,
)
from toolscale.reference.program import Facts, Policy, Program, Reply, Steps, Twist, World, choose, do, pick
from toolscale.reference.sums import shown


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


def _enrol_in(facts: Facts, section: Record) -> Policy:
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


def _on_weekday(facts: Facts) -> Policy:
    sections = yield from sections_titled(facts["course"])
    wanted = [each for each in sections if each["weekday"] == facts["weekday"] and each["places_left"]]
    section = yield choose(wanted, key=lambda each: each["starts_at"])
    return (yield from _enrol_in(facts, section))


FEE = Twist(
    "a limit on the fee",
    "condition",
    {
        "plain": "If the fee is above {most:money} EUR, do not enrol me and [only|just] tell me the fee.",
        "terse": "not above {most:money} EUR, else only tell me the fee.",
        "chatty": "My parents pay up to {most:money} EUR for a course, so if it is more, leave it and just tell me "
        "what it would cost!",
        "formal": "Should the fee exceed {most:money} EUR, please refrain from enrolling me and state the fee.",
        "non_native": "When the fee is more than {most:money} EUR, please not enrol me, only say the fee.",
    },
    draw=fee_limit,
)
CREDITS = Twist(
    "a limit on the credits of the term",
    "condition",
    {
        "plain": "If that brings me above {most_credits:int} credits for the spring term, leave it and tell me the fee "
        "all the same.",
        "terse": "only if spring stays at {most_credits:int} credits max, else just the fee.",
        "formal": "This is subject to my spring term not exceeding {most_credits:int} credits; failing that, kindly "
        "state the fee alone.",
        "chatty": "I do not want to drown again, so if I end up with more than {most_credits:int} credits in spring, "
        "then rather not, just tell me the fee!",
    },
    draw=lambda world, rng, facts: {"most_credits": rng.choice((12, 18, 20, 24))},
)

ON_WEEKDAY = Program(
    "enrol_on_weekday",
    "Enrol in next spring's section of a course that meets on a certain weekday",
    {
        "plain": "[I would like to take|Please enrol me in] {course} in the spring term, in the section that meets on "
        "{weekday}. Which section number is that, and what is the fee?",
        "terse": "enrol me: {course}, spring, the {weekday} section. section no + fee?",
        "chatty": "[Everybody raves about|My flatmate will not stop talking about] {course}, so put me down for "
        "spring, the {weekday} one, since I work the other days! What is the section number, and what will it cost me?",
        "formal": "I wish to be enrolled in {course} for the coming spring term, in the section held on {weekday}; "
        "kindly state its number and the fee.",
        "hurried": "Spring place in {course}, {weekday} section, which number and what fee?",
        "non_native": "I want to study {course} in spring, I can come only {weekday}, please make me enrolled; which "
        "number has the section and how much cost?",
        "confused": "I was told to sign up for {course} in spring, it must be the one on {weekday}, I think, so could "
        "you do that and say which section it is and what I pay?",
    },
    an_open_course,
    _on_weekday,
    (FEE, CREDITS),
    unknown="[I do not know the section number.|I cannot find the course number.]",
)


def _most_places(facts: Facts) -> Policy:
    sections = yield from sections_titled(facts["course"])
    free = [
        each for each in sections if each["places_left"] and (not facts.get("on_site") or each["campus"] != "online")
    ]
    if facts.get("earliest"):
        section = yield choose(free, key=lambda each: each["starts_at"])
    else:
        section = yield choose(free, key=lambda each: -each["places_left"])
    return (yield from _enrol_in(facts, section))


MOST_PLACES = Program(
    "enrol_where_most_places",
    "Enrol in the section of a course that has the most free places",
    {
        "plain": "Please enrol me for spring in {course}, [in whichever section|in the section that] has the most free "
        "places. Tell me its number and the fee.",
        "terse": "sign me up: {course} in spring, emptiest section, enrol me. number and fee?",
        "chatty": "I cannot bear crowded classrooms, so for {course} next spring get me into whichever section has the "
        "most places left! Which one is it and what does it cost?",
        "formal": "I request enrolment in {course} for spring, in the section with the greatest number of vacant "
        "places, with an indication of section and fee.",
        "non_native": "For {course} in spring I like the group where is most free places, please enrol me there and "
        "say number of section and the fee.",
        "confused": "I need {course} in spring but there seem to be several groups, so take the one with the most free "
        "places, which one is that then, and what does it cost?",
    },
    an_open_course,
    _most_places,
    (
        Twist(
            "the earliest in the day",
            "change_of_mind",
            {
                "plain": "Or no, rather the section that starts earliest in the day, if it has a place.",
                "terse": "scratch that: the one starting earliest in the day that isn't full.",
                "chatty": "Although, I am at my best in the morning, so make it the one that starts earliest in the "
                "day, as long as it is not full!",
                "formal": "On reflection I prefer the section with vacancies that begins earliest in the day.",
            },
            sets={"earliest": True},
        ),
        Twist(
            "not online",
            "constraint",
            {
                "plain": "It must be on campus, not online.",
                "terse": "no online section.",
                "chatty": "And none of that online business, I want to see faces!",
                "formal": "Sections held online are to be disregarded.",
            },
            sets={"on_site": True},
        ),
        FEE,
        CREDITS,
    ),
    again="course",
)


def _at_level(facts: Facts) -> Policy:
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


AT_LEVEL = Program(
    "enrol_at_level",
    "Find out which courses of a department and level one may take, and enrol in the least crowded section",
    {
        "plain": "I [need|am looking for] a course of level {level:int} in {department} for spring. Of all sections "
        "that I am allowed to take and that have a place, enrol me in the one with the most free places, and tell me "
        "which course and section it is.",
        "terse": "any level {level:int} course in {department} i can take in spring: the section with most free "
        "places, enrol me. which?",
        "chatty": "I still want something from {department} in spring, level {level:int}, and I am not picky! Just "
        "see what I am allowed to take and put me in the section with the most places left, and tell me what I am in!",
        "formal": "For the spring term I require a course in {department} at level {level:int}. From among the "
        "sections open to me, kindly select the one with the most vacancies, enrol me and name course and section.",
        "non_native": "I must make one course of {department} in level {level:int} in spring; please look which I am "
        "permitted, take the group with most free places, enrol me and tell the name and the section.",
        "hurried": "Level {level:int} course in {department} for spring, most free places of what I may take, enrol "
        "me, which one is it?",
    },
    _draw_level,
    _at_level,
    (
        Twist(
            "the latest in the day",
            "change_of_mind",
            {
                "plain": "Sorry, never mind the free places: the section that starts latest in the day suits me best.",
                "terse": "correction: the one that starts latest in the day.",
                "chatty": "Oh wait, I have a job in the mornings, so take the one that starts latest in the day "
                "instead!",
                "formal": "I must amend this: the section that begins latest in the day is preferred.",
            },
            sets={"latest": True},
        ),
        Twist(
            "nothing online",
            "constraint",
            {
                "plain": "Leave out courses that are taught online.",
                "terse": "skip anything online.",
                "formal": "Courses taught online are not an option for me.",
            },
            sets={"on_site": True},
        ),
    ),
)


def _wait(facts: Facts) -> Policy:
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


WAIT = Program(
    "join_waiting_list",
    "Get on the waiting list of a full section",
    {
        "plain": "The {weekday} section of {course} in spring is full. Please put me on its waiting list[ and|, and] "
        "tell me the section number and the teacher's name.",
        "terse": "waiting list for {course}, spring, {weekday} section. section no + teacher?",
        "chatty": "I was too slow for {course} on {weekday} in spring, typical me! Could you put me on the waiting "
        "list, and tell me the section number and how far down I am?",
        "formal": "As the section of {course} held on {weekday} in spring has no vacancies, I request a place on its "
        "waiting list, with an indication of section and teacher.",
        "non_native": "The course {course} in spring on {weekday} has no place more, please write me in the waiting "
        "list and tell which section and which teacher.",
        "hurried": "No place in {course} on {weekday} in spring, waiting list please, which section and whose?",
    },
    _draw_full,
    _wait,
    (
        Twist(
            "not if many wait",
            "condition",
            {
                "plain": "If more than {most_waiting:int} students wait already, don't, just tell me both all the "
                "same.",
                "terse": "more than {most_waiting:int} waiting already: don't, just tell me those.",
                "chatty": "But if there are more than {most_waiting:int} people in front of me I had better not "
                "bother, then just tell me which section and who!",
                "formal": "Where more than {most_waiting:int} students are waiting already, kindly refrain and name "
                "section and teacher.",
            },
            draw=_how_many_wait,
        ),
    ),
)


def enrol_all_the_same(facts: Facts) -> Steps:
    """What an agent does that enrols somebody whatever stands against it."""
    sections = yield from sections_titled(facts["course"])
    section = yield choose([each for each in sections if each["places_left"]], key=lambda each: -each["places_left"])
    yield do("enrol", student_id=facts["student_id"], section_id=section["section_id"])


ENROLLING = (ON_WEEKDAY, MOST_PLACES, AT_LEVEL, WAIT)
