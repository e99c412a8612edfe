"""What is paid again and again: standing orders, and direct debits with the mandates behind them."""

from datetime import date, timedelta
from typing import Any, Literal

from ._shared import (
    Database,
    Record,
    _amount,
    _cents,
    _check_active,
    _current_account,
    _day,
    _joined,
    _new_key,
    _one,
    _own,
    _same_customer,
    _today,
)

WRITES = {
    "create_standing_order", "change_standing_order", "end_standing_order", "revoke_mandate", "refund_direct_debit",
}  # fmt: skip


def list_standing_orders(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """A customer's active standing orders, with the payees' names and the currency.

    customer_id: whose.
    """
    return [_named(db, order) for order in _own(db, "standing_orders", customer_id, status="active")]


def get_standing_order(db: Database, order_id: str) -> dict[str, Any]:
    """One standing order, with the payee's name and the currency.

    order_id: such as SO-48213.
    """
    return _named(db, _one(db, "standing_orders", order_id))


def _named(db: Database, order: Record) -> Record:
    payee, account = _joined(db, "payees", order["payee_id"]), _joined(db, "accounts", order["account_id"])
    return {**order, "payee": payee["name"], "currency": account["currency"]}


def _coming(text: str, what: str) -> str:
    day = _day(text, what)
    if not _today() + timedelta(days=2) <= day <= _today() + timedelta(days=365):
        raise ValueError(f"{what} must lie between two days and a year from now")
    return text


def create_standing_order(
    db: Database,
    account_id: str,
    payee_id: str,
    amount: float,
    frequency: Literal["weekly", "monthly", "quarterly"],
    first_on: str,
) -> dict[str, Any]:
    """Set up a standing order from a current account to a payee in the same currency. One for each payee, account and
    frequency.

    account_id: a current account.
    payee_id: a payee of the same customer.
    amount: each time, in the account's currency.
    frequency: how often.
    first_on: first day of payment, two days to a year from now.
    """
    account, payee, amount = _current_account(db, account_id), _one(db, "payees", payee_id), _amount(amount)
    _same_customer(account, payee)
    _check_active(account)
    if frequency not in ("weekly", "monthly", "quarterly"):
        raise ValueError("frequency must be weekly, monthly or quarterly")
    if account["currency"] != payee["currency"]:
        raise ValueError(f"standing orders stay in one currency; {payee['name']} is paid in {payee['currency']}")
    wanted = {"account_id": account_id, "payee_id": payee_id, "frequency": frequency}
    same = _own(db, "standing_orders", account["customer_id"], status="active", **wanted)
    if same:
        raise ValueError(f"there is one already: {same[0]['order_id']}; change that")
    first_on, key = _coming(first_on, "first_on"), _new_key(db, "standing_orders", "SO")
    db["standing_orders"][key] = {
        "order_id": key,
        "customer_id": account["customer_id"],
        **wanted,
        "amount": amount,
        "next_on": first_on,
        "status": "active",
    }
    return _named(db, db["standing_orders"][key])


def _changeable(db: Database, order_id: str) -> Record:
    order = _one(db, "standing_orders", order_id)
    if order["status"] != "active":
        raise ValueError(f"standing order {order_id} has ended")
    if date.fromisoformat(order["next_on"]) <= _today():
        raise ValueError(f"standing order {order_id} is being paid today: change it tomorrow")
    return order


def change_standing_order(
    db: Database, order_id: str, amount: float | None = None, next_on: str | None = None
) -> dict[str, Any]:
    """Change the amount of a standing order, the day of its next payment, or both.

    order_id: an active standing order.
    amount: new amount, in the account's currency.
    next_on: new day of the next payment, two days to a year from now.
    """
    order = _changeable(db, order_id)
    changes: Record = {}
    if amount is not None:
        changes["amount"] = _amount(amount)
    if next_on is not None:
        changes["next_on"] = _coming(next_on, "next_on")
    if all(order[field] == value for field, value in changes.items()):
        raise ValueError("nothing would change: give another amount or another day")
    order.update(changes)
    return _named(db, order)


def end_standing_order(db: Database, order_id: str) -> dict[str, Any]:
    """End a standing order for good.

    order_id: an active standing order.
    """
    order = _changeable(db, order_id)
    order["status"] = "ended"
    return _named(db, order)


def list_mandates(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """A customer's active mandates for direct debits, with the last collection under each.

    customer_id: whose.
    """
    found = []
    for mandate in _own(db, "mandates", customer_id, status="active"):
        collected = _own(db, "transactions", customer_id, mandate_id=mandate["mandate_id"])
        last = max(collected, key=lambda each: each["booked_on"], default=None)
        found.append({**mandate, "last_collection": dict(last) if last else None})
    return found


def revoke_mandate(db: Database, mandate_id: str) -> dict[str, Any]:
    """Revoke a mandate, so that its creditor can collect nothing more.

    mandate_id: an active mandate.
    """
    mandate = _one(db, "mandates", mandate_id)
    if mandate["status"] != "active":
        raise ValueError(f"mandate {mandate_id} is revoked already")
    mandate["status"] = "revoked"
    return dict(mandate)


def refund_direct_debit(db: Database, transaction_id: str) -> dict[str, Any]:
    """Take a direct debit back, without giving a reason, until 56 days after it was booked. The money is there at
    once.

    transaction_id: a booked direct debit.
    """
    transaction = _one(db, "transactions", transaction_id)
    if transaction["kind"] != "direct_debit" or transaction["status"] != "booked":
        raise ValueError(f"{transaction_id} is no direct debit that could be taken back; card payments are disputed")
    last = date.fromisoformat(transaction["booked_on"]) + timedelta(days=56)
    if _today() > last:
        raise ValueError(f"{transaction_id} could be taken back until {last.isoformat()} only")
    account = _joined(db, "accounts", transaction["account_id"])
    account["balance"] = _cents(account["balance"] + transaction["amount"])
    transaction["status"] = "refunded"
    return {**transaction, "balance": account["balance"], "currency": account["currency"]}
