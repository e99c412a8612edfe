"""What the bank's programs share: drawing accounts, payees and sums, and twists that suit many requests."""

from collections.abc import Callable, Sequence
from datetime import date
from random import Random

from toolscale.reference.finance.catalogue import SCALE
from toolscale.reference.kit import known, somebody
from toolscale.reference.moments import TODAY, some_day
from toolscale.reference.program import Facts, Record, World, pick
from toolscale.reference.words import words

WORDS = words(__file__)

ROUND = (25, 40, 60, 75, 90, 120, 150, 180, 200, 250, 320, 400, 480)
"""Everyday sums, in euros."""


def current_accounts(world: World) -> list[Record]:
    """The excerpt's active current accounts."""
    return [
        each for each in world.rows("accounts") if each["product_id"] == "PR-CURRENT" and each["status"] == "active"
    ]


def savings_accounts(world: World) -> list[Record]:
    """The excerpt's active savings accounts."""
    return [
        each for each in world.rows("accounts") if each["product_id"] != "PR-CURRENT" and each["status"] == "active"
    ]


def available(account: Record) -> float:
    """What can be paid from an account."""
    return float(account["balance"] + account["overdraft_limit"])


def can_pay(world: World) -> list[Record]:
    """Accounts from which something can be moved, as far as the excerpt says."""
    limited = {"PR-BONUS": 2, "PR-YOUNG": 3, "PR-SILVER": 3}
    return [
        each
        for each in (*current_accounts(world), *savings_accounts(world))
        if available(each) > 400 and each["withdrawals_this_month"] < limited.get(each["product_id"], 99)
    ]


def owner(record: Record) -> Facts:
    """Whose record it is."""
    return {"customer_id": record["customer_id"]}


a_customer = somebody("customers")
"""Anybody, for requests that say no more than that."""


def currency_of(world: World, record: Record) -> str:
    """The currency of the account that a record belongs to."""
    account = known(world, "accounts", record["account_id"])
    return str(account["currency"])


def near(rng: Random, amount: float, shares: Sequence[float]) -> float:
    """A limit on either side of an amount, as people name one: a number with one or two digits that matter."""
    wanted = max(abs(amount), 20.0) * rng.choice(shares)
    step = 10 ** (len(str(int(wanted))) - 1) / 2
    return float(max(round(wanted / step) * step, step))


def limit_on(
    table: str, slot: str, field: str, name: str, shares: Sequence[float] = (0.5, 0.8, 1.3)
) -> Callable[..., Facts]:
    """A draw of a limit near a field of the record that a slot names."""

    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        record = known(world, table, facts[slot])
        return {name: near(rng, record[field], shares)}

    return draw


def a_sum(rng: Random, currency: str, most: float = 1e9) -> float:
    """A sum that somebody would name, no more than so much."""
    return float(pick(rng, [each * SCALE[currency] for each in ROUND if each * SCALE[currency] <= most]))


def days_ago(iso_day: str) -> int:
    """Whole days since a day."""
    return (TODAY - date.fromisoformat(iso_day)).days


def _other_amount(world: World, rng: Random, facts: Facts) -> Facts:
    step = next((each for each in (100, 50, 10, 5) if facts["amount"] >= each * 4), 1)
    return {"amount": facts["amount"] + rng.choice((-2, -1, 1, 2)) * step}


OTHER_AMOUNT = WORDS.twist("another amount", "change_of_mind", draw=_other_amount)


def _keep(world: World, rng: Random, facts: Facts) -> Facts:
    account = known(world, "accounts", facts["account_id"])
    left = available(account) - facts["amount"]
    return {"keep": near(rng, left, (0.3, 0.5, 0.7, 1.3))}


KEEP = WORDS.twist("what must remain", "condition", draw=_keep)


def short_of(facts: Facts, account: Record, needed: float) -> bool:
    """Whether less than what the user wants to keep would remain."""
    return bool("keep" in facts and account["available"] - needed < facts["keep"])


def _max_fee(world: World, rng: Random, facts: Facts) -> Facts:
    scale = SCALE.get(str(facts.get("currency")), 1)
    return {"max_fee": rng.choice((1.0, 2.0, 3.0, 4.0, 6.0, 8.0)) * scale}


MAX_FEE = WORDS.twist("a limit on the fee", "condition", draw=_max_fee)


def later_day(first: int, last: int, name: str = "day") -> Callable[..., Facts]:
    """A draw of a working day between so many days from now."""

    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        return {name: some_day(rng, first, last, weekdays="12345")}

    return draw
