"""Payees and transfers, and what another currency costs."""

from datetime import datetime, timedelta
from typing import Any, Literal

from ._shared import (
    Database,
    Record,
    _amount,
    _available,
    _cents,
    _check_funds,
    _current_account,
    _day,
    _fee,
    _joined,
    _new_key,
    _one,
    _own,
    _plan,
    _rate,
    _same_customer,
    _today,
    _working_days_later,
)

WRITES = {"add_payee", "send_transfer", "cancel_transfer"}

PAYEE_COUNTRIES = {
    "DE": ("EUR", 22), "FR": ("EUR", 27), "NL": ("EUR", 18), "ES": ("EUR", 24), "IE": ("EUR", 22), "IT": ("EUR", 27),
    "GB": ("GBP", 22), "CH": ("CHF", 21), "SE": ("SEK", 24), "PL": ("PLN", 28), "DK": ("DKK", 18),
}  # fmt: skip


def list_payees(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """A customer's payees, with their account numbers and currencies.

    customer_id: whose.
    """
    return [dict(payee) for payee in _own(db, "payees", customer_id)]


def add_payee(db: Database, customer_id: str, name: str, iban: str) -> dict[str, Any]:
    """Add a payee. In the first 24 hours a payee receives no more than the currency's limit for new payees.

    customer_id: for whom.
    name: the payee's name, at most 60 characters.
    iban: the payee's international account number, without spaces.
    """
    _one(db, "customers", customer_id)
    if not 1 <= len(name.strip()) <= 60:
        raise ValueError("the payee's name must have 1 to 60 characters")
    currency, length = PAYEE_COUNTRIES.get(iban[:2], ("", 0))
    if not currency:
        raise ValueError(f"payees must bank in one of {', '.join(PAYEE_COUNTRIES)}")
    if len(iban) != length or not (iban.isascii() and iban.isalnum() and iban.isupper()):
        raise ValueError(f"an account number of {iban[:2]} has {length} letters and digits, without spaces")
    if int("".join(str(int(letter, 36)) for letter in iban[4:] + iban[:4])) % 97 != 1:
        raise ValueError(f"{iban} is mistyped: its check digits do not match")
    if any(each["iban"] == iban for each in _own(db, "payees", customer_id)):
        raise ValueError(f"{iban} is among the payees already")
    key = _new_key(db, "payees", "PY")
    db["payees"][key] = {
        "payee_id": key,
        "customer_id": customer_id,
        "name": name.strip(),
        "iban": iban,
        "currency": currency,
        "added_at": datetime.now().strftime("%Y-%m-%dT%H:%M"),
    }
    return dict(db["payees"][key])


def _quote(db: Database, account: Record, payee: Record, amount: float, speed: str) -> Record:
    _same_customer(account, payee)
    if speed not in ("standard", "express"):
        raise ValueError("speed must be standard or express")
    foreign = account["currency"] != payee["currency"]
    kinds = (["foreign_fee"] if foreign else []) + (["express_fee"] if speed == "express" else [])
    fee = _fee(db, account, *kinds)
    margin = _plan(db, account["customer_id"])["exchange_margin_percent"]
    rate = _rate(db, account["currency"], payee["currency"], margin)
    return {
        "amount": amount,
        "fee": fee,
        "total": _cents(amount + fee),
        "currency": account["currency"],
        "rate": rate,
        "received": _cents(amount * rate),
        "received_currency": payee["currency"],
    }


def quote_transfer(
    db: Database, account_id: str, payee_id: str, amount: float, speed: Literal["standard", "express"] = "standard"
) -> dict[str, Any]:
    """What a transfer would cost and how much would arrive; and the most that this payee may get now if it was added
    less than 24 hours ago (null otherwise).

    account_id: a current account.
    payee_id: a payee of the same customer.
    amount: in the account's currency.
    speed: standard arrives on the next working day, express today.
    """
    account, payee = _current_account(db, account_id), _one(db, "payees", payee_id)
    quote = _quote(db, account, payee, _amount(amount), speed)
    new = _is_new(payee)
    return {
        **quote,
        "available": _available(account),
        "payee_limit": _left_for_new_payee(db, account, payee) if new else None,
        "arrives_on": _today().isoformat() if speed == "express" else _working_days_later(1),
    }


def _is_new(payee: Record) -> bool:
    return datetime.now() - datetime.fromisoformat(payee["added_at"]) < timedelta(hours=24)


def _left_for_new_payee(db: Database, account: Record, payee: Record) -> float:
    """What a new payee may still receive, in the account's currency."""
    limit = _joined(db, "currencies", account["currency"])["new_payee_limit"]
    had = sum(
        each["amount"]
        for each in db["transfers"].values()
        if each["payee_id"] == payee["payee_id"] and each["status"] != "cancelled"
    )
    return max(0.0, _cents(limit - had))


def send_transfer(
    db: Database,
    account_id: str,
    payee_id: str,
    amount: float,
    speed: Literal["standard", "express"] = "standard",
    execute_on: str | None = None,
) -> dict[str, Any]:
    """Transfer money from a current account to a payee, today or on a later day.

    account_id: a current account.
    payee_id: a payee of the same customer.
    amount: in the account's currency.
    speed: standard or express; see quote_transfer for the fee.
    execute_on: a later day within a year, on which the money must be there; none: today.
    """
    account, payee, amount = _current_account(db, account_id), _one(db, "payees", payee_id), _amount(amount)
    quote = _quote(db, account, payee, amount, speed)
    day = _day(execute_on, "execute_on") if execute_on else _today()
    if not _today() <= day <= _today() + timedelta(days=365):
        raise ValueError("a transfer is made today or on a day within a year")
    now = day == _today()
    if _is_new(payee) and now and amount > _left_for_new_payee(db, account, payee):
        raise ValueError(
            f"{payee['name']} was added at {payee['added_at']}: in the first 24 hours such a payee can be sent "
            f"{_left_for_new_payee(db, account, payee):.2f} {account['currency']} at most"
        )
    _check_funds(account, quote["total"] if now else 0.0)
    key = _new_key(db, "transfers", "TF")
    if now:
        account["balance"] = _cents(account["balance"] - quote["total"])
    db["transfers"][key] = {
        "transfer_id": key,
        "customer_id": account["customer_id"],
        "account_id": account_id,
        "payee_id": payee_id,
        "amount": amount,
        "fee": quote["fee"],
        "received": quote["received"],
        "speed": speed,
        "execute_on": day.isoformat(),
        "status": "sent" if now else "scheduled",
        "ordered_at": datetime.now().strftime("%Y-%m-%dT%H:%M"),
    }
    return {**db["transfers"][key], "total": quote["total"], "balance": account["balance"]}


def list_transfers(
    db: Database, customer_id: str, status: Literal["scheduled", "sent", "cancelled"] | None = None
) -> list[dict[str, Any]]:
    """A customer's transfers, with the payees' names, by date of execution.

    customer_id: whose.
    status: only those in this state.
    """
    found = _own(db, "transfers", customer_id, status=status)
    named = [{**each, "payee": _joined(db, "payees", each["payee_id"])["name"]} for each in found]
    return sorted(named, key=lambda each: each["execute_on"])


def cancel_transfer(db: Database, transfer_id: str) -> dict[str, Any]:
    """Cancel a transfer that is scheduled for a later day. What was sent cannot be called back.

    transfer_id: a scheduled transfer.
    """
    transfer = _one(db, "transfers", transfer_id)
    if transfer["status"] != "scheduled":
        raise ValueError(f"transfer {transfer_id} is {transfer['status']}: only scheduled ones can be cancelled")
    transfer["status"] = "cancelled"
    return dict(transfer)


def convert_currency(db: Database, customer_id: str, sell: str, buy: str, amount: float) -> dict[str, Any]:
    """What a customer would get for an amount in another currency today, at the rate of their plan.

    customer_id: for whom.
    sell: currency code of the amount, such as EUR.
    buy: currency code to change it into.
    amount: what is sold.
    """
    _one(db, "currencies", sell), _one(db, "currencies", buy)
    _one(db, "customers", customer_id)
    rate = _rate(db, sell, buy, _plan(db, customer_id)["exchange_margin_percent"])
    return {"rate": rate, "bought": _cents(_amount(amount) * rate), "currency": buy}
