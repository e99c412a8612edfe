"""How customers name what they have no number of, and how it is found."""

from collections.abc import Callable
from random import Random

from toolscale.reference.program import DeadEnd, Description, Facts, Steps, World, choose, do


def _named(
    slot: str, table: str, name: str, of: str, find: Callable[[Facts], Steps], unknown: str, **voices: str
) -> Description:
    """A description by one field of the record that the slot names, drawn as the fact of that name."""

    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        record = world.get(table, facts[slot])
        if record is None:
            raise DeadEnd("it is out of sight")
        return {name: record[of]}

    return Description(slot, voices, draw, find, unknown)


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
    return _named(
        slot,
        "accounts",
        name,
        "label",
        _find("list_accounts", "account_id", "label", name),
        "[I do not know the account's number by heart.|The number of that account is not at hand.]",
        plain=f"called {{{name}}}",
        terse=f'"{{{name}}}"',
        chatty=f"that I named {{{name}}}",
        formal=f"designated {{{name}}}",
    )


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
    record = world.get("transactions", facts["transaction_id"])
    if record is None:
        raise DeadEnd("the payment is out of sight")
    return {"paid_to": record["counterparty"], "paid_on": record["booked_on"]}


def _find_payment(facts: Facts) -> Steps:
    rows = yield do("search_transactions", customer_id=facts["customer_id"], counterparty=facts["paid_to"])
    on_day = [each for each in rows if each["booked_on"] == facts["paid_on"]]
    row = yield choose(on_day, key=lambda each: 0)
    return row["transaction_id"]


DESCRIPTIONS = (
    _account("account_id", "account_name"),
    _account("to_account", "to_name"),
    _named(
        "card_id",
        "cards",
        "last4",
        "last4",
        _find("list_cards", "card_id", "last4", "last4"),
        "I only know the last four digits of the card.",
        plain="ending in {last4}",
        formal="whose number ends in {last4}",
        chatty="with {last4} at the end of the number",
    ),
    _named(
        "payee_id",
        "payees",
        "known_as",
        "name",
        _find("list_payees", "payee_id", "name", "known_as"),
        "I do not know under which number you keep that payee.",
        plain="by the name of {known_as}",
        terse="named {known_as}",
        formal="registered as {known_as}",
    ),
    Description(
        "order_id",
        {"plain": "to {order_payee}", "formal": "in favour of {order_payee}", "chatty": "that goes to {order_payee}"},
        _draw_payee_name,
        _find("list_standing_orders", "order_id", "payee", "order_payee"),
        "I do not have the number of the standing order.",
    ),
    Description(
        "transaction_id",
        {
            "plain": "to {paid_to} of {paid_on:date}",
            "chatty": "that {paid_to} got on {paid_on:date}",
            "formal": "in favour of {paid_to} dated {paid_on:date}",
        },
        _draw_payment,
        _find_payment,
        "My statement shows no number for that payment.",
    ),
    Description(
        "dispute_id",
        {
            "plain": "about {disputed_shop}",
            "chatty": "that I began against {disputed_shop}",
            "formal": "concerning {disputed_shop}",
        },
        _draw_disputed,
        _find("list_disputes", "dispute_id", "counterparty", "disputed_shop"),
        "I have not kept the number of the dispute.",
    ),
    _named(
        "loan_id",
        "loans",
        "purpose",
        "purpose",
        _find("list_loans", "loan_id", "purpose", "purpose"),
        "The number of the loan is in some folder.",
        plain="for the {purpose}",
        chatty="that I took out for the {purpose}",
        formal="granted for the {purpose}",
    ),
    _named(
        "deposit_id",
        "deposits",
        "matures",
        "matures_on",
        _find("list_deposits", "deposit_id", "matures_on", "matures"),
        "I have not written the number of the deposit down.",
        plain="that matures on {matures:date}",
        terse="maturing {matures:date}",
        formal="with maturity on {matures:date}",
    ),
    _named(
        "transfer_id",
        "transfers",
        "planned_for",
        "execute_on",
        _find("list_transfers", "transfer_id", "execute_on", "planned_for", (("status", "scheduled"),)),
        "I cannot find the number of the transfer.",
        plain="planned for {planned_for:date}",
        terse="due {planned_for:date}",
        chatty="that would go out on {planned_for:date}",
    ),
)
