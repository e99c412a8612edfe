"""Injuries, which keep a member from playing until a doctor has cleared them."""

from datetime import timedelta
from typing import Any, Literal

from ._shared import Database, _day, _find, _new_key, _today

WRITES = {"report_injury", "submit_doctors_note"}

WEEKS_OF_REST = {"ankle": 4, "knee": 6, "shoulder": 5, "wrist": 3, "back": 2}


def report_injury(
    db: Database, member_id: str, body_part: Literal["ankle", "knee", "shoulder", "wrist", "back"], happened_on: str
) -> dict[str, Any]:
    """Enter an injury: the member plays no more until a doctor's note, which is accepted after some weeks of rest.

    member_id: who is hurt.
    body_part: what is hurt.
    happened_on: YYYY-MM-DD, in the last 30 days.
    """
    _find(db, "members", member_id, "member")
    if body_part not in WEEKS_OF_REST:
        raise ValueError(f"body_part must be one of {sorted(WEEKS_OF_REST)}")
    if not 0 <= (_today() - _day(happened_on)).days <= 30:
        raise ValueError("injuries of the last 30 days are entered")
    for each in db["injuries"].values():
        if (each["member_id"], each["body_part"], each["status"]) == (member_id, body_part, "open"):
            raise ValueError(f"{each['injury_id']} ({body_part}) is open already")
    key = _new_key("IJ")
    earliest = _day(happened_on) + timedelta(weeks=WEEKS_OF_REST[body_part])
    db["injuries"][key] = {
        "injury_id": key,
        "member_id": member_id,
        "body_part": body_part,
        "happened_on": happened_on,
        "earliest_return": earliest.isoformat(),
        "seen_on": None,
        "status": "open",
    }
    return dict(db["injuries"][key])


def submit_doctors_note(db: Database, injury_id: str, seen_on: str) -> dict[str, Any]:
    """Clear an injury by a doctor's note, dated between the earliest return and today.

    injury_id: an open injury.
    seen_on: YYYY-MM-DD, when the doctor saw the member.
    """
    injury = _find(db, "injuries", injury_id, "injury")
    if injury["status"] != "open":
        raise ValueError(f"{injury_id} is cleared already")
    if not injury["earliest_return"] <= _day(seen_on).isoformat() <= _today().isoformat():
        raise ValueError(f"the note must be dated from {injury['earliest_return']} until today")
    injury.update(status="cleared", seen_on=seen_on)
    others = [
        each
        for each in db["injuries"].values()
        if each["member_id"] == injury["member_id"] and each["status"] == "open"
    ]
    return {**injury, "may_play": not others}
