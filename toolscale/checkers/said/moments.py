"""Days and times of day, in the ways in which people write and say them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, time, timedelta
from functools import lru_cache

_SMALL = [
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
    7: ("in a week", "a week from today", "a week from now", "one week from today", "a week today"),
    14: ("in a fortnight", "a fortnight today", "a fortnight from today", "in two weeks", "in 2 weeks"),
}
_HOLIDAYS = {
    (12, 24): "christmas eve",
    (12, 25): "christmas day",
    (12, 26): "boxing day",
    (12, 31): "new year's eve",
    (1, 1): "new year's day",
}
_YEAR = r"(?:19|20|21)\d\d"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?: ?([ap])\.?m\.?)?", re.IGNORECASE)


@dataclass(frozen=True)
class Moment:
    """A day, a time of day, or both."""

    day: date | None
    clock: time | None


@lru_cache(maxsize=1024)
def moment_of(text: str) -> Moment | None:
    """What an ISO date, a time of day or both stand for; None for any other text."""
    day, _, clock = text.strip().replace("T", " ").partition(" ")
    if _CLOCK.fullmatch(text.strip()):
        day, clock = "", text.strip()
    try:
        if day and not _DAY.fullmatch(day):
            return None
        found = _CLOCK.fullmatch(re.sub(r"(?:Z|[+-]00:?00)$", "", clock)) if clock else None
        if (clock and found is None) or not (day or clock):
            return None
        return Moment(date.fromisoformat(day) if day else None, _time_of(found) if found else None)
    except ValueError:
        return None


def _time_of(found: re.Match[str]) -> time:
    hour = int(found[1])
    if found[4]:
        hour = hour % 12 + (12 if found[4].lower() == "p" else 0)
    return time(hour, int(found[2]), int(found[3] or 0))


def day_wordings(day: date, today: date | None) -> Iterator[re.Pattern[str]]:
    """Patterns for a day in a plain text; with `today`, "tomorrow" and "on Friday" too."""
    yield from _dated(day)
    if today is not None:
        yield from _relative(day, (day - today).days)
        months_ahead = 12 * (day.year - today.year) + day.month - today.month
        if whose := {0: "this", 1: "next"}.get(months_ahead):
            yield re.compile(rf"(?<![\d.:/])\b0?{day.day}(?:st|nd|rd|th) (?:day )?of {whose} month\b")


def _dated(day: date) -> Iterator[re.Pattern[str]]:
    number = rf"0?{day.day}(?:st|nd|rd|th)?"
    name = _MONTHS[day.month - 1]
    month = rf"(?:{name}|{name[:3]}|{name[:4]})\b"
    right = rf"[.,]? (?:of )?{day.year}\b|[ -]{day.year}\b|,? '{day.year % 100:02}\b"
    year = rf"(?:{right}|(?![.,]? ?(?:of )?{_YEAR}\b)(?!-\d{{4}}))"  # the right year or none
    another = r"0?\d{1,2}(?:st|nd|rd|th)?"
    joint = r"(?: ?[-/&,] ?| to | and | or | until | through )"
    yield re.compile(rf"(?<![\d.:/-]){day.year}-0?{day.month}-0?{day.day}(?!\d|-\d)")
    yield re.compile(rf"(?<![\d.:/-]){day.year}[./]0?{day.month}[./]0?{day.day}(?!\d|[./]\d)")
    yield re.compile(rf"(?<![\d.]){day.year}{day.month:02}{day.day:02}(?!\d)")
    yield re.compile(rf"(?<![\d.:/])\b{number}\.?(?:{joint}{another})?(?: day)?(?: of)?[ -]?{month}\.?{year}")
    yield re.compile(rf"(?<![-\w]){month}\.? (?:the )?(?:{another}{joint})?{number}(?!\w|[:.]\d){year}")
    yield re.compile(
        rf"\bthe 0?{day.day}(?:st|nd|rd|th)\b(?! (?:of )?(?:{'|'.join(_MONTHS)}|(?:last|this|next) month|"
        r"\w+ (?:floor|street|row|seat|avenue)))"
    )
    if holiday := _HOLIDAYS.get((day.month, day.day)):
        yield re.compile(rf"\b{holiday}\b(?! (?:{day.year - 1}|{day.year + 1}))")
    if (day + timedelta(1)).day == 1:
        yield re.compile(rf"\blast day of {month}{year}")
    years = rf"(?:{day.year}|{day.year % 100:02})"
    yield re.compile(
        rf"(?<![\d./-])(?<!version )(?<!v)0?{day.day}(?P<a>[./-])0?{day.month}(?:(?P=a){years}|\.)?"
        r"(?!\d|[./-]\d| ?(?:h|uhr)\b)"
    )
    if day.day > 12:
        yield re.compile(rf"(?<![\d./-]){day.month}/{day.day}(?!\d|[./-]\d)")
    yield re.compile(rf"(?<![\d./-])0?{day.month}(?P<b>[/-])0?{day.day}(?P=b){years}(?!\d)")


def _relative(day: date, ahead: int) -> Iterator[re.Pattern[str]]:
    for phrase in _RELATIVE_DAYS.get(ahead, ()):
        yield re.compile(rf"(?<!day after )(?<!day before )\b{phrase}\b" if ahead in (1, -1) else rf"\b{phrase}\b")
    if 0 < ahead < len(_SMALL):
        days = rf"(?:{ahead}|{_SMALL[ahead]}) days?"
        yield re.compile(rf"\bin {days}\b(?! or)|\b{days} from (?:now|today)\b")
    weekday = _WEEKDAYS[day.weekday()]
    months = "|".join(rf"{month[:3]}(?:{month[3:]})?" for month in _MONTHS)
    named = rf"(?:{weekday}|{weekday[:3]})\b(?!,? (?:the )?\d|,? (?:(?:{months})\b|week))"
    if -7 <= ahead <= 7:
        yield re.compile(rf"(?<!next )(?<!last )(?<!past )(?<!every )(?<!week on )\b{named}(?! week)")
    if -7 <= ahead < 14:
        yield re.compile(rf"\b(?:{'last|past' if ahead < 0 else 'next|week on'}) {named}")
    if 7 <= ahead < 14:
        yield re.compile(rf"\b{weekday} week\b")


_MONEY = r"(?:€|(?:eur|euros?|pln|zł|gbp|pounds?|dollars?|usd|chf|francs?)\b)"
_MORNING = r"(?:in the|this|tomorrow|early|every|\w+day) morning|\ba\.? ?m\b"
_LATER = (
    r"(?:in the|this|tomorrow|every|late|last|\w+day) (?:early |late )?(?:afternoon|evening|night)|tonight|at night|"
    r"\bp\.? ?m\b"
)
_MORNING_NEAR = re.compile(rf"^[^.;!?]{{0,30}}?(?:{_MORNING})|^ ?a\.?m\b")
_LATER_NEAR = re.compile(rf"^[^.;!?]{{0,30}}?(?:{_LATER})")
_MORNING_BEFORE = re.compile(rf"(?:{_MORNING})[^.;!?\d]{{0,30}}$")
_LATER_BEFORE = re.compile(rf"(?:{_LATER})(?:[^.;!?\d]|\d(?:st|nd|rd|th)){{0,30}}$")


def clock_spans(clock: time, text: str, *, either_half: bool = False) -> Iterator[tuple[int, int]]:
    """Where a plain text, its number words in digits, says a time of day.

    With `either_half` "half past two" may be 14:30 without a word on the afternoon, as a user may say it.
    """
    hour, minute, half = clock.hour % 12 or 12, f"{clock.minute:02}", "a" if clock.hour < 12 else "p"
    suffix = rf" ?{half}\.? ?m\b\.?"
    seconds = rf":{clock.second:02}" if clock.second else r"(?::00(?:\.0+)?)?"
    exact = [
        rf"(?<![\d:.,€£$¥])0?{clock.hour}(?::|\.|h| ?h ?){minute}{seconds}(?!\d|[:.,]\d| ?[ap]\.? ?m\b|%| ?{_MONEY})"
    ]
    loose = []
    if not clock.second:
        exact.append(rf"(?<![\d:.,])0?{hour}(?:[:.]| ){minute}{suffix}")
        exact.append(rf"(?<![\d:.,])0?{clock.hour}{minute} ?(?:h|hrs|hours)\b")
        exact.append(rf"(?<![\d:.,])0?{clock.hour} (?:hours|uhr) {minute}(?!\d|[:.,]\d)")
        if clock.hour > 12:
            exact.append(rf"(?<![\d:.,€£$¥])(?<!row )(?<!seat ){clock.hour} {minute}(?!\d|[:.,]\d| ?[%°]| ?{_MONEY})")
        loose.append(rf"(?<![\d:.,€£$¥])0?{hour}[:.]{minute}(?!\d|[:.,]\d| ?[ap]\.? ?m\b|%| ?{_MONEY})")
        if clock.minute:
            loose.append(rf"(?<![\d:.,])0?{hour} {minute}(?!\d|[:.,]\d|%)")
        if clock.minute == 0:
            exact.append(rf"(?<![\d:.,])0?{hour}{suffix}")
            exact.append(rf"(?<![\d:.,]){clock.hour} ?(?:h|uhr|o'? ?clock)\b(?!\d)" if clock.hour > 12 else r"(?!)")
            exact.append({12: r"\b(?:noon|midday)\b", 0: r"\bmidnight\b"}.get(clock.hour, r"(?!)"))
        (exact if _plainly_afternoon(clock) else loose).extend(_spoken(hour, clock.minute))
    for pattern in exact:
        yield from (found.span() for found in re.finditer(pattern, text) if not _half_misses(clock, text, found))
    for pattern in loose:
        yield from (found.span() for found in re.finditer(pattern, text) if _half_fits(clock, text, found, either_half))


def _spoken(hour: int, minute: int) -> list[str]:
    """A time as people say it: "half past ten", "quarter to five", "ten past four", "ten o'clock"."""
    following = hour % 12 + 1
    past, to = rf"(?:past|after) {hour}\b(?![:.]\d)", rf"(?:to|before|of|till) {following}\b(?![:.]\d)"
    said = []
    if minute == 0:
        said += [
            rf"(?<![\d:.,]){hour} ?o'? ?clock\b",
            rf"(?<![\d:.,€£$¥]){hour}(?= (?:in the (?:morning|afternoon|evening)|at night))",
            rf"\bat {hour}(?=[.,;!?]|$| (?:sharp|tonight|tomorrow|this|on the dot))",
        ]
    if minute == 30:
        said += [rf"\bhalf[- ](?:past )?{hour}\b(?![:.]\d)"]
    if minute == 15:
        said += [rf"\b(?:a )?quarter {past}", rf"\b(?:a )?1/4 {past}"]
    if minute == 45:
        said += [rf"\b(?:a )?quarter {to}"]
    if 0 < minute < 30:
        said.append(rf"(?<![\d:.,]){minute}(?: minutes?)? {past}")
    if minute > 30:
        said.append(rf"(?<![\d:.,]){60 - minute}(?: minutes?)? {to}")
    return said


def _plainly_afternoon(clock: time) -> bool:
    """Whether "a quarter past four" is this time where nothing else is said: nobody expects it before dawn."""
    return 13 <= clock.hour < 19


def _half_fits(clock: time, text: str, found: re.Match[str], either: bool) -> bool:
    """Whether a time on a clock's face is that of the day: 10:30 is said of 22:30 only where the evening is named."""
    if _half_misses(clock, text, found):
        return False
    return either or clock.hour <= 12 or _says(_LATER_NEAR, _LATER_BEFORE, text, found)


def _half_misses(clock: time, text: str, found: re.Match[str]) -> bool:
    """Whether the words beside a time name the other half of the day."""
    if clock.hour < 12:
        return _says(_LATER_NEAR, _LATER_BEFORE, text, found) and not _says(_MORNING_NEAR, _MORNING_BEFORE, text, found)
    return _says(_MORNING_NEAR, _MORNING_BEFORE, text, found) and not _says(_LATER_NEAR, _LATER_BEFORE, text, found)


def _says(after: re.Pattern[str], before: re.Pattern[str], text: str, found: re.Match[str]) -> bool:
    return bool(after.match(text[found.end() :]) or before.search(text[: found.start()]))
