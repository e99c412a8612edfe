"""The part of the university that stands before anybody enrols: courses, teachers, sections, books, rooms."""

from random import Random
from typing import Any

from toolscale.reference.catalogues import record_of, table_of
from toolscale.reference.education.catalogue import ASSIGNMENTS, BOOKS, CREDITS, ROOMS, SCHOLARSHIPS, SUBJECTS, TERMS
from toolscale.reference.education.schema import CAMPUSES, WEEKDAYS
from toolscale.reference.ids import Ids
from toolscale.reference.moments import at, some_day
from toolscale.reference.people import People
from toolscale.reference.sums import rounded

Record = dict[str, Any]
Table = dict[str, Record]

HOURS = (("08:00", "10:00"), ("10:00", "12:00"), ("12:00", "14:00"), ("14:00", "16:00"), ("16:00", "18:00"))


def standing_tables(rng: Random, ids: Ids, people: People) -> dict[str, Table]:
    """All tables that no student owns, but for sections and what belongs to them."""
    instructors = _instructors(rng, ids, people)
    return {
        "terms": table_of(TERMS),
        "courses": _courses(),
        "instructors": instructors,
        "books": _books(rng, ids, people),
        "rooms": table_of(ROOMS),
        "scholarships": {
            (key := ids.digits("SP")): {"scholarship_id": key, **record_of(each)} for each in SCHOLARSHIPS
        },
    }


def _courses() -> Table:
    courses: Table = {}
    for department, subject in SUBJECTS.items():
        for index, title in enumerate(subject.titles):
            level = index // 2 + 1
            key = f"{subject.letters}{level}0{index % 2 + 1}"
            courses[key] = {
                "course_id": key,
                "title": title,
                "department": department,
                "level": level,
                "credits": CREDITS[level],
                "fee": rounded(CREDITS[level] * subject.fee_per_credit),
                "prerequisites": [f"{subject.letters}{level - 1}0{index % 2 + 1}"] if level > 1 else [],
            }
    return courses


def _instructors(rng: Random, ids: Ids, people: People) -> Table:
    instructors: Table = {}
    for department in SUBJECTS:
        for _ in range(2):
            key, person = ids.digits("TE", 4), people.one()
            instructors[key] = {
                "instructor_id": key,
                "name": person.name,
                "email": person.email,
                "department": department,
                "office": f"{rng.choice('ABCD')}{rng.randint(0, 4)}.{rng.randint(1, 38):02}",
            }
    return instructors


def _books(rng: Random, ids: Ids, people: People) -> Table:
    books: Table = {}
    for subject, titles in BOOKS.items():
        years = rng.sample(range(1998, 2026), len(titles))
        for title, year in zip(titles, years, strict=True):
            key, copies = ids.digits("BK"), rng.randint(2, 6)
            free = rng.choice((0, 0, 1, 2))
            books[key] = {
                "book_id": key,
                "title": title,
                "author": people.one().name,
                "subject": subject,
                "year": year,
                "copies": copies,
                "copies_free": min(free, copies - 1),
                "queue": 0 if free else rng.choice((0, 0, 1, 2, 3)),
                "loan_days": rng.choice((14, 21, 28)),
            }
    return books


def sections_of(tables: dict[str, Table], rng: Random, ids: Ids) -> Table:
    """The sections of all terms: what is taught when, where and by whom. Spring 2027 has two of each."""
    sections: Table = {}
    for course in tables["courses"].values():
        teachers = [key for key, each in tables["instructors"].items() if each["department"] == course["department"]]
        times = [(day, hours) for day in WEEKDAYS for hours in HOURS]
        places: list[tuple[str, str]] = []
        if course["level"] == 1:
            places += [("spring-2026", ""), ("block-2026", "")]
        if course["level"] < 3:
            places.append(("autumn-2026", ""))
        home = SUBJECTS[course["department"]].campus
        another = rng.choice([*(campus for campus in CAMPUSES if campus != home), "online"])
        places += [("spring-2027", home), ("spring-2027", rng.choice((home, another)))]
        for (term, campus), (weekday, hours) in zip(places, rng.sample(times, len(places)), strict=True):
            _add_section(sections, course, term, campus or home, weekday, hours, rng.choice(teachers), rng, ids)
    return sections


def _add_section(
    sections: Table,
    course: Record,
    term: str,
    campus: str,
    weekday: str,
    hours: tuple[str, str],
    teacher: str,
    rng: Random,
    ids: Ids,
) -> None:
    key, capacity = ids.digits("SC"), rng.choice((18, 24, 30, 40))
    over = term != "spring-2027"
    full = not over and rng.random() < 0.3
    sections[key] = {
        "section_id": key,
        "course_id": course["course_id"],
        "term_id": term,
        "instructor_id": teacher,
        "campus": campus,
        "weekday": weekday,
        "starts_at": hours[0],
        "ends_at": hours[1],
        "room": "online" if campus == "online" else f"{rng.choice('ABCD')}{rng.randint(0, 3)}.{rng.randint(40, 68)}",
        "capacity": capacity,
        "places_left": 0 if full or over else rng.randint(2, capacity - 6),
        "waiting": rng.randint(2, 8) if full else 0,
    }


def assignments_of(tables: dict[str, Table], sections: Table, rng: Random, ids: Ids) -> Table:
    """What the running term asks to be handed in: three a section, of which the first is over."""
    assignments: Table = {}
    for section in sections.values():
        if section["term_id"] != "autumn-2026":
            continue
        department = tables["courses"][section["course_id"]]["department"]
        shuffled = rng.sample(ASSIGNMENTS[department], 3)
        spans = ((-20, -4), (2, 11), (12, 24))
        for (title, weight, longest), (first, last) in zip(shuffled, spans, strict=True):
            key = ids.digits("AG")
            assignments[key] = {
                "assignment_id": key,
                "section_id": section["section_id"],
                "title": title,
                "due_at": at(
                    some_day(rng, first, last, weekdays="12345"), rng.choice(("12:00", "17:00", "18:00", "23:59"))
                ),
                "weight_percent": weight + rng.randint(-2, 2),
                "longest_extension_days": longest,
            }
    return assignments


def exams_of(tables: dict[str, Table], rng: Random, ids: Ids) -> Table:
    """The resit exams of January: two dates for each course of the first level."""
    exams: Table = {}
    for course in tables["courses"].values():
        if course["level"] > 1:
            continue
        for first, last in ((44, 50), (53, 60)):
            key = ids.digits("EX")
            exams[key] = {
                "exam_id": key,
                "course_id": course["course_id"],
                "starts_at": at(some_day(rng, first, last, weekdays="12345"), rng.choice(("09:00", "10:30", "14:00"))),
                "room": f"Hall {rng.randint(1, 6)}",
                "places_left": rng.choice((0, 4, 7, 12, 15)) if first > 50 else rng.choice((3, 5, 9, 14)),
                "fee": rng.choice((35.0, 40.0, 45.0)),
            }
    return exams


def consultations_of(tables: dict[str, Table], rng: Random, ids: Ids) -> Table:
    """Times at which a teacher can be seen: two each or three, within the next three weeks."""
    slots: Table = {}
    for teacher in tables["instructors"]:
        begins = {at(some_day(rng, 1, 18, weekdays="12345"), rng.choice(("09:15", "11:00", "13:30", "15:45")))
                  for _ in range(3)}  # fmt: skip
        minutes = rng.choice((15, 20, 30))
        for begin in sorted(begins):
            key = ids.digits("CS")
            slots[key] = {
                "slot_id": key,
                "instructor_id": teacher,
                "starts_at": begin,
                "minutes": minutes,
                "student_id": None,
                "status": "free",
            }
    return slots
