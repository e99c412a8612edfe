"""What the shop sells, where it ships, and what its customers say."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from toolscale.reference.catalogues import Words, read_table

_HERE = Path(__file__).parent


class Range(NamedTuple):
    """A category's terms: days to return, months of warranty, whether it can be subscribed to."""

    category: str
    return_days: int
    warranty_months: int
    subscribable: bool


CATEGORIES: Mapping[str, Range] = {each.category: each for each in read_table(_HERE / "categories.csv", Range)}


class Product(NamedTuple):
    """A product with its options, each of which costs `step` more than the one before, and its usual faults."""

    name: str
    category: str
    options: Words
    price: float
    step: float
    faults: Words


PRODUCTS = read_table(_HERE / "products.csv", Product)


class Zone(NamedTuple):
    """A country: delivery fees, the value of goods from which standard delivery is free, and days of each."""

    country: str
    standard_fee: float
    express_fee: float | None
    free_from: int
    standard_days: int
    express_days: int


SHIPS_TO: Mapping[str, Zone] = {each.country: each for each in read_table(_HERE / "zones.csv", Zone)}

CARRIERS: Mapping[str, str] = {"Nordvik Parcel": "NV", "Kestrel Logistics": "KL", "Paketbogen": "PB"}
"""Carrier -> the letters that its tracking numbers begin with."""

POINT_NAMES = (
    *("Kiosk at the Station", "Corner Grocery", "Old Town Bookshop", "Market Hall Counter"),
    *("Petrol Station Shop", "Flower Shop at the Bridge"),
)

CANCEL_REASONS = ("ordered by mistake", "found it cheaper", "takes too long", "no longer needed")
TOPICS = ("damaged packaging", "late delivery", "rude courier", "wrong invoice")

TITLES: Mapping[int, tuple[str, ...]] = {
    1: ("Money down the drain", "Not worth it", "A let-down"),
    2: ("Expected more", "Below average", "Rather poor"),
    3: ("Does the job", "Average at best", "Fair enough"),
    4: ("Would order again", "Good value", "Nearly perfect"),
    5: ("Could not be happier", "Simply excellent", "A joy to use"),
}
"""Stars -> headlines of reviews."""

FAULTS = {product.name: product.faults for product in PRODUCTS}
"""Product -> what can be wrong with it."""
