"""Assignments and results: deadlines, extensions, appeals and resits."""

from datetime import datetime, timedelta
from typing import Any, Literal

from ._shared import Database, _allowed, _course_of, _days_later, _find, _new_key, _now, _title, _today

WRITES = {"grant_extension", "file_appeal", "withdraw_appeal", "register_for_resit", "cancel_resit"}

EXTENSIONS_A_STUDENT = 3
APPEAL_DAYS = 21
DECISION_DAYS = 28
PASS = 50


def _extension(db: Database, student_id: str, assignment_id: str) -> dict[str, Any] | None:
    return next(
        (
            each
            for each in db["extensions"].values()
            if (each["student_id"], each["assignment_id"]) == (student_id, assignment_id)
        ),
        None,
    )


def _result(db: Database, enrolment_id: str) -> dict[str, Any]:
    enrolment = _find(db, "enrolments", enrolment_id, "enrolment")
    if enrolment["status"] != "completed":
        raise ValueError(f"{enrolment_id} is {enrolment['status']}; it has no result")
    return enrolment


def list_assignments(db: Database, student_id: str, state: Literal["due", "handed in"] = "due") -> list[dict[str, Any]]:
    """A student's assignments in running courses, by deadline: those still due, or those handed in with their points.

    student_id: whose assignments.
    state: due or handed in.
    """
    _find(db, "students", student_id, "student")
    _allowed(state, ("due", "handed in"), "state")
    sections = {
        each["section_id"]
        for each in db["enrolments"].values()
        if each["student_id"] == student_id and each["status"] == "enrolled"
    }
    handed_in = {
        each["assignment_id"]: each["points"] for each in db["submissions"].values() if each["student_id"] == student_id
    }
    found = []
    for assignment in db["assignments"].values():
        key = assignment["assignment_id"]
        if assignment["section_id"] not in sections or (key in handed_in) != (state == "handed in"):
            continue
        extension = _extension(db, student_id, key)
        found.append(
            {
                **assignment,
                "course": _course_of(db, assignment["section_id"])["title"],
                "due_at": extension["due_at"] if extension else assignment["due_at"],
                "extended": extension is not None,
                "points": handed_in.get(key),
            }
        )
    return sorted(found, key=lambda each: (str(each["due_at"]), str(each["assignment_id"])))


def get_assignment(db: Database, assignment_id: str) -> dict[str, Any]:
    """An assignment: title, course, deadline, weight in percent, longest extension, and whom to hand it to.

    assignment_id: such as AG-48213.
    """
    assignment = _find(db, "assignments", assignment_id, "assignment")
    section = db["sections"][assignment["section_id"]]
    teacher = db["instructors"][section["instructor_id"]]
    return {
        **assignment,
        "course": _course_of(db, assignment["section_id"])["title"],
        "teacher": teacher["name"],
        "teacher_email": teacher["email"],
        "office": teacher["office"],
    }


def grant_extension(
    db: Database,
    student_id: str,
    assignment_id: str,
    days: int,
    reason: Literal["illness", "bereavement", "childcare", "a court summons", "a power cut"],
) -> dict[str, Any]:
    """Move a student's deadline by some days, at most the assignment's longest extension: once for an assignment,
    before the deadline, and at most three times for a student.

    student_id: who hands in later.
    assignment_id: such as AG-48213.
    days: by how many days.
    reason: why.
    """
    _allowed(reason, ("illness", "bereavement", "childcare", "a court summons", "a power cut"), "reason")
    _find(db, "students", student_id, "student")
    assignment = _find(db, "assignments", assignment_id, "assignment")
    longest = assignment["longest_extension_days"]
    if not any(
        (each["student_id"], each["section_id"], each["status"]) == (student_id, assignment["section_id"], "enrolled")
        for each in db["enrolments"].values()
    ):
        raise ValueError("the student is not in that course")
    if assignment["due_at"] <= _now():
        raise ValueError(f"it was due on {assignment['due_at']}")
    if not 1 <= days <= longest:
        raise ValueError(f"it can be extended by {longest} days at most" if longest else "it cannot be extended")
    if _extension(db, student_id, assignment_id):
        raise ValueError("it was extended before")
    if sum(each["student_id"] == student_id for each in db["extensions"].values()) >= EXTENSIONS_A_STUDENT:
        raise ValueError(f"the student has had {EXTENSIONS_A_STUDENT} extensions, which is the limit")
    key = _new_key("XT")
    due = datetime.fromisoformat(assignment["due_at"]) + timedelta(days=days)
    db["extensions"][key] = {
        "extension_id": key,
        "student_id": student_id,
        "assignment_id": assignment_id,
        "days": days,
        "reason": reason,
        "due_at": due.strftime("%Y-%m-%dT%H:%M"),
        "granted_on": _today(),
    }
    return dict(db["extensions"][key])


def get_result(db: Database, enrolment_id: str) -> dict[str, Any]:
    """The result of a completed course: points out of 100, whether passed, when published, and until when to appeal.

    enrolment_id: a completed enrolment.
    """
    enrolment = _result(db, enrolment_id)
    course = _course_of(db, enrolment["section_id"])
    return {
        "enrolment_id": enrolment_id,
        "course_id": course["course_id"],
        "title": course["title"],
        "credits": course["credits"],
        "points": enrolment["points"],
        "passed": enrolment["points"] >= PASS,
        "published_on": enrolment["published_on"],
        "appeal_until": _days_later(enrolment["published_on"], APPEAL_DAYS),
        "appeals": [dict(each) for each in db["appeals"].values() if each["enrolment_id"] == enrolment_id],
    }


def list_appeals(db: Database, student_id: str) -> list[dict[str, Any]]:
    """All appeals of a student, in order of filing.

    student_id: whose appeals.
    """
    _find(db, "students", student_id, "student")
    found = [
        {**each, "title": _title(db, each["enrolment_id"])}
        for each in db["appeals"].values()
        if each["student_id"] == student_id
    ]
    return sorted(found, key=lambda each: (each["filed_on"], each["appeal_id"]))


def file_appeal(
    db: Database,
    enrolment_id: str,
    ground: Literal["an error in the points", "an unmarked answer", "a breach of procedure", "undisclosed criteria"],
) -> dict[str, Any]:
    """File an appeal against a result: within 21 days of its publication, and once for each result.

    enrolment_id: a completed enrolment.
    ground: what the appeal rests on.
    """
    grounds = ("an error in the points", "an unmarked answer", "a breach of procedure", "undisclosed criteria")
    _allowed(ground, grounds, "ground")
    enrolment = _result(db, enrolment_id)
    until = _days_later(enrolment["published_on"], APPEAL_DAYS)
    if until < _today():
        raise ValueError(f"appeals were possible until {until}")
    if any(each["enrolment_id"] == enrolment_id for each in db["appeals"].values()):
        raise ValueError("an appeal against this result was filed before")
    key = _new_key("AP")
    db["appeals"][key] = {
        "appeal_id": key,
        "student_id": enrolment["student_id"],
        "enrolment_id": enrolment_id,
        "ground": ground,
        "status": "open",
        "filed_on": _today(),
        "decision_by": _days_later(_today(), DECISION_DAYS),
    }
    return {**db["appeals"][key], "title": _title(db, enrolment_id)}


def withdraw_appeal(db: Database, appeal_id: str) -> dict[str, Any]:
    """Withdraw an open appeal. It cannot be filed again.

    appeal_id: such as AP-4F82A1.
    """
    appeal = _find(db, "appeals", appeal_id, "appeal")
    if appeal["status"] != "open":
        raise ValueError(f"{appeal_id} is {appeal['status']}")
    appeal["status"] = "withdrawn"
    return {**appeal, "title": _title(db, appeal["enrolment_id"])}


def list_resit_exams(db: Database, course_id: str) -> list[dict[str, Any]]:
    """Coming resit exams of a course: when, where, places and fee, earliest first.

    course_id: such as MATH101.
    """
    _find(db, "courses", course_id, "course")
    found = [dict(each) for each in db["exams"].values() if each["course_id"] == course_id]
    return sorted(found, key=lambda each: str(each["starts_at"]))


def register_for_resit(db: Database, enrolment_id: str, exam_id: str) -> dict[str, Any]:
    """Register a student who failed a course for a resit exam of it. The fee is charged to the card on file.

    enrolment_id: a completed enrolment with fewer than 50 points.
    exam_id: from list_resit_exams.
    """
    enrolment, exam = _result(db, enrolment_id), _find(db, "exams", exam_id, "exam")
    course = _course_of(db, enrolment["section_id"])
    if enrolment["points"] >= PASS:
        raise ValueError(f"{course['title']} is passed with {enrolment['points']} points; there is nothing to resit")
    if exam["course_id"] != course["course_id"]:
        raise ValueError(f"{exam_id} is no exam of {course['title']}")
    if any(each["enrolment_id"] == enrolment_id and each["status"] == "registered" for each in db["resits"].values()):
        raise ValueError("the student is registered for a resit of this course already")
    if exam["places_left"] < 1:
        raise ValueError(f"{exam_id} has no places left")
    exam["places_left"] -= 1
    key = _new_key("RS")
    db["resits"][key] = {
        "resit_id": key,
        "student_id": enrolment["student_id"],
        "enrolment_id": enrolment_id,
        "exam_id": exam_id,
        "fee": exam["fee"],
        "status": "registered",
    }
    return {**db["resits"][key], "starts_at": exam["starts_at"], "room": exam["room"]}


def list_resits(db: Database, student_id: str) -> list[dict[str, Any]]:
    """The resit exams that a student is registered for.

    student_id: whose resits.
    """
    _find(db, "students", student_id, "student")
    return [
        {
            **each,
            "title": _title(db, each["enrolment_id"]),
            "starts_at": db["exams"][each["exam_id"]]["starts_at"],
            "room": db["exams"][each["exam_id"]]["room"],
        }
        for each in db["resits"].values()
        if each["student_id"] == student_id and each["status"] == "registered"
    ]


def cancel_resit(db: Database, resit_id: str) -> dict[str, Any]:
    """Cancel the registration for a resit exam, at least seven days before it. The fee is paid back.

    resit_id: such as RS-4F82A1.
    """
    resit = _find(db, "resits", resit_id, "resit")
    exam = db["exams"][resit["exam_id"]]
    if resit["status"] != "registered":
        raise ValueError(f"{resit_id} is {resit['status']}")
    if exam["starts_at"][:10] < _days_later(_today(), 7):
        raise ValueError(f"the exam is on {exam['starts_at']}; less than seven days are left")
    exam["places_left"] += 1
    resit["status"] = "cancelled"
    return {"resit_id": resit_id, "title": _title(db, resit["enrolment_id"]), "paid_back": resit["fee"]}
