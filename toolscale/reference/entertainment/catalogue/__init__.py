"""What the ticket office sells and the streaming service shows, all of it made up."""

from pathlib import Path
from typing import NamedTuple

from toolscale.reference.catalogues import Words, read_table

_HERE = Path(__file__).parent


class House(NamedTuple):
    """A venue. Fees are in its currency; the exchange fee is None where nothing is exchanged."""

    key: str
    name: str
    kind: str
    city: str
    country: str
    currency: str
    address: str
    booking_fee: float
    exchange_fee: float | None


class Show(NamedTuple):
    """What houses play; the price is in EUR, for the best usual seat."""

    number: int
    title: str
    kind: str
    genre: str
    minutes: int
    age_rating: int
    price: float
    houses: Words


class Title(NamedTuple):
    """What is streamed: its rate as a rental, and the smallest plan that includes it, if any does."""

    name: str
    genre: str
    year: int
    minutes: int
    age_rating: int
    rating: float
    rate: str
    smallest_plan: str | None


HOUSES = read_table(_HERE / "houses.csv", House)
SHOWS = read_table(_HERE / "shows.csv", Show)
TITLES = read_table(_HERE / "titles.csv", Title)

SCALE = {"EUR": 1.0, "GBP": 0.9, "CHF": 1.2, "SEK": 11.0, "PLN": 4.0}
"""What a price of one EUR comes to, roughly, in each currency."""

PLAN_PRICES = {"basic": (6.99, 1, 0), "standard": (10.99, 2, 10), "family": (15.99, 4, 30)}
"""Plan -> price a month in EUR, screens, downloads."""

RATE_PRICES = {"library": (2.99, 30), "recent": (4.99, 30), "premiere": (12.99, 14)}
"""Rate -> price in EUR, days in which a rental is to be started."""

LEVELS = {"plus": (39.0, 10, 0), "patron": (95.0, 15, 10)}
"""Level -> price a year in EUR, discount in cinemas, discount in theatres and concert halls."""


def priced(amount: float, currency: str) -> float:
    """A price in EUR as it would be set in the currency: to the half, in SEK and PLN to the whole."""
    scaled = amount * SCALE[currency]
    return float(round(scaled)) if currency in ("SEK", "PLN") else round(scaled * 2) / 2


def tagged(amount: float, currency: str) -> float:
    """A price in EUR as a streaming service tags it: 6.99 EUR, 69 SEK, 27.99 PLN."""
    scaled = round(amount * SCALE[currency])
    return float(scaled) if currency == "SEK" else round(scaled - 0.01, 2)
