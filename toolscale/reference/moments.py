"""Days and times around the present of the reference domains, a Monday morning (`artifacts.PRESENT`)."""

from datetime import date, datetime, timedelta
from random import Random

from toolscale.artifacts import PRESENT

TODAY = PRESENT.date()
NOW = PRESENT.strftime("%Y-%m-%dT%H:%M")
"""The present as records write a moment."""


def day(offset: int) -> str:
    """The ISO date so many days from today; negative: ago."""
    return (TODAY + timedelta(days=offset)).isoformat()


def some_day(rng: Random, first: int, last: int, *, weekdays: str = "1234567") -> str:
    """A day between two offsets from today, on one of the ISO weekdays (1 is Monday).

    Raises:
        ValueError: there is no such day between them.
    """
    days = [TODAY + timedelta(days=offset) for offset in range(first, last + 1)]
    suitable = [each for each in days if str(each.isoweekday()) in weekdays]
    if not suitable:
        raise ValueError(f"no day on weekdays {weekdays} between {first} and {last} days from today")
    return rng.choice(suitable).isoformat()


def some_clock(rng: Random, first: str, last: str, minutes: int = 30) -> str:
    """A time of day between two, on a grid of so many minutes."""
    begin, end = (int(text[:2]) * 60 + int(text[3:]) for text in (first, last))
    at = rng.randrange(begin, end + 1, minutes)
    return f"{at // 60:02}:{at % 60:02}"


def at(iso_day: str, clock: str) -> str:
    """A day and a time as one moment: 2026-11-24T07:48."""
    return f"{iso_day}T{clock}"


def shifted(moment: str, minutes: int) -> str:
    """The moment so many minutes later."""
    return (datetime.fromisoformat(moment) + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M")


def minutes_between(earlier: str, later: str) -> int:
    """Whole minutes from one moment to another; negative if the other is earlier."""
    return int((datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds() // 60)


def age(birth_date: str, on: date = TODAY) -> int:
    """Full years."""
    born = date.fromisoformat(birth_date)
    return on.year - born.year - ((on.month, on.day) < (born.month, born.day))


def birth_date(rng: Random, youngest: int, oldest: int) -> str:
    """A birth date of somebody between two ages."""
    return (TODAY - timedelta(days=rng.randint(youngest * 366, oldest * 365))).isoformat()
