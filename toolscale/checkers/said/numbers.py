"""Reading the numbers of a message: their values, signs, units and currencies, and the way that they moved.

A number that is part of something else (a date, a time of day, an id, a range, a rank) is no number here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from toolscale.checkers.said.text import in_digits
from toolscale.checkers.said.units import currencies_of, is_cents, is_counted, shortened, units_of

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_YEAR = r"(?:19|20|21)\d\d"
_SOMETHING_ELSE = re.compile(
    "|".join(
        (
            r"\b\d{4}-\d\d?-\d\d?(?:[t ]\d\d?:\d\d(?::\d\d(?:\.\d+)?)?z?)?",  # a day, or a moment
            rf"\b\d\d?(?:st|nd|rd|th)?(?: of|[ -])? ?{_MONTH}(?:,? ?(?:{_YEAR}|'\d\d)\b)?",
            rf"\b{_MONTH} (?:the )?\d\d?(?:st|nd|rd|th)?\b(?![.,]\d)(?:,? {_YEAR}\b)?",
            rf"\b{_MONTH} {_YEAR}\b",
            r"\b\d\d?[./-]\d\d?[./-](?:\d{4}|\d\d)\b(?!\.\d)",
            r"\b\d+(?:st|nd|rd|th)\b",
            r"\b\d\d?[:.h]\d\d(?::\d\d)?(?: ?[ap]\.? ?m\b\.?|(?<=:\d\d)(?![:\d]))",
            r"\b\d\d?(?: ?[ap]\.? ?m\b\.?| o'? ?clock)",
            r"\b[a-z]\w{0,30}-[\w-]{0,40}\d[\w-]*|\b\d+-[a-z]\b",  # an id
            r"\b\d{2,4}(?: \d{2}\b){2,}",  # a telephone number
            r"\b\d+(?:\.\d+)?(?:-|/)\d[\d./-]*(?!\d)(?<!1/2)(?<![13]/4)(?<![1357]/8)",  # a range, a score, a house
            r"\S{1,80}@\S+|\bhttps?://\S+",
        )
    )
)
_BEFORE = (
    r"(?:(?:us|ca|[acr])?\$|[€£¥₹₺₩₪₴]|"
    r"\b(?:eur|gbp|usd|chf|pln|czk|huf|jpy|cny|inr|sek|nok|dkk|aud|cad|ils|ron|inr|rs|zł|kč|ft|kr|sfr|fr)(?![a-z])\.?)"
)
_DIGITS = r"\d{1,3}(?P<gap>[ '])\d{3}(?:(?P=gap)\d{3})*(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)*|[.,]\d+"
_LETTER = r"[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
"""Of a script that has spaces between words."""
_NUMBER = re.compile(
    rf"(?P<sign>(?<!{_LETTER})(?<![\d_)])[-+] ?|\b(?:minus|negative|plus) )?(?P<before>{_BEFORE} ?)?"
    rf"(?P<inner>(?<=[^\w\s])-)?"
    rf"(?(before)|(?<!{_LETTER})(?<![\d_.,'/:]))"
    rf"(?:(?P<mixed>\d+ )?(?P<above>[1357])/(?P<below>[248])(?![\d/])|(?P<digits>{_DIGITS}))(?P<half> and a half\b)?"
)
_WORD = re.compile(rf"[-\s]?\(?([°%€£$¥₹₺₩₪₴]\s?[cf]?\b|[°%€£$¥₹₺₩₪₴]|{_LETTER}+[23]?(?:/{_LETTER}+)?|[cr]?\$)")
_INDIAN = re.compile(r"\d{1,2}(?:,\d\d)+,\d{3}")
_CENTS = re.compile(
    r",? ?(?:and )?(\d{1,2}) ?(?:cents?|pence|p|groszy|grosz|rappen|centimes)\b|"
    rf",? (\d\d)(?![\d:%]|[.,]\d| ?[%°])(?! ?{_MONTH})(?= (?P<next>{_LETTER}+)|)"
)

_FALL = (
    r"fell|falls?|fallen|falling|drop(?:s|ped|ping)?|decreas\w+|declin\w+|reduc\w+|down|lost|loss|losing|shrank|"
    r"shrunk|sank|dipp?(?:ed|s)?|lower(?:ed)?|overdrawn|debit|deficit|deducted|cut|"
    r"slipped|minus|negative|went down|owes?|owing|short"
)
_RISE = (
    r"rose|ris(?:es?|en|ing)|increas\w+|climb\w*|grew|grow(?:s|n|th)?|gain(?:s|ed)?|up|higher|raised?|more|"
    r"jump\w*|went up|credit(?:ed)?|added|plus|above (?:zero|0|freezing)|warmer|surplus"
)
_FELL_BEFORE = re.compile(rf"\b(?:{_FALL})\b(?P<between>[^.;:!?]*)$")
_ROSE_BEFORE = re.compile(rf"\b(?:{_RISE})\b(?P<between>[^.;:!?]*)$")
_FELL_AFTER = re.compile(
    r"^[^.;:!?,\d]{0,25}?\b(?:lower|less|down|fewer|below (?:zero|0|freezing)|overdrawn|"
    r"in (?:the )?(?:red|debit|negative)|deducted|debited|subtracted|taken off|"
    r"(?:drop|decrease|fall|decline|reduction|loss|deficit)|under (?:zero|0|freezing)|colder|short)\b"
)
_ROSE_AFTER = re.compile(
    r"^[^.;:!?,\d]{0,25}?\b(?:higher|up|more|above (?:zero|0|freezing)|in (?:the )?credit|"
    r"rise|increase|gain|growth|warmer)\b"
)
_SCALES = {"k": 1000, "m": 1_000_000, "mio": 1_000_000, "lakh": 100_000, "lakhs": 100_000, "crore": 10_000_000}
_REACH = 45
"""Characters before a number in which a word may say that it fell or rose."""


@dataclass(frozen=True)
class Mention:
    """A number that stands in a text, with what stands around it."""

    start: int
    end: int
    values: frozenset[Decimal]
    """What it may mean: "1.234" is read in two ways."""
    signed: Literal["", "+", "-"]
    moved: Literal["", "up", "down"]
    """Whether the words around it say that something rose, or fell, by so much."""
    currencies: frozenset[str]
    words: tuple[str, ...]
    """The words that follow it, up to three; the first may be its unit."""

    @property
    def units(self) -> frozenset[str]:
        """The known units that follow at once; more than one where a word has several meanings."""
        return units_of(self.words[0]) if self.words else frozenset()


@lru_cache(maxsize=512)
def numbers_in(text: str) -> tuple[Mention, ...]:
    """The numbers of a plain text, in order."""
    return tuple(_mentions(shortened(in_digits(text))))


def _mentions(text: str) -> Iterator[Mention]:
    text = _SOMETHING_ELSE.sub(lambda found: "\x1f" * len(found[0]), text)
    position = 0
    while found := _NUMBER.search(text, position):
        position = max(found.end(), position + 1)
        if text[found.start() : found.end()].strip() == "" or text.startswith("\x1f", found.end()):
            continue
        words, end = _following(text, found.end())
        if words is None:
            continue
        currencies = currencies_of((found["before"] or "").strip(" ."))
        currencies = currencies or (currencies_of(words[0]) if words else frozenset())
        values = _readings(found)
        scale = words[0] if words else ""
        if scale in _SCALES and (scale != "m" or found["before"]):
            values = frozenset(value * _SCALES[scale] for value in values)
            words = words[1:]
            currencies = currencies or (currencies_of(words[0]) if words else frozenset())
        elif words and words[0] == "c" and not found["before"]:
            values |= {value / 100 for value in values}  # cents, or degrees
        elif words and is_cents(words[0]) and not found["before"]:
            values, currencies = frozenset(value / 100 for value in values), frozenset({"cents"})
        elif currencies and _whole(values) and (more := _cents_after(text, found.end() if found["before"] else end)):
            values = frozenset(value + Decimal(more[1] or more[2]) / 100 for value in values)
            position = more.end()
        sign = (found["sign"] or "").strip()
        signed: Literal["", "+", "-"] = (
            "-" if sign in ("-", "minus", "negative") or found["inner"] else "+" if sign else ""
        )
        yield Mention(
            found.start(), found.end(), values, signed, _moved(text, found.start(), found.end()), currencies, words
        )


def _cents_after(text: str, position: int) -> re.Match[str] | None:
    """The cents in "12 euros 83" and "12 euros 83 for the tablets", not the minutes in "12 euros 20 minutes ago"."""
    found = _CENTS.match(text, position)
    following = found["next"] or "" if found else ""
    return None if units_of(following) or is_counted(following) else found


def _whole(values: frozenset[Decimal]) -> bool:
    return all(value == value.to_integral_value() for value in values)


def _following(text: str, end: int) -> tuple[tuple[str, ...], int] | tuple[None, int]:
    """Up to three words after a number, and where the first ends; None if the number is a part of one word with it."""
    words: list[str] = []
    first = position = end
    while len(words) < 3 and (word := _WORD.match(text, position)):
        joined = word.start(1) == end
        name = re.sub(r"\s", "", word[1])
        if joined and not (units_of(name) or currencies_of(name) or is_cents(name) or name in ("k", "x", "m")):
            return None, end
        words.append(name)
        position = word.end()
        if len(words) == 1:
            first = position
    return tuple(words), first


def _readings(found: re.Match[str]) -> frozenset[Decimal]:
    half = Decimal("0.5") if found["half"] else Decimal(0)
    if found["above"]:
        return frozenset({Decimal((found["mixed"] or "0").strip()) + Decimal(found["above"]) / Decimal(found["below"])})
    return frozenset(value + half for value in readings(found["digits"]))


def readings(digits: str) -> frozenset[Decimal]:
    """What digits with separators may mean: "1,234.50" and "1.234,50" one thing, "1.234" two."""
    digits = re.sub(r"[ ']", "", digits)
    dots, commas = digits.count("."), digits.count(",")
    if dots and commas:
        last = max(digits.rfind("."), digits.rfind(","))
        whole, decimals = re.sub("[.,]", "", digits[:last]), digits[last + 1 :]
        return frozenset({Decimal(f"{whole}.{decimals}")})
    separator = "." if dots else ","
    if dots + commas == 0:
        return frozenset({Decimal(digits)})
    first, *groups = digits.split(separator)
    grouped = 1 <= len(first) <= 3 and first != "0" and all(len(group) == 3 for group in groups)
    if separator == "," and _INDIAN.fullmatch(digits):
        return frozenset({Decimal(digits.replace(",", ""))})
    if len(groups) > 1:
        return frozenset({Decimal(first + "".join(groups))}) if grouped else frozenset()
    decimal = Decimal(f"{first or 0}.{groups[0]}")
    if not grouped:
        return frozenset({decimal})
    thousands = Decimal(first + groups[0])
    return frozenset({thousands} if separator == "," else {thousands, decimal})


def _moved(text: str, start: int, end: int) -> Literal["", "up", "down"]:
    """Which way a number moved, by the nearest word that says so."""
    before, after = text[max(0, start - _REACH) : start], text[end : end + _REACH]
    down, up = _FELL_BEFORE.search(before), _ROSE_BEFORE.search(before)
    if (
        down
        and not _foreign(down["between"])
        and (not up or up.end("between") - up.start("between") >= len(down["between"]))
    ):
        return "down"
    if up and not _foreign(up["between"]):
        return "up"
    return "down" if _FELL_AFTER.search(after) else "up" if _ROSE_AFTER.search(after) else ""


def _foreign(between: str) -> bool:
    """True if a word of movement belongs to another number than the one that follows."""
    return bool(re.search(r"\d|, ", between))
