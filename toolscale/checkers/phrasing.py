"""How people word what a call writes formally: dates, times of day and small numbers."""

import re
from collections.abc import Iterator
from datetime import date, datetime, time

from toolscale.artifacts import Json
from toolscale.checkers.values import number_spellings
from toolscale.checkers.wording import fold, stands_in

_NUMBER_WORDS = [
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
]
_MONTHS = [
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
]
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_RELATIVE_DAYS = {
    -2: ("day before yesterday",),
    -1: ("yesterday", "last night"),
    0: ("today", "tonight", "this morning", "this afternoon", "this evening"),
    1: ("tomorrow",),
    2: ("day after tomorrow",),
    7: ("in a week", "a week from today", "a week from now", "one week from today"),
}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?")


def worded(value: Json, text: str, now: datetime) -> bool:
    """True if a folded text says the value, as it stands or as people say it. `now` settles "tomorrow" and "Friday"."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return any(stands_in(fold(spelling), text) for spelling in _numbers(value))
    if not isinstance(value, str) or not (folded := fold(value)):
        return False
    if stands_in(folded, text):
        return True
    moment = _moment(value)
    return bool(moment) and all(_part_worded(part, text, now) for part in moment)


def _numbers(number: int | float) -> list[str]:
    small = isinstance(number, int) and 0 <= number < len(_NUMBER_WORDS)
    return number_spellings(number) + ([_NUMBER_WORDS[int(number)]] if small else [])


def _moment(value: str) -> list[date | time]:
    """The date, the time or both that an ISO text stands for; nothing if it is another text."""
    day, _, clock = value.strip().replace("T", " ").partition(" ")
    if not clock and _TIME.fullmatch(day):
        day, clock = "", day
    try:
        parts: list[date | time] = [date.fromisoformat(day)] if _DATE.fullmatch(day) else []
        if bool(parts) != bool(day):
            return []
        if clock:
            match = _TIME.fullmatch(clock.removesuffix("Z"))
            if match is None:
                return []
            parts.append(time(int(match[1]), int(match[2]), int(match[3] or 0)))
        return parts
    except ValueError:
        return []


def _part_worded(part: date | time, text: str, now: datetime) -> bool:
    if isinstance(part, time):
        return any(pattern.search(text) for pattern in _time_wordings(part))
    return stands_in(part.isoformat(), text) or any(
        pattern.search(text) for pattern in _date_wordings(part, now.date())
    )


def _date_wordings(day: date, today: date) -> Iterator[re.Pattern[str]]:
    number = rf"0?{day.day}(?:st|nd|rd|th)?"
    name = _MONTHS[day.month - 1]
    month = rf"(?:{name}|{name[:3]}|{name[:4]})\b"
    year = rf"(?:[.,]? {day.year}\b|(?![.,]? \d{{4}}\b))"  # the right year or none
    another = r"0?\d{1,2}(?:st|nd|rd|th)?"
    joint = r"(?: ?[-–/&,] ?| to | and | or | until | through )"
    yield re.compile(rf"\b{number}(?:{joint}{another})?(?: of)?[ -]{month}{year}")
    yield re.compile(rf"\b{month}\.?[ -](?:the )?(?:{another}{joint})?{number}(?!\w|:\d){year}")
    yield re.compile(rf"\bthe 0?{day.day}(?:st|nd|rd|th)\b(?! (?:of )?(?:{'|'.join(_MONTHS)}))")
    years = rf"(?:{day.year}|{day.year % 100:02})"
    yield re.compile(rf"(?<![\d./-])0?{day.day}[./-]0?{day.month}(?:[./-]{years})?(?!\d|[./-]\d)")
    yield re.compile(rf"(?<![\d./-])0?{day.month}/0?{day.day}/{years}(?!\d)")
    ahead = (day - today).days
    for phrase in _RELATIVE_DAYS.get(ahead, ()):
        yield re.compile(rf"\b{phrase}\b")
    if 0 < ahead < len(_NUMBER_WORDS):
        days = rf"(?:{ahead}|{_NUMBER_WORDS[ahead]}) days?"
        yield re.compile(rf"\bin {days}\b|\b{days} from (?:now|today)\b")
    weekday = _WEEKDAYS[day.weekday()]
    if -7 <= ahead <= 7:
        yield re.compile(rf"(?<!next )(?<!last )(?<!past )\b{weekday}\b")
    if -7 <= ahead < 14:
        yield re.compile(rf"\b(?:{'last|past' if ahead < 0 else 'next|week on'}) {weekday}\b")


def _time_wordings(clock: time) -> Iterator[re.Pattern[str]]:
    hour, minute, half = clock.hour % 12 or 12, f"{clock.minute:02}", "a" if clock.hour < 12 else "p"
    suffix = rf" ?{half}\.? ?m\b"
    seconds = rf":{clock.second:02}" if clock.second else r"(?::00)?"
    yield re.compile(rf"(?<![\d:.])0?{clock.hour}[:.h]{minute}{seconds}(?!\d|:\d)")
    if clock.second:
        return
    yield re.compile(rf"(?<![\d:.])0?{hour}[:.]{minute}{suffix}")
    if clock.minute == 0:
        yield re.compile(rf"(?<![\d:.])(?:0?{hour}|{_NUMBER_WORDS[hour]})(?:{suffix}| o'clock)")
        yield re.compile({12: r"\b(?:noon|midday)\b", 0: r"\bmidnight\b"}.get(clock.hour, r"(?!)"))
    if clock.minute == 30:
        yield re.compile(rf"\bhalf past (?:{hour}|{_NUMBER_WORDS[hour]})\b")
