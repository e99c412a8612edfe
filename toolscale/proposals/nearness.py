"""How near domains are to each other: by what their descriptions say, and by the tables that they keep.

Both are texts of words. A word weighs the more the fewer of the compared domains have it, so `customers` and `status`
say little and `kennels` says much; the nearness of two texts is the cosine of the angle between their weights. No model
is asked and none is loaded: what is refused, and why, can be computed by hand.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import accumulate
from math import log
from typing import Any, NamedTuple

import numpy as np

from toolscale.proposals.proposal import Sketch


class Known(NamedTuple):
    """A domain as far as it is compared."""

    name: str
    description: str
    tables: Sketch
    section: str = ""
    """Letter of its section in the tree; empty where nobody placed it."""


class Near(NamedTuple):
    """What a domain is too near to, and by what."""

    to: str
    by: str
    """`meaning` or `schema`."""
    figure: float
    shared: tuple[str, ...]
    """The words that weigh most in it."""

    @property
    def reason(self) -> str:
        """What to tell whoever proposed it."""
        what = "descriptions say" if self.by == "meaning" else "tables hold"
        return (
            f"too near to `{self.to}`: their {what} much the same ({self.figure:.2f}), such as {', '.join(self.shared)}"
        )


class Nearness:
    """Compares domains, each named by its position."""

    def __init__(self, domains: Sequence[Known]) -> None:
        self._domains = domains
        self._texts = {
            "meaning": _Texts([[*_words(each.name), *_words(each.description)] for each in domains]),
            "schema": _Texts([_schema_words(each.tables) for each in domains]),
        }

    def nearest(self, one: int, others: Sequence[int]) -> Near | None:
        """The domain among others that one is too near to; None if it is far enough from all."""
        found = [near for by in self._texts if others and (near := self._near(one, others, by))]
        return max(found, key=lambda near: near.figure / TOO_NEAR[near.by], default=None)

    def figures(self, one: int, others: Sequence[int], by: str) -> Sequence[float]:
        """How near one is to each of the others, from 0 to 1."""
        return [float(figure) for figure in self._texts[by].compare(one, others)[0]]

    def _near(self, one: int, others: Sequence[int], by: str) -> Near | None:
        figures, weights = self._texts[by].compare(one, others)
        at = int(figures.argmax())
        if figures[at] <= TOO_NEAR[by]:
            return None
        shared = self._texts[by].shared(one, others[at], weights)
        return Near(self._domains[others[at]].name, by, float(figures[at]), shared)


TOO_NEAR = {"meaning": 0.21, "schema": 0.4}
"""Nearer than this, two domains are taken for the same. Of those in `tests/proposals/domains.toml`, different ones are
at 0.20 by meaning (0.29 by schema) at the most, and eight of nine that are the same in other words at 0.29 or more by
meaning. The ninth is in synonyms throughout (renter for tenant, apartment for flat): it is at 0.17, and passes."""

_SHOWN = 5

_WORD = re.compile(r"[^\W\d_]{3,}")
_ENDING = re.compile(r"(?<=\w{3})(?:ings?|ed|ers?|es|s|e)$")


class _Texts:
    """Texts as counts of words."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        from scipy.sparse import csr_array

        counts = [Counter(map(_stem, text)) for text in texts]
        self._word = {_stem(word): word for text in texts for word in text}
        self._stems = sorted(self._word)
        column = {stem: at for at, stem in enumerate(self._stems)}
        columns = [column[stem] for count in counts for stem in count]
        ends = [0, *accumulate(map(len, counts))]
        shape = (len(texts), len(self._stems))
        said = [1 + log(times) for count in counts for times in count.values()]
        self._said = csr_array((said, columns, ends), shape=shape)
        self._has = csr_array((np.ones(len(said)), columns, ends), shape=shape)
        self._squares = self._said * self._said

    def compare(self, one: int, others: Sequence[int]) -> tuple[Any, Any]:
        """How near one text is to each of the others, and how much each word weighs among all of these."""
        compared = np.zeros(self._said.shape[0])
        compared[[one, *others]] = 1
        weights = np.log((2 + len(others)) / (1 + compared @ self._has)) ** 2
        lengths = np.sqrt(self._squares @ weights)
        products = self._said @ (self._said[[one]].toarray().ravel() * weights)
        lengths *= lengths[one]
        return (products / np.where(lengths > 0, lengths, 1))[list(others)], weights

    def shared(self, one: int, other: int, weights: Any) -> tuple[str, ...]:
        """The words of both that weigh most in their nearness."""
        together = (self._said[[one]] * self._said[[other]]).toarray().ravel() * weights
        best = np.argsort(-together, kind="stable")[:_SHOWN]
        return tuple(self._word[self._stems[at]] for at in best if together[at] > 0)


@cache
def _common_words() -> frozenset[str]:
    """Words that say nothing of what a text is about."""
    return frozenset(files(__package__).joinpath("common_words.txt").read_text(encoding="utf-8").split())


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.casefold().replace("_", " ")) if word not in _common_words()]


def _schema_words(tables: Sketch) -> list[str]:
    """The words of the tables and of their fields; that a field is the key of a table says nothing new."""
    named = [word for table in tables for word in _words(table)]
    return [*named, *named, *(word for fields in tables.values() for field in fields for word in _words(field))]


def _stem(word: str) -> str:
    """A word without its ending: `booking`, `bookings` and `booked` are one."""
    return _ENDING.sub("", word)[:7]
