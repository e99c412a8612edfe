"""Sums of money: rounding that holds, prices that look like prices, and limits that people name."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from random import Random


def rounded(amount: float) -> float:
    """To the cent, halves away from zero, as an invoice does it."""
    return float(Decimal(str(amount)).quantize(Decimal("0.01"), ROUND_HALF_UP))


def price(rng: Random, low: float, high: float, endings: Sequence[float] = (0.0, 0.5, 0.9, 0.95, 0.99)) -> float:
    """A price between two, that ends as prices do."""
    return rounded(rng.randint(int(low), int(high) - 1) + rng.choice(endings))


def limit_near(rng: Random, amount: float, shares: Sequence[float] = (0.55, 0.8, 1.2, 1.5)) -> float:
    """A limit on either side of an amount, as round as a user would name it."""
    wanted = amount * rng.choice(shares)
    step = next(step for most, step in ((20, 0.5), (50, 1), (200, 5), (1000, 10), (float("inf"), 50)) if wanted < most)
    return float(round(wanted / step) * step)


def shown(amount: float) -> str:
    """The sum as functions and agents write it: 1250.00."""
    return f"{amount:.2f}"
