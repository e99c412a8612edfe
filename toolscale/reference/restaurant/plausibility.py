"""What a restaurateur would find odd in a set of entries, and how to make an entry odd.

The rules look at the entries alone: what an entry refers to may be missing from the set, and then is not judged.
"""

from collections.abc import Iterator
from datetime import date, datetime
from itertools import combinations
from random import Random
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.moments import NOW, day
from toolscale.reference.restaurant.functions._shared import WEEKDAYS
from toolscale.reference.restaurant.functions.guests import SCALE

Record = dict[str, Any]
Tables = dict[str, dict[str, Record]]

_OF_ANIMALS = {"crustaceans", "eggs", "fish", "milk", "molluscs"}
_OF_THE_SEA = {"crustaceans", "fish", "molluscs"}


def implausible(entries: Database) -> list[str]:
    """One sentence for each oddity, naming the entry; empty if all is natural."""
    tables: Any = entries
    return [oddity for rule in _RULES for oddity in rule(tables)]


def blemish(entries: Database, rng: Random) -> None:
    """Make one entry odd, in place: still valid by the schema, its references intact, but nobody would believe it."""
    tables: Any = entries
    flaws = [flaw for flaw in _FLAWS if tables.get(flaw[0])]
    if not flaws:
        raise ValueError("none of the entries can be made odd")
    table, field, value = rng.choice(flaws)
    record = tables[table][rng.choice(sorted(tables[table]))]
    record[field] = value(record)


_FLAWS: tuple[tuple[str, str, Any], ...] = (
    ("dishes", "price", lambda dish: round(dish["price"] * 100, 2)),
    ("set_menus", "price_per_head", lambda menu: round(menu["price_per_head"] / 100, 2)),
    ("events", "seats_left", lambda event: event["capacity"] + 9),
    ("guests", "member_since", lambda guest: "2031-06-01"),
    ("reservations", "time", lambda reservation: "04:30"),
    ("reservations", "booked_at", lambda reservation: "2027-12-24T20:00"),
    ("orders", "total", lambda order: round(order["total"] + 40.1, 2)),
    ("tickets", "paid", lambda ticket: round(ticket["paid"] * 100, 2)),
    ("vouchers", "valid_until", lambda voucher: "2001-01-01"),
    ("waitlist", "joined_at", lambda wait: f"{int(wait['date'][:4]) + 1}-05-04T10:00"),
)
"""Table, field, and what a blemish writes there."""


def _rows(tables: Tables, name: str) -> Iterator[tuple[str, Record]]:
    return iter(tables.get(name, {}).items())


def _get(tables: Tables, name: str, key: str | None) -> Record | None:
    return tables.get(name, {}).get(key) if key else None


def _same(amount: float, expected: float) -> bool:
    return abs(amount - expected) < 0.011


def _odd_dishes(tables: Tables) -> Iterator[str]:
    for key, dish in _rows(tables, "dishes"):
        house = _get(tables, "restaurants", dish["restaurant_id"])
        scale = SCALE[house["currency"]] if house else 1.0
        most = 90 * scale if house else 90 * max(SCALE.values())
        if not 2 * scale <= dish["price"] <= most:
            yield f"dish {key} costs {dish['price']}, which no menu says"
        labels, allergens = set(dish["labels"]), set(dish["allergens"])
        if "vegan" in labels and allergens & _OF_ANIMALS:
            yield f"dish {key} is called vegan and contains {sorted(allergens & _OF_ANIMALS)}"
        if "vegetarian" in labels and allergens & _OF_THE_SEA:
            yield f"dish {key} is called vegetarian and contains {sorted(allergens & _OF_THE_SEA)}"
        if "vegan" in labels and "vegetarian" not in labels:
            yield f"dish {key} is called vegan but not vegetarian"


def _odd_menus(tables: Tables) -> Iterator[str]:
    for key, menu in _rows(tables, "set_menus"):
        dishes = [dish for each in menu["dish_ids"] if (dish := _get(tables, "dishes", each))]
        if any(dish["restaurant_id"] != menu["restaurant_id"] for dish in dishes):
            yield f"set menu {key} has a dish of another house"
        separately = sum(dish["price"] for dish in dishes)
        if len(dishes) == len(menu["dish_ids"]) and not 0.5 * separately <= menu["price_per_head"] <= separately:
            yield f"set menu {key} costs {menu['price_per_head']}, its dishes {separately:.2f}"


def _odd_tables(tables: Tables) -> Iterator[str]:
    for key, table in _rows(tables, "dining_tables"):
        if table["smallest_party"] > table["seats"]:
            yield f"table {key} seats fewer than its smallest party"
    for key, house in _rows(tables, "restaurants"):
        if house["opens"] >= house["last_seating"]:
            yield f"restaurant {key} opens after its last seating"
        if house["late_fee_per_head"] > house["deposit_per_head"]:
            yield f"restaurant {key} charges a late fee above its deposit"


def _odd_events(tables: Tables) -> Iterator[str]:
    for key, event in _rows(tables, "events"):
        if event["seats_left"] > event["capacity"]:
            yield f"event {key} has more seats left than it has"
        yield from _closed(tables, f"event {key}", event["restaurant_id"], event["date"], event["time"])


def _odd_guests(tables: Tables) -> Iterator[str]:
    for key, guest in _rows(tables, "guests"):
        if not "1990-01-01" <= guest["member_since"] <= day(0):
            yield f"guest {key} became a member on {guest['member_since']}"


def _odd_reservations(tables: Tables) -> Iterator[str]:
    for key, row in _rows(tables, "reservations"):
        name = f"reservation {key}"
        starts = f"{row['date']}T{row['time']}"
        yield from _closed(tables, name, row["restaurant_id"], row["date"], row["time"])
        table = _get(tables, "dining_tables", row["table_id"])
        if table and not table["smallest_party"] <= row["party_size"] <= table["seats"]:
            yield f"{name}: a party of {row['party_size']} at a table for {table['seats']}"
        menu = _get(tables, "set_menus", row["set_menu_id"])
        for other in (table, menu):
            if other and other["restaurant_id"] != row["restaurant_id"]:
                yield f"{name}: its table or set menu is at another house"
        if not row["booked_at"] <= min(starts, NOW):
            yield f"{name} was booked at {row['booked_at']}, after the meal or in the future"
        if (row["status"] == "confirmed") != (starts > NOW) and row["status"] != "cancelled":
            yield f"{name} on {row['date']} is {row['status']}"
        if row["changed_at"] and not row["booked_at"] <= row["changed_at"] <= NOW:
            yield f"{name} was changed at {row['changed_at']}, before it was booked or in the future"
        if (row["status"] in ("confirmed", "completed")) != (row["refund"] is None):
            yield f"{name} is {row['status']}, which does not go with its refund"


def _double_bookings(tables: Tables) -> Iterator[str]:
    held = [row for _, row in _rows(tables, "reservations") if row["status"] in ("confirmed", "completed")]
    for one, other in combinations(held, 2):
        starts = [datetime.fromisoformat(f"{row['date']}T{row['time']}") for row in (one, other)]
        shared = [field for field in ("table_id", "guest_id") if one[field] == other[field]]
        if shared and abs(starts[0] - starts[1]).total_seconds() < 90 * 60:
            yield f"reservations {one['reservation_id']} and {other['reservation_id']} overlap and share {shared[0]}"


def _odd_orders(tables: Tables) -> Iterator[str]:
    for key, order in _rows(tables, "orders"):
        lines = [line for _, line in _rows(tables, "order_lines") if line["order_id"] == key]
        amount = sum(line["quantity"] * line["unit_price"] for line in lines)
        if lines and not _same(order["subtotal"], amount):
            yield f"order {key}: its lines come to {amount:.2f}, its subtotal is {order['subtotal']}"
        if not _same(order["total"], order["subtotal"] - order["discount"] - order["voucher_amount"]):
            yield f"order {key}: the total does not add up"
        if order["status"] in ("preparing", "ready") and order["pickup_date"] != day(0):
            yield f"order {key} is {order['status']}, but not for today"
        if order["discount"] > 0.1 * order["subtotal"] + 0.01:
            yield f"order {key}: no tier has such a discount"
        yield from _closed(tables, f"order {key}", order["restaurant_id"], order["pickup_date"], order["pickup_time"])
    for key, line in _rows(tables, "order_lines"):
        dish, guest = _get(tables, "dishes", line["dish_id"]), _get(tables, "guests", line["guest_id"])
        feared = set(dish["allergens"]) & set(guest["allergies"]) if dish and guest else set()
        if feared:
            yield f"order line {key}: the guest is allergic to {sorted(feared)}"


def _odd_tickets(tables: Tables) -> Iterator[str]:
    for key, ticket in _rows(tables, "tickets"):
        event = _get(tables, "events", ticket["event_id"])
        if event and not _same(ticket["paid"], ticket["seats"] * event["price_per_seat"]):
            yield f"ticket {key}: {ticket['seats']} seats do not cost {ticket['paid']}"
        if ticket["status"] == "returned" and not ticket["refunded"]:
            yield f"ticket {key} was given back for nothing"
        if not 10 <= ticket["paid"] / ticket["seats"] <= 1200:
            yield f"ticket {key}: no evening costs {ticket['paid'] / ticket['seats']:.2f} a seat"


def _odd_vouchers(tables: Tables) -> Iterator[str]:
    for key, voucher in _rows(tables, "vouchers"):
        if not 0 < voucher["amount"] <= voucher["smallest_order"]:
            yield f"voucher {key} is worth more than the order it needs"
        if voucher["valid_until"] < "2020-01-01":
            yield f"voucher {key} ran out before there were vouchers"


def _odd_waits(tables: Tables) -> Iterator[str]:
    for key, wait in _rows(tables, "waitlist"):
        if wait["joined_at"] > f"{wait['date']}T{wait['time']}":
            yield f"waiting list {key}: joined after the evening"
        yield from _closed(tables, f"waiting list {key}", wait["restaurant_id"], wait["date"], wait["time"])


_RULES = (
    *(_odd_dishes, _odd_menus, _odd_tables, _odd_events, _odd_guests, _odd_reservations),
    *(_double_bookings, _odd_orders, _odd_tickets, _odd_vouchers, _odd_waits),
)


def _closed(tables: Tables, name: str, restaurant_id: str, day: str, at: str) -> Iterator[str]:
    """An oddity if the house is closed then, or if no house would be open."""
    house = _get(tables, "restaurants", restaurant_id)
    opens, last, closed_on = (
        (house["opens"], house["last_seating"], house["closed_on"]) if house else ("08:00", "23:59", [])
    )
    if not opens <= at <= last or WEEKDAYS[date.fromisoformat(day).weekday()] in closed_on:
        yield f"{name}: the house is closed on {day} at {at}"
