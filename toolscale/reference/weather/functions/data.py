"""Exports of measured data, and tickets about what went wrong."""

from typing import Any, Literal

from ._shared import Database, Record, _day, _joined, _later, _new_key, _one, _own, _plan, _today

WRITES = {"request_export", "renew_export", "cancel_export", "open_ticket", "escalate_ticket", "close_ticket"}

_LONGEST = 92


def _shown_export(db: Database, export: Record) -> dict[str, Any]:
    return {**export, "station": _joined(db, "stations", export["station_id"])["name"]}


def _left(db: Database, customer_id: str) -> int:
    month = _today().isoformat()[:7]
    used = [
        each
        for each in db["exports"].values()
        if each["customer_id"] == customer_id and each["requested_on"][:7] == month and each["status"] != "cancelled"
    ]
    return max(0, int(_plan(db, customer_id)["export_limit"]) - len(used))


def get_export_quota(db: Database, customer_id: str) -> dict[str, Any]:
    """How many exports the customer's plan gives in a calendar month, and how many are left in this one.

    customer_id: whose.
    """
    _one(db, "customers", customer_id)
    return {"export_limit": _plan(db, customer_id)["export_limit"], "exports_left": _left(db, customer_id)}


def list_exports(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """A customer's exports that are not cancelled, with station, days, format and state.

    customer_id: whose.
    """
    return [_shown_export(db, each) for each in _own(db, "exports", customer_id) if each["status"] != "cancelled"]


def get_export(db: Database, export_id: str) -> dict[str, Any]:
    """One export with station, days, format, state and until when it can be downloaded.

    export_id: such as EX-48213.
    """
    return _shown_export(db, _one(db, "exports", export_id))


def request_export(
    db: Database,
    customer_id: str,
    station_id: str,
    first_day: str,
    last_day: str,
    file_format: Literal["CSV", "JSON", "NetCDF"],
) -> dict[str, Any]:
    """Order a file of what a station measured, up to 92 days before today, as far as the month's quota reaches.

    customer_id: for whom.
    station_id: whose measurements.
    first_day: YYYY-MM-DD.
    last_day: YYYY-MM-DD, before today.
    file_format: of the file.
    """
    _one(db, "customers", customer_id)
    _one(db, "stations", station_id)
    days = (_day(last_day, "last_day") - _day(first_day, "first_day")).days + 1
    if not 1 <= days <= _LONGEST or _day(last_day) >= _today():
        raise ValueError(f"an export covers 1 to {_LONGEST} days, all of them before today")
    if file_format not in ("CSV", "JSON", "NetCDF"):
        raise ValueError("file_format must be CSV, JSON or NetCDF")
    if not _left(db, customer_id):
        raise ValueError("the plan's exports of this month are used up; a queued one can be cancelled")
    key = _new_key(db, "exports", "EX")
    db["exports"][key] = {
        "export_id": key,
        "customer_id": customer_id,
        "station_id": station_id,
        "first_day": first_day,
        "last_day": last_day,
        "file_format": file_format,
        "requested_on": _today().isoformat(),
        "status": "queued",
        "download_until": None,
    }
    return {**_shown_export(db, db["exports"][key]), "days": days, "exports_left": _left(db, customer_id)}


def renew_export(db: Database, export_id: str) -> dict[str, Any]:
    """Make an expired export ready again for 14 days. It does not count against the quota.

    export_id: an expired export.
    """
    export = _one(db, "exports", export_id)
    if export["status"] != "expired":
        raise ValueError(f"export {export_id} is {export['status']}; only an expired one is renewed")
    export.update(status="ready", download_until=_later(14))
    return _shown_export(db, export)


def cancel_export(db: Database, export_id: str) -> dict[str, Any]:
    """Cancel a queued export, which gives it back to the month's quota.

    export_id: a queued export.
    """
    export = _one(db, "exports", export_id)
    if export["status"] != "queued":
        raise ValueError(f"export {export_id} is {export['status']}; only a queued one is cancelled")
    export["status"] = "cancelled"
    return {**_shown_export(db, export), "exports_left": _left(db, export["customer_id"])}


def list_tickets(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """A customer's tickets, with problem, state and when an answer is due.

    customer_id: whose.
    """
    return [dict(each) for each in _own(db, "tickets", customer_id)]


def get_ticket(db: Database, ticket_id: str) -> dict[str, Any]:
    """One ticket.

    ticket_id: such as TI-48213.
    """
    return dict(_one(db, "tickets", ticket_id))


def open_ticket(
    db: Database,
    about_id: str,
    problem: Literal["late delivery", "wrong values", "missing values", "unclear wording", "false alarm"],
) -> dict[str, Any]:
    """Open a ticket about a report, an export or an alert that has none open. It is answered within five days.

    about_id: such as RE-48213, EX-48213 or AL-48213.
    problem: what is wrong.
    """
    table = {"RE": "reports", "EX": "exports", "AL": "alerts"}.get(about_id[:2])
    if table is None or problem not in (
        "late delivery",
        "wrong values",
        "missing values",
        "unclear wording",
        "false alarm",
    ):
        raise ValueError("a ticket is about a report, an export or an alert, with one of the problems listed")
    subject = _one(db, table, about_id)
    if any(each["about_id"] == about_id and each["status"] == "open" for each in db["tickets"].values()):
        raise ValueError(f"a ticket about {about_id} is open already; it can be escalated")
    key = _new_key(db, "tickets", "TI")
    db["tickets"][key] = {
        "ticket_id": key,
        "customer_id": subject["customer_id"],
        "about_id": about_id,
        "problem": problem,
        "opened_on": _today().isoformat(),
        "priority": "normal",
        "status": "open",
        "answer_due": _later(5),
        "rating": None,
    }
    return dict(db["tickets"][key])


def escalate_ticket(db: Database, ticket_id: str) -> dict[str, Any]:
    """Raise an open ticket of two days or older to high priority: it is answered within two days from today.

    ticket_id: an open ticket.
    """
    ticket = _one(db, "tickets", ticket_id)
    if ticket["status"] != "open" or ticket["priority"] == "high":
        raise ValueError(f"{ticket_id} is {ticket['status']}, {ticket['priority']}; an open normal one is escalated")
    if (_today() - _day(ticket["opened_on"])).days < 2:
        raise ValueError("a ticket is escalated after two days")
    ticket.update(priority="high", answer_due=_later(2))
    return dict(ticket)


def close_ticket(db: Database, ticket_id: str, rating: int) -> dict[str, Any]:
    """Close a ticket that was answered, with the customer's rating of the answer.

    ticket_id: an answered ticket.
    rating: 1 (poor) to 5 (excellent).
    """
    ticket = _one(db, "tickets", ticket_id)
    if ticket["status"] != "answered":
        raise ValueError(f"{ticket_id} is {ticket['status']}; only an answered ticket is closed")
    if not 1 <= rating <= 5:
        raise ValueError("a rating is 1 to 5")
    ticket.update(status="closed", rating=rating)
    return dict(ticket)
