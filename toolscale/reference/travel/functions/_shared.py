"""What several themes need: looking entries up, days and times, vouchers and points."""

import uuid
from datetime import date, datetime, timedelta
from typing import Any

Database = dict[str, dict[str, Any]]

POINTS_A_EURO = 100


def _now() -> str:
    return datetime.now().strftime("%Y-%m-%dT%H:%M")


def _today() -> date:
    return datetime.now().date()


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a date; write it as YYYY-MM-DD") from None


def _shift(moment: str, minutes: int) -> str:
    return (datetime.fromisoformat(moment) + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M")


def _hours_until(moment: str) -> float:
    return (datetime.fromisoformat(moment) - datetime.now()).total_seconds() / 3600


def _find(db: Database, table: str, key: str, what: str) -> dict[str, Any]:
    if key not in db[table]:
        raise ValueError(f"there is no {what} {key}")
    record: dict[str, Any] = db[table][key]
    return record


def _new_key(prefix: str) -> str:
    return f"{prefix}-{uuid.uuid4().hex[:6].upper()}"


def _issue_voucher(db: Database, traveller_id: str, amount: float) -> str:
    key = _new_key("VC")
    db["vouchers"][key] = {
        "voucher_id": key,
        "traveller_id": traveller_id,
        "amount": amount,
        "valid_until": (_today() + timedelta(days=365)).isoformat(),
        "status": "open",
    }
    return key


def _take_points(db: Database, traveller_id: str, amount: float) -> int:
    traveller, points = db["travellers"][traveller_id], round(amount * POINTS_A_EURO)
    if traveller["points"] < points:
        raise ValueError(f"{points} points are needed, the traveller has {traveller['points']}")
    traveller["points"] -= points
    return points


def _refunded(db: Database, record: dict[str, Any], amount: float, refund_to: str) -> str | None:
    record.update(status="cancelled", refund_amount=amount, refund_to=refund_to)
    return _issue_voucher(db, record["traveller_id"], amount) if refund_to == "voucher" and amount else None


def _check_refund_to(refund_to: str) -> None:
    if refund_to not in ("card", "voucher"):
        raise ValueError("refund_to must be card or voucher")
