"""How a figure that no result holds was worked out: a small sum, difference, product or share of figures seen.

The search is conservative: few operands, of which several come from one field of the results or one from the user.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import combinations, permutations
from math import isfinite

from toolscale.artifacts import Json
from toolscale.checkers.said import fact_of
from toolscale.checkers.said.fact import NUMERIC
from toolscale.checkers.said.numbers import numbers_in
from toolscale.checkers.said.text import plain
from toolscale.checkers.values import leaves

Operands = frozenset[Decimal]

_MOST_IN_A_FIELD = 12
"""Values of one field of which sums are tried; with more of them, some sum would fit by chance."""

_MOST_SEEN = 40
"""Figures of all results of which pairs are tried."""

_LONGEST_SUM = 4
_CENT = Decimal("0.01")
_HUNDRED = Decimal(100)


@dataclass(frozen=True)
class Figures:
    """The numbers that an agent has seen: those of results by the field that holds them, and those of the user."""

    seen: Mapping[str, Sequence[Decimal]]
    said: Sequence[Decimal]

    @classmethod
    def of(cls, results: Sequence[Json], instruction: str) -> "Figures":
        """The figures of some results and of what the user says. A sum of twice the same needs both of them."""
        seen: dict[str, list[Decimal]] = {}
        for result in results:
            for path, value in leaves(result):
                number = _number(value)
                if number is not None:
                    name = next((str(step) for step in reversed(path) if isinstance(step, str)), "")
                    seen.setdefault(name, []).append(number)
        mentions = numbers_in(plain(instruction))
        return cls(seen, list(dict.fromkeys(value for each in mentions for value in each.values)))


def figure_of(fact: str) -> Decimal | None:
    """The number that a fact states, if it is a figure and no date, time or id."""
    read = fact_of(fact)
    if read.kind not in NUMERIC or read.figure is None or len(read.figure.values) != 1:
        return None
    (value,) = read.figure.values
    return -value if read.figure.signed == "-" else value


def worked_out(figure: Decimal, figures: Figures) -> list[Operands]:
    """The ways to come by a figure that nobody states, as the numbers that each takes; empty if none is found."""
    wanted = abs(figure)
    if wanted == 0 or any(abs(value) == wanted for values in figures.seen.values() for value in values):
        return []
    for ways in (_of_a_field, _with_the_user, _of_two_fields):
        found = dict.fromkeys(ways(wanted, figures))
        if found:
            return list(found)
    return []


def _of_a_field(wanted: Decimal, figures: Figures) -> Iterator[Operands]:
    """A sum of some values of a field, or the difference of two."""
    for values in figures.seen.values():
        matter = [value for value in values if value]
        if len(matter) > _MOST_IN_A_FIELD:
            matter = list(dict.fromkeys(matter))
        if not 2 <= len(matter) <= _MOST_IN_A_FIELD:
            continue
        for count in range(2, _LONGEST_SUM + 1):
            yield from (frozenset(some) for some in combinations(matter, count) if abs(sum(some)) == wanted)
        yield from (frozenset((a, b)) for a, b in combinations(matter, 2) if abs(a - b) == wanted)


def _with_the_user(wanted: Decimal, figures: Figures) -> Iterator[Operands]:
    """What a figure of a result becomes by one that the user names."""
    for a in _distinct(figures):
        for b in figures.said:
            if b > 1 and a != b and wanted in {a + b, abs(a - b), a * b, _cents(a / b), _cents(a * b / _HUNDRED)}:
                yield frozenset((a, b))


def _of_two_fields(wanted: Decimal, figures: Figures) -> Iterator[Operands]:
    values = _distinct(figures)
    if len(values) > _MOST_SEEN:
        return
    for a, b in permutations(values, 2):
        if wanted in {a + b, abs(a - b), a * b, _cents(a * b / _HUNDRED)}:
            yield frozenset((a, b))


def _distinct(figures: Figures) -> list[Decimal]:
    """Figures that change what they are reckoned with."""
    return [value for value in dict.fromkeys(v for each in figures.seen.values() for v in each) if abs(value) > 1]


def _number(value: Json) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    return Decimal(str(value))


def _cents(value: Decimal) -> Decimal:
    return value.quantize(_CENT, ROUND_HALF_UP) if abs(value) < Decimal(10) ** 20 else value
