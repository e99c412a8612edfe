"""Weekdays, weeks and weekends, counted from the present: "next week, Tuesday to Friday", "the Friday after next"."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from toolscale.checkers.derived.calendar import last_weekday, monday_of, next_weekday
from toolscale.checkers.derived.reading import WEEKDAY, NamedDay, weekday_number

SOME_WEEKDAYS = (
    rf"{WEEKDAY}(?:(?:,? ?(?:to|-|and|or|until|till|through|thru|/|&),? ?|, ?)(?:the |on |including )?{WEEKDAY})*"
)
FILLED = (
    r"[ ,(:]*(?:(?:on|of|in|from|the|either|between|say|free|any|day|time|anytime|possibly|preferably|best|"
    r"ideally)[ ,]+)*"
)
_WEEK = (
    r"(?P<week>this week|next week|(?:the )?week after next|last week|"
    r"in (?P<weeks>\d+|a) weeks?(?:'s?)?(?: time)?)"
)
_IN_WEEKS = [
    re.compile(rf"\b{_WEEK}{FILLED}(?P<days>{SOME_WEEKDAYS})"),
    re.compile(rf"\b(?P<days>{SOME_WEEKDAYS})(?: ?, ?| )(?:(?:of|in|on) )?(?:the )?{_WEEK}\b"),
]
_ON = re.compile(
    rf"(?:\b(?P<span>a week|1 week|(?P<weeks>\d+) weeks|a fortnight) (?:on|from|after) (?:next |this )?)?"
    rf"(?:\b(?P<which>this coming|this|the coming|coming|upcoming|next|last|past|every|each) )?\b(?P<day>{WEEKDAY})"
    r"(?: (?P<after>week|fortnight|coming|after next|next)\b)?(?! \d)"
)
_WEEKEND = re.compile(
    r"\b(?:(?P<which>this|next|last|the|every) )?(?:coming )?weekend(?P<after> after (?:this|that|"
    r"next)(?: (?:one|1))?)?\b(?! of\b)"
)
_SATURDAY = 5


def in_weeks(text: str, now: date) -> Iterator[NamedDay]:
    """ "next week, Tuesday to Friday", "Saturday next week", "Monday in two weeks"."""
    for pattern in _IN_WEEKS:
        for found in pattern.finditer(text):
            weekdays = weekdays_in(found["days"])
            days = {monday + timedelta(each) for monday in _mondays(found, now) for each in weekdays}
            if found["weeks"]:
                days |= {next_weekday(each, now) + timedelta(7 * _weeks(found["weeks"])) for each in weekdays}
            yield NamedDay(frozenset(days), *found.span())


def on_weekdays(text: str, now: date) -> Iterator[NamedDay]:
    """ "on Friday", "next Friday", "a week on Friday", "Friday week", "last Friday"."""
    for found in _ON.finditer(text):
        if found["which"] not in ("every", "each"):
            yield NamedDay(frozenset(_readings(found, weekday_number(found["day"]), now)), *found.span())


def on_weekends(text: str, now: date) -> Iterator[NamedDay]:
    """Saturday and Sunday of "this weekend", "next weekend", "the weekend after this one"."""
    for found in _WEEKEND.finditer(text):
        if found["which"] == "every":
            continue
        coming = monday_of(now) + timedelta(_SATURDAY)
        begun = now.weekday() >= _SATURDAY
        if found["after"]:
            ahead = [2] if "next" in found["after"] or begun else [1]
        elif found["which"] == "last":
            ahead = [-1, 0] if begun else [-1]
        elif found["which"] == "next":
            ahead = [1] if begun else [0, 1]
        else:
            ahead = [0, 1] if begun else [0]
        days = {coming + timedelta(7 * weeks + each) for weeks in ahead for each in (0, 1)}
        yield NamedDay(frozenset(days), *found.span())


def weekdays_in(text: str) -> list[int]:
    """The weekdays that a text names, Monday as 0."""
    return [weekday_number(found[0]) for found in re.finditer(rf"\b{WEEKDAY}", text)]


def _mondays(found: re.Match[str], now: date) -> list[date]:
    ahead = {"this week": 0, "next week": 1, "last week": -1}.get(found["week"], 2)
    if found["weeks"]:
        ahead = _weeks(found["weeks"])
    mondays = [monday_of(now) + timedelta(7 * ahead)]
    if ahead > 0 and now.weekday() == 6:
        mondays.append(mondays[0] + timedelta(7))  # to some a week begins on Sunday
    return mondays


def _readings(found: re.Match[str], weekday: int, now: date) -> Iterator[date]:
    coming, week = next_weekday(weekday, now), timedelta(7)
    which, after = found["which"] or "", found["after"] or ""
    if found["span"]:
        yield coming + week * (2 if "fortnight" in found["span"] else _weeks(found["weeks"] or "1"))
    elif after == "fortnight":
        yield coming + 2 * week
    elif after in ("week", "after next"):
        yield coming + week
    elif which == "next":
        yield from (coming, coming + week)
    elif which in ("last", "past"):
        yield last_weekday(weekday, now)
    else:
        yield coming
        if now.weekday() == weekday and which != "coming":
            yield now
        if not which and not after:
            yield last_weekday(weekday, now)


def _weeks(text: str) -> int:
    return 1 if text == "a" else int(text)
