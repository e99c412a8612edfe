"""Quantities that a policy names, for who asks for as much as it allows, for the usual or for the least."""

import re

from toolscale.checkers.derived.reading import readable_words
from toolscale.checkers.said.units import stem

_MOST = re.compile(
    r"\bas (?:many|much|long|far|late|high)\b|\b(?:most|maximum|max|longest|highest|largest|biggest|latest|"
    r"furthest|full|whole)\b"
)
_LEAST = re.compile(r"\bas (?:few|little|low)\b|\b(?:minimum|min|shortest|lowest|smallest|fewest|least|earliest)\b")
_USUAL = re.compile(
    r"\b(?:usual|standard|normal|regular|default|customary|prescribed|required|allow\w*|permit\w*|limit)\b"
)
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n+")
_TELLING = re.compile(r"[a-z]{3,}")
_SMALL_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
    the and for you can may are not all any get our has had was his her one day out way its who how with that this
    have from your them they their than then will would could should please book want need like make made take given
    give pass allow allowed permitted permit possible again which when what most least many much long longest into
    maximum minimum usual full number amount date time times days weeks months hours first last some more only just
    must each between after before
    """,
    )
)
"""Words that a wish and a policy may share without speaking of the same thing."""
_BOUNDS = {
    1: re.compile(r"\b(?:at most|up to|no more than|not more than|maximum|no longer than|within|limit\w*)\b"),
    -1: re.compile(r"\b(?:at least|no less than|no fewer than|minimum|not less than)\b"),
}


def limits_asked(says: str) -> frozenset[int]:
    """Whether readable words ask for as much as may be (1), for as little (-1), for both or for neither."""
    return frozenset(way for way, words in ((1, _MOST), (-1, _LEAST)) if words.search(says))


def limits_named(says: str, policy: str) -> str:
    """The sentences of a policy that speak of what the words ask for to the limit; none if they ask for no limit.

    Where none shares a word with them, the one sentence that sets a bound of that sort is meant.
    """
    asked = limits_asked(says)
    if not asked and not _USUAL.search(says):
        return ""
    spoken = _nouns(says)
    shared = {sentence: len(spoken & _nouns(sentence)) for sentence in map(readable_words, _SENTENCE.split(policy))}
    most = max(shared.values(), default=0)
    if most:
        return " ; ".join(sentence for sentence, count in shared.items() if count == most)
    bounding = [sentence for sentence in shared if any(_BOUNDS[way].search(sentence) for way in asked)]
    return bounding[0] if len(bounding) == 1 else ""


def _nouns(text: str) -> set[str]:
    return {_root(word) for word in _TELLING.findall(text) if word not in _SMALL_WORDS}


def _root(word: str) -> str:
    return "pay" if word == "paid" else re.sub(r"(?:ed|ing|e)$", "", stem(word))
