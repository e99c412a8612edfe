"""Places in courses: enrolling, waiting, moving to another section, and giving a place up."""

from typing import Any, Literal

from ._shared import Database, _allowed, _course_of, _find, _issue_invoice, _new_key, _term_of, _title, _today
from .courses import _clashes, _obstacles, _places_of

WRITES = {"enrol", "join_waiting_list", "leave_waiting_list", "move_to_section", "drop_course", "withdraw_from_course"}

WAITING_LISTS = 3
TUITION_DUE = {"spring-2027": "2027-01-15"}


def _enrolment(db: Database, enrolment_id: str, status: str) -> dict[str, Any]:
    enrolment = _find(db, "enrolments", enrolment_id, "enrolment")
    if enrolment["status"] != status:
        raise ValueError(f"{enrolment_id} is {enrolment['status']}, not {status}")
    return enrolment


def _record(db: Database, student_id: str, section_id: str, status: str, position: int | None) -> dict[str, Any]:
    key = _new_key("EN")
    db["enrolments"][key] = {
        "enrolment_id": key,
        "student_id": student_id,
        "section_id": section_id,
        "status": status,
        "enrolled_on": _today(),
        "position": position,
        "points": None,
        "published_on": None,
        "reason": None,
    }
    record: dict[str, Any] = db["enrolments"][key]
    return record


def _invoice_of(db: Database, enrolment_id: str) -> dict[str, Any] | None:
    return next(
        (
            each
            for each in db["invoices"].values()
            if each["enrolment_id"] == enrolment_id and each["status"] != "cancelled"
        ),
        None,
    )


def get_student(db: Database, student_id: str) -> dict[str, Any]:
    """A student's file: programme, year, adviser, credits earned, average, contact, money overdue.

    student_id: such as ST-48213.
    """
    student = _find(db, "students", student_id, "student")
    return {**student, "adviser": db["instructors"][student["adviser_id"]]["name"]}


def list_enrolments(
    db: Database,
    student_id: str,
    status: Literal["enrolled", "waitlisted", "completed", "withdrawn", "dropped"] = "enrolled",
) -> list[dict[str, Any]]:
    """A student's enrolments of one status, with title, term, weekday and hours, by term and title.

    student_id: whose enrolments.
    status: enrolled (running and coming), waitlisted, completed (with points), withdrawn or dropped.
    """
    _find(db, "students", student_id, "student")
    found = []
    for enrolment in db["enrolments"].values():
        if enrolment["student_id"] == student_id and enrolment["status"] == status:
            section, course = db["sections"][enrolment["section_id"]], _course_of(db, enrolment["section_id"])
            found.append(
                {
                    "enrolment_id": enrolment["enrolment_id"],
                    "course_id": course["course_id"],
                    "title": course["title"],
                    "credits": course["credits"],
                    "term": section["term_id"],
                    "weekday": section["weekday"],
                    "starts_at": section["starts_at"],
                    "position": enrolment["position"],
                    "points": enrolment["points"],
                    "published_on": enrolment["published_on"],
                }
            )
    return sorted(found, key=lambda each: (str(each["term"]), str(each["title"])))


def get_enrolment(db: Database, enrolment_id: str) -> dict[str, Any]:
    """An enrolment in full: course, section with room and teacher, fee, and the last day to withdraw.

    enrolment_id: such as EN-4F82A1.
    """
    enrolment = _find(db, "enrolments", enrolment_id, "enrolment")
    section, course = db["sections"][enrolment["section_id"]], _course_of(db, enrolment["section_id"])
    invoice = _invoice_of(db, enrolment_id)
    return {
        **enrolment,
        "course_id": course["course_id"],
        "title": course["title"],
        "credits": course["credits"],
        "fee": course["fee"],
        "paid": invoice["paid"] if invoice else 0.0,
        "term": section["term_id"],
        "campus": section["campus"],
        "weekday": section["weekday"],
        "starts_at": section["starts_at"],
        "ends_at": section["ends_at"],
        "room": section["room"],
        "instructor_id": section["instructor_id"],
        "teacher": db["instructors"][section["instructor_id"]]["name"],
        "withdraw_until": _term_of(db, enrolment["section_id"])["withdraw_until"],
    }


def enrol(db: Database, student_id: str, section_id: str) -> dict[str, Any]:
    """Give a student a place in a section that has one free. The fee is put on an invoice.

    student_id: who enrols.
    section_id: such as SC-48213, from search_sections.
    """
    _find(db, "students", student_id, "student")
    section = _find(db, "sections", section_id, "section")
    if obstacles := _obstacles(db, student_id, section):
        raise ValueError("not possible: " + "; ".join(obstacles))
    if section["places_left"] < 1:
        raise ValueError(f"{section_id} is full; {section['waiting']} students wait for a place")
    section["places_left"] -= 1
    enrolment = _record(db, student_id, section_id, "enrolled", None)
    fee, due = _course_of(db, section_id)["fee"], TUITION_DUE[section["term_id"]]
    invoice = _issue_invoice(db, student_id, enrolment["enrolment_id"], fee, due)
    return {
        **enrolment,
        "room": section["room"],
        "weekday": section["weekday"],
        "starts_at": section["starts_at"],
        "fee": fee,
        "invoice_id": invoice,
        "due_on": due,
    }


def join_waiting_list(db: Database, student_id: str, section_id: str) -> dict[str, Any]:
    """Put a student at the end of the waiting list of a full section. At most three waiting lists for each student.

    student_id: who waits.
    section_id: a section without free places.
    """
    _find(db, "students", student_id, "student")
    section = _find(db, "sections", section_id, "section")
    if section["places_left"]:
        raise ValueError(f"{section_id} has {section['places_left']} places left; enrol directly")
    if obstacles := _obstacles(db, student_id, section):
        raise ValueError("not possible: " + "; ".join(obstacles))
    waiting = [
        each
        for each in db["enrolments"].values()
        if each["student_id"] == student_id and each["status"] == "waitlisted"
    ]
    if any(each["section_id"] == section_id for each in waiting):
        raise ValueError(f"the student waits for {section_id} already")
    if len(waiting) >= WAITING_LISTS:
        raise ValueError(f"the student is on {len(waiting)} waiting lists already; {WAITING_LISTS} are the limit")
    section["waiting"] += 1
    return _record(db, student_id, section_id, "waitlisted", section["waiting"])


def leave_waiting_list(db: Database, enrolment_id: str) -> dict[str, Any]:
    """Take a student off a waiting list; those behind move up.

    enrolment_id: a waitlisted enrolment.
    """
    enrolment = _enrolment(db, enrolment_id, "waitlisted")
    position = enrolment["position"]
    db["sections"][enrolment["section_id"]]["waiting"] -= 1
    for other in db["enrolments"].values():
        behind = other["section_id"] == enrolment["section_id"] and (other["position"] or 0) > position
        if other["status"] == "waitlisted" and behind:
            other["position"] -= 1
    enrolment.update(status="dropped", position=None)
    return {"enrolment_id": enrolment_id, "title": _title(db, enrolment_id), "position_given_up": position}


def move_to_section(db: Database, enrolment_id: str, section_id: str) -> dict[str, Any]:
    """Move a place to another section of the same course and term, before the term begins. Free of charge.

    enrolment_id: a place in a term that has not begun.
    section_id: the section to move to; it must have a free place.
    """
    enrolment = _enrolment(db, enrolment_id, "enrolled")
    old, new = db["sections"][enrolment["section_id"]], _find(db, "sections", section_id, "section")
    if (old["course_id"], old["term_id"]) != (new["course_id"], new["term_id"]) or old is new:
        raise ValueError(f"{section_id} is not another section of the same course and term")
    if _term_of(db, section_id)["starts_on"] <= _today():
        raise ValueError("the term has begun; places stay as they are")
    for held in _places_of(db, enrolment["student_id"], new["term_id"], leaving=enrolment_id):
        if _clashes(held, new):
            raise ValueError(f"it clashes with {_course_of(db, held['section_id'])['title']}")
    if new["places_left"] < 1:
        raise ValueError(f"{section_id} is full")
    old["places_left"] += 1
    new["places_left"] -= 1
    enrolment["section_id"] = section_id
    return {
        "enrolment_id": enrolment_id,
        **{field: new[field] for field in ("section_id", "campus", "room", "weekday", "starts_at", "ends_at")},
    }


def drop_course(db: Database, enrolment_id: str) -> dict[str, Any]:
    """Give a place up before its term begins. The invoice is cancelled, and what was paid goes back.

    enrolment_id: a place in a term that has not begun.
    """
    enrolment = _enrolment(db, enrolment_id, "enrolled")
    if _term_of(db, enrolment["section_id"])["starts_on"] <= _today():
        raise ValueError("the term has begun; a place can only be withdrawn from, without money back")
    db["sections"][enrolment["section_id"]]["places_left"] += 1
    enrolment["status"] = "dropped"
    invoice = _invoice_of(db, enrolment_id)
    if invoice:
        invoice["status"] = "cancelled"
    return {
        "enrolment_id": enrolment_id,
        "title": _title(db, enrolment_id),
        "fee_waived": invoice["amount"] if invoice else 0.0,
        "paid_back": invoice["paid"] if invoice else 0.0,
    }


def withdraw_from_course(
    db: Database,
    enrolment_id: str,
    reason: Literal["workload", "illness", "a new job", "a change of programme"],
) -> dict[str, Any]:
    """Withdraw from a running course until the term's last day for it. The fee stays due and no credits are earned.

    enrolment_id: a place in the running term.
    reason: the student's reason.
    """
    _allowed(reason, ("workload", "illness", "a new job", "a change of programme"), "reason")
    enrolment = _enrolment(db, enrolment_id, "enrolled")
    term = _term_of(db, enrolment["section_id"])
    if term["starts_on"] > _today():
        raise ValueError("the term has not begun; drop the course instead, free of charge")
    if term["withdraw_until"] < _today():
        raise ValueError(f"withdrawal was possible until {term['withdraw_until']}")
    enrolment.update(status="withdrawn", reason=reason)
    course = _course_of(db, enrolment["section_id"])
    return {"enrolment_id": enrolment_id, "title": course["title"], "fee": course["fee"], "credits": course["credits"]}
