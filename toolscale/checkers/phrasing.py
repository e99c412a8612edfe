"""How people word what a call writes formally: dates, times of day and small numbers."""

from datetime import datetime

from toolscale.artifacts import Json
from toolscale.checkers.said import moment_worded
from toolscale.checkers.said.moments import moment_of
from toolscale.checkers.values import number_spellings
from toolscale.checkers.wording import fold, stands_in

_NUMBER_WORDS = [
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
]


def worded(value: Json, text: str, now: datetime) -> bool:
    """True if a folded text says the value, as it stands or as people say it. `now` settles "tomorrow" and "Friday"."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return any(stands_in(fold(spelling), text) for spelling in _numbers(value))
    if not isinstance(value, str) or not (folded := fold(value)):
        return False
    return stands_in(folded, text) or moment_worded(moment_of(value), text, now)


def _numbers(number: int | float) -> list[str]:
    small = isinstance(number, int) and 0 <= number < len(_NUMBER_WORDS)
    return number_spellings(number) + ([_NUMBER_WORDS[int(number)]] if small else [])
