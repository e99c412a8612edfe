"""Where proposals are wanted: users' own topics first, then the divisions of the tree that have the fewest."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from random import Random
from typing import NamedTuple

from toolscale.proposals.tree import divisions

AT_ONCE = 6
"""Proposals that one call asks for: enough for a model to tell them apart, and few enough to be written with care."""


class Place(NamedTuple):
    """Where a proposal is wanted: a topic of a user's own, or else a division of the tree."""

    topic: str = ""
    division: str = ""

    @property
    def shown(self) -> str:
        """The place as users are told of it."""
        return f"topic `{self.topic}`" if self.topic else divisions()[self.division].path

    @property
    def section(self) -> str:
        """The section of its division; none for a topic."""
        return "" if self.topic else divisions()[self.division].section


Wanted = Mapping[Place, int]
"""How many proposals are wanted in each place."""


def places(count: int, topics: Iterable[str], filled: Mapping[str, int], seed: int) -> Counter[Place]:
    """Where `count` more are wanted: one for each topic, the rest so that no division has more than it must.

    `filled` is how many each division has. Sections take turns, in an order that follows from the seed.
    """
    wanted = Counter(Place(topic=topic) for topic in list(topics)[:count])
    turns = _turns(seed)
    rank = {code: turn for turn, code in enumerate(turns)}
    have = Counter({code: filled.get(code, 0) for code in turns})
    for _ in range(count - wanted.total()):
        code = min(turns, key=lambda code: (have[code], rank[code]))
        have[code] += 1
        wanted[Place(division=code)] += 1
    return wanted


def calls(wanted: Wanted) -> list[dict[Place, int]]:
    """The places as calls ask for them: a few proposals at once, and those of a division together.

    Topics come first and sections take turns, so that a run which ends early has left out no part of the tree. What is
    too much for one call waits until the answers to the others are there.
    """
    by_section: dict[str, list[dict[Place, int]]] = {}
    for place, number in sorted(wanted.items(), key=lambda item: item[0].division):
        if number:
            _add(by_section.setdefault(place.section, []), {place: min(number, AT_ONCE)})
    topics = by_section.pop("", [])
    packed: list[dict[Place, int]] = []
    for turn in zip_longest(*by_section.values(), fillvalue={}):
        for call in filter(None, turn):
            _add(packed, call)
    return [*topics, *packed]


def _add(calls: list[dict[Place, int]], more: dict[Place, int]) -> None:
    """Ask for more places in the latest call where it has room for them, else in one of their own."""
    if calls and sum(calls[-1].values()) + sum(more.values()) <= AT_ONCE:
        calls[-1].update(more)
    else:
        calls.append(dict(more))


def _turns(seed: int) -> Sequence[str]:
    """All divisions, the sections taking turns."""
    draw = Random(seed)
    by_section: dict[str, list[str]] = {}
    for code, division in divisions().items():
        by_section.setdefault(division.section, []).append(code)
    sections = list(by_section.values())
    draw.shuffle(sections)
    for codes in sections:
        draw.shuffle(codes)
    return [code for turn in zip_longest(*sections) for code in turn if code is not None]
