"""The membership: its plan, pausing it, ending it."""

from datetime import date, timedelta
from typing import Any, Literal

from ._shared import Database, _day, _find, _now, _today

WRITES = {"change_plan", "freeze_membership", "end_membership"}

NOTICE_DAYS = 30


def _earliest_end(member: dict[str, Any]) -> str:
    notice = (_today() + timedelta(days=NOTICE_DAYS)).isoformat()
    return str(max(notice, member["contract_until"]))


def _running(member: dict[str, Any]) -> None:
    if member["ends_on"] is not None:
        raise ValueError(f"the membership has been ended for {member['ends_on']}")
    if member["next_plan_id"] is not None:
        raise ValueError("a change of plan is entered for next month; nothing more can be changed before it")
    if member["frozen_until"] is not None and member["frozen_until"] >= _now()[:10]:
        raise ValueError(f"a freeze is entered until {member['frozen_until']}; nothing can be changed before its end")


def get_member(db: Database, member_id: str) -> dict[str, Any]:
    """A member's account: plan, contract, credit, guest passes, home club and injuries that are not cleared.

    member_id: such as SM-10234.
    """
    member = _find(db, "members", member_id, "member")
    plan, club = db["plans"][member["plan_id"]], db["clubs"][member["home_club"]]
    return {
        **member,
        "plan": plan["name"],
        "monthly_fee": plan["monthly_fee"],
        "home_club_name": club["name"],
        "home_club_city": club["city"],
        "home_club_phone": club["desk_phone"],
        "freeze_days_left": max(0, plan["freeze_days_a_year"] - member["freeze_days_used"]),
        "earliest_end": _earliest_end(member),
        "open_injuries": [
            dict(each)
            for each in db["injuries"].values()
            if each["member_id"] == member_id and each["status"] == "open"
        ],
    }


def list_plans(db: Database) -> list[dict[str, Any]]:
    """All membership plans: monthly fee in EUR, minimum term, court discount, whether classes are included."""
    return [dict(each) for each in db["plans"].values()]


def change_plan(db: Database, member_id: str, plan_id: str) -> dict[str, Any]:
    """Change a member's plan from the first of next month; its minimum term starts then. A cheaper plan is possible
    only when the present term is over by then.

    member_id: whose membership.
    plan_id: from list_plans.
    """
    member, plan = _find(db, "members", member_id, "member"), _find(db, "plans", plan_id, "plan")
    _running(member)
    if plan_id == member["plan_id"]:
        raise ValueError(f"{plan['name']} is the plan already")
    now = db["plans"][member["plan_id"]]
    start = (_today().replace(day=1) + timedelta(days=32)).replace(day=1)
    if plan["monthly_fee"] < now["monthly_fee"] and member["contract_until"] >= start.isoformat():
        raise ValueError(f"a cheaper plan is possible after {member['contract_until']}, when the term is over")
    months = start.year * 12 + start.month - 1 + plan["minimum_months"]
    until = (date(months // 12, months % 12 + 1, 1) - timedelta(days=1)).isoformat()
    member.update(next_plan_id=plan_id, contract_until=until)
    fee = {"old_fee": now["monthly_fee"], "new_fee": plan["monthly_fee"]}
    return {"plan": plan["name"], "from": start.isoformat(), "contract_until": until, **fee}


def freeze_membership(db: Database, member_id: str, first_day: str, days: int) -> dict[str, Any]:
    """Freeze a membership: no fee, no use; the contract runs on for as many days longer, and never ends within it.

    member_id: whose membership.
    first_day: YYYY-MM-DD, from tomorrow to 30 days ahead.
    days: 14 or more, as far as the plan's days of this year are not used up.
    """
    member, start = _find(db, "members", member_id, "member"), _day(first_day)
    _running(member)
    left = db["plans"][member["plan_id"]]["freeze_days_a_year"] - member["freeze_days_used"]
    if not 14 <= days <= left:
        raise ValueError(f"a freeze takes 14 days or more, and {max(0, left)} days are left this year")
    if not 1 <= (start - _today()).days <= 30:
        raise ValueError("a freeze starts between tomorrow and 30 days ahead")
    last = (start + timedelta(days=days - 1)).isoformat()
    taken = [
        each["booking_id"]
        for each in db["court_bookings"].values()
        if each["member_id"] == member_id and each["status"] == "confirmed" and first_day <= each["starts"][:10] <= last
    ]
    if taken:
        raise ValueError(f"courts are booked in that time, cancel them first: {', '.join(sorted(taken))}")
    until = max(last, (_day(member["contract_until"]) + timedelta(days=days)).isoformat())
    used = member["freeze_days_used"] + days
    member.update(frozen_from=first_day, frozen_until=last, freeze_days_used=used, contract_until=until)
    return {"frozen_from": first_day, "frozen_until": last, "contract_until": until, "freeze_days_left": left - days}


def end_membership(
    db: Database, member_id: str, last_day: str, reason: Literal["moving", "cost", "health", "no_time"]
) -> dict[str, Any]:
    """End a membership on a day that is not before the contract's term and not within 30 days.

    member_id: whose membership.
    last_day: YYYY-MM-DD; get_member tells the earliest.
    reason: why the member leaves.
    """
    member = _find(db, "members", member_id, "member")
    _running(member)
    if reason not in ("moving", "cost", "health", "no_time"):
        raise ValueError("reason must be moving, cost, health or no_time")
    if _day(last_day).isoformat() < _earliest_end(member):
        raise ValueError(f"the membership can end on {_earliest_end(member)} at the earliest")
    member.update(ends_on=last_day, end_reason=reason)
    return {"member_id": member_id, "ends_on": last_day, "credit": member["credit"]}
