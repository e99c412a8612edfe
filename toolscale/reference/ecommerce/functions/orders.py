"""Orders: what they hold, and what may be changed before they are packed."""

from typing import Any, Literal

from ._shared import (
    GIFT_WRAP_FEE,
    Database,
    Record,
    _available,
    _cents,
    _days_later,
    _find,
    _line,
    _lines,
    _named,
    _order,
    _own,
    _pay_back,
    _product_of,
    _retotal,
    _today,
    _written,
)

WRITES = {
    "cancel_order", "swap_option", "change_quantity", "remove_line", "change_address", "upgrade_to_express",
    "add_gift_wrap",
}  # fmt: skip


def list_orders(
    db: Database,
    customer_id: str,
    status: Literal["placed", "packed", "shipped", "delivered", "cancelled"] | None = None,
) -> list[dict[str, Any]]:
    """A customer's orders, the latest first, with the names of the products in them.

    customer_id: whose.
    status: only orders in this status.
    """
    shown = ("order_id", "status", "placed_on", "delivered_on", "total")
    found = [
        {
            **{field: each[field] for field in shown},
            "products": [_named(db, line["sku"])["product"] for line in _lines(db, each["order_id"])],
        }
        for each in _own(db, "orders", customer_id)
        if status in (None, each["status"])
    ]
    return sorted(found, key=lambda each: each["placed_on"], reverse=True)


def get_order(db: Database, order_id: str) -> dict[str, Any]:
    """An order with its lines, its address, and until when each line can be returned.

    order_id: such as OR-4F82A1.
    """
    order = _order(db, order_id)
    address = db["addresses"][order["address_id"]]
    return {
        **order,
        "address": {"label": address["label"], "street": address["street"], "city": address["city"]},
        "lines": [_shown(db, order, each) for each in _lines(db, order_id)],
    }


def _shown(db: Database, order: Record, line: Record) -> Record:
    product = _product_of(db, line["sku"])
    days = product["return_days"]
    delivered = order["delivered_on"]
    return {
        **_named(db, line["sku"]),
        "product_id": product["product_id"],
        "quantity": line["quantity"],
        "unit_price": line["unit_price"],
        "return_until": _days_later(delivered, days) if delivered and days else None,
    }


def cancel_order(
    db: Database,
    order_id: str,
    reason: Literal["ordered by mistake", "found it cheaper", "takes too long", "no longer needed"],
    refund_to: Literal["original payment", "store credit"] = "original payment",
) -> dict[str, Any]:
    """Cancel an order that is not packed yet, and pay all of it back. An order paid by store credit goes back there.

    order_id: a placed order.
    reason: why.
    refund_to: where the money goes.
    """
    _written(reason, ("ordered by mistake", "found it cheaper", "takes too long", "no longer needed"), "reason")
    _written(refund_to, ("original payment", "store credit"), "refund_to")
    order = _order(db, order_id, "placed")
    if order["payment"] == "store credit" and refund_to != "store credit":
        raise ValueError("it was paid by store credit, so it goes back to store credit")
    order.update(status="cancelled", cancel_reason=reason, refund_to=refund_to)
    for line in _lines(db, order_id):
        db["variants"][line["sku"]]["stock"] += line["quantity"]
    if order["voucher_code"]:
        db["vouchers"][order["voucher_code"]]["status"] = "open"
    _pay_back(db, order["customer_id"], order["total"], refund_to)
    credit = db["customers"][order["customer_id"]]["store_credit"]
    return {"order_id": order_id, "refund": order["total"], "refund_to": refund_to, "store_credit": credit}


def swap_option(db: Database, order_id: str, sku: str, new_sku: str) -> dict[str, Any]:
    """Change a line of a placed order to another option of the same product, at today's price of that option.

    order_id: a placed order.
    sku: what the line holds now.
    new_sku: another variant of the same product, in stock.
    """
    order, line = _order(db, order_id, "placed"), _line(db, order_id, sku)
    new = _available(db, new_sku, line["quantity"])
    if new_sku == sku or new["product_id"] != db["variants"][sku]["product_id"]:
        raise ValueError("only another option of the same product can take its place")
    before = order["total"]
    db["variants"][sku]["stock"] += line["quantity"]
    new["stock"] -= line["quantity"]
    line.update(sku=new_sku, unit_price=new["price"])
    _retotal(db, order)
    return {**_named(db, new_sku), "difference": _cents(order["total"] - before), "total": order["total"]}


def change_quantity(db: Database, order_id: str, sku: str, quantity: int) -> dict[str, Any]:
    """Change how many of a line a placed order holds.

    order_id: a placed order without a voucher.
    sku: the line's variant.
    quantity: 1 to 10.
    """
    order, line = _order(db, order_id, "placed"), _line(db, order_id, sku)
    if not 1 <= quantity <= 10 or quantity == line["quantity"]:
        raise ValueError(f"the quantity must be 1 to 10, other than {line['quantity']}")
    _without_voucher(order)
    if quantity > line["quantity"]:
        _available(db, sku, quantity - line["quantity"])
    before = order["total"]
    db["variants"][sku]["stock"] += line["quantity"] - quantity
    line["quantity"] = quantity
    _retotal(db, order)
    return {**_named(db, sku), "difference": _cents(order["total"] - before), "total": order["total"]}


def _without_voucher(order: Record) -> None:
    if order["voucher_code"]:
        raise ValueError("an order with a voucher keeps its lines; cancel it and order again")


def remove_line(db: Database, order_id: str, sku: str) -> dict[str, Any]:
    """Take a line out of a placed order, if it is not the only one.

    order_id: a placed order without a voucher.
    sku: the line's variant.
    """
    order, line = _order(db, order_id, "placed"), _line(db, order_id, sku)
    _without_voucher(order)
    if len(_lines(db, order_id)) == 1:
        raise ValueError("it is the only line: cancel the order instead")
    before = order["total"]
    db["variants"][sku]["stock"] += line["quantity"]
    del db["order_lines"][line["line_id"]]
    _retotal(db, order)
    return {**_named(db, sku), "cheaper_by": _cents(before - order["total"]), "total": order["total"]}


def change_address(db: Database, order_id: str, address_id: str) -> dict[str, Any]:
    """Send an order to another of the customer's addresses; possible until it is shipped.

    order_id: a placed or packed order.
    address_id: one of the same customer's addresses, from get_customer.
    """
    order, address = _order(db, order_id, "placed", "packed"), _find(db, "addresses", address_id)
    if address["customer_id"] != order["customer_id"]:
        raise ValueError(f"{address_id} is somebody else's address")
    if address_id == order["address_id"]:
        raise ValueError(f"{order_id} goes there already")
    order["address_id"] = address_id
    return {
        "order_id": order_id,
        "street": address["street"],
        "postcode": address["postcode"],
        "city": address["city"],
        "expected_on": order["expected_on"],
    }


def quote_express(db: Database, order_id: str) -> dict[str, Any]:
    """What express delivery of a placed order would cost more, and when it would arrive. Nothing is changed.

    order_id: a placed order with standard delivery.
    """
    order = _order(db, order_id, "placed")
    zone = db["zones"][db["customers"][order["customer_id"]]["country"]]
    if order["delivery"] == "express":
        raise ValueError(f"{order_id} goes by express already")
    if zone["express_fee"] is None:
        raise ValueError(f"there is no express delivery to {zone['country']}")
    sooner = _days_later(_today().isoformat(), zone["express_days"])
    if sooner >= order["expected_on"]:
        raise ValueError(f"express would not bring it before {order['expected_on']}, when it comes anyway")
    return {
        "surcharge": _cents(zone["express_fee"] - order["shipping_fee"]),
        "expected_on": sooner,
        "expected_by_standard": order["expected_on"],
        "new_total": _cents(order["total"] + zone["express_fee"] - order["shipping_fee"]),
    }


def upgrade_to_express(db: Database, order_id: str) -> dict[str, Any]:
    """Send a placed order by express at the surcharge that quote_express names.

    order_id: a placed order with standard delivery.
    """
    quote, order = quote_express(db, order_id), db["orders"][order_id]
    order.update(
        delivery="express",
        shipping_fee=_cents(order["shipping_fee"] + quote["surcharge"]),
        expected_on=quote["expected_on"],
    )
    _retotal(db, order)
    return {"order_id": order_id, "total": order["total"], **quote}


def add_gift_wrap(
    db: Database, order_id: str, paper: Literal["forest green", "midnight blue", "plain kraft"]
) -> dict[str, Any]:
    """Have a placed order wrapped as a gift for 3.50 EUR; another paper may be chosen at no further charge.

    order_id: a placed order.
    paper: which paper.
    """
    _written(paper, ("forest green", "midnight blue", "plain kraft"), "paper")
    order = _order(db, order_id, "placed")
    if order["gift_wrap"] == paper:
        raise ValueError(f"{order_id} is wrapped in {paper} already")
    fee = 0.0 if order["gift_wrap"] else GIFT_WRAP_FEE
    order["gift_wrap"] = paper
    _retotal(db, order)
    return {"order_id": order_id, "gift_wrap": paper, "fee": fee, "total": order["total"]}
