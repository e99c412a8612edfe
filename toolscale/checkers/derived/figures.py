"""Numbers that follow from what somebody says and from what results show, where the words ask for such a reckoning.

Of all numbers of all results almost any small number is a sum or a difference of two. So each reckoning wants a word
that asks for it ("together", "the rest", "half", "for each"), and few figures to take it from.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from itertools import combinations, pairwise

from toolscale.checkers.said.numbers import numbers_in, readings

Columns = Sequence[Sequence[Decimal]]
"""The numbers of each field of each result."""

_MOST_IN_A_COLUMN = 12
_MOST_IN_A_PART = 4
_REACH = 15
"""Characters before a number in which a word may say that it is added or taken away."""
_CENT = Decimal("0.01")
_ASKED = re.compile(
    r"\b(?:tell me|let me know|i(?: also)? (?:want|would like|wish) to know|i'd (?:also )?like to know|"
    r"i (?:do not|don't|did not|didn't) (?:know|remember)|how (?:much|many))\b[^.;!?\n]*"
)
_CLOCK = re.compile(
    r"\b(?:half|quarter|1/4|\d{1,2}(?: minutes?)?)[ -](?:past |to )?\d{1,2}\b(?= ?(?:in the|at night|[.,;!?]|"
    r"$|o'clock))|\bhalf past \d+"
)
_TOGETHER = re.compile(
    r"\b(?:together|total|in all|altogether|sum|everything|everyone|combined|in 1 (?:go|payment)|owed?|"
    r"add\w*(?: \w+){0,4} up|"
    r"(?:all|both)(?: of| the| my| these| those| \d+)? \w+s?)\b"
)
_DIFFERENCE = re.compile(
    r"\b(?:difference|the rest|remain\w*|less|minus|overpaid|short|missing|top (?:\w+ ){0,3}up|gap|lack\w*|excess|"
    r"surplus|too much|overcharged|"
    r"(?:on top of|above|beyond|over and above|in excess of|higher than|more than) (?:that|this|it|what))\b"
)
_EACH = re.compile(
    r"\b(?:each|every|per|apiece|a head|a (?:night|day|week|month|person)|all (?:\w+ )?(?:nights|days|weeks|"
    r"months)|times)\b"
)
_PRODUCT = re.compile(rf"{_EACH.pattern}|\b\d+ \w+ of \d+\b|\b\d+ x \d+\b")
_MORE = re.compile(r"\b(?:more|extra|additional|another|plus|on top|raise\w*|increase\w*|add|further|spare|longer)\b")
_AND = re.compile(
    r"(?:(?!\bof (?!the )|\bin\b|\bat\b|\bfor\b)[^.;!?\d]){0,40}?(?:\band |\bplus |, |& |\bwith )(?:(?!in |"
    r"at |for |of )\w+ ){0,2}"
)
_OFF = re.compile(r"\b(?:off|less|minus|discount|the rest|remain\w*|reduce\w*)\b")
_BOTH = re.compile(r"\b(?:both|2|together)\b")
_LESS = re.compile(r"\b(?:less|fewer|minus|reduce\w*|lower\w*|take off|without|but|except|shorter|drop)\b")
_SHARES = [
    (re.compile(r"\b(?:half|halve\w*|halves)\b(?![ -](?:past|board|an? |hour|day|term|pint))"), Decimal(2)),
    (re.compile(r"\b(?:a|1|one) third\b|\bthirds\b|\b1/3\b|\b3 (?:equal )?(?:parts|ways)\b"), Decimal(3)),
    (re.compile(r"\b(?:a|1|one) quarter\b|\b1/4\b|\b4 (?:equal )?(?:parts|ways)\b"), Decimal(4)),
]
_SPLIT = re.compile(r"\b(?:split|divide\w*|shared?|spread|parts|instalments)\b")
_DOUBLE = [(re.compile(r"\b(?:doubl\w+|twice|2 times)\b"), 2), (re.compile(r"\b(?:tripl\w+|3 times|thrice)\b"), 3)]
_COUNTED = re.compile(r"\b(?:each|everyone|everybody|every 1)\b|\bper (?:person|head|guest|child|\w+er)\b")
_MOST_COUNTED = 12
_PEOPLE = [
    (re.compile(r"\b(?:just|only) me\b|\balone\b|\bby myself\b|\bon my own\b|\bjust the (?:1|one)\b"), 1),
    (
        re.compile(
            r"\bme and my (?!\w+s\b)\w+|\bmy (?!\w+s\b)\w+ and (?:i|me)\b|\ba (?:couple|pair)\b|\bboth\b|"
            r"\bwith my (?:wife|husband|partner)\b"
        ),
        2,
    ),
]
_IN_UNITS = {
    "year": (12,),
    "week": (7,),
    "weeks": (7,),
    "years": (12,),
    "fortnight": (14,),
    "hour": (60,),
    "hours": (60,),
    "dozen": (12,),
}
_ORDINAL = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b(?! (?:of )?[a-z]{3,9}\b(?<!every)(?<!each)| \d)")
_RANGE = re.compile(r"(?<![\w.,:/-])(\d{1,4})-(\d{1,4})(?![\w:/-]|[.,]\d)(?= [a-z])")


def said_figures(text: str) -> set[Decimal]:
    """The numbers that readable words state, with their signs, and the share that a percentage is."""
    found = set[Decimal]()
    for mention in numbers_in(text):
        sign = -1 if mention.signed == "-" else 1
        found |= {sign * value for value in mention.values}
        if mention.words[:1] in (("%",), ("percent",)) or mention.words[:2] == ("per", "cent"):
            found |= {value / 100 for value in mention.values}
        unit = mention.words[0] if mention.words else ""
        found |= {value * factor for factor in _IN_UNITS.get(unit, ()) for value in mention.values}
        if unit in ("minutes", "minute"):
            found |= {value / 60 for value in mention.values}
    found |= {value for part in _RANGE.findall(text) for digits in part for value in readings(digits)}
    found |= {Decimal(number) for number in _ORDINAL.findall(text)}
    found |= {Decimal(1) / share for words, share in _SHARES if words.search(text)}
    if re.search(r"\bhalf\b", text):
        found.add(Decimal(50))
    return found | {Decimal(count) for words, count in _PEOPLE if words.search(text)}


def follows(wanted: Decimal, text: str, columns: Columns, counts: Sequence[int]) -> bool:
    """Whether a number is one that the words ask to reckon. `counts` are the lengths of the lists in results."""
    text = _CLOCK.sub(" ", text)
    if wanted in said_figures(text) or wanted in _of_said(text):
        return True
    text = _ASKED.sub(" ", text)
    if _COUNTED.search(text) and any(wanted == count for count in counts if 1 < count <= _MOST_COUNTED):
        return True
    return bool(wanted) and any(wanted in (value, _cents(value)) for value in _of_columns(text, columns))


def _of_said(text: str) -> Iterator[Decimal]:
    """Two adults and three children are five; three boxes of twelve are thirty-six."""
    mentions = numbers_in(text)
    persons = [Decimal(count) for words, count in _PEOPLE if words.search(text)]
    for at, first in enumerate(mentions):
        total = max(first.values)
        yield from (total + count for count in persons)
        for one, other in pairwise(mentions[at:]):
            if not _AND.fullmatch(text[one.end : other.start]):
                break
            total += max(other.values)
            yield total
    if _PRODUCT.search(text):
        stated = dict.fromkeys(value for mention in mentions for value in mention.values)
        yield from (a * b for a, b in combinations(stated, 2))


def _of_columns(text: str, columns: Columns) -> Iterator[Decimal]:
    few = [list(column) for column in columns if len(column) <= _MOST_IN_A_COLUMN]
    for column in few:
        if len(column) > 1 and _TOGETHER.search(text):
            yield sum(column, Decimal(0))
        if len(column) > 1:
            yield from _parts(text, column)
        if len(column) == 2 and _DIFFERENCE.search(text):
            yield abs(column[0] - column[1])
    single = [column[0] for column in few if len(set(column)) == 1]
    listed = [value for column in few if 1 < len(set(column)) <= _MOST_IN_A_PART for value in column]
    if len(single) <= _MOST_IN_A_COLUMN:
        yield from _of_pairs(text, single)
    sums = [sum(column, Decimal(0)) for column in few] if _TOGETHER.search(text) else []
    for value in dict.fromkeys(each for each in (*single, *sums) if each):
        yield from _with_said(text, value)
    for value in dict.fromkeys(each for each in listed if each):
        yield from _beside_said(text, value)


def _parts(text: str, column: list[Decimal]) -> Iterator[Decimal]:
    """The two cheapest, the first and the last: a few of a column, chosen by where they stand or how large they are."""
    ranked = sorted(column)
    for size in (2, 3):
        if re.search(rf"\b{size} (?:\w+ )?(?:cheapest|smallest|lowest|shortest|oldest|least)", text):
            yield sum(ranked[:size], Decimal(0))
        if re.search(rf"\b{size} (?:\w+ )?(?:dearest|largest|biggest|highest|longest|most)", text):
            yield sum(ranked[-size:], Decimal(0))
        if re.search(rf"\bfirst {size}\b|\b{size} first\b", text):
            yield sum(column[:size], Decimal(0))
        if re.search(rf"\blast {size}\b|\b{size} last\b", text):
            yield sum(column[-size:], Decimal(0))
    if re.search(r"\bfirst\b.*\blast\b", text):
        yield column[0] + column[-1]
    if len(column) <= _MOST_IN_A_PART:
        yield from (a + b for a, b in combinations(column, 2) if _BOTH.search(text) and not _DIFFERENCE.search(text))


def _of_pairs(text: str, single: list[Decimal]) -> Iterator[Decimal]:
    """The balance less the fee; the nights times the rate. Of what results show once."""
    for a, b in combinations(dict.fromkeys(single), 2):
        if _DIFFERENCE.search(text):
            yield abs(a - b)
        if _TOGETHER.search(text) and not _EACH.search(text):
            yield a + b
        if _EACH.search(text):
            yield a * b


def _beside_said(text: str, value: Decimal) -> Iterator[Decimal]:
    """What one of a few listed figures becomes: "40 euros more than now", "what they took above the 180"."""
    for mention in numbers_in(text):
        beside = text[max(0, mention.start - _REACH) : mention.start] + " ".join(("", *mention.words))
        for number in mention.values:
            yield from _set_against(value, number, beside, text)


def _set_against(value: Decimal, number: Decimal, beside: str, text: str) -> Iterator[Decimal]:
    """A figure of a result and one that the user says, added or taken away where words ask for it."""
    if _MORE.search(beside):
        yield value + number
    if _LESS.search(beside):
        yield value - number
    if _DIFFERENCE.search(text):
        yield abs(number - value)


def _with_said(text: str, value: Decimal) -> Iterator[Decimal]:
    """What a figure of a result becomes by one that the user says: two more, 20 percent of it, half of it."""
    for words, factor in _DOUBLE:
        if words.search(text):
            yield value * factor
    for words, parts in _SHARES:
        if words.search(text):
            yield value / parts
    for mention in numbers_in(text):
        for number in mention.values:
            if mention.words[:1] in (("%",), ("percent",)) or mention.words[:2] == ("per", "cent"):
                share = value * number / 100
                yield share
                if _OFF.search(text):
                    yield value - share
                if _MORE.search(text):
                    yield value + share
                continue
            beside = text[max(0, mention.start - _REACH) : mention.start] + " ".join(("", *mention.words))
            yield from _set_against(value, number, beside, text)
            if _SPLIT.search(text) and number > 1:
                yield value / number
            if _EACH.search(text):
                yield value * number


def _cents(value: Decimal) -> Decimal:
    return value.quantize(_CENT, ROUND_HALF_UP) if abs(value) < Decimal(10) ** 20 else value
