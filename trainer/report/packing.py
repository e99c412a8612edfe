"""What data becomes before it is packed into the page: bounded, readable, finite."""

import math

from toolscale.printable import printable

MOST_CHARACTERS = 20_000
"""Of one text on the page; the rest is in the Parquet file alone."""


def shown(text: str | None) -> str | None:
    """A text that somebody else wrote, bounded, with what cannot be seen spelt out."""
    if text is None:
        return None
    if len(text) > MOST_CHARACTERS:
        text = f"{text[:MOST_CHARACTERS]} … [{len(text) - MOST_CHARACTERS:,} more characters, in the Parquet file]"
    return printable(text)


def rounded(value: float | None, digits: int = 4) -> float | None:
    """A figure for the page; None where there is none, or none that is finite."""
    return None if value is None or not math.isfinite(value) else round(value, digits)
