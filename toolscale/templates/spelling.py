"""How people spell what functions take formally: dates, times of day, sums, numbers, lists.

Every spelling is one that the gate `grounded` knows (`checkers/derived`) and that reads back as the same value. The
year is left out only of days near the present, as people do.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from toolscale.artifacts import PRESENT

_MONTHS = [
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
]
_WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_NEAR = 150
_MONTH = rf"(?:{'|'.join(_MONTHS)}|{'|'.join(month[:3] for month in _MONTHS)})"
_DATE = (
    r"\d{4}-\d\d-\d\d|\d{1,2}\.\d{1,2}\.\d{4}"
    rf"|(?:(?:{'|'.join(_WEEKDAYS)}),? )?(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?: \d{{4}})?"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:, \d{{4}})?"
)


@dataclass(frozen=True)
class Codec:
    """One kind of slot: what it looks like in text, how a value is spelt (the plainest first), how it is read."""

    pattern: str
    spellings: Callable[[Any], list[str]]
    read: Callable[[str], Any]


def spelt(number: int) -> str:
    """The number as a word, up to twelve."""
    return _NUMBERS[number]


def _spell_date(value: str) -> list[str]:
    day = date.fromisoformat(value)
    month, weekday = _MONTHS[day.month - 1], _WEEKDAYS[day.weekday()]
    full = f"{day.day} {month} {day.year:04}"
    spellings = [full, f"{month} {day.day}, {day.year:04}", f"{day.day:02}.{day.month:02}.{day.year:04}", value]
    if abs((day - PRESENT.date()).days) <= _NEAR:
        spellings += [
            f"{day.day} {month}",
            f"{day.day} {month[:3]}",
            f"{weekday}, {day.day} {month}",
            f"the {day.day}{_ordinal(day.day)} of {month}",
            f"{month} {day.day}{_ordinal(day.day)}",
        ]
    return spellings


def _read_date(text: str) -> str:
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return date.fromisoformat(text).isoformat()
    if re.fullmatch(r"[\d.]+", text):
        day, month, year = map(int, text.split("."))
        return date(year, month, day).isoformat()
    name = re.search(_MONTH, text, re.IGNORECASE)
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    if name is None or not numbers:
        raise ValueError(f"no date: {text}")
    month = next(number for number, each in enumerate(_MONTHS, 1) if each[:3].lower() == name[0][:3].lower())
    if len(numbers) > 1:
        return date(numbers[1], month, numbers[0]).isoformat()
    years = (PRESENT.year - 1, PRESENT.year, PRESENT.year + 1)
    days = [date(year, month, numbers[0]) for year in years if numbers[0] < 29 or month != 2 or year % 4 == 0]
    return min(days, key=lambda day: abs((day - PRESENT.date()).days)).isoformat()


def _ordinal(number: int) -> str:
    return "th" if 10 < number < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _spell_time(value: str) -> list[str]:
    clock = time.fromisoformat(value)
    hour, half = clock.hour % 12 or 12, "am" if clock.hour < 12 else "pm"
    return [value, f"{hour}:{clock.minute:02} {half}" if clock.minute else f"{hour} {half}"]


def _read_time(text: str) -> str:
    found = re.fullmatch(r"(\d{1,2})(?::(\d\d))?(?: (am|pm))?", text.lower())
    if not found:
        raise ValueError(f"no time: {text}")
    hour = int(found[1]) % 12 + (12 if found[3] == "pm" else 0) if found[3] else int(found[1])
    return f"{time(hour, int(found[2] or 0)):%H:%M}"


def _spell_money(value: float) -> list[str]:
    spellings = [f"{value:.2f}"]
    if value >= 1000:
        spellings.append(f"{value:,.2f}")
    if float(value).is_integer():
        spellings += [f"{value:.0f}", f"{value:,.0f}"]
    return spellings


def _spell_count(value: int) -> list[str]:
    return [str(value), _NUMBERS[value]] if 0 <= value < len(_NUMBERS) else [str(value)]


def _read_count(text: str) -> int:
    return _NUMBERS.index(text.lower()) if text.isalpha() else int(text)


def _spell_list(values: list[str]) -> list[str]:
    return [values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"]


CODECS = {
    "text": Codec(r".+?", lambda value: [str(value)], str),
    "int": Codec(r"\d+", lambda value: [str(value)], int),
    "count": Codec(rf"\d+|{'|'.join(_NUMBERS)}", _spell_count, _read_count),
    "money": Codec(
        r"\d{1,3}(?:,\d{3})+(?:\.\d\d)?|\d+(?:\.\d\d)?", _spell_money, lambda text: float(text.replace(",", ""))
    ),
    "date": Codec(_DATE, _spell_date, _read_date),
    "time": Codec(r"\d{1,2}:\d\d(?: [ap]m)?|\d{1,2} [ap]m", _spell_time, _read_time),
    "list": Codec(r".+?", _spell_list, lambda text: re.split(r", | and ", text)),
}
"""Kind of slot -> how it is written and read: text as it is (ids, names), int in digits, count in digits or as a word,
money (two decimals, in no currency), ISO date, HH:MM time, list (A, B and C)."""
