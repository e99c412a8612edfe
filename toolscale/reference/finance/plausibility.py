"""What a banker would find odd in a set of entries, and how to make one odd."""

from collections.abc import Iterator
from pathlib import Path

from toolscale.reference.finance.catalogue import SCALE
from toolscale.reference.finance.holdings import annuity
from toolscale.reference.finance.ibans import COUNTRY_CURRENCY, remainder
from toolscale.reference.finance.ledger import months_later
from toolscale.reference.finance.schema import SCHEMA
from toolscale.reference.plausibility import Entries, Plausibility
from toolscale.reference.program import Record


def _in(entries: Entries, table: str, key: str | None) -> Record | None:
    return entries.get(table, {}).get(key or "")


def _scale_of(record: Record, entries: Entries) -> int:
    """How large sums are in the currency of a record's account; the largest if the account is out of sight."""
    account = _in(entries, "accounts", record["account_id"])
    return SCALE[account["currency"]] if account else max(SCALE.values())


def _account(record: Record, entries: Entries) -> Iterator[str]:
    scale = SCALE[record["currency"]]
    if record["balance"] < -record["overdraft_limit"]:
        yield "overdrawn beyond its limit"
    if abs(record["balance"]) > 200_000 * scale:
        yield "nobody keeps that much on such an account"
    if remainder(record["iban"][4:] + record["iban"][:4]) != 1:
        yield "its account number fails the check"


def _card(record: Record, entries: Entries) -> Iterator[str]:
    if not 1 <= record["daily_limit"] <= 6000 * _scale_of(record, entries):
        yield "no card has such a limit"


def _payee(record: Record, entries: Entries) -> Iterator[str]:
    if remainder(record["iban"][4:] + record["iban"][:4]) != 1:
        yield "its account number fails the check"
    if COUNTRY_CURRENCY.get(record["iban"][:2]) != record["currency"]:
        yield "its currency is not that of its country"


def _standing_order(record: Record, entries: Entries) -> Iterator[str]:
    if not 1 <= record["amount"] <= 20_000 * _scale_of(record, entries):
        yield "nobody pays that again and again"


def _transaction(record: Record, entries: Entries) -> Iterator[str]:
    if not 0.5 <= record["amount"] <= 20_000 * _scale_of(record, entries):
        yield "nobody pays that"
    if (record["kind"] == "card") != bool(record["card_id"]) or (record["kind"] == "card") == bool(
        record["mandate_id"]
    ):
        yield "its kind and what it was paid with do not match"
    mandate = _in(entries, "mandates", record["mandate_id"])
    if mandate and (mandate["creditor"] != record["counterparty"] or mandate["signed_on"] > record["booked_on"]):
        yield "it was collected without that mandate"


def _loan(record: Record, entries: Entries) -> Iterator[str]:
    if record["monthly_payment"] < annuity(record["principal"], record["interest_percent"] or 0.01, 120) - 0.01:
        yield "it would take more than ten years to repay"


def _deposit(record: Record, entries: Entries) -> Iterator[str]:
    offer = _in(entries, "deposit_offers", record["offer_id"])
    months = offer["term_months"] if offer else int(record["offer_id"][3:5])
    if months_later(record["started_on"], months) != record["matures_on"]:
        yield f"{months} months do not lie between its days"


_PLAUSIBILITY = Plausibility(
    SCHEMA,
    Path(__file__).with_name("plausible.yaml"),
    {
        "accounts": _account,
        "cards": _card,
        "payees": _payee,
        "standing_orders": _standing_order,
        "transactions": _transaction,
        "loans": _loan,
        "deposits": _deposit,
    },
    in_file_order=True,
)
implausible, blemish = _PLAUSIBILITY.implausible, _PLAUSIBILITY.blemish
