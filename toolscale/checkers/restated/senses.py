"""What hangs on what: limits with their side, conditions, superlatives, and what is not to be done.

Two people put one limit in opposite words: "if it is over 80, leave it" and "only if it is at most 80". So a limit is
read as the side on which something is done, whatever comparison, denial or "unless" it is said with.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from toolscale.checkers.restated import patterns
from toolscale.checkers.restated.marks import FIGURE, Marked
from toolscale.checkers.restated.stems import stem
from toolscale.checkers.said.moments import moment_of

Side = Literal["more", "less"]

_NEAR = 12
"""Words after a condition, and before it, in which what hangs on it is said."""
_FILLING = frozenset({"however", "though", "but", "and", "then", "only", "so", "please", "-"})
_FIGURE = re.compile(FIGURE)
_ONLY = re.compile(r"^only\b|\bonly (?!tell|say|let|give|name)\w")
_SENTENCE_ENDS = re.compile(r"[.!?\n]")


@dataclass(frozen=True)
class Condition:
    """Something that hangs on a condition: on which figures, if any, and whether it is done where the words hold."""

    figures: frozenset[str]
    done: bool


@dataclass(frozen=True)
class Senses:
    """What a request's words make hang on what."""

    conditions: tuple[Condition, ...]
    restated: int
    """Words that take up a condition again, such as "otherwise"."""
    implied: int
    """Conditions that are put as a question: "not allowed yet? then ..."."""
    sides: frozenset[tuple[str, Side]]
    """On which side of a figure something is done."""
    weak: frozenset[tuple[str, Side]]
    """The same, in words that may also only name a day or an hour."""
    superlatives: frozenset[str]
    denied: bool
    """Whether anything is denied beyond conditions and limits."""


class _Limit(NamedTuple):
    figure: str
    side: Side
    start: int
    weak: bool


def senses_of(words: Marked, alike: Mapping[str, str]) -> Senses:
    """What hangs on what in marked words, where some marks stand for others: what is corrected is one value."""
    text = _without_names(words, alike)
    text = patterns.NO_CONDITION.sub(_blank, text)
    restated = len(patterns.RESUMED.findall(text))
    text = patterns.RESUMED.sub(_blank, text)
    conditions: list[Condition] = []
    sides: set[tuple[str, Side]] = set()
    spans: list[tuple[int, int]] = []
    for cue in patterns.CUE.finditer(text):
        if _is_hypothetical(text, cue):
            continue
        clause = _clause(text, cue.end())
        end = cue.end() + len(clause)
        turned = _turned(text, cue, end)
        limits = [limit for limit in _limits(clause) if not limit.weak]
        figures = frozenset(limit.figure for limit in limits)
        conditions.append(Condition(figures, turned ^ (not limits and _is_denied(clause))))
        sides |= {(limit.figure, _other(limit.side) if turned else limit.side) for limit in limits}
        spans.append((cue.end(), end))
    found = list(_limits(text))
    sides |= {(each.figure, each.side) for each in found if not each.weak and not _lies_in(each.start, spans)}
    rest = patterns.NO_DENIAL.sub(" ", _without(text, spans))
    return Senses(
        tuple(conditions),
        restated,
        len(patterns.ASKED_AND_DONE.findall(text)),
        frozenset(sides),
        frozenset((each.figure, each.side) for each in found if each.weak),
        frozenset(superlatives(text)),
        bool(patterns.FLAT_DENIAL.search(rest)),
    )


def superlatives(text: str) -> set[str]:
    """By what the best of several is chosen."""
    return {kind for kind, words in patterns.SUPERLATIVES.items() if words.search(text)}


def denied_acts(text: str) -> set[str]:
    """What is flatly not to be done: the stems of verbs after "don't" that hang on no condition."""
    return {stem(act[1]) for act in patterns.DENIED_ACT.finditer(text) if not _hangs(text, act)}


def denied_values(text: str) -> set[str]:
    """The marks of values that are said not to be meant."""
    return set(patterns.DENIED_VALUE.findall(text))


def directions(text: str) -> set[tuple[str, str]]:
    """Which values are gone from, and which to."""
    return set(patterns.DIRECTION.findall(text))


def _without_names(words: Marked, alike: Mapping[str, str]) -> str:
    """The text without marks of names and ids: "over of IN-519" bounds nothing."""
    text = words.text
    for mark, other in alike.items():
        text = text.replace(mark, other)
    for mark, value in words.marks.items():
        if isinstance(value, str) and moment_of(value) is None:
            text = text.replace(mark, "_name_")
    return text


def _blank(found: re.Match[str]) -> str:
    return "_" * len(found[0])


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text


def _lies_in(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _clause(text: str, start: int) -> str:
    """The words of a condition, up to where what hangs on it begins."""
    end = patterns.ENDS_A_CONDITION.search(text, start + 1)
    return text[start : end.start() if end else len(text)]


def _is_hypothetical(text: str, cue: re.Match[str]) -> bool:
    """Whether it is only asked what would be: "which table would be ours if it were on Monday?"."""
    said = _before(text, cue.start()) + _after(text, cue.start(), ending=True)
    asked = said.endswith("?") and re.search(r"\bwould\b", said) is not None
    return bool(cue["if"]) and asked and not patterns.NOT_DONE.search(said)


def _turned(text: str, cue: re.Match[str], end: int) -> bool:
    """Whether what hangs on a condition is done where its words do not hold."""
    if cue["iff"] or cue["unless"]:
        return bool(cue["unless"])
    parts = [part.split() for part in re.split(r"[,;:]", _before(text, cue.start()))]
    before = " ".join(next((part[-_NEAR:] for part in reversed(parts) if not _FILLING.issuperset(part)), []))
    if cue[0] and _ONLY.search(before):
        return False
    after = " ".join(_after(text, end).split()[:_NEAR])
    return any(patterns.NOT_DONE.search(said) for said in (before, after))


def _is_denied(clause: str) -> bool:
    return len(patterns.DENIAL.findall(clause)) % 2 == 1


def _hangs(text: str, act: re.Match[str]) -> bool:
    """Whether something that is not to be done hangs on a condition."""
    before, after = _before(text, act.start()), _after(text, act.end())
    hanging = (patterns.CUE.search(before), patterns.RESUMED.search(before), re.search(r"\bthen\b", before))
    return any(hanging) or patterns.CUE.search(after) is not None


def _limits(text: str) -> Iterator[_Limit]:
    """The limits that are set on figures; one that is denied has the other side."""
    for found in patterns.LIMIT_BEFORE.finditer(text):
        figure = _FIGURE.match(text, found.end())
        if figure is not None and figure[0] != "1":
            spread = found["more"] == "over" and patterns.SPREAD.match(text, found.end()) is not None
            weak = spread or (found["more"] or found["less"]) in patterns.WEAK
            yield _limit(text, found, figure[0], weak=weak)
    for found in patterns.LIMIT_AFTER.finditer(text):
        figure = _FIGURE.match(text, found.start())
        if figure is not None:
            yield _limit(text, found, figure[0], weak=False)


def _limit(text: str, found: re.Match[str], figure: str, *, weak: bool) -> _Limit:
    side: Side = "more" if found["more"] else "less"
    denied = patterns.DENIED_BEFORE.search(re.split(r"[.,;:!?\n]", text[: found.start()])[-1]) is not None
    return _Limit(figure, _other(side) if denied else side, found.start(), weak and not denied)


def _other(side: Side) -> Side:
    return "less" if side == "more" else "more"


def _before(text: str, place: int) -> str:
    """What stands before a place in its sentence."""
    return _SENTENCE_ENDS.split(text[:place])[-1]


def _after(text: str, place: int, *, ending: bool = False) -> str:
    """What stands after a place in its sentence."""
    end = _SENTENCE_ENDS.search(text, place)
    return text[place : len(text) if end is None else end.end() if ending else end.start()]
