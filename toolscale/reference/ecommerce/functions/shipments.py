"""Parcels on their way: tracking, pickup points, lost parcels, complaints."""

from typing import Any, Literal

from ._shared import Database, Record, _days_later, _find, _lines, _new_key, _order, _pay_back, _today, _written

WRITES = {"redirect_parcel", "report_lost", "file_complaint"}

HOLD_DAYS = 7
LOST_AFTER_DAYS = 7
ANSWER_DAYS = 5


def track_parcel(db: Database, order_id: str) -> dict[str, Any]:
    """Where the parcel of a shipped or delivered order is.

    order_id: such as OR-4F82A1.
    """
    return dict(_parcel(db, _order(db, order_id, "shipped", "delivered")))


def _parcel(db: Database, order: Record) -> Record:
    return next(each for each in db["shipments"].values() if each["order_id"] == order["order_id"])


def find_pickup_points(db: Database, city: str) -> list[dict[str, Any]]:
    """The pickup points of a city, with their hours.

    city: its name, in the local language.
    """
    found = [dict(each) for each in db["pickup_points"].values() if each["city"].lower() == city.strip().lower()]
    if not found:
        raise ValueError(f"there is no pickup point in {city}")
    return found


def redirect_parcel(db: Database, order_id: str, point_id: str) -> dict[str, Any]:
    """Send a parcel that is in transit to a pickup point of the same country, once. It waits there for 7 days.

    order_id: a shipped order.
    point_id: where to, from find_pickup_points.
    """
    order, point = _order(db, order_id, "shipped"), _find(db, "pickup_points", point_id)
    parcel = _parcel(db, order)
    if parcel["status"] != "in transit":
        raise ValueError(f"the parcel is {parcel['status']} and cannot be redirected")
    if parcel["point_id"]:
        raise ValueError("the parcel has been redirected once already")
    if point["country"] != db["addresses"][order["address_id"]]["country"]:
        raise ValueError("the pickup point must be in the country of delivery")
    parcel["point_id"] = point_id
    held = _days_later(parcel["expected_on"], HOLD_DAYS)
    shown = {field: point[field] for field in ("name", "street", "closes")}
    return {"order_id": order_id, **shown, "expected_on": parcel["expected_on"], "held_until": held}


def report_lost(db: Database, order_id: str, settle_by: Literal["reshipment", "refund"]) -> dict[str, Any]:
    """Declare a parcel lost that is at least 7 days overdue, and send it again or pay it back to store credit.

    order_id: a shipped order whose parcel is overdue.
    settle_by: what the customer wants instead.
    """
    _written(settle_by, ("reshipment", "refund"), "settle_by")
    order = _order(db, order_id, "shipped")
    parcel, today = _parcel(db, order), _today().isoformat()
    if _days_later(parcel["expected_on"], LOST_AFTER_DAYS) > today:
        raise ValueError(f"it counts as lost from {_days_later(parcel['expected_on'], LOST_AFTER_DAYS)} on")
    if parcel["settled_by"]:
        raise ValueError(f"it was settled by {parcel['settled_by']} already")
    if settle_by == "reshipment":
        for line in _lines(db, order_id):
            if db["variants"][line["sku"]]["stock"] < line["quantity"]:
                raise ValueError(f"{line['sku']} is out of stock; only a refund is possible")
        for line in _lines(db, order_id):
            db["variants"][line["sku"]]["stock"] -= line["quantity"]
    else:
        _pay_back(db, order["customer_id"], order["total"], "store credit")
    parcel.update(status="lost", settled_by=settle_by)
    days = db["zones"][db["customers"][order["customer_id"]]["country"]]["standard_days"]
    return {
        "order_id": order_id,
        "settled_by": settle_by,
        "refund": order["total"] if settle_by == "refund" else 0.0,
        "new_parcel_expected_on": _days_later(today, days + 1) if settle_by == "reshipment" else None,
    }


def file_complaint(
    db: Database,
    order_id: str,
    topic: Literal["damaged packaging", "late delivery", "rude courier", "wrong invoice"],
    wish: Literal["call back", "written answer"],
) -> dict[str, Any]:
    """File a complaint about a shipped or delivered order; one open complaint an order. It is answered in 5 days.

    order_id: what it is about.
    topic: what went wrong.
    wish: how to answer.
    """
    _written(topic, ("damaged packaging", "late delivery", "rude courier", "wrong invoice"), "topic")
    _written(wish, ("call back", "written answer"), "wish")
    order = _order(db, order_id, "shipped", "delivered")
    if any(each["order_id"] == order_id and each["status"] == "open" for each in db["complaints"].values()):
        raise ValueError(f"there is an open complaint about {order_id} already")
    key = _new_key("CM")
    db["complaints"][key] = {
        "complaint_id": key,
        "order_id": order_id,
        "customer_id": order["customer_id"],
        "topic": topic,
        "wish": wish,
        "answer_by": _days_later(_today().isoformat(), ANSWER_DAYS),
        "status": "open",
    }
    return dict(db["complaints"][key])
