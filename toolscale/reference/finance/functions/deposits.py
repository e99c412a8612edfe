"""Fixed deposits: offers, opening, breaking before the end, and what happens at maturity."""

from calendar import monthrange
from datetime import date, timedelta
from typing import Any, Literal

from ._shared import (
    Database,
    Record,
    _amount,
    _cents,
    _check_active,
    _check_funds,
    _current_account,
    _joined,
    _new_key,
    _one,
    _own,
    _today,
)

WRITES = {"open_deposit", "break_deposit", "set_maturity"}


def list_deposit_offers(db: Database, account_id: str) -> list[dict[str, Any]]:
    """Terms and interest of fixed deposits, and the least amount in the currency of an account.

    account_id: a current account that the money would come from.
    """
    account = _current_account(db, account_id)
    least = _joined(db, "currencies", account["currency"])["least_deposit"]
    return [
        {**offer, "least_amount": least, "currency": account["currency"]} for offer in db["deposit_offers"].values()
    ]


def list_deposits(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """A customer's running fixed deposits, with what breaking each would pay out today.

    customer_id: whose.
    """
    return [_shown_deposit(db, each) for each in _own(db, "deposits", customer_id, status="active")]


def get_deposit(db: Database, deposit_id: str) -> dict[str, Any]:
    """One fixed deposit: interest to the end, and what breaking it today would pay out.

    deposit_id: such as FD-48213.
    """
    return _shown_deposit(db, _one(db, "deposits", deposit_id))


def _interest(deposit: Record, until: date) -> float:
    days = (until - date.fromisoformat(deposit["started_on"])).days
    return _cents(deposit["amount"] * deposit["interest_percent"] / 100 * days / 365)


def _shown_deposit(db: Database, deposit: Record) -> Record:
    so_far = _interest(deposit, _today())
    return {
        **deposit,
        "currency": _joined(db, "accounts", deposit["account_id"])["currency"],
        "interest_at_maturity": _interest(deposit, date.fromisoformat(deposit["matures_on"])),
        "interest_so_far": so_far,
        "breakable_from": (date.fromisoformat(deposit["started_on"]) + timedelta(days=30)).isoformat(),
        "paid_out_if_broken": _cents(deposit["amount"] + _cents(so_far / 2)),
    }


def open_deposit(
    db: Database, account_id: str, offer_id: str, amount: float, at_maturity: Literal["pay_out", "renew"] = "pay_out"
) -> dict[str, Any]:
    """Open a fixed deposit with money from a current account.

    account_id: a current account of the customer.
    offer_id: from list_deposit_offers.
    amount: in the account's currency, at least the least amount.
    at_maturity: pay out to the account, or renew for the same term.
    """
    account, offer, amount = _current_account(db, account_id), _one(db, "deposit_offers", offer_id), _amount(amount)
    if at_maturity not in ("pay_out", "renew"):
        raise ValueError("at_maturity must be pay_out or renew")
    least = _joined(db, "currencies", account["currency"])["least_deposit"]
    if amount < least:
        raise ValueError(f"a fixed deposit begins at {least:.2f} {account['currency']}")
    if amount > account["balance"]:
        raise ValueError("a fixed deposit is not paid from an overdraft")
    _check_funds(account, amount)
    account["balance"] = _cents(account["balance"] - amount)
    year, month = divmod(_today().year * 12 + _today().month - 1 + offer["term_months"], 12)
    ends = date(year, month + 1, min(_today().day, monthrange(year, month + 1)[1]))
    key = _new_key(db, "deposits", "FD")
    db["deposits"][key] = {
        "deposit_id": key,
        "customer_id": account["customer_id"],
        "account_id": account_id,
        "offer_id": offer_id,
        "amount": amount,
        "interest_percent": offer["interest_percent"],
        "started_on": _today().isoformat(),
        "matures_on": ends.isoformat(),
        "at_maturity": at_maturity,
        "status": "active",
    }
    return {**_shown_deposit(db, db["deposits"][key]), "balance": account["balance"]}


def break_deposit(db: Database, deposit_id: str) -> dict[str, Any]:
    """End a fixed deposit before maturity, 30 days after it began at the earliest. Half of the interest so far is lost;
    the rest is paid out with the amount to the account that it came from.

    deposit_id: a running fixed deposit.
    """
    deposit = _one(db, "deposits", deposit_id)
    if deposit["status"] != "active":
        raise ValueError(f"deposit {deposit_id} is {deposit['status']}")
    shown = _shown_deposit(db, deposit)
    if _today().isoformat() < shown["breakable_from"]:
        raise ValueError(f"deposit {deposit_id} can be broken from {shown['breakable_from']}")
    account = _joined(db, "accounts", deposit["account_id"])
    _check_active(account)
    account["balance"] = _cents(account["balance"] + shown["paid_out_if_broken"])
    deposit["status"] = "broken"
    return {"deposit_id": deposit_id, "paid_out": shown["paid_out_if_broken"], "balance": account["balance"]}


def set_maturity(db: Database, deposit_id: str, at_maturity: Literal["pay_out", "renew"]) -> dict[str, Any]:
    """Say what happens when a fixed deposit matures, until three days before.

    deposit_id: a running fixed deposit.
    at_maturity: pay out to the account, or renew for the same term.
    """
    deposit = _one(db, "deposits", deposit_id)
    if at_maturity not in ("pay_out", "renew"):
        raise ValueError("at_maturity must be pay_out or renew")
    if deposit["status"] != "active" or deposit["at_maturity"] == at_maturity:
        raise ValueError(f"deposit {deposit_id} is {deposit['status']} and set to {deposit['at_maturity']}")
    if (date.fromisoformat(deposit["matures_on"]) - _today()).days < 3:
        raise ValueError(f"deposit {deposit_id} matures on {deposit['matures_on']}: too late to change that")
    deposit["at_maturity"] = at_maturity
    return _shown_deposit(db, deposit)
