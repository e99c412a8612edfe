"""The shop's policy as predicates on calls (docs/environment-format.md). Everything is worked out anew from records."""

from datetime import date, timedelta
from typing import Any

Record = dict[str, Any]
Database = dict[str, dict[str, Record]]


def _added(table: str, before: Database, after: Database) -> list[Record]:
    return [record for key, record in after[table].items() if key not in before[table]]


def _changed(table: str, before: Database, after: Database) -> list[tuple[Record, Record]]:
    """Records that were there before, as they were and as they are."""
    both = ((old, after[table].get(key, old)) for key, old in before[table].items())
    return [(old, new) for old, new in both if old != new]


def _days_ago(iso_day: str) -> int:
    return (date.today() - date.fromisoformat(iso_day)).days


def _goods(order_id: str, database: Database) -> float:
    lines = (each for each in database["order_lines"].values() if each["order_id"] == order_id)
    return float(sum(each["unit_price"] * each["quantity"] for each in lines))


def only_what_is_not_packed_is_changed(before: Database, call: Record, after: Database) -> str | None:
    """An order is cancelled or changed only until it is packed; its address until it is shipped."""
    for old, new in _changed("orders", before, after):
        moved = old["address_id"] != new["address_id"]
        allowed = ("placed", "packed") if moved and old["status"] == new["status"] else ("placed",)
        if old["status"] not in allowed:
            return f"{old['order_id']} was {old['status']}"
    return None


def totals_add_up(before: Database, call: Record, after: Database) -> str | None:
    """An order costs its goods less the discount, plus delivery and 3.50 euros for wrapping."""
    touched = [*_added("orders", before, after), *(new for _, new in _changed("orders", before, after))]
    for order in touched:
        wrapping = 3.5 if order["gift_wrap"] else 0.0
        due = _goods(order["order_id"], after) - order["discount"] + order["shipping_fee"] + wrapping
        if order["status"] != "cancelled" and abs(due - order["total"]) > 0.011:
            return f"{order['order_id']} comes to {due:.2f}, not {order['total']}"
    return None


def delivery_as_the_country_has_it(before: Database, call: Record, after: Database) -> str | None:
    """Delivery costs what the country's zone says; standard delivery is free from a value of goods."""
    orders = _added("orders", before, after)
    orders += [new for old, new in _changed("orders", before, after) if old["delivery"] != new["delivery"]]
    for order in orders:
        zone = after["zones"][after["customers"][order["customer_id"]]["country"]]
        due = zone[f"{order['delivery']}_fee"]
        if order["delivery"] == "standard" and _goods(order["order_id"], after) >= zone["free_from"]:
            due = 0.0
        if due is None or abs(order["shipping_fee"] - due) > 0.005:
            return f"{order['delivery']} delivery to {zone['country']} for {order['shipping_fee']}, not {due}"
    return None


def nothing_is_sold_that_is_not_there(before: Database, call: Record, after: Database) -> str | None:
    """Sell only what is in stock."""
    for _, variant in _changed("variants", before, after):
        if variant["stock"] < 0:
            return f"{variant['sku']} has a stock of {variant['stock']}"
    return None


def invoices_up_to_a_limit(before: Database, call: Record, after: Database) -> str | None:
    """Invoice only up to 400 euros."""
    for order in _added("orders", before, after):
        if order["payment"] == "invoice" and order["total"] > 400:
            return f"{order['total']} by invoice"
    return None


def vouchers_on_their_conditions(before: Database, call: Record, after: Database) -> str | None:
    """A voucher is used by its owner, while it is open and valid, from its minimum spend on."""
    for old, cart in _changed("carts", before, after):
        code = cart["voucher_code"]
        if not code or code == old["voucher_code"]:
            continue
        voucher = before["vouchers"][code]
        held = [each for each in after["cart_lines"].values() if each["cart_id"] == cart["cart_id"]]
        goods = sum(after["variants"][each["sku"]]["price"] * each["quantity"] for each in held)
        mine = voucher["customer_id"] == cart["customer_id"] and voucher["status"] == "open"
        if not mine or _days_ago(voucher["valid_until"]) > 0 or goods < voucher["minimum_spend"]:
            return f"{code} for a cart of {goods:.2f}"
    return None


def returns_in_time_and_once(before: Database, call: Record, after: Database) -> str | None:
    """Take back what was delivered within its return period; pantry and care only if it arrived faulty, in 14 days."""
    for found in _added("returns", before, after):
        order = after["orders"][found["order_id"]]
        days = after["products"][after["variants"][found["sku"]]["product_id"]]["return_days"]
        if not days and found["reason"] == "arrived faulty":
            days = 14
        if order["status"] != "delivered" or _days_ago(order["delivered_on"]) > days:
            return f"{found['sku']} was delivered on {order['delivered_on']}, with {days} days to return it"
        bought = sum(
            each["quantity"]
            for each in after["order_lines"].values()
            if (each["order_id"], each["sku"]) == (found["order_id"], found["sku"])
        )
        back = sum(
            each["quantity"]
            for each in after["returns"].values()
            if (each["order_id"], each["sku"]) == (found["order_id"], found["sku"]) and each["status"] != "withdrawn"
        )
        if back > bought:
            return f"{back} pieces of {found['sku']} returned, {bought} bought"
    return None


def return_fee_as_laid_down(before: Database, call: Record, after: Database) -> str | None:
    """A refund to the original payment costs 4.90 euros, but not plus customers and not for faults of the shop's."""
    for found in _added("returns", before, after):
        plus = after["customers"][found["customer_id"]]["tier"] == "plus"
        free = plus or found["resolution"] != "original payment"
        free = free or found["reason"] in ("not as described", "arrived faulty")
        if found["fee"] != (0.0 if free else 4.9):
            return f"a fee of {found['fee']} for {found['resolution']}, {found['reason']}"
    return None


def prices_paid_back_within_two_weeks(before: Database, call: Record, after: Database) -> str | None:
    """Pay a fall in price back within 14 days of the order, once a line, and never on orders with a voucher."""
    for old, line in _changed("order_lines", before, after):
        if old["adjusted"] == line["adjusted"]:
            continue
        order = after["orders"][line["order_id"]]
        due = (line["unit_price"] - after["variants"][line["sku"]]["price"]) * line["quantity"]
        if old["adjusted"] or order["voucher_code"] or _days_ago(order["placed_on"]) > 14:
            return f"{line['line_id']} was paid back already, is too old or was bought with a voucher"
        if abs(due - line["adjusted"]) > 0.011:
            return f"{line['adjusted']} paid back, {due:.2f} due"
    return None


def repairs_while_the_warranty_runs(before: Database, call: Record, after: Database) -> str | None:
    """The warranty covers repairs until it ends, and replacements in the first twelve months."""
    for claim in _added("warranty_claims", before, after):
        order = after["orders"][claim["order_id"]]
        months = after["products"][after["variants"][claim["sku"]]["product_id"]]["warranty_months"]
        limit = min(months, 12) if claim["remedy"] == "replacement" else months
        if not months or order["status"] != "delivered" or _months_since(order["delivered_on"]) > limit:
            return f"{claim['remedy']} of {claim['sku']}, delivered on {order['delivered_on']}, {months} months"
    return None


def _months_since(iso_day: str) -> float:
    """Months that have passed; just over a whole number the day after."""
    then, today = date.fromisoformat(iso_day), date.today()
    last = (today + timedelta(days=1)).month != today.month
    passed = (today.year - then.year) * 12 + today.month - then.month
    return passed + (0.0 if today.day == then.day or (last and then.day > today.day) else (today.day - then.day) / 31)


def parcels_count_as_lost_after_a_week(before: Database, call: Record, after: Database) -> str | None:
    """A parcel counts as lost once it is seven days overdue."""
    for old, new in _changed("shipments", before, after):
        if new["status"] == "lost" and (old["settled_by"] or _days_ago(old["expected_on"]) < 7):
            return f"{old['shipment_id']} was expected on {old['expected_on']}"
        if new["point_id"] != old["point_id"] and (old["point_id"] or old["status"] != "in transit"):
            return f"{old['shipment_id']} was {old['status']} or had been redirected"
    return None


def three_days_of_notice_for_subscriptions(before: Database, call: Record, after: Database) -> str | None:
    """A subscription is changed, skipped, paused or ended at least three days before its next delivery."""
    for old, _ in _changed("subscriptions", before, after):
        if old["status"] == "active" and _days_ago(old["next_on"]) > -3:
            return f"the delivery of {old['next_on']} was being packed"
        if old["status"] == "ended":
            return f"{old['subscription_id']} had ended"
    return None


def one_review_by_a_buyer(before: Database, call: Record, after: Database) -> str | None:
    """Only customers to whom a product was delivered review it, and only once."""
    for review in _added("reviews", before, after):
        who, what = review["customer_id"], review["product_id"]
        if sum((each["customer_id"], each["product_id"]) == (who, what) for each in after["reviews"].values()) > 1:
            return f"{who} had reviewed {what} already"
        bought = [
            after["orders"][each["order_id"]]["status"]
            for each in after["order_lines"].values()
            if each["customer_id"] == who and after["variants"][each["sku"]]["product_id"] == what
        ]
        if "delivered" not in bought:
            return f"{what} was never delivered to {who}"
    return None


def alerts_for_what_is_sold_out(before: Database, call: Record, after: Database) -> str | None:
    """Stock alerts are for what is sold out, one a customer and variant."""
    for alert in _added("stock_alerts", before, after):
        same = [
            each
            for each in after["stock_alerts"].values()
            if (each["customer_id"], each["sku"]) == (alert["customer_id"], alert["sku"])
        ]
        if after["variants"][alert["sku"]]["stock"] or len(same) > 1:
            return f"{alert['sku']} is in stock, or there was an alert"
    return None


def points_in_hundreds(before: Database, call: Record, after: Database) -> str | None:
    """Points become vouchers in whole hundreds, 500 or more, at 100 points a euro."""
    for old, new in _changed("customers", before, after):
        spent = old["points"] - new["points"]
        worth = sum(each["value"] for each in _added("vouchers", before, after))
        if spent and (spent < 500 or spent % 100 or new["points"] < 0 or abs(worth * 100 - spent) > 0.005):
            return f"{spent} points for {worth}"
    return None
