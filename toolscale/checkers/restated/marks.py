"""A request's words with a mark in place of each value that its facts name, however it is spelt there."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from toolscale.artifacts import Goal
from toolscale.checkers.restated.stems import stems
from toolscale.checkers.said.moments import clock_spans, day_wordings, moment_of
from toolscale.checkers.said.numbers import readings
from toolscale.checkers.said.text import in_digits, plain, unaccented
from toolscale.templates.spelling import CODECS

MARK = "⟦[a-z]+⟧"
FIGURE = rf"(?:{MARK}|\d[\d.,:/-]*)"
"""What stands for a value, or is a figure of no fact."""

_NUMBER = re.compile(r"(?<![\w.,:/-])\d+(?:[,'.]\d+)*(?![\w]|[.,:/]\d)")
_SIGNED = re.compile(r"[€£$¥](?=\d)|(?<=\d)(?=(?:eur|euros?|gbp|usd|chf|pln|x)\b)")
_LEFT_OVER = re.compile(r"(?<![\w⟦])\w*\d[\w.,:/-]*")
_RANKED = re.compile(r"\b(\d\d?)(?:st|nd|rd|th)_")
_RANKS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_BOTH = re.compile(r"\bboth\b")
_COUNTING_WORDS = re.compile(
    r"\b\d (?=(?:short |quick |small |last )?(?:things?|questions?|points|items|requests|matters|wishes)\b)"
)


@dataclass(frozen=True)
class Marked:
    """Words in lower case, a line for each sentence or more, their number words in digits and their values marked."""

    text: str
    marks: Mapping[str, object] = field(default_factory=dict)
    """Mark -> the value that stands there."""

    @property
    def other_figures(self) -> set[str]:
        """Figures that name no value; "one" is a word like others."""
        found = {each.strip(".,:/-") for each in _LEFT_OVER.findall(self.text)}
        return {each for each in found if each not in ("", "1")}


def values_of(goals: Iterable[Goal]) -> list[object]:
    """All values that goals name, each once, those that are longest in words first."""
    named: list[object] = []
    for goal in goals:
        named += [*goal.facts.values(), *goal.repeats]
        named += [value for twist in goal.twists for value in twist.facts.values()]
        named += [] if goal.at_first is None else [goal.at_first]
        named += [] if goal.bound is None else [goal.bound.figure]
    found = {_key(value): value for value in named if not isinstance(value, bool)}
    return sorted(found.values(), key=lambda value: (_is_number(value), -len(str(value))))


def marked(text: str, values: Iterable[object], now: datetime) -> Marked:
    """The text with what stands for each of the values marked."""
    said, marks = readable(text), {}
    for place, value in enumerate(values):
        mark = f"⟦{_letters(place)}⟧"
        spans = sorted(set(_spans(value, said, now)), reverse=True)
        for start, end in _apart(spans):
            said = f"{said[:start]}{mark}{said[end:]}"
            marks[mark] = value
    return Marked(said, marks)


def readable(text: str) -> str:
    """The lines of a text, plain, with number words in digits."""
    return "\n".join(map(_readable, text.splitlines()))


def _readable(line: str) -> str:
    said = unaccented(in_digits(_BOTH.sub("all", plain(line)), ranks=False))
    said = _RANKED.sub(lambda found: _RANKS[int(found[1]) - 1], said)
    return _COUNTING_WORDS.sub("", _SIGNED.sub(lambda found: "" if found[0] else " ", said))


def described(value: object, text: str) -> bool:
    """Whether words that are no name stand in a readable text in some form: "home delivery" as "delivered home"."""
    if not isinstance(value, str) or re.search(r"[A-Z\d]", value):
        return False
    wanted, there = stems(value), stems(text)
    return bool(wanted) and all(any(_akin(one, other) for other in there) for one in wanted)


def _akin(one: str, other: str) -> bool:
    """Whether two stems are of one family, as those of "ill" and "illness"."""
    return one.startswith(other) or other.startswith(one)


def _spans(value: object, text: str, now: datetime) -> Iterator[tuple[int, int]]:
    if _is_number(value):
        wanted = Decimal(str(value))
        yield from (found.span() for found in _NUMBER.finditer(text) if wanted in readings(found[0]))
        return
    spelt = unaccented(in_digits(plain(str(value)), ranks=False))
    pattern = r"[\s-]+".join(map(re.escape, re.split(r"[\s-]+", spelt)))
    exact = [found.span() for found in re.finditer(rf"(?<![\w-]){pattern}(?![\w-])", text)]
    yield from exact
    moment = moment_of(str(value))
    if moment is None:
        return
    if moment.day is not None:
        for wording in day_wordings(moment.day, now.date()):
            yield from (found.span() for found in wording.finditer(text))
    if moment.clock is not None and moment.day is None:
        for spelling in CODECS["time"].spellings(f"{moment.clock:%H:%M}"):
            yield from (
                found.span() for found in re.finditer(rf"(?<![\d:.]){spelling.replace(' ', ' ?')}(?![\d:])", text)
            )
        yield from clock_spans(moment.clock, text, either_half=True)


def _apart(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Of spans from the last to the first, those that overlap no other; of two that do, the longer."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: span[0] - span[1]):
        if all(end <= other or start >= after for other, after in kept):
            kept.append((start, end))
    yield from sorted(kept, reverse=True)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _key(value: object) -> object:
    return Decimal(str(value)) if _is_number(value) else value


def _letters(place: int) -> str:
    return chr(ord("a") + place // 26) + chr(ord("a") + place % 26)
