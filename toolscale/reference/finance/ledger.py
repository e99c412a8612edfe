"""Where the bank's entries are written down while a world is made."""

from calendar import monthrange
from datetime import date
from random import Random
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.ids import Ids
from toolscale.reference.sums import rounded

Record = dict[str, Any]

KEYS = {
    "customers": "customer_id",
    "accounts": "account_id",
    "cards": "card_id",
    "payees": "payee_id",
    "transfers": "transfer_id",
    "standing_orders": "order_id",
    "mandates": "mandate_id",
    "transactions": "transaction_id",
    "disputes": "dispute_id",
    "loans": "loan_id",
    "deposits": "deposit_id",
}


class Ledger:
    """The entries of the subject at hand, and the chance that all of a world comes from."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.ids = Ids(rng)
        self.entries: Database = {}

    def begin(self) -> None:
        """Turn to the next subject."""
        self.entries = {}

    def add(self, table: str, record: Record) -> Record:
        """Enter a record under its key."""
        self.entries.setdefault(table, {})[record[KEYS[table]]] = record
        return record

    def sum_of(self, low: float, high: float, scale: float = 1) -> float:
        """An amount with cents, such as a balance or a bill."""
        return rounded(self.rng.uniform(low, high) * scale)

    def round_sum(self, low: int, high: int, scale: int, step: int = 5) -> float:
        """An amount that somebody chose, such as a limit or a rent."""
        return float(self.rng.randrange(low, high + 1, step) * scale)


def months_later(iso_day: str, months: int) -> str:
    """The same day of the month so many months on, or the month's last."""
    start = date.fromisoformat(iso_day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    return date(year, month + 1, min(start.day, monthrange(year, month + 1)[1])).isoformat()
