"""What students study: enrolments of four terms, and the invoices, appeals and hand-ins that come of them."""

from random import Random
from typing import Any

from toolscale.reference.education.schema import APPEAL_GROUNDS, EXTENSION_REASONS
from toolscale.reference.education.standing import Table
from toolscale.reference.ids import Ids
from toolscale.reference.moments import TODAY, birth_date, day, shifted, some_day
from toolscale.reference.people import People
from toolscale.reference.sums import rounded

Record = dict[str, Any]

STUDENTS = 38


def students_of(tables: dict[str, Table], rng: Random, ids: Ids, people: People) -> Table:
    """Students of all departments, in their first three years, each with the adviser of the programme."""
    departments = sorted({course["department"] for course in tables["courses"].values()})
    students: Table = {}
    for index in range(STUDENTS):
        key, person = ids.digits("ST"), people.one()
        programme, year = departments[index % len(departments)], rng.choice((1, 2, 2, 3, 3))
        advisers = [key for key, each in tables["instructors"].items() if each["department"] == programme]
        students[key] = {
            "student_id": key,
            "name": person.name,
            "email": person.email,
            "phone": person.phone,
            "birth_date": birth_date(rng, *((40, 74) if index % 9 == 4 else (18 + year, 31))),
            "country": person.country,
            "programme": programme,
            "year": year,
            "adviser_id": advisers[0],
            "credits_earned": rng.randint(20, 46) + 46 * (year - 1),
            "average": rounded(rng.randint(520, 930) / 10),
        }
    return students


class Registrar:
    """Enrols students term by term, so that prerequisites are met and no two sections overlap."""

    def __init__(self, tables: dict[str, Table], rng: Random, ids: Ids) -> None:
        self._tables = tables
        self._rng = rng
        self._ids = ids
        self.enrolments: Table = {}
        self.invoices: Table = {}

    def enrol(self, student: Record) -> None:
        """A student's enrolments: passed and failed courses, running ones, and those of next spring."""
        taken: set[str] = set()
        passed: set[str] = set()
        overdue = self._rng.random() < 0.3
        for term, count in (("spring-2026", 1), ("block-2026", 2), ("autumn-2026", 2)):
            for section in self._suitable(student, term, taken, passed, {term})[:count]:
                taken.add(section["course_id"])
                self._add(student, section, passed, overdue)
        chosen = self._suitable(student, "spring-2027", taken, passed, set())
        free = [each for each in chosen if each["places_left"]]
        full = [each for each in chosen if not each["places_left"]]
        for section in free[:2] + full[: self._rng.choice((0, 1, 1))]:
            self._add(student, section, passed, overdue)

    def _suitable(
        self, student: Record, term: str, taken: set[str], passed: set[str], running: set[str]
    ) -> list[Record]:
        """Sections of a term that the student may take, one a course and one at a time of day, own subject first."""
        courses = self._tables["courses"]
        sections = [each for each in self._tables["sections"].values() if each["term_id"] == term]
        self._rng.shuffle(sections)
        sections.sort(key=lambda each: courses[each["course_id"]]["department"] != student["programme"])
        times = {
            (other["weekday"], other["starts_at"])
            for enrolment in self.enrolments.values()
            if enrolment["student_id"] == student["student_id"]
            for other in [self._tables["sections"][enrolment["section_id"]]]
            if {other["term_id"], *running} >= {"block-2026", "autumn-2026"} or other["term_id"] == term
        }
        found: list[Record] = []
        for section in sections:
            course = courses[section["course_id"]]
            time = (section["weekday"], section["starts_at"])
            if course["course_id"] in taken or time in times or not set(course["prerequisites"]) <= passed:
                continue
            if any(each["course_id"] == course["course_id"] for each in found):
                continue
            times.add(time)
            found.append(section)
        return found

    def _add(self, student: Record, section: Record, passed: set[str], overdue: bool) -> None:
        key, term = self._ids.hex("EN"), section["term_id"]
        enrolment: Record = {
            "enrolment_id": key,
            "student_id": student["student_id"],
            "section_id": section["section_id"],
            "status": "enrolled",
            "enrolled_on": day(-self._rng.randint(90, 110)),
            "position": None,
            "points": None,
            "published_on": None,
            "reason": None,
        }
        if term in ("spring-2026", "block-2026"):
            points = self._rng.randint(51, 94) if self._rng.random() < 0.62 else self._rng.randint(28, 49)
            if points >= 50:
                passed.add(section["course_id"])
            spring = term == "spring-2026"
            enrolled, published = ("2026-01-08", day(-self._rng.randint(148, 165))) if spring else (
                "2026-08-20", day(-self._rng.randint(4, 16)))  # fmt: skip
            enrolment.update(status="completed", points=points, enrolled_on=enrolled, published_on=published)
        elif term == "spring-2027" and not section["places_left"]:
            enrolment.update(
                status="waitlisted", enrolled_on=day(-self._rng.randint(1, 9)), position=section["waiting"] + 1
            )
            section["waiting"] += 1
        else:
            if term == "spring-2027":
                enrolment["enrolled_on"] = day(-self._rng.randint(1, 12))
            self._invoice(enrolment, section, overdue)
        self.enrolments[key] = enrolment

    def _invoice(self, enrolment: Record, section: Record, overdue: bool) -> None:
        key, amount = self._ids.hex("IV"), self._tables["courses"][section["course_id"]]["fee"]
        spring = section["term_id"] == "spring-2027"
        settled = not overdue and self._rng.random() < (0.15 if spring else 0.35)
        late = overdue and not spring
        part = rounded(amount / 2) if not settled and self._rng.random() < 0.2 else 0.0
        first, last = (-30, -3) if late else (42, 60) if spring else (4, 24)
        taken = {each["due_on"] for each in self.invoices.values() if each["student_id"] == enrolment["student_id"]}
        while (due := some_day(self._rng, first, last, weekdays="12345")) in taken:
            pass
        self.invoices[key] = {
            "invoice_id": key,
            "student_id": enrolment["student_id"],
            "enrolment_id": enrolment["enrolment_id"],
            "amount": amount,
            "paid": amount if settled else part,
            "due_on": due,
            "status": "paid" if settled else "open",
            "instalments": 1,
            "method": self._rng.choice(("card", "bank transfer")) if settled or part else None,
        }


def appeals_of(enrolments: Table, rng: Random, ids: Ids) -> Table:
    """Appeals against some results: open ones against the block's, settled ones against last spring's."""
    appeals: Table = {}
    for enrolment in enrolments.values():
        if enrolment["status"] != "completed":
            continue
        recent = enrolment["published_on"] > day(-30)
        if rng.random() > (0.28 if recent else 0.1):
            continue
        key, filed = ids.hex("AP"), shifted(f"{enrolment['published_on']}T00:00", 1440 * rng.randint(1, 3))[:10]
        appeals[key] = {
            "appeal_id": key,
            "student_id": enrolment["student_id"],
            "enrolment_id": enrolment["enrolment_id"],
            "ground": rng.choice(APPEAL_GROUNDS),
            "status": "open" if recent else rng.choice(("upheld", "rejected")),
            "filed_on": filed,
            "decision_by": shifted(f"{filed}T00:00", 1440 * 28)[:10],
        }
    return appeals


def hand_ins_of(tables: dict[str, Table], enrolments: Table, rng: Random, ids: Ids) -> dict[str, Table]:
    """Submissions of what was due in the running term, and extensions of what will be."""
    submissions: Table = {}
    extensions: Table = {}
    for enrolment in enrolments.values():
        if enrolment["status"] != "enrolled":
            continue
        for task in tables["assignments"].values():
            if task["section_id"] != enrolment["section_id"]:
                continue
            student, assignment = enrolment["student_id"], task["assignment_id"]
            if task["due_at"][:10] < TODAY.isoformat():
                key = ids.hex("SB")
                submissions[key] = {
                    "submission_id": key,
                    "student_id": student,
                    "assignment_id": assignment,
                    "submitted_at": shifted(task["due_at"], -rng.randint(15, 2000)),
                    "points": float(rng.randint(38, 98)),
                }
            elif task["longest_extension_days"] and rng.random() < 0.1:
                key, days = ids.hex("XT"), rng.randint(1, task["longest_extension_days"])
                extensions[key] = {
                    "extension_id": key,
                    "student_id": student,
                    "assignment_id": assignment,
                    "days": days,
                    "reason": rng.choice(EXTENSION_REASONS),
                    "due_at": shifted(task["due_at"], 1440 * days),
                    "granted_on": some_day(rng, -6, -1),
                }
    return {"submissions": submissions, "extensions": extensions}


def resits_of(tables: dict[str, Table], enrolments: Table, rng: Random, ids: Ids) -> Table:
    """Some who failed are registered for a resit."""
    resits: Table = {}
    for enrolment in enrolments.values():
        if enrolment["status"] != "completed" or enrolment["points"] >= 50 or rng.random() > 0.25:
            continue
        course = tables["sections"][enrolment["section_id"]]["course_id"]
        exam = next(each for each in tables["exams"].values() if each["course_id"] == course)
        key = ids.hex("RS")
        resits[key] = {
            "resit_id": key,
            "student_id": enrolment["student_id"],
            "enrolment_id": enrolment["enrolment_id"],
            "exam_id": exam["exam_id"],
            "fee": exam["fee"],
            "status": "registered",
        }
    return resits


def book_consultations(tables: dict[str, Table], rng: Random) -> None:
    """A few consultations are taken by the students whom the teacher advises."""
    for slot in tables["consultations"].values():
        advised = [key for key, each in tables["students"].items() if each["adviser_id"] == slot["instructor_id"]]
        if advised and rng.random() < 0.3:
            slot.update(student_id=rng.choice(advised), status="booked")
