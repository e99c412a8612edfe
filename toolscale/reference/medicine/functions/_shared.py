"""What the medicine domain's functions share."""

import re
import uuid
from datetime import date, datetime, timedelta
from typing import Any

Database = dict[str, dict[str, Any]]
Record = dict[str, Any]

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
LONGEST_AHEAD_DAYS = 28


def _one(db: Database, table: str, key: str) -> Record:
    if key not in db[table]:
        raise ValueError(f"there is no {key} in {table}; check the id")
    record: Record = db[table][key]
    return record


def _joined(db: Database, table: str, key: str) -> Record:
    """A record that another one refers to, found by scanning: only what a call names counts as looked up."""
    record: Record = next(row for row_key, row in db[table].items() if row_key == key)
    return record


def _own(db: Database, table: str, patient_id: str, status: str | None) -> list[Record]:
    """A patient's records of one table, found by scanning it."""
    _one(db, "patients", patient_id)
    rows = [row for row in db[table].values() if row["patient_id"] == patient_id]
    return [row for row in rows if status is None or row["status"] == status]


def _by_key(db: Database, table: str) -> dict[str, Record]:
    """A whole table, scanned: for searches that join."""
    return dict(db[table].items())


def _new_key(db: Database, table: str, prefix: str) -> str:
    while True:
        key = f"{prefix}-{uuid.uuid4().int % 90000 + 10000}"
        if key not in db[table]:
            return key


def _today() -> date:
    return datetime.now().date()


def _day(text: str, what: str) -> date:
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        raise ValueError(f"{what} must be a date such as 2026-11-30, not {text!r}")
    return date.fromisoformat(text)


def _coming_day(db: Database, clinic_id: str, text: str, what: str) -> str:
    """A day from tomorrow to four weeks from now on which the clinic is open."""
    day = _day(text, what)
    if not _today() < day <= _today() + timedelta(days=LONGEST_AHEAD_DAYS):
        raise ValueError(f"{what} must lie between tomorrow and {LONGEST_AHEAD_DAYS} days from now")
    clinic = _joined(db, "clinics", clinic_id)
    if WEEKDAYS[day.weekday()] not in clinic["open_days"]:
        raise ValueError(f"{clinic['name']} is closed on {day:%A}s; open on {', '.join(clinic['open_days'])}")
    return text


def _age(patient: Record) -> int:
    born, today = date.fromisoformat(patient["birth_date"]), _today()
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))
