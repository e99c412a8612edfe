"""Subscriptions: supplies that come again and again, at ten percent off."""

from typing import Any, Literal

from ._shared import Database, Record, _available, _cents, _days_later, _find, _named, _new_key, _own, _today, _written

WRITES = {"start_subscription", "change_subscription", "skip_delivery", "set_subscription_status"}

DISCOUNT_PERCENT = 10
NOTICE_DAYS = 3


def list_subscriptions(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """A customer's subscriptions, with what each delivery costs in EUR.

    customer_id: whose.
    """
    return [_subscription(db, each) for each in _own(db, "subscriptions", customer_id)]


def _subscription(db: Database, each: Record) -> Record:
    price = db["variants"][each["sku"]]["price"] * each["quantity"] * (100 - DISCOUNT_PERCENT) / 100
    return {**each, **_named(db, each["sku"]), "price_a_delivery": _cents(price)}


def start_subscription(db: Database, customer_id: str, sku: str, quantity: int, every_weeks: int) -> dict[str, Any]:
    """Have supplies delivered regularly, the first time in a week. Pantry and care products only, one subscription a
    variant.

    customer_id: for whom.
    sku: of what.
    quantity: pieces a delivery, 1 to 10.
    every_weeks: weeks between deliveries, 2 to 12.
    """
    variant = _available(db, sku, max(quantity, 1))
    if not db["products"][variant["product_id"]]["subscribable"]:
        raise ValueError("only pantry and care products can be subscribed to")
    _checked(quantity, every_weeks)
    if any(each["sku"] == sku and each["status"] != "ended" for each in _own(db, "subscriptions", customer_id)):
        raise ValueError(f"{customer_id} is subscribed to {sku} already")
    key = _new_key("SB")
    db["subscriptions"][key] = {
        "subscription_id": key,
        "customer_id": customer_id,
        "sku": sku,
        "quantity": quantity,
        "every_weeks": every_weeks,
        "next_on": _days_later(_today().isoformat(), 7),
        "status": "active",
    }
    return _subscription(db, db["subscriptions"][key])


def _checked(quantity: int, every_weeks: int) -> None:
    if not 1 <= quantity <= 10:
        raise ValueError("a delivery holds 1 to 10 pieces")
    if not 2 <= every_weeks <= 12:
        raise ValueError("deliveries come every 2 to 12 weeks")


def _movable(db: Database, subscription_id: str) -> Record:
    """An active subscription whose next delivery is not being packed yet."""
    found = _find(db, "subscriptions", subscription_id)
    if found["status"] != "active":
        raise ValueError(f"{subscription_id} is {found['status']}")
    if found["next_on"] < _days_later(_today().isoformat(), NOTICE_DAYS):
        raise ValueError(f"the delivery of {found['next_on']} is being packed; changes want {NOTICE_DAYS} days")
    return found


def change_subscription(db: Database, subscription_id: str, quantity: int, every_weeks: int) -> dict[str, Any]:
    """Change how much comes how often; the next delivery keeps its day.

    subscription_id: an active subscription.
    quantity: pieces a delivery, 1 to 10.
    every_weeks: weeks between deliveries, 2 to 12.
    """
    found = _movable(db, subscription_id)
    _checked(quantity, every_weeks)
    if (quantity, every_weeks) == (found["quantity"], found["every_weeks"]):
        raise ValueError(f"{subscription_id} is like that already")
    found.update(quantity=quantity, every_weeks=every_weeks)
    return _subscription(db, found)


def skip_delivery(db: Database, subscription_id: str, deliveries: int = 1) -> dict[str, Any]:
    """Leave out the next delivery, or the next two or three.

    subscription_id: an active subscription.
    deliveries: how many, 1 to 3.
    """
    found = _movable(db, subscription_id)
    if not 1 <= deliveries <= 3:
        raise ValueError("1 to 3 deliveries can be left out; pause the subscription for longer")
    found["next_on"] = _days_later(found["next_on"], 7 * found["every_weeks"] * deliveries)
    return _subscription(db, found)


def set_subscription_status(
    db: Database, subscription_id: str, status: Literal["active", "paused", "ended"]
) -> dict[str, Any]:
    """Pause, resume or end a subscription. A resumed one delivers in a week; an ended one cannot come back.

    subscription_id: which.
    status: what it should be.
    """
    _written(status, ("active", "paused", "ended"), "status")
    found = _find(db, "subscriptions", subscription_id)
    if found["status"] in (status, "ended"):
        raise ValueError(f"{subscription_id} is {found['status']} already")
    if found["status"] == "active":
        _movable(db, subscription_id)
    found["status"] = status
    found["next_on"] = _days_later(_today().isoformat(), 7) if status == "active" else None
    return _subscription(db, found)
