"""Guests: their profiles and allergies, their points and vouchers."""

import uuid
from datetime import datetime, timedelta
from typing import Any, Literal

from ._shared import ALLERGENS, Database, _row
from .orders import _open_order

WRITES = {"note_allergy", "exchange_points", "redeem_voucher"}

REWARDS = {"small": (400, 5.0), "medium": (1000, 15.0), "large": (2200, 36.0)}
SCALE = {"EUR": 1, "GBP": 1, "CHF": 1, "PLN": 4, "DKK": 8}


def get_guest(db: Database, guest_id: str) -> dict[str, Any]:
    """A guest's profile: diet, allergies, tier, points, and the rewards that the points can be exchanged for.

    guest_id: The guest's number, such as GST-10482.
    """
    guest = _row(db, "guests", guest_id)
    rewards = [{"reward": name, "points": cost} for name, (cost, _) in REWARDS.items() if cost <= guest["points"]]
    return {**guest, "rewards": rewards}


def note_allergy(
    db: Database,
    guest_id: str,
    allergen: Literal[
        "celery",
        "crustaceans",
        "eggs",
        "fish",
        "gluten",
        "lupin",
        "milk",
        "molluscs",
        "mustard",
        "nuts",
        "peanuts",
        "sesame",
        "soybeans",
        "sulphites",
    ],
) -> dict[str, Any]:
    """Note an allergy on a guest's profile. From then on no dish that contains it can be ordered for the guest.

    guest_id: The guest's number.
    allergen: The allergen.
    """
    guest = _row(db, "guests", guest_id)
    if allergen not in ALLERGENS:
        raise ValueError(f"`{allergen}` is not one of the declared allergens: {', '.join(ALLERGENS)}")
    if allergen in guest["allergies"]:
        raise ValueError(f"{allergen} is on the profile already")
    guest["allergies"] = sorted([*guest["allergies"], allergen])
    return dict(guest)


def list_vouchers(db: Database, guest_id: str) -> list[dict[str, Any]]:
    """A guest's vouchers that can still be redeemed.

    guest_id: The guest's number.
    """
    _row(db, "guests", guest_id)
    today = datetime.now().date().isoformat()
    return [
        dict(row)
        for row in db["vouchers"].values()
        if row["guest_id"] == guest_id and row["status"] == "active" and row["valid_until"] >= today
    ]


def get_voucher(db: Database, voucher_id: str) -> dict[str, Any]:
    """One voucher: its amount, the order it needs, until when it is valid, and whether it was redeemed.

    voucher_id: The voucher's id, such as VCH-93AD41.
    """
    return dict(_row(db, "vouchers", voucher_id))


def exchange_points(
    db: Database,
    guest_id: str,
    reward: Literal["small", "medium", "large"],
    currency: Literal["CHF", "DKK", "EUR", "GBP", "PLN"],
) -> dict[str, Any]:
    """Exchange a guest's points for a voucher: small for 400 points, medium for 1000, large for 2200.

    guest_id: The guest's number.
    reward: Which voucher.
    currency: The currency of the houses where it shall be used.
    """
    guest = _row(db, "guests", guest_id)
    if reward not in REWARDS or currency not in SCALE:
        raise ValueError(f"reward is one of {', '.join(REWARDS)}, currency one of {', '.join(SCALE)}")
    cost, amount = REWARDS[reward]
    if guest["points"] < cost:
        raise ValueError(f"a {reward} voucher takes {cost} points, the guest has {guest['points']}")
    guest["points"] -= cost
    voucher_id = f"VCH-{uuid.uuid4().hex[:6].upper()}"
    db["vouchers"][voucher_id] = {
        "voucher_id": voucher_id,
        "guest_id": guest_id,
        "amount": amount * SCALE[currency],
        "currency": currency,
        "smallest_order": 2 * amount * SCALE[currency],
        "valid_until": (datetime.now().date() + timedelta(days=180)).isoformat(),
        "status": "active",
    }
    return dict(db["vouchers"][voucher_id])


def redeem_voucher(db: Database, voucher_id: str, order_id: str) -> dict[str, Any]:
    """Redeem a guest's voucher on one of the guest's orders in the voucher's currency. An order takes one voucher.

    voucher_id: The voucher's id, such as VCH-93AD41.
    order_id: The order's id.
    """
    voucher = _row(db, "vouchers", voucher_id)
    order = _open_order(db, order_id)
    restaurant = _row(db, "restaurants", order["restaurant_id"])
    if voucher["guest_id"] != order["guest_id"]:
        raise ValueError("the voucher is another guest's")
    if voucher["status"] != "active" or voucher["valid_until"] < datetime.now().date().isoformat():
        raise ValueError(f"voucher {voucher_id} is redeemed or has run out")
    if order["voucher_id"]:
        raise ValueError(f"order {order_id} has a voucher already: {order['voucher_id']}")
    if voucher["currency"] != restaurant["currency"]:
        raise ValueError(f"voucher {voucher_id} is in {voucher['currency']}, the order in {restaurant['currency']}")
    if order["total"] < voucher["smallest_order"]:
        raise ValueError(f"the order must come to at least {voucher['smallest_order']:.2f} for voucher {voucher_id}")
    voucher["status"] = "redeemed"
    order["voucher_id"] = voucher_id
    order["voucher_amount"] = voucher["amount"]
    order["total"] = round(order["subtotal"] - order["discount"] - order["voucher_amount"], 2)
    return {**order, "currency": restaurant["currency"]}
