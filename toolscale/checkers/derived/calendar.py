"""Arithmetic with days: months that are added, weeks, the second Saturday of a month."""

from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta

_STILL_MEANT = 300
"""Days in the past up to which a day without a year may be meant; beyond that the next one is nearer."""


def day(year: int, month: int, number: int) -> date | None:
    """That day, if there is one."""
    try:
        return date(year, month, number)
    except ValueError:
        return None


def moved(start: date, count: float, unit: str) -> date | None:
    """A day so many units later: "day", "week", "month", "year". None where a calendar has no such day."""
    try:
        if unit in ("day", "week"):
            return start + timedelta(count * (7 if unit == "week" else 1))
        months = start.year * 12 + start.month - 1 + round(count * (12 if unit == "year" else 1))
        year, month = months // 12, months % 12 + 1
        return date(year, month, min(start.day, monthrange(year, month)[1]))
    except (OverflowError, ValueError):
        return None


def yearless(month: int, number: int, now: date) -> Iterator[date]:
    """A day without a year: the next one, and the last one where that is not long past."""
    for year in (now.year - 1, now.year, now.year + 1, *range(now.year + 2, now.year + 5)):
        if (found := day(year, month, number)) is None:
            continue
        if found >= now:
            yield found
            return
        if (now - found).days <= _STILL_MEANT:
            yield found


def monday_of(any_day: date) -> date:
    """The first day of its week."""
    return any_day - timedelta(any_day.weekday())


def next_weekday(weekday: int, after: date) -> date:
    """The first such weekday later than a day."""
    return after + timedelta((weekday - after.weekday() - 1) % 7 + 1)


def last_weekday(weekday: int, before: date) -> date:
    """The last such weekday earlier than a day."""
    return before - timedelta((before.weekday() - weekday - 1) % 7 + 1)


def ranked_weekday(rank: int, weekday: int, year: int, month: int) -> date | None:
    """The second Saturday of a month, or the last (-1)."""
    days = [found for found in days_of(year, month) if found.weekday() == weekday]
    try:
        return days[rank if rank < 0 else rank - 1]
    except IndexError:
        return None


def days_of(year: int, month: int) -> list[date]:
    """All days of a month."""
    return [date(year, month, number + 1) for number in range(monthrange(year, month)[1])]
