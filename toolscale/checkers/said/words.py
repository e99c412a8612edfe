"""Finding ids, names, addresses and words in a plain text."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile

from toolscale.checkers.said.fact import Fact
from toolscale.checkers.said.seats import is_seat, seat_spans
from toolscale.checkers.said.text import in_digits, plain, unaccented
from toolscale.checkers.said.units import stem
from toolscale.checkers.wording import fold, places_of

Span = tuple[int, int]
Spot = tuple[str, Span]

_TITLES = frozenset(["dr", "doctor", "prof", "professor", "mr", "mrs", "ms", "miss", "sir", "madam"])
_TITLE = r"(?:dr|doctor|prof|professor|mr|mrs|ms|miss|sir|madam|herr|frau)"
_TOKEN = re.compile(r"[^\W\d_]+|\d+|&")
_HOUSE = re.compile(
    r"\d+[a-z]?(?![^\W_])|(?<![^\W_])[a-z]{1,2}\d{1,2}[a-z]?(?![^\W_])|\d[a-z]{2}(?![^\W_])|[^\W\d_]+|\d+"
)
"""A word, a number, or half of a British postcode."""
_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_GOES_ON = re.compile(r"-[^\W\d_]")
_WENT_BEFORE = re.compile(r"[^\W\d_]-$")
_OFTEN = {"hour": "hourly", "day": "daily", "week": "weekly", "month": "monthly", "year": "yearly"}
_EVERY = re.compile(rf"\b(?:an?|per|each|every) ({'|'.join(_OFTEN)})\b")
_BETWEEN = r"[\s\-.,_'\"()/:|]*"
_SMALL_WORDS = frozenset(
    ["a", "an", "as", "the", "of", "to", "on", "in", "at", "for", "is", "are", "be", "by", "with", "from"]
)
_SHORT = {
    **{
        "str": "street",
        "st": "street",
        "strasse": "street",
        "rd": "road",
        "ave": "avenue",
        "av": "avenue",
        "sq": "square",
    },
    **{
        "ln": "lane",
        "blvd": "boulevard",
        "dr": "drive",
        "ste": "suite",
        "apt": "apartment",
        "ct": "court",
        "pl": "place",
    },
    **{"n": "north", "s": "south", "e": "east", "w": "west", "pobox": "po", "munich": "munchen", "cologne": "koln"},
    **{"vienna": "wien", "genoa": "genova", "geneva": "geneve", "prague": "praha", "rome": "roma", "milan": "milano"},
    **{"lisbon": "lisboa", "florence": "firenze", "turin": "torino", "warsaw": "warszawa", "brussels": "bruxelles"},
    **{"brussel": "bruxelles", "ulica": "ul", "number": "no"},
}
_NUMBERED = frozenset(
    {
        "plot",
        "sector",
        "block",
        "unit",
        "apartment",
        "flat",
        "suite",
        "floor",
        "level",
        "room",
        "terminal",
        "gate",
        "hall",
    }
)
"""What bears a number of its own within an address."""
_NUMBERED_PLACE = re.compile(r"(?:[^\W\d_]+\.?[ -])+\d{1,4}[a-z]?")
_SHOP_AND_TOWN = re.compile(r"[A-Z][^,\d]*, ?[A-Z][^,\d]*")
"""Names of places whose parts stand in either order: "Stationsweg 17", "Petrol Station Shop, Innsbruck"."""
_NEAR = 3
"""Words beside a number that may say what it numbers: "47 Rue du Bailli" and "Rue du Bailli 47"."""
_LINKS = frozenset(
    {
        "was",
        "were",
        "been",
        "being",
        "that",
        "which",
        "it",
        "came",
        "come",
        "coming",
        "ran",
        "run",
        "running",
        "arrived",
    }
    | {"arrival", "arriving", "because", "reported", "declared", "too", "so", "very", "all", "still"}
)
_MOST_LINKS = 2
"""Words that may stand between those of a fact: "the aircraft was running late" for "late aircraft"."""
_ENDED = re.compile(r"\w[;!?]")
_SENTENCE_ENDS = re.compile(r"[.;:!?,](?=\s)")
_EXTRA_TOKENS = 7
_POSTCODE = 5
"""Digits of a number that says its place by itself."""


def spans_of(fact: Fact, text: str) -> Iterator[tuple[str, Span]]:
    """Where a plain text says an id, a name, an address or words: the view of the text, and the place in it."""
    if fact.kind == "id":
        yield from ((text, found.span()) for found in _id_pattern(fact.text).finditer(text))
        if is_seat(fact.text):
            yield from ((in_digits(text), span) for span in seat_spans(fact.text, in_digits(text)))
        return
    folded = fold(text)
    for start, end in places_of(fold(plain(fact.text)), folded):
        if not _GOES_ON.match(folded, end) and not _WENT_BEFORE.search(folded, max(0, start - 2), start):
            yield folded, (start, end)
    for view in dict.fromkeys((text, unaccented(text))):
        yield from ((view, found.span()) for found in _in_order(fact.text).finditer(view))
    if fact.kind == "name":
        for view in dict.fromkeys((text, unaccented(text))):
            yield from ((view, found.span()) for found in _by_surname(fact.text).finditer(view))
    if fact.kind == "address" or _NUMBERED_PLACE.fullmatch(fact.text) or _SHOP_AND_TOWN.fullmatch(fact.text):
        view = in_digits(unaccented(text))
        wanted = _address_spots(in_digits(unaccented(plain(fact.text))))
        yield from (
            (view, span)
            for span in _together(wanted, _address_spots(view), _EXTRA_TOKENS)
            if not _ENDED.search(view[slice(*span)])
        )
    elif fact.kind == "words":
        text, said = (_EVERY.sub(lambda found: _OFTEN[found[1]], each) for each in (text, plain(fact.text)))
        for joint in (" ", ""):
            view, wanted = _HYPHEN.sub(joint, text), _spots(_HYPHEN.sub(joint, said))
            yield from (
                (view, span)
                for span in _together(wanted, _spots(view), _MOST_LINKS)
                if not _negated(view, span[0]) and _one_phrase(view[slice(*span)], wanted)
            )


@lru_cache(maxsize=2048)
def _id_pattern(text: str) -> re.Pattern[str]:
    """An id with the spaces and hyphens that people put into it, and not as a part of a longer one."""
    parts = [re.escape(part) for part in re.findall(r"[^\W_]|[_@+#]|[^\w\s@+#]", plain(text).replace("-", ""))]
    joined = r"[\s\-./\\()]{0,2}".join(part if part[-1].isalnum() else rf"{part}?" for part in parts)
    joined = re.sub(r"^\\\+\?", r"(?:\\+|00)?", joined)
    return re.compile(rf"(?<![^\W_])(?<![^\W_][-_/])(?<!\d\.){joined}(?![^\W_]|[-_/.][^\W_])" if parts else r"(?!)")


@lru_cache(maxsize=2048)
def _by_surname(text: str) -> re.Pattern[str]:
    """A person as others do: "Dr Mangold", "Dr H.-W. Mangold", "Mangold, Heinz-Willi"."""
    tokens = [token for token in _TOKEN.findall(plain(text)) if token not in _TITLES]
    spelled = [_spelled(token) for token in tokens]
    ways = []
    for place in range(1, len(tokens)):
        given, surname = _BETWEEN.join(spelled[:place]), _BETWEEN.join(spelled[place:])
        initials = r"[.\s-]*".join(rf"{re.escape(token[0])}\b" for token in tokens[:place])
        ways += [rf"\b{_TITLE}\b\.?(?: {_TITLE}\b\.?)*,? (?:{initials}\.? ?)?{surname}", rf"{surname},? \(?{given}"]
    return re.compile(rf"(?<![^\W_])(?<!\w-)(?:{'|'.join(ways)})(?![^\W_]|-[^\W_])" if ways else r"(?!)")


@lru_cache(maxsize=2048)
def _in_order(text: str) -> re.Pattern[str]:
    """A name or words, token by token; a name of two parts also with the last one first."""
    tokens = _TOKEN.findall(plain(text))
    tokens = [token for token in tokens if token not in _TITLES] or tokens
    if not tokens:
        return re.compile(re.escape(plain(text)))
    spelled = [_spelled(token) for token in tokens]
    whole = _BETWEEN.join(spelled)
    if len(spelled) > 1 and text.istitle():
        whole = rf"(?:{whole}|{spelled[-1]}, {' '.join(spelled[:-1])})"
    return re.compile(rf"(?<![^\W_])(?<!\w-){whole}(?![^\W_]|-[^\W_])")


def _spelled(token: str) -> str:
    """A token as people type it: without its accents, "ue" for "ü", in British or American English."""
    if token in ("&", "and"):
        return r"(?:&|and)"
    if token.isdigit():
        return rf"(?<!\d){token}(?!\d)"
    pattern = "".join(_letter(letter) for letter in token)
    if len(token) > 5:
        for ending, either in (("ll", "ll?"), ("our", "ou?r")):
            pattern = pattern.replace(ending, either)
        pattern = re.sub(r"i[sz](?=e[ds]?$|ing$|ation)", "i[sz]", pattern)
    return pattern


def _letter(letter: str) -> str:
    base = unaccented(letter)
    if base == letter:
        return re.escape(letter)
    return f"(?:{letter}|{base}{'|' + base + 'e' if letter in 'äöü' else ''})"


def _negated(text: str, start: int) -> bool:
    return bool(re.search(r"\bnon-?\s?$", text[max(0, start - 5) : start]))


def _one_phrase(text: str, wanted: list[Spot]) -> bool:
    """Whether words stand together in one sentence, with nothing between them that tells something else."""
    words = {word for word, _ in wanted}
    return not _SENTENCE_ENDS.search(text) and all(word in words | _LINKS for word, _ in _spots(text))


def _root(token: str) -> str:
    if token in ("non", "not", "no"):
        return "not"
    return re.sub(r"(?<=\w{4})(?:ness|age)$", "", stem(token))


def _spots(text: str) -> list[Spot]:
    """The telling words of a text without their endings, each with its place."""
    return [(_root(found[0]), found.span()) for found in _TOKEN.finditer(text) if found[0] not in _SMALL_WORDS]


def _address_spots(text: str) -> list[Spot]:
    """The telling tokens of an address, abbreviations written out, each with its place."""
    text = re.sub(r"(?<=\w)(?:strasse\b|str\b\.?)", " str", re.sub(r"\bp\.? ?o\.? box", "pobox", text))
    return [
        (_SHORT.get(found[0], found[0]), found.span())
        for found in _HOUSE.finditer(text)
        if len(found[0]) > 2 or re.search(r"\d", found[0]) or found[0] in _SHORT
    ]


def _together(wanted: list[Spot], spots: list[Spot], extra: int) -> Iterator[Span]:
    """Where all that is wanted stands close together, in any order, each number by a word that it stands by there."""
    words, there = [word for word, _ in wanted], [word for word, _ in spots]
    beside = {word: _beside(words, place) for place, word in enumerate(words) if _is_small_number(word)}
    for first, word in enumerate(there):
        if word not in words:
            continue
        left = list(words)
        for place, each in enumerate(there[first : first + len(words) + extra], first):
            if each in left and (not beside.get(each) or beside[each] & _beside(there, place)):
                left.remove(each)
                if not left:
                    yield spots[first][1][0], spots[place][1][1]
                    break


def _is_small_number(word: str) -> bool:
    return word[0].isdigit() and len(word) < _POSTCODE


def _beside(words: list[str], place: int) -> set[str]:
    """The words on both sides of a number, up to the next number; of "plot 61" the label alone."""
    if place and words[place - 1] in _NUMBERED:
        return {words[place - 1]}
    before, after = reversed(words[max(0, place - _NEAR) : place]), words[place + 1 : place + 1 + _NEAR]
    return {word for side in (before, after) for word in takewhile(lambda each: not each[0].isdigit(), side)}
