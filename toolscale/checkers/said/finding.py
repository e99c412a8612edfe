"""Finding a fact in what was said: any usual spelling of its value, and nothing that only resembles it."""

import re
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from itertools import takewhile

from toolscale.checkers.said.denial import denied
from toolscale.checkers.said.fact import NUMERIC, Fact
from toolscale.checkers.said.moments import Moment, clock_spans, day_wordings
from toolscale.checkers.said.numbers import Mention, numbers_in
from toolscale.checkers.said.text import in_digits, plain
from toolscale.checkers.said.units import is_counted, same_measure, shortened, stem, units_of
from toolscale.checkers.said.words import Span, spans_of
from toolscale.checkers.wording import fold

_LABEL = re.compile(
    r"\b(?:version|terminal|gate|room|platform|track|seat|row|step|option|line|page|floor|bus|flight|unit|number|no|nr|table|"
    r"coach|invoice|chapter|level|zone|lane|booking|order|ticket|article|section)(?:(?<=no)\.|(?<=nr)\.)?:? ?#?$|#$"
)
_RANK = re.compile(
    r"\b(?:you|i|we|they|he|she)(?:'re|'m|'s|'ll be| are| am| is| was| were| (?:will|would|can) be| stay| remain)"
    r"(?: \w+)? (?:at )?(?:number|no\.?|nr\.?|#) ?#?\d|"
    r"\b(?:place|position|spot|rank)\b[^.;!?]{0,60}?\b(?:number|no\.?|nr\.?) ?#?\d|"
    r"(?:^|[,:;(-] ?|\b(?:am|are|is|was|were|be|at|as|now|still|currently|remains?|stays?) )"
    r"(?:number|no\.?|nr\.?|#) ?#?\d+ (?:in|on) (?:\w+ ){0,2}?(?:queue|line|list|row)\b"
)
"""A place among others, in words that otherwise name a thing: "you are number 2 in the queue"."""
_CLAUSE = re.compile(r"[.;!?](?=\s|$)")
_FREE = re.compile(
    r"\bfree of charge\b|\b(?:completely|entirely|absolutely|for) free\b|\bwaived\b|"
    r"\bno (?:\w+ ){0,2}(?:charge|fee|cost|penalty|surcharge|payment|deposit|refund|balance|debt)s?\b|"
    r"\bnothing (?:\w+ )?(?:to pay|due|owed|outstanding|back|is refunded|will be refunded|left to pay)\b"
)
_NONE = re.compile(r"\b(?:no|none|zero|nothing|without any|not any|not a single)\b")
_UNITS_OF_TIME = frozenset({"day", "week", "month", "year"})
_EACH = frozenset({"a", "an", "per", "each", "every", "for", "to", "on", "in", "from", "as"})
_ONE_LETTER = frozenset({"t", "m", "l", "s", "g", "h", "w"})


def is_said(fact: Fact, message: str, now: datetime | None = None) -> bool:
    """True if the message says the fact, and does not only deny it. `now` settles "tomorrow" and "on Friday"."""
    text = plain(message)
    if not can_be_said(fact):
        return False
    if fact.kind in NUMERIC and fact.figure is not None:
        return _number_said(fact, fact.figure, shortened(in_digits(text)))
    if fact.kind in ("date", "time") and fact.moment is not None:
        return any(
            _moment_said(fact.moment, view, now, past=fact.past)
            for view in dict.fromkeys((in_digits(text, ranks=False), text))
        )
    return _words_said(fact, text)


def _words_said(fact: Fact, text: str) -> bool:
    """An id, a name, an address or words. What is read from the middle of a denied place is denied with it."""
    refused: list[tuple[str, Span]] = []
    for view, (start, end) in spans_of(fact, text):
        inside = any(view == other and first < start < last for other, (first, last) in refused)
        if not inside and not denied(view, start, end, when=fact.kind == "address", past=fact.past):
            return True
        refused.append((view, (start, end)))
    return False


def can_be_said(fact: Fact) -> bool:
    """False for a fact of which nothing is left once case, spaces and the like are no matter."""
    return bool(fold(plain(fact.text)))


def moment_worded(moment: Moment | None, text: str, now: datetime) -> bool:
    """True if a folded text names a day, a time or both, as people do."""
    views = dict.fromkeys((in_digits(text, ranks=False), text))
    return moment is not None and any(_moment_said(moment, view, now, asked=True) for view in views)


def _number_said(fact: Fact, wanted: Mention, text: str) -> bool:
    if wanted.values == {Decimal(0)} and _nothing_said(fact, text):
        return True
    if fact.kind == "count" and _ranked(wanted, text):
        return True
    return any(
        _fits(fact, wanted, mention, text) and not denied(text, mention.start, mention.end, past=fact.past)
        for mention in numbers_in(text)
    )


def _nothing_said(fact: Fact, text: str) -> bool:
    """Nought as people say it: "free of charge", "no open invoices"."""
    return bool((_FREE if fact.kind == "amount" else _NONE).search(text))


def _fits(fact: Fact, wanted: Mention, mention: Mention, text: str) -> bool:
    value = min(wanted.values, key=lambda reading: (reading == reading.to_integral_value(), reading))
    return _same_sign(wanted, mention, value) and any(
        (_equal(value, said) and _same_unit(fact, wanted, mention, text))
        or same_measure(value, wanted.units or units_of(fact.unit), said, mention.units)
        for said in mention.values
    )


def _same_sign(wanted: Mention, mention: Mention, value: Decimal) -> bool:
    if wanted.signed == "-" and value:
        return mention.signed == "-" or (not mention.signed and mention.moved == "down")
    if wanted.signed == "+":
        return mention.signed != "-" and mention.moved != "down"
    return mention.signed != "-" or not value


def _equal(value: Decimal, said: Decimal) -> bool:
    """As written, or as people round what has more than two decimals."""
    if value == said:
        return True
    exact, rounded = value.normalize().as_tuple().exponent, said.as_tuple().exponent
    if isinstance(exact, int) and exact < -2 and isinstance(rounded, int) and rounded <= -2:
        return round(value, -rounded) == said
    return False


def _same_unit(fact: Fact, wanted: Mention, mention: Mention, text: str) -> bool:
    written_as_money = fact.kind == "amount" and any(said.as_tuple().exponent == -2 for said in mention.values)
    if fact.kind != "number" and not mention.currencies and _LABEL.search(text[: mention.start]):
        return written_as_money or (fact.kind == "count" and _is_rank(mention, text))
    if mention.currencies == {"cents"}:
        return fact.kind in ("amount", "number")
    if fact.unit:
        return not mention.currencies and (not mention.units or bool(mention.units & units_of(fact.unit)))
    if fact.kind == "quantity" and wanted.words:
        return _same_quantity(wanted, mention, text)
    if wanted.currencies and mention.currencies:
        return bool(wanted.currencies & mention.currencies)
    if fact.kind == "count":
        return not mention.currencies and not mention.units - _UNITS_OF_TIME
    if fact.kind == "amount" and not mention.currencies:
        counted = takewhile(lambda word: word not in _EACH, mention.words[:2])
        units = mention.units - _ONE_LETTER if mention.words[:1] != ("c",) else ()
        return not units and not any(is_counted(word) for word in counted)
    return True


def _ranked(wanted: Mention, text: str) -> bool:
    """Whether a count is said as a place among others: "third in the queue"."""
    place = r"(?:st|nd|rd|th) (?:place|position|spot|(?:in|on) (?:\w+ ){0,2}?(?:queue|line|list|row))\b"
    return any(re.search(rf"\b{value}{place}", text) for value in wanted.values)


def _is_rank(mention: Mention, text: str) -> bool:
    """Whether a numbered thing is somebody's place among others; one such place in a sentence speaks for the rest."""
    numbered = re.search(r"(?:\b(?:number|no|nr)\.?:? ?#?|#)$", text[: mention.start])
    return bool(numbered and _RANK.search(_sentence(text, mention, whole=True)))


def _same_quantity(wanted: Mention, mention: Mention, text: str) -> bool:
    """The same unit right after, or a word or two later; else no other unit, and the unit somewhere in the sentence."""
    units = wanted.units
    if units and units & mention.units:
        return True
    if mention.currencies or mention.units - _ONE_LETTER or (units and mention.units):
        return False
    noun = stem(wanted.words[-1])
    if not units and any(stem(word) == noun for word in mention.words):
        return True
    if any(is_counted(word) and stem(word) != noun for word in mention.words[:1]):
        return False
    near = re.findall(r"[^\W\d]+|[°%]\w?", _sentence(text, mention))
    if any(units & units_of(word) for word in near) or (not units and noun in map(stem, near)):
        return True
    return any(len(str(said).replace(".", "").strip("0")) >= 3 for said in mention.values)


def _sentence(text: str, mention: Mention, *, whole: bool = False) -> str:
    """The sentence around a number; the `whole` of it has the number, too."""
    before, after = _CLAUSE.split(text[: mention.start])[-1], _CLAUSE.split(text[mention.end :])[0]
    return f"{before}{text[mention.start : mention.end] if whole else ' '}{after}"


def _moment_said(moment: Moment, text: str, now: datetime | None, *, asked: bool = False, past: bool = False) -> bool:
    """The day and the time, each somewhere in the message. Who asks for them denies nothing and names no half."""

    def stands(span: tuple[int, int]) -> bool:
        return asked or not denied(text, *span, when=True, past=past)

    if moment.day is not None and not any(map(stands, _day_spans(moment, text, now))):
        return False
    return moment.clock is None or any(map(stands, clock_spans(moment.clock, text, either_half=asked)))


def _day_spans(moment: Moment, text: str, now: datetime | None) -> Iterator[tuple[int, int]]:
    if moment.day is not None:
        for pattern in day_wordings(moment.day, now.date() if now else None):
            yield from (found.span() for found in pattern.finditer(text))
