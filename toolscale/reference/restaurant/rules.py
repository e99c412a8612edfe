"""The booking desk's rules as predicates on calls (docs/environment-format.md)."""

from datetime import date, datetime, timedelta
from typing import Any

Record = dict[str, Any]
Database = dict[str, dict[str, Record]]

_STATES = {"reservations": "confirmed", "orders": "placed", "tickets": "valid", "waitlist": "waiting"}
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DISCOUNTS = {"classic": 0.0, "silver": 0.03, "gold": 0.05, "platinum": 0.1}
_REWARDS = {"small": 400, "medium": 1000, "large": 2200}


def _added(table: str, before: Database, after: Database) -> list[Record]:
    return [record for key, record in after[table].items() if key not in before[table]]


def _changed(table: str, before: Database, after: Database) -> list[tuple[Record, Record]]:
    """Records that were there before, as they were and as they are."""
    both = ((old, after[table].get(key, old)) for key, old in before[table].items())
    return [(old, new) for old, new in both if old != new]


def _seated(before: Database, after: Database) -> list[Record]:
    """Confirmed reservations that are new, or have another table, time or party than before."""
    moved = [
        new
        for old, new in _changed("reservations", before, after)
        if any(old[field] != new[field] for field in ("table_id", "date", "time", "party_size"))
    ]
    return [*_added("reservations", before, after), *moved]


def _start(record: Record) -> datetime:
    return datetime.fromisoformat(f"{record['date']}T{record['time']}")


def _hours(reservation: Record, state: Database) -> float:
    """For how many hours cancelling is still free; negative: it no longer is."""
    free = timedelta(hours=state["restaurants"][reservation["restaurant_id"]]["free_cancel_hours"])
    return (_start(reservation) - free - datetime.now()).total_seconds() / 3600


def _together(one: Record, other: Record, state: Database) -> bool:
    minutes = state["restaurants"][one["restaurant_id"]]["sitting_minutes"]
    return other["status"] == "confirmed" and abs(_start(one) - _start(other)) < timedelta(minutes=minutes)


def _suitable(party: Record, after: Database) -> list[Record]:
    """Tables of the party's house that suit its size and that nobody else holds then."""
    held = [
        other["table_id"]
        for other in after["reservations"].values()
        if other is not party and other["restaurant_id"] == party["restaurant_id"] and _together(party, other, after)
    ]
    return [
        table
        for table in after["dining_tables"].values()
        if table["restaurant_id"] == party["restaurant_id"]
        and table["smallest_party"] <= party["party_size"] <= table["seats"]
        and table["table_id"] not in held
    ]


def _open_at(house: Record, moment: datetime) -> bool:
    clock = moment.strftime("%H:%M")
    return (
        moment.minute % 30 == 0
        and house["opens"] <= clock <= house["last_seating"]
        and _DAYS[moment.weekday()] not in house["closed_on"]
    )


def a_guests_affairs_are_the_guests_alone(before: Database, call: Record, after: Database) -> str | None:
    """A guest's own reservations, orders, vouchers, tickets and places on lists are the guest's affair alone."""
    tables = ("reservations", "orders", "order_lines", "vouchers", "tickets", "waitlist")
    touched = [new for table in tables for _, new in _changed(table, before, after)]
    touched += [new for table in tables for new in _added(table, before, after)]
    guests = sorted({record["guest_id"] for record in touched})
    return f"one call concerned {guests}" if len(guests) > 1 else None


def what_is_over_stays_as_it_is(before: Database, call: Record, after: Database) -> str | None:
    """Only orders that are `placed` can change; what is cancelled, given back or over is not touched."""
    for table, state in _STATES.items():
        for old, _ in _changed(table, before, after):
            if old["status"] != state:
                return f"a record of {table} was {old['status']} and changed"
    return None


def the_smallest_free_table(before: Database, call: Record, after: Database) -> str | None:
    """A party gets the smallest free table that suits it, or the smallest of the area or access that it asks for."""
    for party in _seated(before, after):
        own, free = after["dining_tables"][party["table_id"]], _suitable(party, after)
        if own not in free:
            return f"{own['table_id']} is taken, at another house, or not for {party['party_size']}"
        alike = [each for each in free if (each["area"], each["step_free"]) == (own["area"], own["step_free"])]
        if min(each["seats"] for each in alike) < own["seats"]:
            return f"a smaller table than {own['table_id']} was free in the same area"
    return None


def within_sixty_days_while_the_house_is_open(before: Database, call: Record, after: Database) -> str | None:
    """Parties sit down on the hour or half hour, while the house is open, one hour to 60 days ahead."""
    for party in [*_seated(before, after), *_added("waitlist", before, after)]:
        ahead = _start(party) - datetime.now()
        if not timedelta(hours=1) <= ahead < timedelta(days=61):
            return f"{party['date']} is {ahead} ahead"
        if not _open_at(after["restaurants"][party["restaurant_id"]], _start(party)):
            return f"the house is closed on {party['date']} at {party['time']}"
    return None


def one_table_at_a_time(before: Database, call: Record, after: Database) -> str | None:
    """A guest holds one table at a time."""
    for party in _seated(before, after):
        for other in after["reservations"].values():
            if other is not party and other["guest_id"] == party["guest_id"] and _together(party, other, after):
                return f"{other['reservation_id']} is at the same time"
    return None


def a_deposit_from_the_size_that_the_house_sets(before: Database, call: Record, after: Database) -> str | None:
    """From the party size that the house sets, a deposit a head is due; gold guests pay half, platinum guests none."""
    for new in _seated(before, after):
        house, guest = after["restaurants"][new["restaurant_id"]], after["guests"][new["guest_id"]]
        share = {"gold": 0.5, "platinum": 0.0}.get(guest["tier"], 1.0)
        heads = new["party_size"] if new["party_size"] >= house["deposit_from_party"] else 0
        if abs(new["deposit"] - heads * house["deposit_per_head"] * share) > 0.006:
            return f"the deposit of {new['reservation_id']} is {new['deposit']}"
    return None


def the_late_fee_and_no_more(before: Database, call: Record, after: Database) -> str | None:
    """Cancelling is free until the house's limit; after it the late fee a head is due, and the deposit's rest comes
    back."""
    for old, new in _changed("reservations", before, after):
        if new["status"] == "cancelled":
            late = after["restaurants"][old["restaurant_id"]]["late_fee_per_head"] if _hours(old, before) < 0 else 0.0
            fee = old["party_size"] * late
            rest = max(0.0, old["deposit"] - fee)
            if abs(new["cancellation_fee"] - fee) > 0.006 or abs(new["refund"] - rest) > 0.006:
                return f"the fee was {new['cancellation_fee']}, the refund {new['refund']}"
    return None


def no_change_after_the_free_hours(before: Database, call: Record, after: Database) -> str | None:
    """A reservation is changed only while cancelling it is free, and stays at its house."""
    if call["name"] == "change_reservation":
        for old, new in _changed("reservations", before, after):
            if _hours(old, before) < 0 or old["restaurant_id"] != new["restaurant_id"]:
                return f"{old['reservation_id']} was too near, or went to another house"
    return None


def changed_once_at_most(before: Database, call: Record, after: Database) -> str | None:
    """A reservation is changed once at most."""
    for old, new in _changed("reservations", before, after):
        if old["changed_at"] and old["changed_at"] != new["changed_at"]:
            return f"{old['reservation_id']} was changed at {old['changed_at']}"
        if call["name"] == "change_reservation" and not new["changed_at"]:
            return f"that {old['reservation_id']} was changed is not noted"
    return None


def waiting_only_where_no_table_suits(before: Database, call: Record, after: Database) -> str | None:
    """The waiting list is for evenings when no table suits; one place a guest, house and day."""
    for new in _added("waitlist", before, after):
        if _suitable(new, after):
            return "a table was free"
        place = (new["guest_id"], new["restaurant_id"], new["date"], "waiting")
        held = [
            each
            for each in after["waitlist"].values()
            if (each["guest_id"], each["restaurant_id"], each["date"], each["status"]) == place
        ]
        if len(held) > 1:
            return f"a second place for {new['date']}"
    return None


def a_set_menu_in_time_and_for_good(before: Database, call: Record, after: Database) -> str | None:
    """A set menu is for the whole party and subject to its smallest party and its notice; once chosen, it stays."""
    for old, new in _changed("reservations", before, after):
        if old["set_menu_id"] and old["set_menu_id"] != new["set_menu_id"]:
            return f"{old['set_menu_id']} was chosen for {old['reservation_id']}"
        menu = after["set_menus"].get(new["set_menu_id"] or "")
        if menu and new["party_size"] < menu["smallest_party"]:
            return f"{menu['set_menu_id']} is for larger parties"
        if menu and not old["set_menu_id"] and datetime.now() > _start(new) - timedelta(hours=menu["notice_hours"]):
            return f"{menu['set_menu_id']} was chosen too late"
    return None


def nothing_that_the_guest_is_allergic_to(before: Database, call: Record, after: Database) -> str | None:
    """No dish that contains an allergen on the guest's profile, on an order or in a set menu."""
    lines = [*_added("order_lines", before, after), *(new for _, new in _changed("order_lines", before, after))]
    ordered = [(line["guest_id"], line["dish_id"]) for line in lines]
    for old, new in _changed("reservations", before, after):
        if new["set_menu_id"] and new["set_menu_id"] != old["set_menu_id"]:
            ordered += [(new["guest_id"], dish) for dish in after["set_menus"][new["set_menu_id"]]["dish_ids"]]
    for guest_id, dish_id in ordered:
        found = set(after["guests"][guest_id]["allergies"]) & set(after["dishes"][dish_id]["allergens"])
        if found:
            return f"{dish_id} contains {sorted(found)}"
    return None


def an_order_is_of_one_house_and_for_soon(before: Database, call: Record, after: Database) -> str | None:
    """Dishes of one house make one order; some are served only at the table. Orders are picked up within two weeks."""
    for line in _added("order_lines", before, after):
        dish, order = after["dishes"][line["dish_id"]], after["orders"][line["order_id"]]
        if dish["restaurant_id"] != order["restaurant_id"] or not dish["takeaway"]:
            return f"{dish['dish_id']} cannot be taken away with {order['order_id']}"
    for order in [*_added("orders", before, after), *(new for _, new in _changed("orders", before, after))]:
        moment = datetime.fromisoformat(f"{order['pickup_date']}T{order['pickup_time']}")
        if moment.date() > datetime.now().date() + timedelta(days=14):
            return f"{order['order_id']} is for {order['pickup_date']}"
        if not _open_at(after["restaurants"][order["restaurant_id"]], moment):
            return f"the house is closed when {order['order_id']} is to be fetched"
    return None


def an_order_adds_up(before: Database, call: Record, after: Database) -> str | None:
    """The tier's discount comes off the subtotal; then one voucher."""
    for order in [*_added("orders", before, after), *(new for _, new in _changed("orders", before, after))]:
        lines = [line for line in after["order_lines"].values() if line["order_id"] == order["order_id"]]
        subtotal = sum(line["quantity"] * line["unit_price"] for line in lines)
        discount = subtotal * _DISCOUNTS[after["guests"][order["guest_id"]]["tier"]]
        due = subtotal - discount - order["voucher_amount"]
        if abs(order["subtotal"] - subtotal) > 0.006 or abs(order["total"] - due) > 0.011:
            return f"{order['order_id']} comes to {order['total']} instead of {due:.2f}"
    return None


def a_voucher_fits_its_order(before: Database, call: Record, after: Database) -> str | None:
    """One voucher, in the order's currency, valid, if the order comes to the voucher's smallest order before it."""
    for old, new in _changed("orders", before, after):
        if new["voucher_id"] != old["voucher_id"]:
            voucher = before["vouchers"][new["voucher_id"]]
            currency = after["restaurants"][new["restaurant_id"]]["currency"]
            if old["voucher_id"] or voucher["status"] != "active" or voucher["currency"] != currency:
                return f"{voucher['voucher_id']} is no voucher for {new['order_id']}"
            if voucher["valid_until"] < datetime.now().date().isoformat() or old["total"] < voucher["smallest_order"]:
                return f"{voucher['voucher_id']} ran out, or {new['order_id']} is too small for it"
    return None


def a_redeemed_voucher_binds(before: Database, call: Record, after: Database) -> str | None:
    """Once a voucher is redeemed, dishes are not taken off the order. Cancelling makes the voucher valid again."""
    for key, line in before["order_lines"].items():
        if before["orders"][line["order_id"]]["voucher_id"] and key not in after["order_lines"]:
            return f"a dish was taken off {line['order_id']}, which a voucher pays for"
    for _, new in _changed("orders", before, after):
        voucher = after["vouchers"].get(new["voucher_id"] or "")
        if voucher and new["status"] == "cancelled" and voucher["status"] != "active":
            return f"{new['voucher_id']} is lost"
    return None


def points_become_vouchers_at_their_price(before: Database, call: Record, after: Database) -> str | None:
    """Points become vouchers: small 400 points, medium 1000, large 2200."""
    spent = sum(old["points"] - new["points"] for old, new in _changed("guests", before, after))
    due = _REWARDS[call["arguments"]["reward"]] if call["name"] == "exchange_points" else 0
    if spent != due or any(guest["points"] < 0 for guest in after["guests"].values()):
        return f"{spent} points were spent instead of {due}"
    return None


def at_most_eight_seats_that_are_left(before: Database, call: Record, after: Database) -> str | None:
    """An evening's tickets: at most eight seats at a time, while there are seats left."""
    for ticket in _added("tickets", before, after):
        if ticket["seats"] > 8 or after["events"][ticket["event_id"]]["seats_left"] < 0:
            return f"{ticket['seats']} seats for {ticket['event_id']}"
    return None


def seats_are_taken_back_by_the_scale(before: Database, call: Record, after: Database) -> str | None:
    """Seats are taken back for their price until seven days before the evening, for half of it until two days before,
    and not later."""
    for old, new in _changed("tickets", before, after):
        event = after["events"][old["event_id"]]
        days = (date.fromisoformat(event["date"]) - datetime.now().date()).days
        share = 1.0 if days >= 7 else 0.5 if days >= 2 else 0.0
        seats = old["seats"] - (0 if new["status"] == "returned" else new["seats"])
        due = seats * event["price_per_seat"] * share
        if not share or abs(new["refunded"] - old["refunded"] - due) > 0.006 + 0.005 * seats:
            return f"{new['refunded'] - old['refunded']:.2f} came back for {seats} seats, {days} days before"
    return None
