"""What the weather service's functions share."""

import re
import uuid
from datetime import date, datetime, timedelta
from typing import Any

Database = dict[str, dict[str, Any]]
Record = dict[str, Any]

UNITS = {"rain": "mm", "gusts": "km/h", "frost": "°C", "heat": "°C", "snow": "cm"}


def _one(db: Database, table: str, key: str) -> Record:
    if key not in db[table]:
        raise ValueError(f"there is no {key} in {table}; look the id up first")
    record: Record = db[table][key]
    return record


def _joined(db: Database, table: str, key: str) -> Record:
    """A record that another one refers to, found by scanning: only what a call names counts as looked up."""
    record: Record = next(row for row_key, row in db[table].items() if row_key == key)
    return record


def _own(db: Database, table: str, customer_id: str) -> list[Record]:
    """A customer's records of one table, found by scanning it."""
    _one(db, "customers", customer_id)
    return [row for row in db[table].values() if row["customer_id"] == customer_id]


def _new_key(db: Database, table: str, prefix: str) -> str:
    while True:
        key = f"{prefix}-{uuid.uuid4().int % 90000 + 10000}"
        if key not in db[table]:
            return key


def _today() -> date:
    return datetime.now().date()


def _day(text: str, what: str = "the day") -> date:
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        raise ValueError(f"{what} must be a date such as 2026-11-30, not {text!r}")
    return date.fromisoformat(text)


def _days_ahead(text: str, what: str = "the day") -> int:
    return (_day(text, what) - _today()).days


def _later(days: int) -> str:
    return (_today() + timedelta(days=days)).isoformat()


def _cents(value: float) -> float:
    return round(value + 1e-9, 2)


def _plan(db: Database, customer_id: str) -> Record:
    return _joined(db, "plans", _joined(db, "customers", customer_id)["plan_id"])


def _site_name(db: Database, record: Record) -> str:
    name: str = _joined(db, "sites", record["site_id"])["name"]
    return name


def _live_alerts(db: Database, customer_id: str) -> list[Record]:
    return [
        each for each in db["alerts"].values() if each["customer_id"] == customer_id and each["status"] != "cancelled"
    ]
