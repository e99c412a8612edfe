"""Takeaway orders and their lines."""

import uuid
from typing import Any, Literal

from ._shared import Database, _check_open, _now, _positive, _row
from .menus import _check_allergies

WRITES = {"place_order", "add_to_order", "remove_from_order", "move_pickup", "cancel_order"}

DISCOUNT = {"classic": 0.0, "silver": 0.03, "gold": 0.05, "platinum": 0.1}
PICKUP_DAYS = 14


def _open_order(db: Database, order_id: str) -> dict[str, Any]:
    order = _row(db, "orders", order_id)
    if order["status"] != "placed":
        raise ValueError(f"order {order_id} is {order['status']}: only orders that are `placed` can change")
    return order


def _lines(db: Database, order_id: str) -> list[dict[str, Any]]:
    return [line for line in db["order_lines"].values() if line["order_id"] == order_id]


def _line_id(order_id: str, dish_id: str) -> str:
    return f"LIN-{order_id[4:]}-{dish_id[4:7]}{dish_id[8:]}"


def _add_line(db: Database, order: dict[str, Any], dish: dict[str, Any], quantity: int) -> None:
    line_id = _line_id(order["order_id"], dish["dish_id"])
    if line_id in db["order_lines"]:
        db["order_lines"][line_id]["quantity"] += quantity
    else:
        db["order_lines"][line_id] = {
            "line_id": line_id,
            "order_id": order["order_id"],
            "guest_id": order["guest_id"],
            "dish_id": dish["dish_id"],
            "quantity": quantity,
            "unit_price": dish["price"],
        }


def _add_up(db: Database, order: dict[str, Any]) -> None:
    guest = _row(db, "guests", order["guest_id"])
    lines = _lines(db, order["order_id"])
    order["subtotal"] = round(sum(line["quantity"] * line["unit_price"] for line in lines), 2)
    order["discount"] = round(order["subtotal"] * DISCOUNT[guest["tier"]], 2)
    order["total"] = round(order["subtotal"] - order["discount"] - order["voucher_amount"], 2)


def _order_with_lines(db: Database, order: dict[str, Any]) -> dict[str, Any]:
    dishes = {dish["dish_id"]: dish for dish in db["dishes"].values()}
    currencies = {row["restaurant_id"]: row["currency"] for row in db["restaurants"].values()}
    lines = [
        {
            "dish_id": line["dish_id"],
            "dish": dishes[line["dish_id"]]["name"],
            "course": dishes[line["dish_id"]]["course"],
            "quantity": line["quantity"],
            "unit_price": line["unit_price"],
            "amount": round(line["quantity"] * line["unit_price"], 2),
        }
        for line in _lines(db, order["order_id"])
    ]
    return {**order, "currency": currencies[order["restaurant_id"]], "lines": lines}


def get_order(db: Database, order_id: str) -> dict[str, Any]:
    """One takeaway order with its lines, amounts and currency.

    order_id: The order's id, such as ORD-7B2210.
    """
    return _order_with_lines(db, _row(db, "orders", order_id))


def list_orders(
    db: Database, guest_id: str, status: Literal["placed", "preparing", "ready", "collected", "cancelled"] = "placed"
) -> list[dict[str, Any]]:
    """A guest's takeaway orders in one status, by pick-up; without their lines and amounts.

    guest_id: The guest's number.
    status: `placed` means that the kitchen has not begun.
    """
    _row(db, "guests", guest_id)
    houses = {row["restaurant_id"]: row["name"] for row in db["restaurants"].values()}
    found = [
        {field: row[field] for field in ("order_id", "restaurant_id", "pickup_date", "pickup_time")}
        | {"restaurant": houses[row["restaurant_id"]]}
        for row in db["orders"].values()
        if row["guest_id"] == guest_id and row["status"] == status
    ]
    return sorted(found, key=lambda row: (row["pickup_date"], row["pickup_time"], row["order_id"]))


def place_order(db: Database, guest_id: str, dish_ids: list[str], pickup_date: str, pickup_time: str) -> dict[str, Any]:
    """Order dishes of one restaurant to take away. A dish that is named twice is ordered twice.

    guest_id: The guest's number.
    dish_ids: The dishes' ids, one for each portion.
    pickup_date: The day of pick-up, YYYY-MM-DD, at most two weeks ahead.
    pickup_time: The time of pick-up, HH:MM, on the hour or half hour while the house is open.
    """
    if not isinstance(dish_ids, list) or not 1 <= len(dish_ids) <= 20:
        raise ValueError("an order takes from 1 to 20 portions")
    dishes = [_row(db, "dishes", dish_id) for dish_id in dish_ids]
    restaurant = _row(db, "restaurants", dishes[0]["restaurant_id"])
    for dish in dishes:
        if dish["restaurant_id"] != restaurant["restaurant_id"]:
            raise ValueError("all dishes of an order must come from one restaurant")
        if not dish["takeaway"]:
            raise ValueError(f"{dish['name']} is only served at the table")
    _check_allergies(db, guest_id, dishes)
    _check_open(restaurant, pickup_date, pickup_time, PICKUP_DAYS)
    order_id = f"ORD-{uuid.uuid4().hex[:6].upper()}"
    order = {
        "order_id": order_id,
        "guest_id": guest_id,
        "restaurant_id": restaurant["restaurant_id"],
        "pickup_date": pickup_date,
        "pickup_time": pickup_time,
        "subtotal": 0.0,
        "discount": 0.0,
        "voucher_id": None,
        "voucher_amount": 0.0,
        "total": 0.0,
        "status": "placed",
        "placed_at": _now(),
    }
    db["orders"][order_id] = order
    for dish in dishes:
        _add_line(db, order, dish, 1)
    _add_up(db, order)
    return _order_with_lines(db, order)


def add_to_order(db: Database, order_id: str, dish_id: str, quantity: int) -> dict[str, Any]:
    """Add portions of a dish to an order that the kitchen has not begun.

    order_id: The order's id.
    dish_id: The dish's id; it must be on the menu of the order's restaurant.
    quantity: How many portions.
    """
    order = _open_order(db, order_id)
    dish = _row(db, "dishes", dish_id)
    _positive(quantity, "quantity", 10)
    if dish["restaurant_id"] != order["restaurant_id"]:
        raise ValueError(f"{dish['name']} is not on the menu of the order's restaurant")
    if not dish["takeaway"]:
        raise ValueError(f"{dish['name']} is only served at the table")
    _check_allergies(db, order["guest_id"], [dish])
    _add_line(db, order, dish, quantity)
    _add_up(db, order)
    return _order_with_lines(db, order)


def remove_from_order(db: Database, order_id: str, dish_id: str) -> dict[str, Any]:
    """Take a dish, with all its portions, off an order that the kitchen has not begun. One dish must stay.

    order_id: The order's id.
    dish_id: The dish's id.
    """
    order = _open_order(db, order_id)
    line_id = _line_id(order_id, str(dish_id))
    if line_id not in db["order_lines"] or db["order_lines"][line_id]["dish_id"] != dish_id:
        raise ValueError(f"order {order_id} has no dish `{dish_id}`")
    lines = _lines(db, order_id)
    if len(lines) == 1:
        raise ValueError("that is the order's only dish: cancel the order instead")
    if order["voucher_id"]:
        raise ValueError(f"voucher {order['voucher_id']} is redeemed on order {order_id}: dishes can only be added")
    del db["order_lines"][line_id]
    _add_up(db, order)
    return _order_with_lines(db, order)


def move_pickup(db: Database, order_id: str, pickup_date: str, pickup_time: str) -> dict[str, Any]:
    """Have an order that the kitchen has not begun ready at another day or time.

    order_id: The order's id.
    pickup_date: The day of pick-up, YYYY-MM-DD, at most two weeks ahead; the order's own if it stays.
    pickup_time: The time of pick-up, HH:MM, on the hour or half hour; the order's own if it stays.
    """
    order = _open_order(db, order_id)
    restaurant = _row(db, "restaurants", order["restaurant_id"])
    if (order["pickup_date"], order["pickup_time"]) == (pickup_date, pickup_time):
        raise ValueError(f"order {order_id} is to be ready then already")
    _check_open(restaurant, pickup_date, pickup_time, PICKUP_DAYS)
    order["pickup_date"] = pickup_date
    order["pickup_time"] = pickup_time
    return {**order, "currency": restaurant["currency"]}


def cancel_order(db: Database, order_id: str) -> dict[str, Any]:
    """Cancel a takeaway order that the kitchen has not begun. The total is paid back, a voucher becomes valid again.

    order_id: The order's id.
    """
    order = _open_order(db, order_id)
    if order["voucher_id"]:
        db["vouchers"][order["voucher_id"]]["status"] = "active"
    order["status"] = "cancelled"
    return dict(order)
