"""What the bank's functions share."""

import re
import uuid
from datetime import date, datetime, timedelta
from typing import Any

Database = dict[str, dict[str, Any]]
Record = dict[str, Any]


def _one(db: Database, table: str, key: str) -> Record:
    if key not in db[table]:
        raise ValueError(f"there is no {key} in {table}; look the id up first")
    record: Record = db[table][key]
    return record


def _joined(db: Database, table: str, key: str) -> Record:
    """A record that another one refers to, found by scanning: only what a call names counts as looked up."""
    record: Record = next(row for row_key, row in db[table].items() if row_key == key)
    return record


def _own(db: Database, table: str, customer_id: str, **fields: Any) -> list[Record]:
    """A customer's records of one table, found by scanning it; a field given as None does not matter."""
    _one(db, "customers", customer_id)
    wanted = {name: value for name, value in fields.items() if value is not None}
    return [
        row
        for row in db[table].values()
        if row["customer_id"] == customer_id and all(row[name] == value for name, value in wanted.items())
    ]


def _new_key(db: Database, table: str, prefix: str) -> str:
    while True:
        key = f"{prefix}-{uuid.uuid4().int % 90000 + 10000}"
        if key not in db[table]:
            return key


def _today() -> date:
    return datetime.now().date()


def _day(text: str, what: str) -> date:
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        raise ValueError(f"{what} must be a date such as 2026-11-30, not {text!r}")
    return date.fromisoformat(text)


def _working_days_later(count: int) -> str:
    day = _today()
    while count:
        day += timedelta(days=1)
        count -= day.weekday() < 5
    return day.isoformat()


def _amount(value: float, what: str = "the amount") -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        raise ValueError(f"{what} must be more than zero")
    if abs(value * 100 - round(value * 100)) > 1e-6:
        raise ValueError(f"{what} has more than two decimals: {value}")
    return round(float(value), 2)


def _cents(value: float) -> float:
    return round(value + 1e-9, 2)


def _plan(db: Database, customer_id: str) -> Record:
    return _joined(db, "plans", _joined(db, "customers", customer_id)["plan_id"])


def _fee(db: Database, account: Record, *kinds: str) -> float:
    """The fees of the account's currency, less what the customer's plan takes off."""
    currency = _joined(db, "currencies", account["currency"])
    discount = _plan(db, account["customer_id"])["fee_discount_percent"]
    return _cents(sum(currency[kind] for kind in kinds) * (100 - discount) / 100)


def _rate(db: Database, sell: str, buy: str, margin_percent: float) -> float:
    """Units bought for one unit sold: the middle rate less the margin."""
    if sell == buy:
        return 1.0
    middle = _joined(db, "currencies", buy)["rate_per_eur"] / _joined(db, "currencies", sell)["rate_per_eur"]
    return float(round(middle * (100 - margin_percent) / 100, 5))


def _available(account: Record) -> float:
    return _cents(account["balance"] + account["overdraft_limit"])


def _is_savings(db: Database, account: Record) -> bool:
    return bool(_joined(db, "products", account["product_id"])["kind"] == "savings")


def _check_active(account: Record) -> None:
    if account["status"] != "active":
        raise ValueError(f"account {account['account_id']} is {account['status']}: nothing can be paid from it")


def _check_funds(account: Record, needed: float) -> None:
    _check_active(account)
    if needed > _available(account):
        raise ValueError(
            f"account {account['account_id']} has {_available(account):.2f} {account['currency']} available, "
            f"{needed:.2f} are needed"
        )


def _same_customer(one: Record, other: Record) -> None:
    if one["customer_id"] != other["customer_id"]:
        raise ValueError("both must belong to the same customer")


def _current_account(db: Database, account_id: str) -> Record:
    account = _one(db, "accounts", account_id)
    if _is_savings(db, account):
        raise ValueError(f"{account_id} is a savings account; this needs a current account")
    return account


def _withdrawals_left(db: Database, account: Record) -> int | None:
    most = _joined(db, "products", account["product_id"])["monthly_withdrawals"]
    return None if most is None else max(0, most - account["withdrawals_this_month"])


def _withdraw(db: Database, account: Record, amount: float) -> None:
    """Take money out of an account, as far as its funds and its kind allow."""
    _check_funds(account, amount)
    if _withdrawals_left(db, account) == 0:
        raise ValueError(
            f"account {account['account_id']} has no withdrawal left in this calendar month: "
            f"{account['withdrawals_this_month']} were made"
        )
    account["balance"] = _cents(account["balance"] - amount)
    account["withdrawals_this_month"] += _is_savings(db, account)
