"""What the bank offers and charges, and whom its customers pay. All names are made up.

Middle rates are of the size that they had in late 2025; fees and limits are in proportion to them, and as round as a
bank makes them.
"""

from pathlib import Path
from typing import NamedTuple

from toolscale.reference.catalogues import read_table, table_of
from toolscale.reference.documents import read_document

_HERE = Path(__file__).parent


class Currency(NamedTuple):
    """A currency that the bank keeps accounts in, with its fees and limits in it."""

    currency: str
    name: str
    rate_per_eur: float
    foreign_fee: float
    express_fee: float
    replacement_fee: float
    courier_fee: float
    highest_overdraft: int
    highest_card_limit: int
    new_payee_limit: int
    least_deposit: int


class Plan(NamedTuple):
    """What a customer pays for: less of each fee, and closer rates."""

    plan_id: str
    name: str
    fee_discount_percent: int
    exchange_margin_percent: float


class Product(NamedTuple):
    """A kind of account, and the ages at which it is opened."""

    product_id: str
    name: str
    kind: str
    interest_percent: float
    monthly_withdrawals: int | None
    youngest: int
    oldest: int


class Offer(NamedTuple):
    """A fixed-term deposit on offer."""

    offer_id: str
    term_months: int
    interest_percent: float


class Businesses(NamedTuple):
    """A country's shops, one a category (`schema.CATEGORIES`), and creditors, one a purpose."""

    shops: tuple[str, ...]
    creditors: tuple[str, ...]


CURRENCIES = table_of(read_table(_HERE / "currencies.csv", Currency))
PLANS = table_of(read_table(_HERE / "plans.csv", Plan))
PRODUCTS = table_of(read_table(_HERE / "products.csv", Product))
OFFERS = table_of(read_table(_HERE / "deposit_offers.csv", Offer))
BUSINESSES = read_document(_HERE / "businesses.yaml", dict[str, Businesses])
"""Country -> whom its customers pay."""

SCALE = {"EUR": 1, "GBP": 1, "CHF": 1, "SEK": 10, "DKK": 7, "PLN": 4, "USD": 1}
"""How much larger everyday sums are than in euros, roughly."""

ACCOUNT_NAMES = {
    "current": ("Everyday", "Household", "Side job"),
    "savings": ("Rainy day", "Holiday", "New kitchen", "House deposit", "Winter sports", "Grandchildren"),
}
LOAN_PURPOSES = ("car", "kitchen", "solar panels", "roof", "bathroom", "camper van", "wedding", "e-bike")
PURPOSES = ("electricity", "mobile phone", "gym membership", "home insurance")
"""What each of a country's creditors collects for, in their order."""
