"""Streaming subscriptions: begun, changed, paused, ended."""

from datetime import date, timedelta
from typing import Any, Literal

from ._shared import Database, _find, _new_key, _today

WRITES = {"start_subscription", "change_plan", "pause_subscription", "cancel_subscription"}


def list_plans(db: Database, member_id: str) -> list[dict[str, Any]]:
    """The streaming plans at the prices for a member, the cheapest first.

    member_id: who would subscribe.
    """
    currency = _find(db, "members", member_id, "member")["currency"]
    plans = [dict(plan) for plan in db["plans"].values() if plan["currency"] == currency]
    return sorted(plans, key=lambda plan: plan["monthly_price"])


def get_subscription(db: Database, subscription_id: str) -> dict[str, Any]:
    """A subscription with its plan, its monthly price and its dates.

    subscription_id: from get_member.
    """
    subscription = _find(db, "subscriptions", subscription_id, "subscription")
    plan = db["plans"][subscription["plan_id"]]
    return {**plan, **subscription}


def _active(db: Database, subscription_id: str) -> dict[str, Any]:
    subscription = _find(db, "subscriptions", subscription_id, "subscription")
    if subscription["status"] != "active" or subscription["ends_on"]:
        state = f"ends on {subscription['ends_on']}" if subscription["ends_on"] else f"is {subscription['status']}"
        raise ValueError(f"subscription {subscription_id} {state}; this needs one that runs on")
    return subscription


def start_subscription(db: Database, member_id: str, plan: Literal["basic", "standard", "family"]) -> dict[str, Any]:
    """Begin a streaming subscription today, charged monthly to the card on file, for at least 14 days.

    member_id: who subscribes; a member has one subscription at most.
    plan: which plan.
    """
    member = _find(db, "members", member_id, "member")
    for each in db["subscriptions"].values():
        if each["member_id"] == member_id and each["status"] != "ended":
            raise ValueError(f"the member has subscription {each['subscription_id']}, which is {each['status']}")
    plan_id = f"PL-{plan.upper()}-{member['currency']}"
    chosen = _find(db, "plans", plan_id, "plan")
    key, today = _new_key(db, "subscriptions", "SB"), _today()
    db["subscriptions"][key] = {
        "subscription_id": key,
        "member_id": member_id,
        "plan_id": plan_id,
        "status": "active",
        "started_on": today.isoformat(),
        "minimum_until": (today + timedelta(days=14)).isoformat(),
        "next_billing": (today + timedelta(days=30)).isoformat(),
        "next_plan_id": None,
        "paused_on": None,
        "ends_on": None,
    }
    return {**db["subscriptions"][key], "monthly_price": chosen["monthly_price"], "currency": chosen["currency"]}


def change_plan(db: Database, subscription_id: str, plan: Literal["basic", "standard", "family"]) -> dict[str, Any]:
    """Change the plan of an active subscription. A dearer plan begins at once, and the difference for the days until
    the next billing is charged, a thirtieth of the monthly difference each; a cheaper one begins at the next billing.

    subscription_id: an active subscription.
    plan: the new plan.
    """
    subscription = _active(db, subscription_id)
    old = db["plans"][subscription["plan_id"]]
    new = _find(db, "plans", f"PL-{plan.upper()}-{old['currency']}", "plan")
    if new["plan_id"] in (subscription["plan_id"], subscription["next_plan_id"]):
        raise ValueError(f"the subscription has the {plan} plan already, or changes to it at the next billing")
    days = (date.fromisoformat(subscription["next_billing"]) - _today()).days
    more = new["monthly_price"] - old["monthly_price"]
    charged = round(more * days / 30, 2) if more > 0 else 0.0
    if more > 0:
        subscription["plan_id"], subscription["next_plan_id"] = new["plan_id"], None
    else:
        subscription["next_plan_id"] = new["plan_id"]
    return {
        "subscription_id": subscription_id,
        "plan": plan,
        "begins_on": _today().isoformat() if more > 0 else subscription["next_billing"],
        "monthly_price": new["monthly_price"],
        "charged_now": charged,
        "currency": new["currency"],
    }


def pause_subscription(db: Database, subscription_id: str, months: int) -> dict[str, Any]:
    """Pause an active subscription for one to three months of 30 days; the next billing moves by as much. A
    subscription is paused only after its minimum term.

    subscription_id: an active subscription.
    months: how long, 1 to 3.
    """
    subscription = _active(db, subscription_id)
    if not 1 <= months <= 3:
        raise ValueError("a subscription pauses for one to three months")
    today = _today().isoformat()
    if today < subscription["minimum_until"]:
        raise ValueError(f"the minimum term of this subscription lasts until {subscription['minimum_until']}")
    moved = date.fromisoformat(subscription["next_billing"]) + timedelta(days=30 * months)
    subscription["status"], subscription["paused_on"] = "paused", today
    subscription["next_billing"] = moved.isoformat()
    return dict(subscription)


def cancel_subscription(db: Database, subscription_id: str) -> dict[str, Any]:
    """End a subscription at its next billing, at the earliest after its minimum term.

    subscription_id: an active subscription.
    """
    subscription = _active(db, subscription_id)
    if _today().isoformat() < subscription["minimum_until"]:
        raise ValueError(f"the minimum term of this subscription lasts until {subscription['minimum_until']}")
    subscription["ends_on"] = subscription["next_billing"]
    return dict(subscription)
