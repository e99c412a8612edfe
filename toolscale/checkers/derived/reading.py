"""A user's words made ready for reading: plain, number words in digits, slips in the names of days mended."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from functools import lru_cache

from toolscale.checkers.said.text import in_digits, plain

MONTHS = [
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
]
WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
RANKS = {
    word: rank
    for rank, words in enumerate(("first 1st", "second 2nd", "third 3rd", "fourth 4th", "fifth 5th"), 1)
    for word in words.split()
} | {"last": -1}

MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
MONTH += r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
WEEKDAY = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)\b"
)
RANK = r"(?:first|second|third|fourth|fifth|last|[1-5](?:st|nd|rd|th))"
READ = "\x1f"
"""What stands in the place of words that have been read, so that nobody reads them again."""

_MISSPELT = [*WEEKDAYS, *(month for month in MONTHS if len(month) > 5), "tomorrow", "yesterday"]
_WORD = re.compile(r"[a-z]{6,}")
_RANK_WORDS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_RANK_KEPT = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)_")
_RANK_AS_DAY = re.compile(
    r"\b((?:on|from|until|till|by|to|and|or) the )(\d{1,2}(?:st|nd|rd|th))_(?=[,.;!?]|$| (?:to|until|till|and|"
    r"at|or|through)\b)"
)
_THE_ONE = re.compile(r"\bthe one\b(?= (?:night|day|week|month|year|hour)\b)")
_COUPLE = re.compile(r"\ba couple of\b(?= (?:nights|days|weeks|months|years|hours)\b)")
_ONES = re.compile(r"\bones\b")
_ENOUGH = 0.85


@dataclass(frozen=True)
class NamedDay:
    """A day that a text names, with what else the words may mean, and where they stand."""

    days: frozenset[date]
    start: int
    end: int


@lru_cache(maxsize=512)
def readable_words(says: str) -> str:
    """What somebody says in lower case, with digits for number words; ranks stay words ("the second Saturday")."""
    words = _WORD.sub(lambda found: _mended(found[0]), plain(says))
    words = _ONES.sub("things", _COUPLE.sub("2", _THE_ONE.sub("1", words)))
    digits = _RANK_AS_DAY.sub(r"\1\2", in_digits(words, ranks=False))
    return _RANK_KEPT.sub(lambda found: _RANK_WORDS[int(found[1]) - 1], digits)


def month_number(name: str) -> int:
    """1 for "jan", "Jan." or "january"."""
    return next(place for place, month in enumerate(MONTHS, 1) if month.startswith(name.strip(". ")[:3]))


def weekday_number(name: str) -> int:
    """0 for "mon" or "monday"."""
    return next(place for place, weekday in enumerate(WEEKDAYS) if weekday.startswith(name[:3]))


def blanked(text: str, found: Iterator[tuple[int, int]] | list[tuple[int, int]]) -> str:
    """The text with those places marked as read; every other place stays where it is."""
    for start, end in found:
        text = text[:start] + READ * (end - start) + text[end:]
    return text


@lru_cache(maxsize=4096)
def _mended(word: str) -> str:
    if word.removesuffix("s") in _MISSPELT:
        return word
    near = get_close_matches(word, [known for known in _MISSPELT if known[0] == word[0]], 1, _ENOUGH)
    return near[0] if near else word
