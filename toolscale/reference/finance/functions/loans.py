"""Instalment loans: extra repayments, and putting a payment off."""

from datetime import date, timedelta
from typing import Any

from ._shared import (
    Database,
    Record,
    _amount,
    _cents,
    _check_funds,
    _current_account,
    _joined,
    _one,
    _own,
    _same_customer,
    _today,
)

WRITES = {"repay_loan", "defer_payment"}

FIXED_FEE_PERCENT = 1.0


def list_loans(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """A customer's loans that are not repaid, with what is owed and what they cost.

    customer_id: whose.
    """
    return [_shown_loan(db, loan) for loan in _own(db, "loans", customer_id, status="active")]


def get_loan(db: Database, loan_id: str) -> dict[str, Any]:
    """One loan: what is owed, interest, the next payment, and until when no payment can be put off again.

    loan_id: such as LN-48213.
    """
    return _shown_loan(db, _one(db, "loans", loan_id))


def _shown_loan(db: Database, loan: Record) -> Record:
    return {
        **loan,
        "currency": _joined(db, "accounts", loan["account_id"])["currency"],
        "can_defer_from": _after_deferral(loan),
    }


def _after_deferral(loan: Record) -> str | None:
    if not loan["deferred_on"]:
        return None
    return (date.fromisoformat(loan["deferred_on"]) + timedelta(days=365)).isoformat()


def quote_repayment(db: Database, loan_id: str, amount: float | None = None) -> dict[str, Any]:
    """What an extra repayment costs: 1% of it for a fixed rate, nothing for a variable one. Without an amount: what
    settles the loan altogether.

    loan_id: an active loan.
    amount: extra repayment, in the loan's currency; none: all that is owed.
    """
    loan = _one(db, "loans", loan_id)
    amount = loan["outstanding"] + loan["arrears"] if amount is None else _amount(amount)
    fee = _cents(amount * FIXED_FEE_PERCENT / 100) if loan["rate_type"] == "fixed" else 0.0
    return {
        "loan_id": loan_id,
        "amount": _cents(amount),
        "fee": fee,
        "total": _cents(amount + fee),
        "currency": _joined(db, "accounts", loan["account_id"])["currency"],
    }


def repay_loan(db: Database, loan_id: str, account_id: str, amount: float) -> dict[str, Any]:
    """Repay a part of a loan ahead of time, or all of it, at the fee of quote_repayment. Arrears are paid first.

    loan_id: an active loan.
    account_id: a current account of the same customer in the loan's currency.
    amount: extra repayment without the fee, at most what is owed.
    """
    loan, account, amount = _one(db, "loans", loan_id), _current_account(db, account_id), _amount(amount)
    _same_customer(loan, account)
    if loan["status"] != "active":
        raise ValueError(f"loan {loan_id} is repaid")
    quote = quote_repayment(db, loan_id, amount)
    if account["currency"] != quote["currency"]:
        raise ValueError(f"loan {loan_id} is repaid in {quote['currency']}")
    owed = _cents(loan["outstanding"] + loan["arrears"])
    if amount > owed:
        raise ValueError(f"only {owed:.2f} {quote['currency']} are owed")
    _check_funds(account, quote["total"])
    account["balance"] = _cents(account["balance"] - quote["total"])
    on_arrears = min(amount, loan["arrears"])
    loan["arrears"] = _cents(loan["arrears"] - on_arrears)
    loan["outstanding"] = _cents(loan["outstanding"] - (amount - on_arrears))
    if not loan["outstanding"]:
        loan["status"] = "repaid"
    return {**_shown_loan(db, loan), "fee": quote["fee"], "paid": quote["total"], "balance": account["balance"]}


def defer_payment(db: Database, loan_id: str) -> dict[str, Any]:
    """Put the next payment of a loan off by a month. Allowed after six payments, without arrears, and once in 365
    days.

    loan_id: an active loan.
    """
    loan = _one(db, "loans", loan_id)
    if loan["status"] != "active" or loan["payments_made"] < 6 or loan["arrears"]:
        raise ValueError("a payment is put off only for active loans without arrears, after six payments")
    again = _after_deferral(loan)
    if again and again > _today().isoformat():
        raise ValueError(f"a payment of {loan_id} was put off on {loan['deferred_on']}; again from {again}")
    day = date.fromisoformat(loan["next_payment_on"])
    year, month = divmod(day.year * 12 + day.month, 12)
    loan["next_payment_on"] = date(year, month + 1, min(day.day, 28)).isoformat()
    loan["deferred_on"] = _today().isoformat()
    return _shown_loan(db, loan)
