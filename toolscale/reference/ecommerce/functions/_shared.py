"""What several themes need: looking entries up, days, sums, what an order comes to, and paying money back."""

import uuid
from datetime import date, datetime, timedelta
from typing import Any

Database = dict[str, dict[str, Any]]
Record = dict[str, Any]

GIFT_WRAP_FEE = 3.5
RETURN_FEE = 4.9


def _today() -> date:
    return datetime.now().date()


def _days_later(iso_day: str, days: int) -> str:
    return (date.fromisoformat(iso_day) + timedelta(days=days)).isoformat()


def _find(db: Database, table: str, key: str) -> Record:
    if key not in db[table]:
        raise ValueError(f"there is no {key} in {table}; check the number")
    record: Record = db[table][key]
    return record


def _own(db: Database, table: str, customer_id: str) -> list[Record]:
    """A customer's records of a table."""
    _find(db, "customers", customer_id)
    return [each for each in db[table].values() if each["customer_id"] == customer_id]


def _new_key(prefix: str) -> str:
    return f"{prefix}-{uuid.uuid4().hex[:6].upper()}"


def _cents(amount: float) -> float:
    return round(amount + 1e-9, 2)


def _order(db: Database, order_id: str, *statuses: str) -> Record:
    """An order, in one of the statuses if any are named."""
    order = _find(db, "orders", order_id)
    if statuses and order["status"] not in statuses:
        raise ValueError(f"{order_id} is {order['status']}; this is possible only while it is {' or '.join(statuses)}")
    return order


def _lines(db: Database, order_id: str) -> list[Record]:
    return [each for each in db["order_lines"].values() if each["order_id"] == order_id]


def _line(db: Database, order_id: str, sku: str) -> Record:
    for each in _lines(db, order_id):
        if each["sku"] == sku:
            return each
    raise ValueError(f"{order_id} holds no {sku}; get_order lists what it holds")


def _goods(db: Database, order_id: str) -> float:
    return _cents(sum(each["unit_price"] * each["quantity"] for each in _lines(db, order_id)))


def _retotal(db: Database, order: Record) -> None:
    """Work the order's total out anew; fees and discount stay as they were agreed."""
    wrap = GIFT_WRAP_FEE if order["gift_wrap"] else 0.0
    order["total"] = _cents(_goods(db, order["order_id"]) - order["discount"] + order["shipping_fee"] + wrap)


def _product_of(db: Database, sku: str) -> Record:
    product: Record = db["products"][db["variants"][sku]["product_id"]]
    return product


def _named(db: Database, sku: str) -> Record:
    """How results name a variant."""
    variant = db["variants"][sku]
    return {"sku": sku, "product": db["products"][variant["product_id"]]["name"], "option": variant["option"]}


def _pay_back(db: Database, customer_id: str, amount: float, to: str) -> None:
    """Store credit is booked at once; to the original payment it goes by the bank, outside of this database."""
    if to == "store credit":
        customer = db["customers"][customer_id]
        customer["store_credit"] = _cents(customer["store_credit"] + amount)


def _take_credit(db: Database, customer_id: str, amount: float) -> None:
    customer = db["customers"][customer_id]
    if customer["store_credit"] < amount:
        raise ValueError(f"{amount:.2f} EUR are needed, the store credit is {customer['store_credit']:.2f} EUR")
    customer["store_credit"] = _cents(customer["store_credit"] - amount)


def _available(db: Database, sku: str, quantity: int) -> Record:
    variant = _find(db, "variants", sku)
    if variant["stock"] < quantity:
        raise ValueError(f"only {variant['stock']} of {sku} are in stock; restock: {variant['restock_on']}")
    return variant


def _written(value: str, allowed: tuple[str, ...], what: str) -> None:
    if value not in allowed:
        raise ValueError(f"{what} must be one of: {', '.join(allowed)}")
