"""A request taken apart into what binds the service, to be kept to the word, and what is said around it.

``around[0] pieces[0] around[1] ... pieces[-1] around[-1]`` is the request. Whoever rewords it writes only what stands
around the pieces; the pieces are put in by program. So none is lost, altered or said twice, and their order stays.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from toolscale.artifacts import Goal
from toolscale.checkers.binding import binding, hangs
from toolscale.checkers.facts import EnvironmentFacts
from toolscale.programs.words import LEADS
from toolscale.synthesis.leads import CONSEQUENCE, GREETED, IDLE, JOINS, LEAD, OWN_LEAD, REQUESTS, TO_DO
from toolscale.templates.template import compiled

LONGEST = 240
"""Characters that may be said at one place."""

_BOUNDARY = re.compile(r"(?<=[.!?])[\"')]*\s+(?=\S)")
_SHORTENED = re.compile(
    r"(?<!\w)(?:mr|mrs|ms|dr|st|no|nr|vs|etc|e\.g|i\.e|a\.m|p\.m|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.$",
    re.IGNORECASE,
)
_LAST_MARK = re.compile(r"[.!?]+[\"')]*$")
_FIRST_MARK = re.compile(r"[.!?]+[\"')]*")
_SLOT = re.compile(r"\{(\d+)\}")
_PLACE = re.compile(r"(?P<mark>[.!?]+|[,;])?(?P<rest>.*)", re.DOTALL)
_ENDED = re.compile(r"(?:\A|[.!?:\n-])[\"')]*\s*\Z")
_NEVER_SMALL = re.compile(r"I\b|[A-Z\d]{2}|[A-Z][a-z]+day\b|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)")
"""Matches what is never written small."""
_LEANS = re.compile(
    r"\b(?:it|its|it's|it'd|it'll|that|that's|they|them|their|theirs|those|these|this|there|he|she|him|her|his|hers|same|"
    r"such|ones?|former|latter|others?|another|either|neither|both|so|then|none|instead|too|as well|again|else|rest|"
    r"correct|rather|sorry|wait)\b",
    re.IGNORECASE,
)
"""Matches what speaks of something said before."""


@dataclass(frozen=True)
class Piece:
    """Words that are kept: a sentence without what leads over to it, and without its last mark."""

    opening: str
    """As it begins a sentence."""
    inside: str
    """As it goes on in one; the same words."""
    hangs: bool
    """It may hang on a condition, or deny something: what shares a sentence with it might, too."""
    question: bool
    """It asks directly, so a question mark follows it."""
    asks: bool
    """It is something to be done, so "could you" may go before it."""


@dataclass(frozen=True)
class Parts:
    """A request in its parts."""

    pieces: tuple[Piece, ...]
    around: tuple[str, ...]
    free: tuple[bool, ...]
    """Of each place around the pieces: whether one may say something of one's own there."""

    def marked(self) -> str:
        """The request with marks in place of its pieces: "Could you {1}? {2}."."""
        slots = (f"{{{number}}}" for number in range(1, len(self.pieces) + 1))
        return self.around[0] + "".join(map("".join, zip(slots, self.around[1:], strict=True)))

    def own_places(self) -> list[str]:
        """Where one may say something of one's own, in words."""
        last = len(self.pieces)
        inside = (f"before {{{place + 1}}}" for place in range(1, last) if self.free[place])
        return ["at the start", *inside, "at the end"]

    def faults(self, said: str) -> Iterator[str]:
        """What is wrong with the marks of a text that should have them all."""
        found, wanted = _SLOT.findall(said), [str(number) for number in range(1, len(self.pieces) + 1)]
        if found != wanted:
            yield f"its marks are {', '.join(found) or 'none'}; say {', '.join(wanted)}, each once and in this order"

    def worded(self, said: str, facts: EnvironmentFacts) -> str:
        """The request with what a marked text says around its pieces, and its own words where that does not hold."""
        if any(self.faults(said)):
            return self._woven(self.around)
        held = (self.held(at, words, facts) for at, words in enumerate(self.said(said)))
        return self._woven([own if new is None else new for own, new in zip(self.around, held, strict=True)])

    def said(self, text: str) -> list[str]:
        """What a marked text says at each place."""
        return _SLOT.split(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").strip())[::2]

    def held(self, at: int, said: str, facts: EnvironmentFacts) -> str | None:
        """What is said at a place, with the mark that ends the sentence before; None if it does not hold there."""
        parted = _PLACE.fullmatch(said)
        if parted is None or len(said) > LONGEST:
            return None
        mark, rest = parted["mark"] or "", parted["rest"]
        if at == 0:
            return said if not mark and self._fits(at, rest, facts) else None
        before = self.pieces[at - 1]
        if at < len(self.pieces) and _is_joined(mark, rest):
            return said if self._may_join(at, rest) else None
        if mark in (",", ";"):
            return None
        mark = mark or self._own_mark(at)
        if before.question != ("?" in mark) and not before.asks:
            return None
        return mark + rest if self._fits(at, rest, facts) else None

    def _fits(self, at: int, said: str, facts: EnvironmentFacts) -> bool:
        """Whether what stands between two sentences binds nothing, where something may be said, or leads over."""
        if at == len(self.pieces):
            return _is_idle(said, facts)
        after = self.pieces[at]
        lead = LEAD.search(said)
        own = said[: lead.start()] if lead else said
        if lead and not after.asks and REQUESTS.search(lead[0]):
            return False
        if lead and at and self.pieces[at - 1].hangs and CONSEQUENCE.search(lead[0]):
            return False
        if not own.strip():
            return True
        apart = _ENDED.search(own) or GREETED.search(own) or (lead and not after.hangs and JOINS.match(lead[0]))
        return self.free[at] and bool(apart) and _is_idle(own, facts)

    def _may_join(self, at: int, said: str) -> bool:
        """Whether two pieces may share a sentence, and no more than what leads over is said between them."""
        before, after = self.pieces[at - 1], self.pieces[at]
        lead = LEAD.search(said)
        whole = lead is not None and not said[: lead.start()].strip() and bool(JOINS.match(said))
        asked = lead is not None and not after.asks and bool(REQUESTS.search(lead[0]))
        return whole and not asked and not (before.hangs or after.hangs or before.question)

    def _own_mark(self, at: int) -> str:
        """What ends the sentence before a place, if its new words do not."""
        found = _FIRST_MARK.match(self.around[at])
        return found[0] if found else "" if at == len(self.pieces) or self.around[at].startswith("\n") else "."

    def _woven(self, around: Sequence[str]) -> str:
        text = around[0]
        for piece, following in zip(self.pieces, around[1:], strict=True):
            text += (piece.opening if _ENDED.search(text) else piece.inside) + following
        return text


def parts_of(text: str, goals: Sequence[Goal], asked: Iterable[str], facts: EnvironmentFacts) -> Parts:
    """A request of some goals in its parts; `asked` are those of its words that ask for what is to be told."""
    asking, names = _spans(text, asked), _spans(text, _names(goals))
    sentences = list(_sentences(text, [*asking, *names]))
    spans = [(start, end) for start, end, _ in sentences]
    binds = [_meets(span, [*asking, *names]) or not _is_idle(text[slice(*span)], facts) for span in spans]
    pieces: list[Piece] = []
    around: list[str] = []
    free: list[bool] = []
    place = 0
    for start, end, begins in _kept(text, sentences, binds):
        lead = _after_lead(text, start, end, asking)
        last = _LAST_MARK.search(text[:end], lead)
        stop = last.start() if last else end
        requested = bool(REQUESTS.search(text[start:lead])) or TO_DO.match(text, lead) is not None
        named = any(begin <= lead < finish for begin, finish in names) or _NEVER_SMALL.match(text, lead) is not None
        piece = Piece(
            opening=text[lead:stop] if lead == start or text[start].islower() else _capital(text[lead:stop]),
            inside=text[lead:stop] if lead > start or named else text[lead].lower() + text[lead + 1 : stop],
            hangs=hangs(text[lead:stop]),
            question="?" in text[stop:end] and not requested,
            asks=requested,
        )
        leans = piece.hangs or bool(_LEANS.search(piece.opening)) or any(each.hangs for each in pieces[-1:])
        free.append(not pieces or begins or not leans)
        around.append(text[place:lead])
        pieces.append(piece)
        place = stop
    return Parts(tuple(pieces), (*around, text[place:]), (*free, True))


def _kept(
    text: str, sentences: Sequence[tuple[int, int, bool]], binds: Sequence[bool]
) -> Sequence[tuple[int, int, bool]]:
    """The sentences from the first that binds to the last; all before, if that one speaks of them."""
    bound = [place for place, kept in enumerate(binds) if kept] or [0, len(sentences) - 1]
    start, end, _ = sentences[bound[0]]
    first = 0 if _LEANS.search(text[start:end]) else bound[0]
    return sentences[first : bound[-1] + 1]


def _sentences(text: str, whole: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, bool]]:
    """From where to where the sentences go, and whether a further request begins there; what is whole stays so."""
    for line in re.finditer(r"[^\n]+", text):
        lead = max(_end_of(template, line[0]) for template in LEADS["also"]) if line.start() else 0
        cuts = [line.start() + lead]
        for found in _BOUNDARY.finditer(text, cuts[0], line.end()):
            inside = any(start < found.end() < end for start, end in whole)
            if not inside and not _SHORTENED.search(text[: found.start()]):
                cuts.append(found.end())
        for start, following in pairwise([*cuts, line.end()]):
            yield start, start + len(text[start:following].rstrip()), bool(lead) and start == cuts[0]


def _end_of(template: str, line: str) -> int:
    """Where a line goes on that begins with a template; 0 if it does not, or does not go on."""
    found = compiled(template).regex.match(line)
    return found.end() if found and found.end() < len(line) else 0


def _after_lead(text: str, start: int, end: int, asking: Sequence[tuple[int, int]]) -> int:
    """Where a sentence begins without what leads over to it, unless that asks for something."""
    lead = OWN_LEAD.match(text, start, end)
    place = lead.end() if lead else start
    return start if place >= end or _meets((start, place), asking) else place


def _names(goals: Sequence[Goal]) -> Iterator[str]:
    """The facts that are words."""
    for goal in goals:
        added = (value for twist in goal.twists for value in twist.facts.values())
        yield from (each for each in (*goal.facts.values(), *goal.repeats, *added) if isinstance(each, str))


def _is_idle(said: str, facts: EnvironmentFacts) -> bool:
    """Whether words are greetings, thanks, and talk of the user's own life."""
    return not any(binding(IDLE.sub("", said), facts))


def _is_joined(mark: str, rest: str) -> bool:
    """Whether a sentence goes on: neither a mark nor a capital nor a new line ends it."""
    first = rest.strip(" ")[:1]
    return mark in (",", ";") or (not mark and first.islower())


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _spans(text: str, words: Iterable[str]) -> list[tuple[int, int]]:
    return [found.span() for each in words if each for found in re.finditer(re.escape(each), text)]


def _meets(span: tuple[int, int], others: Iterable[tuple[int, int]]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in others)
