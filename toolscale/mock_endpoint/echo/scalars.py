"""Strings and numbers that a JSON schema may admit, the plainest first. Whether they hold is for others to check."""

import math
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from fractions import Fraction
from itertools import chain, count, islice
from typing import Any

from toolscale.mock_endpoint.echo.patterns import matches

_LONGEST_STRING = 1_000_000
_PARTS_OF_A_RANGE = 64
_FORMATTED_FIRST = 8
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_FIRST_DAY = date(2024, 1, 1)

_FORMATS: dict[str, Callable[[int], str]] = {
    "date": lambda number: str(_day(number)),
    "date-time": lambda number: f"{_day(number)}T00:00:00Z",
    "time": lambda number: f"{number // 60 % 24:02}:{number % 60:02}:00Z",
    "duration": lambda number: f"PT{number}S",
    "email": lambda number: f"a{number or ''}@example.com",
    "hostname": lambda number: f"a{number or ''}.example.com",
    "ipv4": lambda number: f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}",
    "ipv6": lambda number: f"2001:db8::{number & 0xFFFF:x}",
    "uri": lambda number: f"https://example.com/{number or ''}",
    "uuid": lambda number: f"00000000-0000-4000-8000-{number:012x}",
}


def strings(schema: dict[str, Any]) -> Iterator[str]:
    """Strings of a schema's format, else matches of its pattern, else words that are long enough."""
    shortest = schema.get("minLength", 0)
    if shortest > _LONGEST_STRING:
        return iter(())
    written = _FORMATS.get(schema.get("format", ""))
    formatted = map(written, count()) if written else iter(())
    if "pattern" in schema:
        return chain(islice(formatted, _FORMATTED_FIRST), _matching(schema["pattern"], shortest))
    return formatted if written else (_word(number).rjust(shortest, "a") for number in count())


def numbers(schema: dict[str, Any], *, whole: bool) -> Iterator[int | float]:
    """Multiples of the schema's step, those next to nought first; then fractions between its bounds."""
    step = _exact(schema.get("multipleOf", 1 if whole else 0.5))
    low = max(schema.get("minimum", -math.inf), schema.get("exclusiveMinimum", -math.inf))
    high = min(schema.get("maximum", math.inf), schema.get("exclusiveMaximum", math.inf))
    lowest = math.ceil(_exact(low) / step) if low > -math.inf else low
    highest = math.floor(_exact(high) / step) if high < math.inf else high
    first = int(min(max(0, lowest), highest)) if lowest <= highest else 0
    for distance in count():
        around = {first + distance, first - distance}
        if not any(lowest <= each <= highest for each in around):
            break
        for multiple in sorted(around, reverse=True):
            value = multiple * step
            if lowest <= multiple <= highest and (value.denominator == 1 or not whole):
                yield int(value) if value.denominator == 1 else float(value)
    if not whole and -math.inf < low < high < math.inf:
        yield from (low + (high - low) * part / _PARTS_OF_A_RANGE for part in range(_PARTS_OF_A_RANGE + 1))


def _matching(pattern: str, shortest: int) -> Iterator[str]:
    """What the pattern is made to match, and then the last of it with something added."""
    match = ""
    for match in matches(pattern, shortest):
        yield match
    yield from (match + _word(number) for number in count(1))


def _exact(number: float) -> Fraction:
    """A number as it was written: 0.1 is a tenth."""
    return Fraction(number) if isinstance(number, int) else Fraction(str(number))


def _day(number: int) -> date:
    return _FIRST_DAY + timedelta(days=number % 100_000)


def _word(number: int) -> str:
    """The n-th word over the alphabet: the empty one, `a` to `z`, `aa`, and so on."""
    letters = ""
    while number:
        number, letter = divmod(number - 1, len(_ALPHABET))
        letters = _ALPHABET[letter] + letters
    return letters
