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
    description=(
        "Customer service of a retail bank in eleven European countries: accounts and cards, payees, transfers and "
        "standing orders, direct debits and disputes, loans, fixed deposits and exchange rates."
    ),
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
    identity_lines={
        "plain": "[My customer number is {customer_id}.|I am customer {customer_id}.|You have me as {customer_id}.]",
        "confused": "[On the letter it says customer number {customer_id}, is that me?|My customer number, here it is, "
        "{customer_id}.]",
        "terse": "[customer no. {customer_id}.|{customer_id} here.]",
        "chatty": "You will find me under customer number {customer_id}, it is on the little card in my purse!",
        "formal": "My accounts are held under customer number {customer_id}.",
        "hurried": "Customer {customer_id}, quickly please!",
        "non_native": "The number of me as customer is {customer_id}.",
    },
    personas={
        "plain": (
            "A primary school teacher who does the family's bank matters on Mondays.",
            "A carpenter with a small workshop who keeps private money apart.",
            "A pharmacist who has just moved to another town.",
        ),
        "terse": (
            "A night-shift nurse who banks from the bus.",
            "A data analyst who writes as few words as possible.",
            "A line cook on a break behind the kitchen.",
        ),
        "chatty": (
            "A retired hairdresser who knew everybody at the old branch.",
            "A father of five who tells why he needs the money.",
            "A choir leader who is excited about every plan.",
        ),
        "formal": (
            "A notary's clerk who writes to a bank as to a court.",
            "A retired civil servant who keeps copies of everything.",
            "The treasurer of a chess club, exact and polite.",
        ),
        "hurried": (
            "A plumber between two emergencies.",
            "An event manager whose doors open in an hour.",
            "A parent at the school gate.",
        ),
        "non_native": (
            "A care worker who moved here last year.",
            "A doctoral student who arrived in September.",
            "A bricklayer who sends money home every month.",
        ),
        "confused": (
            "A widow whose husband always did the banking.",
            "A young man with his first own account.",
            "A sculptor who puts bank letters into a drawer unopened.",
        ),
    },
    standing=dict.fromkeys(("balance", "available", "from_balance", "to_balance", "new_balance"), "account_id"),
    programs=PROGRAMS,
    twists=(*TWISTS, *OUTCOMES),
    descriptions=DESCRIPTIONS,
    asides=(
        "[I have been with your bank since my first wages.|The app and I are not friends.|I am doing my papers with a "
        "pot of coffee.|My brother-in-law says that your rates are decent.|I am trying to be sensible with money this "
        "year.]",
    ),
)
