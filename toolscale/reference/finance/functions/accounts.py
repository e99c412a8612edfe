"""Accounts: what is on them, moving money between them, opening, closing, and overdrafts."""

from datetime import date
from typing import Any

from ._shared import (
    Database,
    Record,
    _amount,
    _available,
    _cents,
    _check_active,
    _current_account,
    _joined,
    _new_key,
    _one,
    _own,
    _plan,
    _rate,
    _same_customer,
    _today,
    _withdraw,
    _withdrawals_left,
)

WRITES = {"move_money", "open_savings_account", "close_account", "set_overdraft"}


def get_customer(db: Database, customer_id: str) -> dict[str, Any]:
    """A customer's details, and the plan with what it takes off fees and adds to exchange rates.

    customer_id: such as CU-48213.
    """
    customer = _one(db, "customers", customer_id)
    return {**customer, "plan": dict(_plan(db, customer_id))}


def list_accounts(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """A customer's accounts that are not closed, with label, product, currency and available money.

    customer_id: whose.
    """
    return [
        _shown_account(db, account) for account in _own(db, "accounts", customer_id) if account["status"] != "closed"
    ]


def get_account(db: Database, account_id: str) -> dict[str, Any]:
    """One account: balance, overdraft limit and the highest there is, what is available, and withdrawals left in this
    calendar month.

    account_id: such as AC-48213.
    """
    return _shown_account(db, _one(db, "accounts", account_id))


def _shown_account(db: Database, account: Record) -> Record:
    product = _joined(db, "products", account["product_id"])
    return {
        **account,
        "product": product["name"],
        "kind": product["kind"],
        "interest_percent": product["interest_percent"],
        "available": _available(account),
        "withdrawals_left": _withdrawals_left(db, account),
        "highest_overdraft": _joined(db, "currencies", account["currency"])["highest_overdraft"],
    }


def move_money(db: Database, from_account_id: str, to_account_id: str, amount: float) -> dict[str, Any]:
    """Move money at once between two accounts of the same customer, free of charge. Between currencies it is exchanged
    at the customer's rate. Counts as a withdrawal from a savings account.

    from_account_id: where it comes from.
    to_account_id: where it goes.
    amount: in the currency of the account that it comes from.
    """
    source, target = _one(db, "accounts", from_account_id), _one(db, "accounts", to_account_id)
    amount = _amount(amount)
    if from_account_id == to_account_id:
        raise ValueError("the two accounts must differ")
    _same_customer(source, target)
    if target["status"] == "closed":
        raise ValueError(f"account {to_account_id} is closed")
    margin = _plan(db, source["customer_id"])["exchange_margin_percent"]
    received = _cents(amount * _rate(db, source["currency"], target["currency"], margin))
    _withdraw(db, source, amount)
    target["balance"] = _cents(target["balance"] + received)
    return {
        "from_balance": source["balance"],
        "to_balance": target["balance"],
        "received": received,
        "received_currency": target["currency"],
    }


def list_savings_products(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """The savings accounts that a customer of that age may open and does not hold yet.

    customer_id: for whom.
    """
    customer = _one(db, "customers", customer_id)
    held = [each["product_id"] for each in _own(db, "accounts", customer_id) if each["status"] != "closed"]
    return [
        dict(product)
        for product in db["products"].values()
        if product["kind"] == "savings" and product["product_id"] not in held and _of_age(product, customer)
    ]


def _of_age(product: Record, customer: Record) -> bool:
    born, today = date.fromisoformat(customer["birth_date"]), _today()
    age = today.year - born.year - ((today.month, today.day) < (born.month, born.day))
    return bool(product["youngest"] <= age <= product["oldest"])


def open_savings_account(db: Database, product_id: str, account_id: str, label: str, amount: float) -> dict[str, Any]:
    """Open a savings account in the currency of the customer's current account, with a first payment from there.

    product_id: from list_savings_products.
    account_id: the current account that the first payment comes from.
    label: what the customer wants to call it, at most 30 characters.
    amount: first payment.
    """
    product, source = _one(db, "products", product_id), _current_account(db, account_id)
    amount, customer = _amount(amount), _joined(db, "customers", source["customer_id"])
    if product["kind"] != "savings" or not _of_age(product, customer):
        raise ValueError(f"{product['name']} is not open to this customer: see list_savings_products")
    others = [each for each in _own(db, "accounts", source["customer_id"]) if each["status"] != "closed"]
    if any(each["product_id"] == product_id for each in others):
        raise ValueError(f"the customer has a {product['name']} already")
    if not 1 <= len(label) <= 30 or any(each["label"].lower() == label.lower() for each in others):
        raise ValueError("the label must have 1 to 30 characters and differ from those of the other accounts")
    _withdraw(db, source, amount)
    key = _new_key(db, "accounts", "AC")
    digits = source["iban"][:-5] + key[3:]
    check = 98 - int("".join(str(int(letter, 36)) for letter in f"{digits[4:]}{digits[:2]}00")) % 97
    db["accounts"][key] = {
        "account_id": key,
        "customer_id": source["customer_id"],
        "product_id": product_id,
        "label": label,
        "iban": f"{digits[:2]}{check:02}{digits[4:]}",
        "currency": source["currency"],
        "balance": amount,
        "overdraft_limit": 0.0,
        "withdrawals_this_month": 0,
        "status": "active",
        "opened_on": _today().isoformat(),
        "closed_into": None,
    }
    return _shown_account(db, db["accounts"][key])


def close_account(db: Database, account_id: str, pay_out_to: str) -> dict[str, Any]:
    """Close an account and pay its balance out to another account of the customer in the same currency. Refused while
    it is overdrawn or frozen, and while cards, standing orders, mandates, loans, fixed deposits or scheduled transfers
    hang on it.

    account_id: account to close.
    pay_out_to: account that receives the balance.
    """
    account, target = _one(db, "accounts", account_id), _one(db, "accounts", pay_out_to)
    _check_active(account)
    _check_active(target)
    _same_customer(account, target)
    if account_id == pay_out_to or account["currency"] != target["currency"]:
        raise ValueError("the balance must go to another account in the same currency")
    if account["balance"] < 0:
        raise ValueError(f"account {account_id} is overdrawn by {-account['balance']:.2f}; settle that first")
    if _withdrawals_left(db, account) == 0:
        raise ValueError(f"account {account_id} has no withdrawal left in this calendar month")
    if hanging := _hanging(db, account_id):
        raise ValueError(f"account {account_id} is still needed for {', '.join(hanging)}")
    paid_out = account["balance"]
    target["balance"] = _cents(target["balance"] + paid_out)
    account.update(balance=0.0, overdraft_limit=0.0, status="closed", closed_into=pay_out_to)
    return {"account_id": account_id, "paid_out": paid_out, "new_balance": target["balance"]}


def _hanging(db: Database, account_id: str) -> list[str]:
    """The ids of all that still needs an account."""
    needed = {
        "cards": ("ordered", "active", "frozen"),
        "standing_orders": ("active",),
        "mandates": ("active",),
        "loans": ("active",),
        "deposits": ("active",),
        "transfers": ("scheduled",),
    }
    return [
        key
        for table, states in needed.items()
        for key, row in db[table].items()
        if row["account_id"] == account_id and row["status"] in states
    ]


def set_overdraft(db: Database, account_id: str, limit: float) -> dict[str, Any]:
    """Set the overdraft limit of a current account, up to the currency's highest; zero ends it. It may not fall below
    what is overdrawn, and is not raised while one of the customer's loans is in arrears.

    account_id: a current account.
    limit: new limit, in the account's currency.
    """
    account = _current_account(db, account_id)
    _check_active(account)
    limit = _amount(limit, "the limit") if limit else 0.0
    highest = _joined(db, "currencies", account["currency"])["highest_overdraft"]
    if limit > highest:
        raise ValueError(f"the highest overdraft limit is {highest:.2f} {account['currency']}")
    if limit < -account["balance"]:
        raise ValueError(f"the account is overdrawn by {-account['balance']:.2f}: the limit cannot be lower")
    behind = [loan["loan_id"] for loan in _own(db, "loans", account["customer_id"], status="active") if loan["arrears"]]
    if limit > account["overdraft_limit"] and behind:
        raise ValueError(f"no higher limit while loan {behind[0]} is in arrears")
    account["overdraft_limit"] = limit
    return {"account_id": account_id, "overdraft_limit": limit, "available": _available(account)}
