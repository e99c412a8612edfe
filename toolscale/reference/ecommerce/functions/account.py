"""The customer's account: addresses, vouchers and points."""

from datetime import timedelta
from typing import Any, Literal

from ._shared import Database, _find, _new_key, _own, _today, _written

WRITES = {"set_default_address", "convert_points"}

POINTS_A_EURO = 100
LEAST_POINTS = 500


def get_customer(db: Database, customer_id: str) -> dict[str, Any]:
    """A customer: name, contact, tier, points, store credit in EUR, and the addresses with their labels.

    customer_id: such as CU-48213.
    """
    customer = _find(db, "customers", customer_id)
    shown = ("address_id", "label", "street", "postcode", "city", "country")
    addresses = [{field: each[field] for field in shown} for each in _own(db, "addresses", customer_id)]
    return {**customer, "addresses": addresses}


def set_default_address(db: Database, customer_id: str, label: Literal["home", "work"]) -> dict[str, Any]:
    """Choose the address that new orders go to unless another is named.

    customer_id: whose.
    label: which address.
    """
    customer = _find(db, "customers", customer_id)
    _written(label, ("home", "work"), "label")
    if customer["default_address"] == label:
        raise ValueError(f"{label} is the default address already")
    customer["default_address"] = label
    address = next(each for each in _own(db, "addresses", customer_id) if each["label"] == label)
    return {"label": label, "street": address["street"], "postcode": address["postcode"], "city": address["city"]}


def list_vouchers(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """A customer's vouchers that are open and still valid, with their conditions.

    customer_id: whose.
    """
    today = _today().isoformat()
    return [
        dict(each)
        for each in _own(db, "vouchers", customer_id)
        if each["status"] == "open" and each["valid_until"] >= today
    ]


def convert_points(db: Database, customer_id: str, points: int) -> dict[str, Any]:
    """Turn points into a voucher without minimum spend, 100 points a euro, valid for a year.

    customer_id: whose points.
    points: whole hundreds, at least 500.
    """
    customer = _find(db, "customers", customer_id)
    if points < LEAST_POINTS or points % POINTS_A_EURO:
        raise ValueError(f"points are converted in whole hundreds, at least {LEAST_POINTS}")
    if points > customer["points"]:
        raise ValueError(f"{customer_id} has only {customer['points']} points")
    customer["points"] -= points
    key = _new_key("VO")
    db["vouchers"][key] = {
        "voucher_code": key,
        "customer_id": customer_id,
        "kind": "amount",
        "value": points / POINTS_A_EURO,
        "minimum_spend": 0.0,
        "valid_until": (_today() + timedelta(days=365)).isoformat(),
        "status": "open",
    }
    return {**db["vouchers"][key], "points_left": customer["points"]}
