"""How customers name what they have no number of, and how it is found."""

from collections.abc import Callable
from random import Random

from toolscale.reference.kit import known
from toolscale.reference.program import DeadEnd, Description, Facts, Steps, World, choose, do
from toolscale.reference.words import words

WORDS = words(__file__)


def _named(slot: str, table: str, name: str, of: str, find: Callable[[Facts], Steps]) -> Description:
    """A description by one field of the record that the slot names, drawn as the fact of that name."""

    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        record = known(world, table, facts[slot])
        return {name: record[of]}

    return WORDS.description(slot, draw, find)


def _find(
    function: str, key: str, field: str, fact: str, table: tuple[tuple[str, str], ...] = ()
) -> Callable[[Facts], Steps]:
    """Steps to the one record of the customer's whose field is the fact's value."""

    def find(facts: Facts) -> Steps:
        rows = yield do(function, customer_id=facts["customer_id"], **dict(table))
        row = yield choose([each for each in rows if each[field] == facts[fact]], key=lambda each: 0)
        return row[key]

    return find


def _account(slot: str, name: str) -> Description:
    return _named(slot, "accounts", name, "label", _find("list_accounts", "account_id", "label", name))


def _draw_payee_name(world: World, rng: Random, facts: Facts) -> Facts:
    record = world.get("standing_orders", facts["order_id"])
    payee = world.get("payees", record["payee_id"]) if record else None
    if payee is None:
        raise DeadEnd("the payee is out of sight")
    return {"order_payee": payee["name"]}


def _draw_disputed(world: World, rng: Random, facts: Facts) -> Facts:
    record = world.get("disputes", facts["dispute_id"])
    payment = world.get("transactions", record["transaction_id"]) if record else None
    if payment is None:
        raise DeadEnd("the payment is out of sight")
    return {"disputed_shop": payment["counterparty"]}


def _draw_payment(world: World, rng: Random, facts: Facts) -> Facts:
    record = known(world, "transactions", facts["transaction_id"])
    return {"paid_to": record["counterparty"], "paid_on": record["booked_on"]}


def _find_payment(facts: Facts) -> Steps:
    rows = yield do("search_transactions", customer_id=facts["customer_id"], counterparty=facts["paid_to"])
    on_day = [each for each in rows if each["booked_on"] == facts["paid_on"]]
    row = yield choose(on_day, key=lambda each: 0)
    return row["transaction_id"]


DESCRIPTIONS = (
    _account("account_id", "account_name"),
    _account("to_account", "to_name"),
    _named("card_id", "cards", "last4", "last4", _find("list_cards", "card_id", "last4", "last4")),
    _named("payee_id", "payees", "known_as", "name", _find("list_payees", "payee_id", "name", "known_as")),
    WORDS.description("order_id", _draw_payee_name, _find("list_standing_orders", "order_id", "payee", "order_payee")),
    WORDS.description("transaction_id", _draw_payment, _find_payment),
    WORDS.description(
        "dispute_id", _draw_disputed, _find("list_disputes", "dispute_id", "counterparty", "disputed_shop")
    ),
    _named("loan_id", "loans", "purpose", "purpose", _find("list_loans", "loan_id", "purpose", "purpose")),
    _named(
        "deposit_id", "deposits", "matures", "matures_on", _find("list_deposits", "deposit_id", "matures_on", "matures")
    ),
    _named(
        "transfer_id",
        "transfers",
        "planned_for",
        "execute_on",
        _find("list_transfers", "transfer_id", "execute_on", "planned_for", (("status", "scheduled"),)),
    ),
)
