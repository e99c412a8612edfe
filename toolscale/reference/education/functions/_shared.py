"""What several themes need: looking entries up, the present, titles, and the state of an account."""

import uuid
from datetime import date, datetime, timedelta
from typing import Any

Database = dict[str, dict[str, Any]]


def _now() -> str:
    return datetime.now().strftime("%Y-%m-%dT%H:%M")


def _today() -> str:
    return _now()[:10]


def _days_later(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError(f"{text!r} is not a date; write it as YYYY-MM-DD") from None


def _find(db: Database, table: str, key: str, what: str) -> dict[str, Any]:
    if key not in db[table]:
        raise ValueError(f"there is no {what} {key}")
    record: dict[str, Any] = db[table][key]
    return record


def _allowed(value: str, values: tuple[str, ...], what: str) -> None:
    if value not in values:
        raise ValueError(f"{what} must be one of: {', '.join(values)}")


def _new_key(prefix: str) -> str:
    return f"{prefix}-{uuid.uuid4().hex[:6].upper()}"


def _course_of(db: Database, section_id: str) -> dict[str, Any]:
    course: dict[str, Any] = db["courses"][db["sections"][section_id]["course_id"]]
    return course


def _term_of(db: Database, section_id: str) -> dict[str, Any]:
    term: dict[str, Any] = db["terms"][db["sections"][section_id]["term_id"]]
    return term


def _title(db: Database, enrolment_id: str) -> str:
    return str(_course_of(db, db["enrolments"][enrolment_id]["section_id"])["title"])


def _overdue(db: Database, student_id: str) -> float:
    owed: float = sum(
        each["amount"] - each["paid"]
        for each in db["invoices"].values()
        if each["student_id"] == student_id and each["status"] == "open" and each["due_on"] < _today()
    )
    return round(owed, 2)


def _issue_invoice(db: Database, student_id: str, enrolment_id: str, amount: float, due_on: str) -> str:
    key = _new_key("IV")
    db["invoices"][key] = {
        "invoice_id": key,
        "student_id": student_id,
        "enrolment_id": enrolment_id,
        "amount": amount,
        "paid": 0.0,
        "due_on": due_on,
        "status": "open",
        "instalments": 1,
        "method": None,
    }
    return key
