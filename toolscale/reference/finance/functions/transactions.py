"""What was paid, and disputes about it."""

from datetime import date, timedelta
from typing import Any, Literal

from ._shared import Database, Record, _day, _joined, _new_key, _one, _own, _today

WRITES = {"open_dispute", "withdraw_dispute"}


def search_transactions(
    db: Database,
    customer_id: str,
    counterparty: str | None = None,
    kind: Literal["card", "direct_debit"] | None = None,
    category: Literal["groceries", "dining", "travel", "electronics", "clothing", "home", "leisure", "health"]
    | None = None,
    since: str | None = None,
) -> list[dict[str, Any]]:
    """A customer's transactions on all accounts, by date, newest first, with the currency.

    customer_id: whose.
    counterparty: shop or creditor, or a part of its name.
    kind: only payments by card, or only direct debits.
    category: only purchases of this category.
    since: first day, YYYY-MM-DD.
    """
    first = _day(since, "since").isoformat() if since else ""
    found = [
        _shown_transaction(db, each)
        for each in _own(db, "transactions", customer_id, kind=kind, category=category)
        if each["booked_on"] >= first and (counterparty or "").lower() in each["counterparty"].lower()
    ]
    return sorted(found, key=lambda each: (each["booked_on"], each["transaction_id"]), reverse=True)


def get_transaction(db: Database, transaction_id: str) -> dict[str, Any]:
    """One transaction, with the last day on which it can be taken back (direct debit) or disputed (card), and its
    dispute if there is one.

    transaction_id: such as TX-4F82A1.
    """
    transaction = _one(db, "transactions", transaction_id)
    days = 120 if transaction["kind"] == "card" else 56
    last = date.fromisoformat(transaction["booked_on"]) + timedelta(days=days)
    disputes = [dict(each) for each in db["disputes"].values() if each["transaction_id"] == transaction_id]
    return {**_shown_transaction(db, transaction), "last_day": last.isoformat(), "disputes": disputes}


def _shown_transaction(db: Database, transaction: Record) -> Record:
    return {**transaction, "currency": _joined(db, "accounts", transaction["account_id"])["currency"]}


def open_dispute(
    db: Database, transaction_id: str, reason: Literal["unauthorised", "not_received", "wrong_amount", "duplicate"]
) -> dict[str, Any]:
    """Dispute a booked card payment, until 120 days after it was booked, once. A payment that the customer did not
    make (unauthorised) is disputed only after its card was blocked as lost or stolen.

    transaction_id: a booked card payment.
    reason: what is wrong with it.
    """
    transaction = _one(db, "transactions", transaction_id)
    if reason not in ("unauthorised", "not_received", "wrong_amount", "duplicate"):
        raise ValueError("the reason must be unauthorised, not_received, wrong_amount or duplicate")
    if transaction["kind"] != "card" or transaction["status"] != "booked":
        raise ValueError(f"{transaction_id} is a {transaction['kind']} and {transaction['status']}: not to be disputed")
    last = date.fromisoformat(transaction["booked_on"]) + timedelta(days=120)
    if _today() > last:
        raise ValueError(f"{transaction_id} could be disputed until {last.isoformat()} only")
    if any(each["transaction_id"] == transaction_id for each in db["disputes"].values()):
        raise ValueError(f"{transaction_id} was disputed before")
    card = _joined(db, "cards", transaction["card_id"])
    if reason == "unauthorised" and card["status"] not in ("lost", "stolen"):
        raise ValueError(f"block card {card['card_id']} as lost or stolen first: it is {card['status']}")
    key = _new_key(db, "disputes", "DP")
    db["disputes"][key] = {
        "dispute_id": key,
        "customer_id": transaction["customer_id"],
        "transaction_id": transaction_id,
        "reason": reason,
        "amount": transaction["amount"],
        "status": "under_review",
        "opened_on": _today().isoformat(),
    }
    return dict(db["disputes"][key])


def list_disputes(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """A customer's disputes, with the shops they are about.

    customer_id: whose.
    """
    return [
        {**each, "counterparty": _joined(db, "transactions", each["transaction_id"])["counterparty"]}
        for each in _own(db, "disputes", customer_id)
    ]


def withdraw_dispute(db: Database, dispute_id: str) -> dict[str, Any]:
    """Withdraw a dispute that is still under review.

    dispute_id: such as DP-48213.
    """
    dispute = _one(db, "disputes", dispute_id)
    if dispute["status"] != "under_review":
        raise ValueError(f"dispute {dispute_id} is {dispute['status']}: there is nothing to withdraw")
    dispute["status"] = "withdrawn"
    return {**dispute, "counterparty": _joined(db, "transactions", dispute["transaction_id"])["counterparty"]}
