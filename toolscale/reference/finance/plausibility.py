"""What a banker would find odd in a set of entries, and how to make one odd."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.finance.catalogue import SCALE
from toolscale.reference.finance.holdings import annuity
from toolscale.reference.finance.ibans import COUNTRY_CURRENCY, remainder
from toolscale.reference.finance.ledger import months_later
from toolscale.reference.moments import NOW, TODAY, age

Record = dict[str, Any]

TODAY_TEXT = TODAY.isoformat()


def implausible(entries: Database) -> list[str]:
    """One sentence for each fault, judged on these entries alone; empty if all is well."""
    return [
        f"{table} {key}: {reason}"
        for table, rule in _RULES.items()
        for key, record in entries.get(table, {}).items()
        for reason in rule(record, entries)
    ]


def blemish(entries: Database, rng: Random) -> None:
    """Spoil one entry in place: still valid by the schema, its references whole, but implausible."""
    spoilable = [(table, key) for table in _SPOILS for key in sorted(entries.get(table, {}))]
    table, key = rng.choice(spoilable)
    entries[table][key].update(_SPOILS[table])


def _in(entries: Database, table: str, key: str | None) -> Record | None:
    return entries.get(table, {}).get(key or "")


def _scale_of(record: Record, entries: Database) -> int:
    """How large sums are in the currency of a record's account; the largest if the account is out of sight."""
    account = _in(entries, "accounts", record["account_id"])
    return SCALE[account["currency"]] if account else max(SCALE.values())


def _currency(record: Record, entries: Database) -> Iterator[str]:
    if not 0.2 <= record["rate_per_eur"] <= 30:
        yield "no currency here stands like that to the euro"
    if record["foreign_fee"] > record["highest_overdraft"]:
        yield "a fee higher than the highest overdraft"


def _plan(record: Record, entries: Database) -> Iterator[str]:
    if record["exchange_margin_percent"] > 4:
        yield "nobody would change money at that margin"


def _product(record: Record, entries: Database) -> Iterator[str]:
    if record["youngest"] > record["oldest"]:
        yield "nobody is of the age for it"


def _offer(record: Record, entries: Database) -> Iterator[str]:
    if not 1 <= record["term_months"] <= 120 or record["interest_percent"] > 6:
        yield "no bank offers that"


def _customer(record: Record, entries: Database) -> Iterator[str]:
    if not 18 <= age(record["birth_date"]) <= 105:
        yield f"a customer of {age(record['birth_date'])} years"
    if record["customer_since"] > TODAY_TEXT:
        yield "a customer since a day to come"


def _account(record: Record, entries: Database) -> Iterator[str]:
    scale = SCALE[record["currency"]]
    if record["balance"] < -record["overdraft_limit"]:
        yield "overdrawn beyond its limit"
    if abs(record["balance"]) > 200_000 * scale:
        yield "nobody keeps that much on such an account"
    if remainder(record["iban"][4:] + record["iban"][:4]) != 1:
        yield "its account number fails the check"
    if record["product_id"] != "PR-CURRENT" and record["overdraft_limit"]:
        yield "a savings account with an overdraft"


def _card(record: Record, entries: Database) -> Iterator[str]:
    if not 1 <= record["daily_limit"] <= 6000 * _scale_of(record, entries):
        yield "no card has such a limit"
    if record["expires_on"] < TODAY_TEXT and record["status"] == "active":
        yield "it expired and still works"


def _payee(record: Record, entries: Database) -> Iterator[str]:
    if remainder(record["iban"][4:] + record["iban"][:4]) != 1:
        yield "its account number fails the check"
    if COUNTRY_CURRENCY.get(record["iban"][:2]) != record["currency"]:
        yield "its currency is not that of its country"
    if record["added_at"] > NOW:
        yield "it was added on a day to come"


def _transfer(record: Record, entries: Database) -> Iterator[str]:
    if record["ordered_at"][:10] > record["execute_on"]:
        yield "it was ordered after it was made"
    if record["status"] == "sent" and record["execute_on"] > TODAY_TEXT:
        yield "it is sent before its day"
    if not record["amount"]:
        yield "nothing is transferred"


def _standing_order(record: Record, entries: Database) -> Iterator[str]:
    if not 1 <= record["amount"] <= 20_000 * _scale_of(record, entries):
        yield "nobody pays that again and again"
    if record["status"] == "active" and record["next_on"] < TODAY_TEXT:
        yield "its next payment lies in the past"


def _mandate(record: Record, entries: Database) -> Iterator[str]:
    if record["signed_on"] > TODAY_TEXT:
        yield "it was signed on a day to come"


def _transaction(record: Record, entries: Database) -> Iterator[str]:
    if not 0.5 <= record["amount"] <= 20_000 * _scale_of(record, entries):
        yield "nobody pays that"
    if record["booked_on"] > TODAY_TEXT:
        yield "it was booked on a day to come"
    if (record["kind"] == "card") != bool(record["card_id"]) or (record["kind"] == "card") == bool(
        record["mandate_id"]
    ):
        yield "its kind and what it was paid with do not match"
    mandate = _in(entries, "mandates", record["mandate_id"])
    if mandate and (mandate["creditor"] != record["counterparty"] or mandate["signed_on"] > record["booked_on"]):
        yield "it was collected without that mandate"


def _dispute(record: Record, entries: Database) -> Iterator[str]:
    disputed = _in(entries, "transactions", record["transaction_id"])
    if disputed and (disputed["amount"] != record["amount"] or disputed["booked_on"] > record["opened_on"]):
        yield "it does not match what it disputes"


def _loan(record: Record, entries: Database) -> Iterator[str]:
    if record["outstanding"] > record["principal"]:
        yield "more is owed than was lent"
    if record["monthly_payment"] < annuity(record["principal"], record["interest_percent"] or 0.01, 120) - 0.01:
        yield "it would take more than ten years to repay"


def _deposit(record: Record, entries: Database) -> Iterator[str]:
    offer = _in(entries, "deposit_offers", record["offer_id"])
    months = offer["term_months"] if offer else int(record["offer_id"][3:5])
    if months_later(record["started_on"], months) != record["matures_on"]:
        yield f"{months} months do not lie between its days"


_RULES: dict[str, Callable[[Record, Database], Iterator[str]]] = {
    "currencies": _currency,
    "plans": _plan,
    "products": _product,
    "deposit_offers": _offer,
    "customers": _customer,
    "accounts": _account,
    "cards": _card,
    "payees": _payee,
    "transfers": _transfer,
    "standing_orders": _standing_order,
    "mandates": _mandate,
    "transactions": _transaction,
    "disputes": _dispute,
    "loans": _loan,
    "deposits": _deposit,
}

_SPOILS: dict[str, Record] = {
    "currencies": {"rate_per_eur": 9400.0},
    "plans": {"exchange_margin_percent": 5.0},
    "products": {"youngest": 60, "oldest": 27},
    "deposit_offers": {"term_months": 990},
    "customers": {"birth_date": "2021-03-04"},
    "accounts": {"balance": -990_000.0},
    "cards": {"daily_limit": 9_900_000.0},
    "payees": {"added_at": "2031-05-05T10:00"},
    "transfers": {"amount": 0.0},
    "standing_orders": {"amount": 9_999_999.0},
    "mandates": {"signed_on": "2031-01-15"},
    "transactions": {"booked_on": "2031-02-27"},
    "disputes": {"amount": 0.01},
    "loans": {"outstanding": 99_000_000.0},
    "deposits": {"matures_on": "2071-12-01"},
}
