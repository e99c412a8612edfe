"""What several themes need: looking entries up, times, members who may play, and money that moves."""

import uuid
from datetime import date, datetime, timedelta
from typing import Any

Database = dict[str, dict[str, Any]]


def _now() -> str:
    return datetime.now().strftime("%Y-%m-%dT%H:%M")


def _today() -> date:
    return datetime.now().date()


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a date; write it as YYYY-MM-DD") from None


def _moment(day: str, start: str) -> str:
    try:
        return datetime.fromisoformat(f"{day}T{start}").strftime("%Y-%m-%dT%H:%M")
    except ValueError:
        raise ValueError(f"{day!r} and {start!r} are no day (YYYY-MM-DD) and time (HH:MM)") from None


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


def _frozen_on(member: dict[str, Any], day: str) -> bool:
    return member["frozen_from"] is not None and member["frozen_from"] <= day <= member["frozen_until"]


def _may_use(member: dict[str, Any], day: str) -> None:
    if _frozen_on(member, day):
        raise ValueError(f"the membership is frozen until {member['frozen_until']}")
    if member["ends_on"] is not None and member["ends_on"] < day:
        raise ValueError(f"the membership ends on {member['ends_on']}")


def _may_play(db: Database, member: dict[str, Any], day: str) -> None:
    _may_use(member, day)
    for injury in db["injuries"].values():
        if injury["member_id"] == member["member_id"] and injury["status"] == "open":
            raise ValueError(
                f"{injury['injury_id']} ({injury['body_part']}) is not cleared; a doctor's note is accepted from "
                f"{injury['earliest_return']}"
            )


def _charge(member: dict[str, Any], amount: float, pay_by: str) -> None:
    if pay_by not in ("card", "credit"):
        raise ValueError("pay by card or credit")
    if pay_by == "credit":
        if member["credit"] < amount:
            raise ValueError(f"{amount:.2f} EUR are due, the credit is only {member['credit']:.2f} EUR")
        member["credit"] = round(member["credit"] - amount, 2)


def _pay_out(member: dict[str, Any], amount: float, to: str) -> None:
    if to not in ("card", "credit"):
        raise ValueError("money goes back to the card or becomes credit")
    if to == "credit":
        member["credit"] = round(member["credit"] + amount, 2)
