"""Words that name one of several by its figures: "the cheapest", "the earliest", "the last"."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import date, time
from itertools import product
from typing import Any, Literal, NamedTuple

from toolscale.artifacts import Json
from toolscale.artifacts.base import JsonPath
from toolscale.checkers.picks.rows import ListedEntry
from toolscale.checkers.said.moments import Moment, moment_of

_OPEN = re.compile(
    r"\b(?:any|either|whichever|whoever|whatever|whenever|wherever)\b[^.;!?]{0,60}?"
    r"\b(?:(?:will|would) do|(?:is|are) (?:fine|ok|okay|all right|good)|suits?|works|you (?:like|please|want))\b|"
    r"\b(?:no matter (?:which|who|when|where)|up to you|you (?:may )?(?:choose|pick|decide)|"
    r"as you (?:like|please|see fit)|"
    r"all the same to (?:me|us)|no preference|(?:don't|do not) (?:mind|care) (?:which|who|when|where|what)|"
    r"(?:doesn't|does not) matter (?:which|who|when|where|what|to (?:me|us)))\b"
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_SPAN = r"(?:night|day|week|weekend|month|year|spring|summer|autumn|winter)s?\b"

Rank = Literal["price", "number", "moment"]


class Superlative(NamedTuple):
    """A way to name one of several: by what it is ranked, and whether the least or the greatest is meant."""

    rank: Rank
    sign: Literal[1, -1]


_WORDED = {
    Superlative("price", 1): r"cheapest|least expensive|the cheaper|lowest (?:price|fare|fee|cost|rate)",
    Superlative("price", -1): r"dearest|priciest|costliest|most expensive|the dearer|highest (?:price|fare|fee)",
    Superlative("number", 1): r"lowest|smallest|shortest|fewest|nearest|closest|lightest|quickest|fastest|youngest|"
    r"(?<!at )least(?! expensive)|the (?:lower|smaller|shorter|nearer|closer|lighter|quicker|faster|younger)",
    Superlative(
        "number", -1
    ): r"highest|largest|biggest|longest|greatest|heaviest|furthest|farthest|oldest|the most(?! (?:recent|expensive))|"
    r"the (?:higher|larger|bigger|longer|heavier|older)",
    Superlative("moment", 1): rf"earliest|soonest|oldest|as (?:early|soon) as|the (?:earlier|sooner|older)|"
    rf"first(?! (?:of|{_WEEKDAY}|{_SPAN}))|next(?! (?:time|{_WEEKDAY}|{_SPAN}))",
    Superlative("moment", -1): rf"latest|newest|youngest|most recent(?:ly)?|as late as|the (?:later|newer|younger)|"
    rf"last(?! (?:of|time|{_WEEKDAY}|{_SPAN}))",
}
_PATTERNS = {which: re.compile(rf"\b(?:{words})\b") for which, words in _WORDED.items()}
_PRICE = re.compile(r"price|fare|fee|cost|total|amount|rate|charge|deposit|premium|rent", re.IGNORECASE)


def leaves_it_open(text: str) -> bool:
    """Whether a folded text says that it does not matter which: then no superlative in it settles every pick."""
    return _OPEN.search(text) is not None


def superlatives(text: str) -> dict[Superlative, int]:
    """The superlatives of a folded text, and how often each stands there."""
    found = {which: len(pattern.findall(text)) for which, pattern in _PATTERNS.items()}
    return {which: count for which, count in found.items() if count}


def names_one(
    which: Superlative, row: ListedEntry, others: Sequence[ListedEntry], said: Collection[Superlative]
) -> bool:
    """Whether a superlative names this row and none of the others, where need be with another that settles a tie."""
    for key in _keys(which.rank, row):
        beside = [key(other) for other in others]
        if None in beside or any(which.sign * _sign(key(row), each) > 0 for each in beside):
            continue
        tied = [other for other, each in zip(others, beside, strict=True) if each == key(row)]
        left = [other for other in said if other != which]
        if not tied or any(names_one(other, row, tied, left) for other in left):
            return True
    return False


def _sign(left: Any, right: Any) -> int:
    return int(left > right) - int(left < right)


def _keys(rank: Rank, row: ListedEntry) -> Iterator[Callable[[ListedEntry], Any]]:
    """What rows can be ranked by: one field, or a day and a time of day in two."""
    if rank == "moment":
        moments = {place: moment for place, value in row.items() if (moment := _moment(value))}
        days = [place for place, moment in moments.items() if moment.day and not moment.clock]
        clocks = [place for place, moment in moments.items() if moment.clock and not moment.day]
        yield from (_by_moments(place) for place in moments)
        yield from (_by_moments(*places) for places in product(days, clocks))
        return
    numbers = [place for place, value in row.items() if _is_number(value)]
    priced = [place for place in numbers if _PRICE.search(str(place[-1]))]
    yield from (_by_number(place) for place in (priced if rank == "price" and priced else numbers))


def _by_number(place: JsonPath) -> Callable[[ListedEntry], Any]:
    return lambda row: row[place] if _is_number(row.get(place)) else None


def _by_moments(*places: JsonPath) -> Callable[[ListedEntry], Any]:
    def key(row: ListedEntry) -> Any:
        moments = [_moment(row.get(place)) for place in places]
        return None if None in moments else [(each.day or date.min, each.clock or time.min) for each in moments if each]

    return key


def _is_number(value: Json | None) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _moment(value: Json | None) -> Moment | None:
    return moment_of(value) if isinstance(value, str) else None
