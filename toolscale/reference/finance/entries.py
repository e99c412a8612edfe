"""The world of the bank: first what it offers, then country by country its customers and their money."""

from random import Random
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.finance import holdings, payments
from toolscale.reference.finance.catalogue import CURRENCIES, OFFERS, PLANS, PRODUCTS
from toolscale.reference.finance.ibans import COUNTRY_CURRENCY
from toolscale.reference.finance.ledger import Ledger, Record
from toolscale.reference.finance.schema import COUNTRIES
from toolscale.reference.moments import age, birth_date, day
from toolscale.reference.people import People
from toolscale.reference.places import COUNTRIES as PLACES

PER_COUNTRY = 3


def world(seed: int) -> dict[str, Database]:
    """Subject -> its entries. The same seed gives the same world; references point to the same or an earlier subject.

    Amounts are in the currency of the account they concern; the present is Monday, 23 November 2026, 09:00.
    """
    ledger = Ledger(Random(f"finance {seed}"))
    people = People(seed, COUNTRIES)
    subjects: dict[str, Database] = {"what the bank offers: currencies, plans, accounts and fixed deposits": _offered()}
    turn = 0
    for country in COUNTRIES:
        ledger.begin()
        for _ in range(PER_COUNTRY):
            _household(ledger, people, country, turn)
            turn += 1
        subjects[f"customers in {PLACES[country].name} and their money"] = ledger.entries
    return subjects


def _offered() -> Database:
    tables: dict[str, dict[str, Any]] = {
        "currencies": CURRENCIES,
        "plans": PLANS,
        "products": PRODUCTS,
        "deposit_offers": OFFERS,
    }
    return {table: {key: dict(record) for key, record in records.items()} for table, records in tables.items()}


def _household(ledger: Ledger, people: People, country: str, turn: int) -> None:
    """One customer with all that belongs to them; ``turn`` deals out what is rare evenly."""
    customer = _customer(ledger, people, country, turn)
    accounts = holdings.accounts(ledger, customer, COUNTRY_CURRENCY[country], turn)
    cards = holdings.cards(ledger, customer, accounts, turn)
    holdings.loans(ledger, customer, accounts, turn)
    holdings.deposits(ledger, customer, accounts, turn)
    payees = payments.payees(ledger, people, customer, turn)
    payments.transfers(ledger, accounts, payees, turn)
    payments.standing_orders(ledger, accounts, payees, turn)
    payments.direct_debits(ledger, customer, accounts)
    bought = payments.purchases(ledger, customer, accounts, cards, turn)
    payments.disputes(ledger, bought, turn)


def _customer(ledger: Ledger, people: People, country: str, turn: int) -> Record:
    person = people.one(country)
    youngest, oldest = ((24, 58), (31, 74), (19, 26), (28, 63), (61, 84))[turn % 5]
    born = birth_date(ledger.rng, youngest, oldest)
    return ledger.add(
        "customers",
        {
            "customer_id": ledger.ids.digits("CU"),
            "name": person.name,
            "birth_date": born,
            "email": person.email,
            "phone": person.phone,
            "address": person.address,
            "country": country,
            "plan_id": ("PL-BASIC", "PL-PLUS", "PL-BASIC", "PL-PREMIUM")[turn % 4],
            "customer_since": day(-ledger.rng.randrange(500, min(4000, (age(born) - 16) * 365))),
        },
    )
