"""The booking desk's rules as predicates on calls (docs/environment-format.md)."""

from datetime import datetime, timedelta
from typing import Any

Record = dict[str, Any]
Database = dict[str, dict[str, Record]]


def _added(table: str, before: Database, after: Database) -> list[Record]:
    return [record for key, record in after[table].items() if key not in before[table]]


def _changed(table: str, before: Database, after: Database) -> list[tuple[Record, Record]]:
    """Records that were there before, as they were and as they are."""
    both = ((old, after[table].get(key, old)) for key, old in before[table].items())
    return [(old, new) for old, new in both if old != new]


def _start(reservation: Record) -> datetime:
    return datetime.fromisoformat(f"{reservation['date']}T{reservation['time']}")


def what_has_ended_stays_as_it_is(before: Database, call: Record, after: Database) -> str | None:
    """Only orders that are `placed` can change; what is cancelled or over is not touched."""
    for table, state in (("reservations", "confirmed"), ("orders", "placed")):
        for old, _ in _changed(table, before, after):
            if old["status"] != state:
                return f"a record of {table} was {old['status']} and changed"
    return None


def no_change_after_the_free_hours(before: Database, call: Record, after: Database) -> str | None:
    """Once cancelling is no longer free, a reservation can be kept or cancelled, not changed."""
    for old, new in _changed("reservations", before, after):
        hours = after["restaurants"][old["restaurant_id"]]["free_cancel_hours"]
        moved = any(old[field] != new[field] for field in ("table_id", "date", "time", "party_size"))
        if moved and datetime.now() > _start(old) - timedelta(hours=hours):
            return f"{old['reservation_id']} was less than {hours} hours away"
    return None


def the_table_suits_the_party(before: Database, call: Record, after: Database) -> str | None:
    """A reservation moves only between tables of the same house, and a party gets a table that suits it."""
    for new in after["reservations"].values():
        if new is before["reservations"].get(new["reservation_id"]) or new["status"] != "confirmed":
            continue
        table = after["dining_tables"][new["table_id"]]
        if table["restaurant_id"] != new["restaurant_id"]:
            return f"{new['table_id']} is at another house"
        if not table["smallest_party"] <= new["party_size"] <= table["seats"]:
            return f"{new['table_id']} is not for {new['party_size']}"
    return None


def a_deposit_from_the_size_that_the_house_sets(before: Database, call: Record, after: Database) -> str | None:
    """From the party size that the house sets, a deposit a head is due; gold guests pay half, platinum guests none."""
    for new in _added("reservations", before, after):
        house, guest = after["restaurants"][new["restaurant_id"]], after["guests"][new["guest_id"]]
        share = {"gold": 0.5, "platinum": 0.0}.get(guest["tier"], 1.0)
        heads = new["party_size"] if new["party_size"] >= house["deposit_from_party"] else 0
        if abs(new["deposit"] - heads * house["deposit_per_head"] * share) > 0.005:
            return f"the deposit of {new['reservation_id']} is {new['deposit']}"
    return None


def one_to_sixty_days_ahead(before: Database, call: Record, after: Database) -> str | None:
    """Parties sit down at least one hour and at most 60 days ahead, on days when the house is open."""
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    for new in _added("reservations", before, after):
        ahead = _start(new) - datetime.now()
        if not timedelta(hours=1) <= ahead <= timedelta(days=61):
            return f"{new['reservation_id']} is {ahead} ahead"
        if days[_start(new).weekday()] in after["restaurants"][new["restaurant_id"]]["closed_on"]:
            return f"the house is closed on {new['date']}"
    return None


def nothing_that_the_guest_is_allergic_to(before: Database, call: Record, after: Database) -> str | None:
    """No dish that contains an allergen on the guest's profile, on an order or in a set menu."""
    ordered = [(line["guest_id"], line["dish_id"]) for line in _added("order_lines", before, after)]
    for old, new in _changed("reservations", before, after):
        if new["set_menu_id"] and new["set_menu_id"] != old["set_menu_id"]:
            ordered += [(new["guest_id"], dish) for dish in after["set_menus"][new["set_menu_id"]]["dish_ids"]]
    for guest_id, dish_id in ordered:
        found = set(after["guests"][guest_id]["allergies"]) & set(after["dishes"][dish_id]["allergens"])
        if found:
            return f"{dish_id} contains {sorted(found)}"
    return None


def an_order_is_of_one_house(before: Database, call: Record, after: Database) -> str | None:
    """Dishes of one house make one order; some dishes are served only at the table."""
    for line in _added("order_lines", before, after):
        dish, order = after["dishes"][line["dish_id"]], after["orders"][line["order_id"]]
        if dish["restaurant_id"] != order["restaurant_id"] or not dish["takeaway"]:
            return f"{dish['dish_id']} cannot be taken away with {order['order_id']}"
    return None


def a_voucher_fits_its_order(before: Database, call: Record, after: Database) -> str | None:
    """One voucher, in the order's currency, valid, and the order comes to the voucher's smallest order."""
    for old, new in _changed("orders", before, after):
        if new["voucher_id"] and not old["voucher_id"]:
            voucher = before["vouchers"][new["voucher_id"]]
            currency = after["restaurants"][new["restaurant_id"]]["currency"]
            if voucher["status"] != "active" or voucher["valid_until"] < datetime.now().date().isoformat():
                return f"{voucher['voucher_id']} is {voucher['status']}, valid until {voucher['valid_until']}"
            if voucher["currency"] != currency or new["subtotal"] < voucher["smallest_order"]:
                return f"{voucher['voucher_id']} does not fit {new['order_id']}"
    return None


def seats_that_are_left(before: Database, call: Record, after: Database) -> str | None:
    """An evening's tickets: at most eight seats at a time, while there are seats left."""
    for ticket in _added("tickets", before, after):
        if ticket["seats"] > 8 or after["events"][ticket["event_id"]]["seats_left"] < 0:
            return f"{ticket['seats']} seats for {ticket['event_id']}"
    return None
