"""Templates that word a request, and read the same facts back out of it.

A template is one line of text. ``[Please|Could you] move booking {booking_id} to {date:date}[, thanks|].`` has
alternatives in brackets (they may nest, and one may be empty) and slots in braces. A slot names a fact and says how
people spell it, see `spelling.py`. Rendering takes one alternative of each and fills the slots; recognising matches a
whole line, whichever alternatives it took, and gives the facts back.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from toolscale.templates.spelling import CODECS

_TOKEN = re.compile(r"\{(\w+)(?::(\w+))?\}|([\[|\]])")


class Pen:
    """How one person writes: at random among alternatives, and always alike where dates, sums and times are spelt."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._habits: dict[str, float] = {}

    def alternative(self, count: int) -> int:
        """One of so many ways to put something."""
        return self._rng.randrange(count)

    def spelt(self, codec: str, spellings: list[str]) -> str:
        """The spelling that this person is used to."""
        habit = self._habits.setdefault(codec, self._rng.random())
        return spellings[int(habit * len(spellings))]


def render(template: str, facts: Mapping[str, Any], pen: Pen | None = None) -> str:
    """The template with its slots filled. Without a pen, the first alternatives and the first spellings.

    Raises:
        KeyError: a slot has no fact.
        ValueError: the brackets do not pair.
    """
    return _rendered(_parsed(template), facts, pen)


def slots(template: str) -> set[str]:
    """The names of a template's slots."""
    return {slot.name for slot in _slots_in(_parsed(template))}


def sound(template: str) -> str:
    """The template itself.

    Raises:
        ValueError: its brackets do not pair, or a slot is of a kind that there is not.
    """
    _parsed(template)
    return template


def kinds_of_slots(template: str) -> dict[str, str]:
    """Slot -> its kind; of one that stands there twice, the last."""
    return {slot.name: slot.codec for slot in _slots_in(_parsed(template))}


def certain_slots(template: str) -> set[str]:
    """The names of the slots that are filled whichever alternatives are taken."""
    return _certain(_parsed(template))


def recognise(template: str, line: str) -> dict[str, Any] | None:
    """The facts that the line gives, if it is this template's wording from end to end."""
    pattern = compiled(template)
    match = pattern.regex.fullmatch(line.strip())
    return pattern.facts(match) if match else None


def words_of(template: str, facts: Mapping[str, Any], text: str, pen: Pen) -> str:
    """The first words of a text that a template with these facts could have put so; empty if there are none.

    Raises:
        KeyError: a slot has no fact.
    """
    source = "".join(_source(piece, {}, {}, 0) for piece in _filled(_parsed(template), facts, pen))
    match = re.search(source, text, re.IGNORECASE)
    return match[0] if match else ""


def literal_length(template: str) -> int:
    """How much of a template is fixed text; of two templates that match, the longer one is meant."""
    return _fixed(_parsed(template))


@dataclass(frozen=True)
class _Slot:
    name: str
    codec: str


@dataclass(frozen=True)
class _Choice:
    """Alternatives, each a sequence of pieces."""

    options: "tuple[_Sequence, ...]"


_Sequence = tuple[str | _Slot | _Choice, ...]


@dataclass(frozen=True)
class Pattern:
    """A template as a regular expression, and which slot each of its groups stands for."""

    regex: re.Pattern[str]
    groups: Mapping[str, _Slot]

    def facts(self, match: re.Match[str]) -> dict[str, Any] | None:
        """The facts of a match; None where the text cannot be read, or says two things of one fact."""
        found: dict[str, Any] = {}
        for group, text in match.groupdict().items():
            slot = self.groups.get(group)
            if text is None or slot is None:
                continue
            try:
                value = CODECS[slot.codec].read(text)
            except ValueError:
                return None
            if found.setdefault(slot.name, value) != value:
                return None
        return found


@cache
def compiled(template: str) -> Pattern:
    """The template as a pattern, worked out once."""
    groups: dict[str, _Slot] = {}
    said: dict[str, str] = {}
    source = "".join(_source(piece, groups, said, 0) for piece in _parsed(template))
    return Pattern(re.compile(source, re.IGNORECASE), groups)


def _source(piece: str | _Slot | _Choice, groups: dict[str, _Slot], said: dict[str, str], depth: int) -> str:
    if isinstance(piece, str):
        return re.escape(piece)
    if isinstance(piece, _Choice):
        options = ("".join(_source(each, groups, said, depth + 1) for each in option) for option in piece.options)
        return f"(?:{'|'.join(options)})"
    if piece.name in said and piece.codec == "text":
        return f"(?P={said[piece.name]})"
    group = f"g{len(groups)}"
    groups[group] = piece
    if not depth:
        said.setdefault(piece.name, group)
    return f"(?P<{group}>{CODECS[piece.codec].pattern})"


@cache
def _parsed(template: str) -> _Sequence:
    """The pieces of a template."""
    levels: list[list[list[str | _Slot | _Choice]]] = [[[]]]
    end = 0
    for token in _TOKEN.finditer(template):
        levels[-1][-1].append(template[end : token.start()])
        end = token.end()
        match token[3]:
            case "[":
                levels.append([[]])
            case "|" if len(levels) > 1:
                levels[-1].append([])
            case "]" if len(levels) > 1:
                options = tuple(_without_blanks(option) for option in levels.pop())
                levels[-1][-1].append(_Choice(options))
            case None:
                levels[-1][-1].append(_slot(token[1], token[2] or "text"))
            case stray:
                raise ValueError(f"a `{stray}` outside of brackets in the template {template!r}")
    if len(levels) > 1:
        raise ValueError(f"a bracket is not closed in the template {template!r}")
    levels[0][0].append(template[end:])
    return _without_blanks(levels[0][0])


def _slot(name: str, codec: str) -> _Slot:
    if codec not in CODECS:
        raise ValueError(f"no kind of slot is called `{codec}`; there are {', '.join(CODECS)}")
    return _Slot(name, codec)


def _without_blanks(pieces: list[str | _Slot | _Choice]) -> _Sequence:
    return tuple(piece for piece in pieces if piece)


def _rendered(pieces: _Sequence, facts: Mapping[str, Any], pen: Pen | None) -> str:
    text = []
    for piece in pieces:
        if isinstance(piece, str):
            text.append(piece)
        elif isinstance(piece, _Slot):
            spellings = CODECS[piece.codec].spellings(facts[piece.name])
            text.append(pen.spelt(piece.codec, spellings) if pen else spellings[0])
        else:
            chosen = pen.alternative(len(piece.options)) if pen else 0
            text.append(_rendered(piece.options[chosen], facts, pen))
    return "".join(text)


def _filled(pieces: _Sequence, facts: Mapping[str, Any], pen: Pen) -> _Sequence:
    """The pieces with facts in place of slots."""
    return tuple(
        piece
        if isinstance(piece, str)
        else _Choice(tuple(_filled(option, facts, pen) for option in piece.options))
        if isinstance(piece, _Choice)
        else pen.spelt(piece.codec, CODECS[piece.codec].spellings(facts[piece.name]))
        for piece in pieces
    )


def _slots_in(pieces: _Sequence) -> Iterator[_Slot]:
    for piece in pieces:
        if isinstance(piece, _Slot):
            yield piece
        elif isinstance(piece, _Choice):
            for option in piece.options:
                yield from _slots_in(option)


def _certain(pieces: _Sequence) -> set[str]:
    found = {piece.name for piece in pieces if isinstance(piece, _Slot)}
    choices = (piece for piece in pieces if isinstance(piece, _Choice))
    return found.union(*(set.intersection(*map(_certain, choice.options)) for choice in choices))


def _fixed(pieces: _Sequence) -> int:
    """Letters of fixed text; of alternatives, those of the shortest."""
    return sum(
        len(piece) if isinstance(piece, str) else min(map(_fixed, piece.options)) if isinstance(piece, _Choice) else 0
        for piece in pieces
    )
