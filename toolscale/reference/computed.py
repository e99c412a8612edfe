"""Figures that must be worked out: a sum of several, an equal share, a percentage, how far a guess was off, a balance.

A domain names the sums of money that its functions return (`Figure`); the rest is the same everywhere. Both the parts,
which the request itself asks for, and what is worked out of them have to be told.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from random import Random
from typing import Any

from toolscale.reference.documents import read_document
from toolscale.reference.program import OUTCOME, DeadEnd, Facts, Reply, Solution, Twist, World
from toolscale.reference.voices import Wordings

_ASKED = read_document(Path(__file__).parent / "wordings" / "computed.yaml", dict[str, Wordings])
_CENT = Decimal("0.01")
_NAME = re.compile(r"\b(?:NAMES|NAME|Name)\b")


@dataclass(frozen=True)
class Figure:
    """A sum of money that functions return, and how users call it: ``the refund``, and several: ``the refunds``.

    ``guesses`` are round sums that a user of a function may have reckoned with. ``suits`` is a pattern for the
    beginnings of the names of programs of which it is the sum that matters. ``summed`` is False where the
    results may be in several currencies and do not say in which.
    """

    functions: tuple[str, ...]
    holds: str
    name: str
    names: str
    guesses: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    suits: str = ""
    summed: bool = True

    def of(self, result: Mapping[str, Any]) -> Decimal:
        """The sum in a function's result; a dead end where there is none to speak of."""
        amount = Decimal(str(result.get(self.holds) or 0))
        if amount <= 1:
            raise DeadEnd(f"{self.name} is nothing to reckon with")
        return amount


def computed(*figures: Figure) -> tuple[Twist, ...]:
    """All that users want worked out of these figures. No two may have the same name."""
    return tuple(twist for figure in figures for twist in _of(figure))


def _of(figure: Figure) -> Iterator[Twist]:
    yield Twist(
        f"a share of {figure.name}",
        "computed",
        _worded("share", figure),
        draw=_one_of("sharers", (2, 3, 3, 4, 5)),
        suits=figure.suits,
        after=_share(figure),
        takes=figure.functions,
    )
    yield Twist(
        f"a percentage of {figure.name}",
        "computed",
        _worded("percentage", figure),
        draw=_one_of("percent", (20, 30, 40, 60, 75)),
        suits=figure.suits,
        after=_percentage(figure),
        takes=figure.functions,
    )
    for function, guesses in figure.guesses.items():
        yield Twist(
            f"a guess at {figure.name} ({function})",
            "computed",
            _worded("guess", figure),
            draw=_one_of("guess", guesses),
            suits=figure.suits,
            after=_off(figure),
            takes=(function,),
        )
    if not figure.summed:
        return
    yield Twist(
        f"all of {figure.names}",
        "computed",
        _worded("total", figure),
        suits=figure.suits,
        after=_total(figure),
        takes=figure.functions,
        of_all=True,
    )


def _share(figure: Figure) -> Callable[[Facts], Solution]:
    def steps(facts: Facts) -> Solution:
        part = _cents(figure.of(facts[OUTCOME]) / facts["sharers"])
        return _told(f"Shared equally, that is {part} for each.", part)
        yield

    return steps


def _percentage(figure: Figure) -> Callable[[Facts], Solution]:
    def steps(facts: Facts) -> Solution:
        part = _cents(figure.of(facts[OUTCOME]) * facts["percent"] / 100)
        return _told(f"{facts['percent']} percent of it are {part}.", part)
        yield

    return steps


def _off(figure: Figure) -> Callable[[Facts], Solution]:
    def steps(facts: Facts) -> Solution:
        actual, guess = figure.of(facts[OUTCOME]), Decimal(str(facts["guess"]))
        if actual == guess:
            raise DeadEnd("the guess was right")
        off = _cents(abs(actual - guess))
        return _told(f"It is {off} {'more' if actual > guess else 'less'} than you reckoned with.", off)
        yield

    return steps


def _total(figure: Figure) -> Callable[[Facts], Solution]:
    def steps(facts: Facts) -> Solution:
        results: Sequence[Mapping[str, Any]] = facts[OUTCOME]
        if len({result.get("currency") for result in results}) > 1:
            raise DeadEnd("these are different currencies")
        total = _cents(sum((figure.of(result) for result in results), Decimal(0)))
        return _told(f"Altogether it comes to {total}.", total)
        yield

    return steps


def _told(text: str, figure: Decimal) -> Reply:
    return Reply(text, (f"{figure}",))


def _cents(amount: Decimal) -> Decimal:
    """To the cent. Half a cent is a dead end, for people round it in two ways."""
    if (amount * 1000) % 10 == 5 and (amount * 1000) % 1 == 0:
        raise DeadEnd("half a cent is left")
    return amount.quantize(_CENT, ROUND_HALF_UP)


def _one_of(slot: str, values: Sequence[Any]) -> Callable[[World, Random, Facts], Facts]:
    return lambda world, rng, facts: {slot: rng.choice(values)}


def _worded(asked: str, figure: Figure) -> dict[str, str]:
    """The wordings with the figure's names filled in; `Name` begins a sentence."""
    capital = figure.name[:1].upper() + figure.name[1:]
    filled = {"NAMES": figure.names, "NAME": figure.name, "Name": capital}
    return {voice: _NAME.sub(lambda found: filled[found[0]], text) for voice, text in _ASKED[asked].items()}
