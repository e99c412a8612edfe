"""The cart: filling it, vouchers, delivery, and ordering what it holds."""

from typing import Any, Literal

from ._shared import (
    Database,
    Record,
    _available,
    _cents,
    _days_later,
    _find,
    _named,
    _new_key,
    _own,
    _take_credit,
    _today,
    _written,
)

WRITES = {"set_cart_quantity", "remove_from_cart", "apply_voucher", "place_order", "reorder"}

INVOICE_LIMIT = 400.0


def get_cart(db: Database, customer_id: str) -> dict[str, Any]:
    """What is in a customer's cart, with today's prices in EUR, the voucher in use and its discount.

    customer_id: whose.
    """
    cart = _cart(db, customer_id)
    lines = [
        {**_named(db, each["sku"]), "quantity": each["quantity"], "price": db["variants"][each["sku"]]["price"]}
        for each in _own(db, "cart_lines", customer_id)
    ]
    goods = _cents(sum(each["price"] * each["quantity"] for each in lines))
    discount = _worth(db["vouchers"][cart["voucher_code"]], goods) if cart["voucher_code"] else 0.0
    return {
        "cart_id": cart["cart_id"],
        "lines": lines,
        "goods": goods,
        "voucher_code": cart["voucher_code"],
        "discount": discount,
        "to_pay": _cents(goods - discount),
    }


def _cart(db: Database, customer_id: str) -> Record:
    return _own(db, "carts", customer_id)[0]


def _worth(voucher: Record, goods: float) -> float:
    """What a voucher takes off; nothing below its minimum."""
    if goods < voucher["minimum_spend"]:
        return 0.0
    off = goods * voucher["value"] / 100 if voucher["kind"] == "percent" else min(voucher["value"], goods)
    return _cents(off)


def set_cart_quantity(db: Database, customer_id: str, sku: str, quantity: int) -> dict[str, Any]:
    """Have so many of a variant in the cart in all.

    customer_id: whose cart.
    sku: which variant, from get_product or get_cart.
    quantity: 1 to 10.
    """
    if not 1 <= quantity <= 10:
        raise ValueError("the cart takes 1 to 10 of a variant")
    cart, line = _cart(db, customer_id), _cart_line(db, customer_id, sku)
    if quantity == (line["quantity"] if line else 0):
        raise ValueError(f"the cart holds {quantity} of {sku} already")
    _available(db, sku, quantity)
    if line is None:
        _add_line(db, cart, sku, quantity)
    else:
        line["quantity"] = quantity
    return get_cart(db, customer_id)


def _cart_line(db: Database, customer_id: str, sku: str) -> Record | None:
    return next((each for each in _own(db, "cart_lines", customer_id) if each["sku"] == sku), None)


def remove_from_cart(db: Database, customer_id: str, sku: str) -> dict[str, Any]:
    """Take a variant out of the cart, however many of it there are.

    customer_id: whose cart.
    sku: which variant, from get_cart.
    """
    line = _cart_line(db, customer_id, sku)
    if line is None:
        raise ValueError(f"the cart holds no {sku}")
    del db["cart_lines"][line["line_id"]]
    return get_cart(db, customer_id)


def _add_line(db: Database, cart: Record, sku: str, quantity: int) -> None:
    key = _new_key("CL")
    db["cart_lines"][key] = {
        "line_id": key,
        "cart_id": cart["cart_id"],
        "customer_id": cart["customer_id"],
        "sku": sku,
        "quantity": quantity,
    }


def reorder(db: Database, order_id: str) -> dict[str, Any]:
    """Put everything that an earlier order held into the cart once more, on top of what is there.

    order_id: the earlier order; all it held must be in stock.
    """
    order = _find(db, "orders", order_id)
    lines = [each for each in db["order_lines"].values() if each["order_id"] == order_id]
    there = {each["sku"]: each for each in _own(db, "cart_lines", order["customer_id"])}
    for line in lines:
        wanted = line["quantity"] + (there[line["sku"]]["quantity"] if line["sku"] in there else 0)
        if wanted > 10:
            raise ValueError(f"that would be {wanted} of {line['sku']}; the cart takes 10 of a variant")
        _available(db, line["sku"], wanted)
    for line in lines:
        if line["sku"] in there:
            there[line["sku"]]["quantity"] += line["quantity"]
        else:
            _add_line(db, _cart(db, order["customer_id"]), line["sku"], line["quantity"])
    return get_cart(db, order["customer_id"])


def apply_voucher(db: Database, customer_id: str, voucher_code: str) -> dict[str, Any]:
    """Use a voucher for the cart; one a cart, and another may take its place.

    customer_id: whose cart and voucher.
    voucher_code: an open voucher, from list_vouchers.
    """
    cart, voucher = _cart(db, customer_id), _find(db, "vouchers", voucher_code)
    if voucher["customer_id"] != customer_id:
        raise ValueError(f"{voucher_code} belongs to somebody else")
    if voucher["status"] != "open" or voucher["valid_until"] < _today().isoformat():
        raise ValueError(f"{voucher_code} is {voucher['status']}, valid until {voucher['valid_until']}")
    if cart["voucher_code"] == voucher_code:
        raise ValueError(f"{voucher_code} is in use for this cart already")
    goods = get_cart(db, customer_id)["goods"]
    if goods < voucher["minimum_spend"]:
        raise ValueError(f"{voucher_code} wants {voucher['minimum_spend']:.2f} EUR of goods; the cart has {goods:.2f}")
    cart["voucher_code"] = voucher_code
    return get_cart(db, customer_id)


def quote_checkout(
    db: Database, customer_id: str, delivery: Literal["standard", "express"] = "standard"
) -> dict[str, Any]:
    """What the cart would cost with delivery, and when it would arrive. Nothing is ordered.

    customer_id: whose cart.
    delivery: how fast.
    """
    _written(delivery, ("standard", "express"), "delivery")
    cart = get_cart(db, customer_id)
    if not cart["lines"]:
        raise ValueError("the cart is empty")
    zone = db["zones"][db["customers"][customer_id]["country"]]
    if delivery == "express" and zone["express_fee"] is None:
        raise ValueError(f"there is no express delivery to {zone['country']}; standard takes {zone['standard_days']} "
                         "days")  # fmt: skip
    free = delivery == "standard" and cart["goods"] >= zone["free_from"]
    fee = 0.0 if free else zone[f"{delivery}_fee"]
    return {
        "goods": cart["goods"],
        "discount": cart["discount"],
        "shipping_fee": fee,
        "total": _cents(cart["to_pay"] + fee),
        "expected_on": _days_later(_today().isoformat(), zone[f"{delivery}_days"] + 1),
    }


def place_order(
    db: Database,
    customer_id: str,
    address_id: str,
    delivery: Literal["standard", "express"],
    payment: Literal["card", "invoice", "store credit"],
) -> dict[str, Any]:
    """Order what is in the cart. Invoice up to 400 EUR; store credit must cover the total.

    customer_id: who orders.
    address_id: one of the customer's addresses.
    delivery: how fast.
    payment: how to pay.
    """
    _written(payment, ("card", "invoice", "store credit"), "payment")
    quote = quote_checkout(db, customer_id, delivery)
    if _find(db, "addresses", address_id)["customer_id"] != customer_id:
        raise ValueError(f"{address_id} is somebody else's address")
    lines = _own(db, "cart_lines", customer_id)
    for each in lines:
        _available(db, each["sku"], each["quantity"])
    if payment == "invoice" and quote["total"] > INVOICE_LIMIT:
        raise ValueError(f"{quote['total']:.2f} EUR are too much for an invoice; the limit is {INVOICE_LIMIT:.2f}")
    if payment == "store credit":
        _take_credit(db, customer_id, quote["total"])
    cart, key = _cart(db, customer_id), _new_key("OR")
    if cart["voucher_code"] and quote["discount"]:
        db["vouchers"][cart["voucher_code"]]["status"] = "used"
    db["orders"][key] = {
        "order_id": key,
        "customer_id": customer_id,
        "address_id": address_id,
        "status": "placed",
        "placed_on": _today().isoformat(),
        "delivery": delivery,
        "expected_on": quote["expected_on"],
        "delivered_on": None,
        "shipping_fee": quote["shipping_fee"],
        "gift_wrap": None,
        "voucher_code": cart["voucher_code"] if quote["discount"] else None,
        "discount": quote["discount"],
        "total": quote["total"],
        "payment": payment,
        "cancel_reason": None,
        "refund_to": None,
    }
    for each in lines:
        variant = db["variants"][each["sku"]]
        variant["stock"] -= each["quantity"]
        line = _new_key("OL")
        db["order_lines"][line] = {
            "line_id": line,
            "order_id": key,
            "customer_id": customer_id,
            "sku": each["sku"],
            "quantity": each["quantity"],
            "unit_price": variant["price"],
            "adjusted": 0.0,
            "adjusted_to": None,
        }
        del db["cart_lines"][each["line_id"]]
    cart["voucher_code"] = None
    return dict(db["orders"][key])
