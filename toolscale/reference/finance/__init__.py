"""The bank: customers in eleven countries, their accounts, cards, payments, loans and deposits."""

from pathlib import Path

from toolscale.reference.domain import ReferenceDomain
from toolscale.reference.finance.entries import world
from toolscale.reference.finance.plausibility import blemish, implausible
from toolscale.reference.finance.programs import PROGRAMS
from toolscale.reference.finance.programs.anywhere import TWISTS
from toolscale.reference.finance.programs.descriptions import DESCRIPTIONS
from toolscale.reference.finance.programs.outcomes import OUTCOMES
from toolscale.reference.finance.schema import SCHEMA

DOMAIN = ReferenceDomain(
    name="finance",
    folder=Path(__file__).parent,
    schema=SCHEMA,
    world=world,
    implausible=implausible,
    blemish=blemish,
    identity="customer_id",
    matters=frozenset(
        {"card_id", "deposit_id", "dispute_id", "loan_id", "mandate_id", "order_id", "transaction_id", "transfer_id"}
    ),
    common=frozenset({"account_id"}),
    standing=dict.fromkeys(("balance", "available", "from_balance", "to_balance", "new_balance"), "account_id"),
    programs=PROGRAMS,
    twists=(*TWISTS, *OUTCOMES),
    descriptions=DESCRIPTIONS,
)
