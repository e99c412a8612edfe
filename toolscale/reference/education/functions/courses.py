"""Courses and their sections: what is taught, when, where, by whom, and whether a student may take it."""

from typing import Any, Literal

from ._shared import Database, _course_of, _find, _overdue, _term_of, _today

CREDIT_LIMIT = 30
PASS = 50


def _passed(db: Database, student_id: str) -> set[str]:
    return {
        db["sections"][each["section_id"]]["course_id"]
        for each in db["enrolments"].values()
        if each["student_id"] == student_id and each["status"] == "completed" and each["points"] >= PASS
    }


def _places_of(db: Database, student_id: str, term_id: str, leaving: str = "") -> list[dict[str, Any]]:
    return [
        db["sections"][each["section_id"]]
        for each in db["enrolments"].values()
        if each["student_id"] == student_id
        and each["status"] == "enrolled"
        and each["enrolment_id"] != leaving
        and db["sections"][each["section_id"]]["term_id"] == term_id
    ]


def _clashes(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return bool(
        one["weekday"] == other["weekday"]
        and one["starts_at"] < other["ends_at"]
        and other["starts_at"] < one["ends_at"]
    )


def _obstacles(db: Database, student_id: str, section: dict[str, Any]) -> list[str]:
    course, term = _course_of(db, section["section_id"]), _term_of(db, section["section_id"])
    held, passed = _places_of(db, student_id, section["term_id"]), _passed(db, student_id)
    found = []
    if term["enrol_until"] < _today():
        found.append(f"enrolment for the {term['name']} closed on {term['enrol_until']}")
    if overdue := _overdue(db, student_id):
        found.append(f"{overdue:.2f} EUR are overdue on the student's account")
    found += [
        f"the prerequisite {db['courses'][each]['title']} is not passed"
        for each in course["prerequisites"]
        if each not in passed
    ]
    if course["course_id"] in passed:
        found.append(f"{course['title']} is passed already")
    if any(each["course_id"] == course["course_id"] for each in held):
        found.append(f"the student has a place in {course['title']} already")
    found += [
        f"it clashes with {_course_of(db, each['section_id'])['title']} on {each['weekday']} at {each['starts_at']}"
        for each in held
        if _clashes(each, section)
    ]
    credits = course["credits"] + sum(_course_of(db, each["section_id"])["credits"] for each in held)
    if credits > CREDIT_LIMIT:
        found.append(f"it would make {credits} credits in one term; the limit is {CREDIT_LIMIT}")
    return found


def find_courses(
    db: Database, title: str | None = None, department: str | None = None, level: int | None = None
) -> list[dict[str, Any]]:
    """Courses by a part of the title, by department or by level (1 to 3), in order of their numbers.

    title: a part of the title, in any case.
    department: such as Mathematics.
    level: 1, 2 or 3.
    """
    return [
        dict(course)
        for course in db["courses"].values()
        if (title is None or title.lower() in course["title"].lower())
        and (department is None or department.lower() == course["department"].lower())
        and (level is None or level == course["level"])
    ]


def search_sections(
    db: Database, course_id: str, term: Literal["autumn-2026", "spring-2027"] = "spring-2027"
) -> list[dict[str, Any]]:
    """The sections of a course in a term: weekday, hours, campus, teacher, free places and length of the waiting list.

    course_id: such as MATH101, from find_courses.
    term: the running term, or the next one.
    """
    course = _find(db, "courses", course_id, "course")
    return [
        {
            **section,
            "title": course["title"],
            "fee": course["fee"],
            "teacher": db["instructors"][section["instructor_id"]]["name"],
        }
        for section in db["sections"].values()
        if section["course_id"] == course_id and section["term_id"] == term
    ]


def check_eligibility(db: Database, student_id: str, section_id: str) -> dict[str, Any]:
    """Whether a student may enrol in a section, and if not, why: prerequisites, clashes, the credit limit, money owed.
    A full section is no obstacle here. Changes nothing.

    student_id: who would enrol.
    section_id: such as SC-48213.
    """
    student = _find(db, "students", student_id, "student")
    section = _find(db, "sections", section_id, "section")
    course = _course_of(db, section_id)
    held = _places_of(db, student_id, section["term_id"])
    obstacles = _obstacles(db, student["student_id"], section)
    return {
        "eligible": not obstacles,
        "obstacles": obstacles,
        "missing_prerequisites": [
            db["courses"][each]["title"] for each in course["prerequisites"] if each not in _passed(db, student_id)
        ],
        "overdue": _overdue(db, student_id),
        "fee": course["fee"],
        "credits_of_the_term": course["credits"] + sum(_course_of(db, s["section_id"])["credits"] for s in held),
        "places_left": section["places_left"],
    }


def get_teacher(db: Database, instructor_id: str) -> dict[str, Any]:
    """A teacher's name, e-mail address, department, office and the free consultation times, earliest first.

    instructor_id: such as TE-4821.
    """
    teacher = _find(db, "instructors", instructor_id, "teacher")
    slots = [
        {field: slot[field] for field in ("slot_id", "starts_at", "minutes")}
        for slot in db["consultations"].values()
        if slot["instructor_id"] == instructor_id and slot["status"] == "free" and slot["starts_at"][:10] >= _today()
    ]
    return {**teacher, "free_consultations": sorted(slots, key=lambda each: str(each["starts_at"]))}
