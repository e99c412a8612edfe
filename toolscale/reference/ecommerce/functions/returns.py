"""After delivery: returns, exchanges, falls in price, and the warranty."""

import calendar
from datetime import date
from typing import Any, Literal

from ._shared import (
    RETURN_FEE,
    Database,
    Record,
    _available,
    _cents,
    _days_later,
    _find,
    _line,
    _named,
    _new_key,
    _order,
    _own,
    _pay_back,
    _product_of,
    _today,
    _written,
)

WRITES = {"request_return", "request_exchange", "withdraw_return", "adjust_price", "claim_warranty"}

ADJUSTMENT_DAYS = 14
REPLACEMENT_MONTHS = 12
REASONS = ("too small", "too large", "not as described", "changed my mind", "arrived faulty")


def list_returns(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """A customer's returns and exchanges, the latest first.

    customer_id: whose.
    """
    found = [{**each, **_named(db, each["sku"])} for each in _own(db, "returns", customer_id)]
    return sorted(found, key=lambda each: each["announced_on"], reverse=True)


def quote_return(
    db: Database,
    order_id: str,
    sku: str,
    reason: Literal["too small", "too large", "not as described", "changed my mind", "arrived faulty"],
) -> dict[str, Any]:
    """Whether one piece of a delivered order can be returned for that reason, until when, and what is paid back.

    order_id: a delivered order.
    sku: which line of it.
    reason: why; what is faulty or not as described goes back free of charge.
    """
    _written(reason, REASONS, "reason")
    order, line = _order(db, order_id, "delivered"), _line(db, order_id, sku)
    product, customer = _product_of(db, sku), db["customers"][order["customer_id"]]
    days = product["return_days"] or (14 if reason == "arrived faulty" else 0)
    until = _days_later(order["delivered_on"], days)
    share = order["discount"] / _order_goods(db, order_id) if order["discount"] else 0.0
    value = _cents(line["unit_price"] * (1 - share) - line["adjusted"] / line["quantity"])
    free = customer["tier"] == "plus" or reason in ("not as described", "arrived faulty")
    back = {
        each["return_id"]
        for each in _own(db, "returns", order["customer_id"])
        if (each["order_id"], each["sku"]) == (order_id, sku) and each["status"] != "withdrawn"
    }
    obstacle = None
    if not days:
        obstacle = f"{product['name']} cannot be returned unless it arrived faulty"
    elif until < _today().isoformat():
        obstacle = f"the return period ended on {until}"
    elif len(back) >= line["quantity"]:
        obstacle = f"it has been returned already: {', '.join(sorted(back))}"
    return {
        **_named(db, sku),
        "possible": obstacle is None,
        "obstacle": obstacle,
        "return_until": until if days else None,
        "value": value,
        "fee_to_original_payment": 0.0 if free else RETURN_FEE,
        "refund_to_original_payment": _cents(max(value - (0 if free else RETURN_FEE), 0)),
        "refund_to_store_credit": value,
    }


def _order_goods(db: Database, order_id: str) -> float:
    lines = (each for each in db["order_lines"].values() if each["order_id"] == order_id)
    return _cents(sum(each["unit_price"] * each["quantity"] for each in lines))


def request_return(
    db: Database,
    order_id: str,
    sku: str,
    reason: Literal["too small", "too large", "not as described", "changed my mind", "arrived faulty"],
    refund_to: Literal["original payment", "store credit"],
) -> dict[str, Any]:
    """Announce the return of one piece. It is paid back once it has come in; to store credit without a fee.

    order_id: a delivered order.
    sku: which line of it.
    reason: why.
    refund_to: where the money goes.
    """
    _written(refund_to, ("original payment", "store credit"), "refund_to")
    quote = quote_return(db, order_id, sku, reason)
    if not quote["possible"]:
        raise ValueError(quote["obstacle"])
    amount = quote[f"refund_to_{refund_to.replace(' ', '_')}"]
    fee = quote["fee_to_original_payment"] if refund_to == "original payment" else 0.0
    return _announce(db, order_id, sku, reason, refund_to, None, amount, fee)


def _announce(
    db: Database, order_id: str, sku: str, reason: str, resolution: str, new_sku: str | None, amount: float, fee: float
) -> Record:
    key = _new_key("RT")
    db["returns"][key] = {
        "return_id": key,
        "order_id": order_id,
        "customer_id": db["orders"][order_id]["customer_id"],
        "sku": sku,
        "quantity": 1,
        "reason": reason,
        "resolution": resolution,
        "new_sku": new_sku,
        "amount": amount,
        "fee": fee,
        "status": "announced",
        "announced_on": _today().isoformat(),
    }
    return {**db["returns"][key], "send_back_by": _days_later(_today().isoformat(), 14)}


def request_exchange(
    db: Database,
    order_id: str,
    sku: str,
    new_sku: str,
    reason: Literal["too small", "too large", "not as described", "changed my mind", "arrived faulty"],
) -> dict[str, Any]:
    """Exchange one piece for another option of the same product that costs no more today; free of charge.

    order_id: a delivered order.
    sku: what the customer has.
    new_sku: what they want instead, in stock.
    reason: why.
    """
    quote = quote_return(db, order_id, sku, reason)
    if not quote["possible"]:
        raise ValueError(quote["obstacle"])
    new = _available(db, new_sku, 1)
    if new_sku == sku or new["product_id"] != db["variants"][sku]["product_id"]:
        raise ValueError("only another option of the same product can be had in exchange")
    if new["price"] > db["variants"][sku]["price"]:
        raise ValueError(f"{new_sku} costs {new['price']:.2f} EUR, which is more; return this one and order that one")
    new["stock"] -= 1
    return _announce(db, order_id, sku, reason, "exchange", new_sku, 0.0, 0.0)


def withdraw_return(db: Database, return_id: str) -> dict[str, Any]:
    """Take back a return or exchange that was announced and has not come in; the customer keeps the piece.

    return_id: which, from list_returns.
    """
    found = _find(db, "returns", return_id)
    if found["status"] != "announced":
        raise ValueError(f"{return_id} is {found['status']}; only an announced return can be withdrawn")
    found["status"] = "withdrawn"
    if found["new_sku"]:
        db["variants"][found["new_sku"]]["stock"] += 1
    return {**found, **_named(db, found["sku"])}


def check_price(db: Database, order_id: str, sku: str) -> dict[str, Any]:
    """Whether the difference to today's price of a line is paid back, and how much: within 14 days of the order, once a
    line, and not on orders with a voucher.

    order_id: which order.
    sku: which line of it.
    """
    order, line = _order(db, order_id), _line(db, order_id, sku)
    now = db["variants"][sku]["price"]
    until = _days_later(order["placed_on"], ADJUSTMENT_DAYS)
    amount = _cents(max(line["unit_price"] - now, 0) * line["quantity"])
    obstacle = None
    if order["status"] == "cancelled":
        obstacle = "the order is cancelled"
    elif order["voucher_code"]:
        obstacle = "the order was paid with a voucher"
    elif until < _today().isoformat():
        obstacle = f"the {ADJUSTMENT_DAYS} days ended on {until}"
    elif line["adjusted"]:
        obstacle = f"{line['adjusted']:.2f} EUR were paid back already"
    elif not amount:
        obstacle = "today's price is not lower"
    return {
        **_named(db, sku),
        "paid_each": line["unit_price"],
        "price_today": now,
        "amount": 0.0 if obstacle else amount,
        "obstacle": obstacle,
    }


def adjust_price(
    db: Database, order_id: str, sku: str, refund_to: Literal["original payment", "store credit"]
) -> dict[str, Any]:
    """Pay back what check_price finds.

    order_id: which order.
    sku: which line of it.
    refund_to: where the money goes.
    """
    _written(refund_to, ("original payment", "store credit"), "refund_to")
    found = check_price(db, order_id, sku)
    if found["obstacle"]:
        raise ValueError(f"nothing is paid back: {found['obstacle']}")
    line, customer_id = _line(db, order_id, sku), db["orders"][order_id]["customer_id"]
    line.update(adjusted=found["amount"], adjusted_to=refund_to)
    _pay_back(db, customer_id, found["amount"], refund_to)
    return {**found, "refund_to": refund_to, "store_credit": db["customers"][customer_id]["store_credit"]}


def check_warranty(db: Database, order_id: str, sku: str) -> dict[str, Any]:
    """Until when the warranty of a line runs, and whether a replacement is possible besides a repair.

    order_id: a delivered order.
    sku: which line of it.
    """
    order = _order(db, order_id, "delivered")
    _line(db, order_id, sku)
    months = _product_of(db, sku)["warranty_months"]
    until, today = _months_later(order["delivered_on"], months), _today().isoformat()
    early = _months_later(order["delivered_on"], REPLACEMENT_MONTHS) >= today
    return {
        **_named(db, sku),
        "warranty_months": months,
        "warranty_until": until if months else None,
        "covered": bool(months) and until >= today,
        "replacement_possible": bool(months) and early and db["variants"][sku]["stock"] > 0,
    }


def _months_later(iso_day: str, months: int) -> str:
    day = date.fromisoformat(iso_day)
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1])).isoformat()


def claim_warranty(
    db: Database,
    order_id: str,
    sku: str,
    fault: Literal[
        "broken part", "does not switch on", "strange noise", "coating comes off", "seam came apart", "cracked"
    ],
    remedy: Literal["repair", "replacement"],
) -> dict[str, Any]:
    """File a warranty claim: a repair, or in the first 12 months a replacement while it is in stock.

    order_id: a delivered order.
    sku: which line of it.
    fault: what is wrong.
    remedy: what the customer wants.
    """
    _written(remedy, ("repair", "replacement"), "remedy")
    faults = ("broken part", "does not switch on", "strange noise", "coating comes off", "seam came apart", "cracked")
    _written(fault, faults, "fault")
    found = check_warranty(db, order_id, sku)
    if not found["covered"]:
        raise ValueError(f"no warranty: it ended on {found['warranty_until']}" if found["warranty_months"] else (
            f"{found['product']} comes without a warranty"))  # fmt: skip
    if remedy == "replacement" and not found["replacement_possible"]:
        raise ValueError("a replacement is given in the first 12 months and from stock; a repair is possible")
    for each in db["warranty_claims"].values():
        if (each["order_id"], each["sku"], each["status"]) == (order_id, sku, "open"):
            raise ValueError(f"there is an open claim already: {each['claim_id']}")
    key = _new_key("WC")
    db["warranty_claims"][key] = {
        "claim_id": key,
        "order_id": order_id,
        "customer_id": db["orders"][order_id]["customer_id"],
        "sku": sku,
        "fault": fault,
        "remedy": remedy,
        "status": "open",
        "filed_on": _today().isoformat(),
    }
    if remedy == "replacement":
        db["variants"][sku]["stock"] -= 1
    return {**db["warranty_claims"][key], "warranty_until": found["warranty_until"]}
