"""Equipment for hire."""

from datetime import timedelta
from typing import Any, Literal

from ._shared import Database, _day, _find, _may_use, _new_key, _today

WRITES = {"hire_equipment", "extend_hire", "cancel_hire"}

MOST_DAYS = 14


def _pieces_free(db: Database, equipment: dict[str, Any], first_day: str, days: int, apart_from: str = "") -> int:
    first = _day(first_day)
    last = (first + timedelta(days=days - 1)).isoformat()
    taken = 0
    for hire in db["hires"].values():
        if hire["equipment_id"] != equipment["equipment_id"] or hire["hire_id"] == apart_from:
            continue
        ends = (_day(hire["first_day"]) + timedelta(days=hire["days"] - 1)).isoformat()
        taken += hire["status"] in ("reserved", "out") and hire["first_day"] <= last and first_day <= ends
    return int(equipment["stock"]) - taken


def _shown_hire(db: Database, hire: dict[str, Any]) -> dict[str, Any]:
    equipment = db["equipment"][hire["equipment_id"]]
    last = _day(hire["first_day"]) + timedelta(days=hire["days"] - 1)
    details = {"name": equipment["name"], "kind": equipment["kind"], "deposit": equipment["deposit"]}
    return {**hire, **details, "last_day": last.isoformat()}


def search_equipment(
    db: Database,
    club_id: str,
    kind: Literal["tennis racket", "padel racket", "ball machine", "badminton set", "squash racket", "touring bicycle"],
    first_day: str,
    days: int,
) -> list[dict[str, Any]]:
    """Equipment of a kind that a club has free for some days, with rate and deposit in EUR.

    club_id: from find_club, or a member's home club.
    kind: what is needed.
    first_day: YYYY-MM-DD.
    days: 1 to 14.
    """
    _find(db, "clubs", club_id, "club")
    found = []
    for each in db["equipment"].values():
        free = _pieces_free(db, each, first_day, days)
        if each["club_id"] == club_id and each["kind"] == kind and free > 0:
            found.append({**each, "free": free, "price": round(each["daily_rate"] * days, 2)})
    return sorted(found, key=lambda each: (each["price"], each["equipment_id"]))


def hire_equipment(db: Database, member_id: str, equipment_id: str, first_day: str, days: int) -> dict[str, Any]:
    """Reserve equipment for a member, charged to the card on file; the deposit is left at the desk.

    member_id: who hires.
    equipment_id: from search_equipment.
    first_day: YYYY-MM-DD, today or within 30 days.
    days: 1 to 14.
    """
    member, equipment = _find(db, "members", member_id, "member"), _find(db, "equipment", equipment_id, "equipment")
    if not 1 <= days <= MOST_DAYS or not 0 <= (_day(first_day) - _today()).days <= 30:
        raise ValueError(f"a hire takes 1 to {MOST_DAYS} days and starts within the next 30")
    _may_use(member, first_day)
    if _pieces_free(db, equipment, first_day, days) < 1:
        raise ValueError(f"all {equipment['stock']} of {equipment['name']} are taken on one of these days")
    key = _new_key("HR")
    db["hires"][key] = {
        "hire_id": key,
        "member_id": member_id,
        "equipment_id": equipment_id,
        "first_day": first_day,
        "days": days,
        "price": round(equipment["daily_rate"] * days, 2),
        "status": "reserved",
    }
    return _shown_hire(db, db["hires"][key])


def list_hires(db: Database, member_id: str) -> list[dict[str, Any]]:
    """A member's hires that are reserved or out, in order of time.

    member_id: whose hires.
    """
    _find(db, "members", member_id, "member")
    mine = [e for e in db["hires"].values() if e["member_id"] == member_id and e["status"] in ("reserved", "out")]
    return sorted((_shown_hire(db, each) for each in mine), key=lambda each: (each["first_day"], each["hire_id"]))


def get_hire(db: Database, hire_id: str) -> dict[str, Any]:
    """A hire in full: equipment, days, price, deposit, last day, and what a further day costs.

    hire_id: such as HR-4F82A1.
    """
    hire = _find(db, "hires", hire_id, "hire")
    return {**_shown_hire(db, hire), "daily_rate": db["equipment"][hire["equipment_id"]]["daily_rate"]}


def extend_hire(db: Database, hire_id: str, days: int) -> dict[str, Any]:
    """Keep equipment for more days, 14 in all at the most, if nobody else has reserved it.

    hire_id: a hire that is reserved or out.
    days: how many more.
    """
    hire = _find(db, "hires", hire_id, "hire")
    equipment, total = db["equipment"][hire["equipment_id"]], hire["days"] + days
    if hire["status"] not in ("reserved", "out"):
        raise ValueError(f"{hire_id} is {hire['status']}")
    if days < 1 or total > MOST_DAYS:
        raise ValueError(f"a hire takes {MOST_DAYS} days at the most; {MOST_DAYS - hire['days']} more are possible")
    if _pieces_free(db, equipment, hire["first_day"], total, hire_id) < 1:
        raise ValueError(f"{equipment['name']} is reserved by somebody else after {_shown_hire(db, hire)['last_day']}")
    charge = round(equipment["daily_rate"] * days, 2)
    hire.update(days=total, price=round(hire["price"] + charge, 2))
    return {**_shown_hire(db, hire), "charged": charge}


def cancel_hire(db: Database, hire_id: str) -> dict[str, Any]:
    """Cancel a reserved hire until the day before it starts; the price goes back to the card.

    hire_id: a reserved hire.
    """
    hire = _find(db, "hires", hire_id, "hire")
    if hire["status"] != "reserved" or _day(hire["first_day"]) <= _today():
        raise ValueError(f"{hire_id} is {hire['status']} and starts on {hire['first_day']}; it is too late to cancel")
    hire["status"] = "cancelled"
    return {**_shown_hire(db, hire), "refund": hire["price"]}
