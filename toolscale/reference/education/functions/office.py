"""The counter: documents, contact details and consultations."""

import re
from typing import Any, Literal

from ._shared import Database, _allowed, _days_later, _find, _new_key, _overdue, _today

WRITES = {"order_document", "update_contact", "book_consultation"}

DOCUMENT_FEE = 6.5
POSTAGE = 4.2
READY_DAYS = 3


def order_document(
    db: Database,
    student_id: str,
    kind: Literal["transcript of records", "certificate of enrolment", "fee statement"],
    language: Literal["English", "German", "French", "Spanish"],
    copies: int,
    delivery: Literal["post", "pickup"],
) -> dict[str, Any]:
    """Order an official document at 6.50 EUR a copy, and 4.20 EUR for post, charged to the card on file. Not while
    money is overdue.

    student_id: whose document.
    kind: which document.
    language: in which language.
    copies: how many, 1 to 10.
    delivery: by post to the home address, or to be fetched.
    """
    _allowed(kind, ("transcript of records", "certificate of enrolment", "fee statement"), "kind")
    _allowed(language, ("English", "German", "French", "Spanish"), "language")
    _allowed(delivery, ("post", "pickup"), "delivery")
    _find(db, "students", student_id, "student")
    if overdue := _overdue(db, student_id):
        raise ValueError(f"{overdue:.2f} EUR are overdue; documents are issued when they are paid")
    if not 1 <= copies <= 10:
        raise ValueError("between 1 and 10 copies can be ordered")
    key = _new_key("DO")
    db["documents"][key] = {
        "document_id": key,
        "student_id": student_id,
        "kind": kind,
        "language": language,
        "copies": copies,
        "delivery": delivery,
        "fee": round(DOCUMENT_FEE * copies + (POSTAGE if delivery == "post" else 0), 2),
        "ordered_on": _today(),
        "ready_on": _days_later(_today(), READY_DAYS),
    }
    return dict(db["documents"][key])


def update_contact(db: Database, student_id: str, email: str | None = None, phone: str | None = None) -> dict[str, Any]:
    """Change a student's e-mail address, phone number or both. Returns what was on file before.

    student_id: whose file.
    email: the new e-mail address.
    phone: the new number with its country code, such as +44 555 010000.
    """
    student = _find(db, "students", student_id, "student")
    if email is None and phone is None:
        raise ValueError("give a new e-mail address or phone number")
    if email is not None and not re.fullmatch(r"[^@\s]+@[^@\s]+\.[a-z]+", email):
        raise ValueError(f"{email!r} is not an e-mail address")
    if phone is not None and not re.fullmatch(r"\+\d{1,3} [\d ]{5,}", phone):
        raise ValueError(f"{phone!r} is not a phone number with its country code")
    if email == student["email"] or phone == student["phone"]:
        raise ValueError("that is on file already")
    before = {"email_before": student["email"], "phone_before": student["phone"]}
    student.update(email=email or student["email"], phone=phone or student["phone"])
    return {"student_id": student_id, **before, "email": student["email"], "phone": student["phone"]}


def book_consultation(db: Database, student_id: str, slot_id: str) -> dict[str, Any]:
    """Book a free consultation with a teacher. One coming consultation with each teacher, and one at a time.

    student_id: who comes.
    slot_id: from get_teacher.
    """
    _find(db, "students", student_id, "student")
    slot = _find(db, "consultations", slot_id, "consultation")
    if slot["status"] != "free" or slot["starts_at"][:10] < _today():
        raise ValueError(f"{slot_id} is taken or over")
    for each in db["consultations"].values():
        same = (each["student_id"], each["instructor_id"]) == (student_id, slot["instructor_id"])
        if same and each["starts_at"][:10] >= _today():
            raise ValueError(f"the student sees this teacher on {each['starts_at']} already")
        if (each["student_id"], each["starts_at"]) == (student_id, slot["starts_at"]):
            raise ValueError(f"the student sees another teacher at that time: {each['slot_id']}")
    slot.update(student_id=student_id, status="booked")
    teacher = db["instructors"][slot["instructor_id"]]
    return {**slot, "teacher": teacher["name"], "office": teacher["office"]}
