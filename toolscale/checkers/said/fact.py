"""A fact that the user must be told: a value of some kind, written down as a string."""

import re
from dataclasses import dataclass
from typing import get_args

from toolscale.artifacts import FactKind
from toolscale.checkers.said.moments import Moment, moment_of
from toolscale.checkers.said.numbers import Mention, numbers_in
from toolscale.checkers.said.text import plain

FACT_KINDS: tuple[FactKind, ...] = get_args(FactKind)
NUMERIC: frozenset[FactKind] = frozenset({"amount", "count", "quantity", "number"})

_PHONE = re.compile(r"\+?[\d ()./-]{7,}")
_ID = re.compile(r"(?=\S*\d)[\w.+/#-]*[^\W\d][\w.+/#-]*|\S+@\S+|\d{5,}(?:-\d+)+")
_CAPITALISED = re.compile(r"[^\W\d_]*[A-ZÀ-ÖØ-Þ\u0100-\u017f\u0370-\u1fff]")


@dataclass(frozen=True)
class Fact:
    """What must be said, and what kind of value it is."""

    text: str
    kind: FactKind
    unit: str = ""
    """What a bare number is measured in, where that is known from elsewhere. Another unit does not say it."""
    past: bool = False
    """Whether the user may have asked how it was: then what is said of before denies nothing."""

    @property
    def moment(self) -> Moment | None:
        """The day, the time or both that it stands for."""
        return moment_of(self.text)

    @property
    def figure(self) -> Mention | None:
        """The number that it is, with its unit."""
        return _figure(self.text)


def fact_of(text: str, kind: FactKind | None = None, unit: str = "", *, past: bool = False) -> Fact:
    """The fact that a text states: of the kind that its author says if the text reads so, else by its form."""
    if kind in NUMERIC and _figure(text) is None:
        kind = None
    if kind in ("date", "time") and moment_of(text) is None:
        kind = None
    return Fact(text, kind or _kind_by_form(text), unit, past)


def _kind_by_form(text: str) -> FactKind:
    moment = moment_of(text)
    if moment is not None:
        return "date" if moment.clock is None else "time"
    text = text.strip()
    figure = _figure(text)
    if figure is not None and not any(_CAPITALISED.match(word) for word in text.split() if not _is_unit(word)):
        return "amount" if figure.currencies else "quantity" if figure.words else "number"
    if _ID.fullmatch(text) or _PHONE.fullmatch(text):
        return "id"
    if "," in text and re.search(r"\d", text):
        return "address"
    return "name" if (_CAPITALISED.match(text) and " " in text) or text.istitle() else "words"


def _is_unit(word: str) -> bool:
    figure = _figure(f"1 {word}")
    return figure is not None and bool(figure.units or figure.currencies)


def _figure(text: str) -> Mention | None:
    """The one number that a text consists of, with a unit of up to three words."""
    found = numbers_in(plain(text))
    if len(found) != 1 or re.search(r"\w", plain(text)[: found[0].start]):
        return None
    words = len(re.findall(r"[^\W\d]+|[°%€£$¥]", plain(text)[found[0].end :]))
    return found[0] if words <= 3 else None
