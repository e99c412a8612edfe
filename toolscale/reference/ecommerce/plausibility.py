"""What is unnatural in a set of the shop's entries, and how to make one of them so."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.moments import day

Record = dict[str, Any]
_TODAY = day(0)


def implausible(entries: Database) -> list[str]:
    """A sentence for each fault that a reader from the trade would notice; nothing if there is none."""
    return [
        f"{table} {key}: {fault}"
        for table, records in entries.items()
        if table in _FAULTS
        for key, record in records.items()
        for fault in _FAULTS[table](record, entries)
    ]


def blemish(entries: Database, rng: Random) -> None:
    """Makes one entry unnatural: it still fits the schema and its references hold."""
    table = rng.choice([name for name, records in sorted(entries.items()) if records and name in _BLEMISHES])
    record = entries[table][rng.choice(sorted(entries[table]))]
    record.update(_BLEMISHES[table](record))


def _zone(zone: Record, entries: Database) -> Iterator[str]:
    if zone["standard_fee"] > 20 or zone["free_from"] < 20:
        yield f"standard delivery for {zone['standard_fee']}, free from {zone['free_from']}"
    if zone["express_fee"] is not None and zone["express_fee"] <= zone["standard_fee"]:
        yield "express delivery is cheaper than standard"
    if zone["express_days"] >= zone["standard_days"]:
        yield "express delivery is no faster than standard"


def _point(point: Record, entries: Database) -> Iterator[str]:
    if point["opens"] >= point["closes"]:
        yield f"open from {point['opens']} to {point['closes']}"


def _product(product: Record, entries: Database) -> Iterator[str]:
    if product["subscribable"] != (product["category"] in ("pantry", "care")):
        yield f"a subscription to something from {product['category']}"
    if product["warranty_months"] > 60:
        yield f"{product['warranty_months']} months of warranty"
    if len(set(product["options"])) < len(product["options"]):
        yield "an option twice"


def _variant(variant: Record, entries: Database) -> Iterator[str]:
    if not 2 <= variant["price"] <= 2000:
        yield f"a price of {variant['price']}"
    if (variant["restock_on"] is None) != (variant["stock"] > 0):
        yield f"{variant['stock']} in stock, restock on {variant['restock_on']}"
    if variant["restock_on"] and variant["restock_on"] <= _TODAY:
        yield f"should be back since {variant['restock_on']}"


def _customer(customer: Record, entries: Database) -> Iterator[str]:
    if customer["store_credit"] > 5000 or customer["points"] > 100_000:
        yield f"{customer['store_credit']} EUR of store credit, {customer['points']} points"
    own = [each for each in entries.get("addresses", {}).values() if each["customer_id"] == customer["customer_id"]]
    if own and customer["default_address"] not in {each["label"] for each in own}:
        yield "the default address does not exist"


def _address(address: Record, entries: Database) -> Iterator[str]:
    if not any(letter.isdigit() for letter in address["street"]):
        yield f"a street without a house number: {address['street']}"


def _voucher(voucher: Record, entries: Database) -> Iterator[str]:
    if voucher["value"] > (60 if voucher["kind"] == "percent" else 200):
        yield f"a voucher of {voucher['value']} ({voucher['kind']})"
    if voucher["status"] == "open" and voucher["valid_until"] < day(-400):
        yield f"open, but valid until {voucher['valid_until']}"


def _order(order: Record, entries: Database) -> Iterator[str]:
    if order["placed_on"] > _TODAY or order["expected_on"] < order["placed_on"]:
        yield f"placed on {order['placed_on']}, expected on {order['expected_on']}"
    if (order["delivered_on"] is not None) != (order["status"] == "delivered"):
        yield f"{order['status']}, delivered on {order['delivered_on']}"
    if (order["cancel_reason"] is not None) != (order["status"] == "cancelled"):
        yield f"{order['status']}, cancelled because {order['cancel_reason']}"
    lines: Iterable[Any] = entries.get("order_lines", {}).values()
    goods = sum(each["unit_price"] * each["quantity"] for each in lines if each["order_id"] == order["order_id"])
    wrap = 3.5 if order["gift_wrap"] else 0.0
    if goods and abs(goods - order["discount"] + order["shipping_fee"] + wrap - order["total"]) > 0.011:
        yield f"{goods:.2f} EUR of goods do not come to {order['total']}"


def _order_line(line: Record, entries: Database) -> Iterator[str]:
    if line["adjusted"] > line["unit_price"] * line["quantity"]:
        yield f"{line['adjusted']} paid back for what cost {line['unit_price']}"
    if line["unit_price"] <= 0:
        yield "was for free"


def _shipment(parcel: Record, entries: Database) -> Iterator[str]:
    if parcel["status"] == "in transit" and parcel["expected_on"] < _TODAY:
        yield f"in transit, but was expected on {parcel['expected_on']}"
    if (parcel["settled_by"] is not None) != (parcel["status"] == "lost"):
        yield f"{parcel['status']}, settled by {parcel['settled_by']}"


def _return(found: Record, entries: Database) -> Iterator[str]:
    if found["announced_on"] > _TODAY:
        yield f"announced on {found['announced_on']}"
    if found["fee"] not in (0.0, 4.9):
        yield f"a fee of {found['fee']}"
    if (found["new_sku"] is not None) != (found["resolution"] == "exchange"):
        yield f"{found['resolution']} with {found['new_sku']}"


def _claim(claim: Record, entries: Database) -> Iterator[str]:
    if claim["filed_on"] > _TODAY:
        yield f"filed on {claim['filed_on']}"


def _review(review: Record, entries: Database) -> Iterator[str]:
    if review["written_on"] > _TODAY:
        yield f"written on {review['written_on']}"


def _subscription(found: Record, entries: Database) -> Iterator[str]:
    if (found["next_on"] is not None) != (found["status"] == "active"):
        yield f"{found['status']}, next on {found['next_on']}"
    if found["next_on"] and found["next_on"] <= _TODAY:
        yield f"next on {found['next_on']}"


def _alert(alert: Record, entries: Database) -> Iterator[str]:
    if alert["set_on"] > _TODAY:
        yield f"set on {alert['set_on']}"
    variant = entries.get("variants", {}).get(alert["sku"])
    if variant and variant["stock"]:
        yield f"waits for what is in stock: {alert['sku']}"


def _complaint(complaint: Record, entries: Database) -> Iterator[str]:
    if (complaint["status"] == "open") != (complaint["answer_by"] >= _TODAY):
        yield f"{complaint['status']}, to be answered by {complaint['answer_by']}"


_FAULTS: Mapping[str, Callable[[Record, Database], Iterator[str]]] = {
    "zones": _zone, "pickup_points": _point, "products": _product, "variants": _variant, "customers": _customer,
    "addresses": _address, "vouchers": _voucher, "orders": _order, "order_lines": _order_line, "shipments": _shipment,
    "returns": _return, "warranty_claims": _claim, "reviews": _review, "subscriptions": _subscription,
    "stock_alerts": _alert, "complaints": _complaint,
}  # fmt: skip

_BLEMISHES: Mapping[str, Callable[[Record], Record]] = {
    "zones": lambda record: {"standard_fee": 480.0},
    "pickup_points": lambda record: {"closes": "05:30"},
    "products": lambda record: {"warranty_months": 999},
    "variants": lambda record: {"price": 0.01},
    "customers": lambda record: {"store_credit": 912_400.0},
    "addresses": lambda record: {"street": "somewhere"},
    "vouchers": lambda record: {"value": 9000},
    "orders": lambda record: {"placed_on": day(45), "expected_on": day(44)},
    "order_lines": lambda record: {"adjusted": 70_000.0},
    "shipments": lambda record: {"status": "in transit", "settled_by": "refund"},
    "returns": lambda record: {"fee": 310.0},
    "warranty_claims": lambda record: {"filed_on": day(300)},
    "reviews": lambda record: {"written_on": day(300)},
    "subscriptions": lambda record: {"status": "active", "next_on": day(-700)},
    "stock_alerts": lambda record: {"set_on": day(90)},
    "complaints": lambda record: {"status": "closed", "answer_by": day(200)},
}
