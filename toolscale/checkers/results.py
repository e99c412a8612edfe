"""A function's result as text, for whoever looks for a value in it."""

import re
from decimal import Decimal

from toolscale.artifacts import Json
from toolscale.checkers.said import Fact
from toolscale.checkers.said.moments import moment_of
from toolscale.checkers.values import spoken
from toolscale.checkers.wording import fold, stands_in

_BETWEEN_LEAVES = "\n\N{BULLET}\n"  # no phrase reaches from one leaf of a result into the next
_TIMESTAMP = re.compile(r"\b(\d{4}-\d\d-\d\d)[t ](\d\d:\d\d)(?::00)?\b")


def readable(result: Json) -> str:
    """A result as folded text, with the parts of each timestamp once more on their own."""
    text = fold(_BETWEEN_LEAVES.join(spoken(result)))
    moments = [f"{day} {clock}" for day, clock in _TIMESTAMP.findall(text)]
    return _BETWEEN_LEAVES.join([text, *moments])


def holds(text: str, value: Json) -> bool:
    """Whether the text of a result has the value, in any of its spellings."""
    spellings = [fold(spelling) for spelling in spoken(value)]
    return any(spelling and stands_in(spelling, text) for spelling in spellings)


def is_value(fact: Fact, value: object) -> bool:
    """Whether a value of a result is the fact: the same figure, moment or words."""
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        figure = fact.figure
        return figure is not None and abs(Decimal(str(value))) in figure.values
    if not isinstance(value, str):
        return False
    return fold(value) == fold(fact.text) or (fact.moment is not None and moment_of(value) == fact.moment)
