"""Days that a text names by themselves or from the present: "the 18th of May", "the second Saturday of June", "today".

Readers run from the most telling words to the least, and each marks what it has read, so that the Friday in "Friday the
27th of May" is not once more the next Friday.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from toolscale.checkers.derived.calendar import day, days_of, moved, ranked_weekday, yearless
from toolscale.checkers.derived.reading import (
    MONTH,
    RANK,
    RANKS,
    WEEKDAY,
    NamedDay,
    blanked,
    month_number,
    weekday_number,
)
from toolscale.checkers.derived.weeks import SOME_WEEKDAYS, in_weeks, weekdays_in

_YEAR = r"(?:19|20|21)\d\d"
_NUMBER = r"(\d{1,2})(?:st|nd|rd|th|\.)?"
_WEEKDAY_BEFORE = rf"(?:{WEEKDAY},? (?:the )?)?"
_JOINT = r"(?: ?[-/&,] ?| to | and | or | until | till | up to | through | thru |, (?:and|or) )"
_BETWEEN = rf"{_JOINT}(?:the |on |including )?{_WEEKDAY_BEFORE}(?:the )?"
_DAY_MONTH = re.compile(
    rf"(?<![\d:.,/€$£]){_WEEKDAY_BEFORE}(?:the )?\b{_NUMBER}(?: day)?(?: of)?[ -]?({MONTH})(?!-\w)"
    rf"(?:[ ,-]{{1,2}}(?:of )?({_YEAR})\b|,? '(\d\d)\b)?"
)
_MONTH_DAY = re.compile(
    rf"{_WEEKDAY_BEFORE}(?<![\w-])({MONTH}) (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?(?![\d\w]|[:.]\d)(?:,? ({_YEAR})\b)?"
)
_BEFORE_IT = re.compile(rf"(?<![\d:.,/]){_WEEKDAY_BEFORE}\b(\d{{1,2}})(?:st|nd|rd|th|\.)?{_BETWEEN}$")
_AFTER_IT = re.compile(
    rf"{_BETWEEN}(\d{{1,2}})(?:(st|nd|rd|th)\b|(?![\d\w]|[:.,]\d| ?[a-z]{{3,}}s\b| ?%| ?[ap]\.?m\b))(?:, ({_YEAR})\b)?"
)
_ISO = re.compile(r"(?<![\d:.-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d|\2\d)|(?<!\d)((?:19|20)\d\d)(\d\d)(\d\d)(?!\d)")
_FIGURES = re.compile(
    r"(?<![\d:.,/-])(\d{1,2})([./-])(\d{1,2})(?:\2((?:19|20|21)\d\d|\d\d)\b|(?P<dot>\.)(?!\d)|(?![\d./-]|[,:]\d))"
)
_ON = re.compile(
    r"(?:\b(?:on|by|from|until|till|to|since|before|after|between|and|for|am|vom|bis|due|is) (?:the )?|^|, )$"
)
_ORDINAL = re.compile(
    rf"{_WEEKDAY_BEFORE}\b(?:the )?(\d{{1,2}})(?:st|nd|rd|th)\b"
    r"(?! (?:of )?(?:the |this |next |every |each )?(?:floor|street|row|birthday|anniversary|time|class|grade|"
    r"century|seat|avenue|"
    r"week|month|session|year|hole|edition|one)\b)"
)
_MONTHLY = r"(?:of|in) (this|the|next|the following|the coming|the same) month"
_OF_A_MONTH = rf"(?:,? (?:of|in|of the|this) ({MONTH})(?: ({_YEAR}))?| ({MONTH})| {_MONTHLY})"
_RANKED = re.compile(rf"\b({RANK}) ({WEEKDAY}|weekend|day){_OF_A_MONTH}")
_RANKED_WEEK = re.compile(rf"\b({RANK}) week{_OF_A_MONTH}[,a-z ]{{0,12}}?(?:\bthe )?(?P<days>{SOME_WEEKDAYS})")
_EDGE = re.compile(
    rf"\b(end|start|beginning|whole|all|entire) (?:of )?(?:({MONTH})(?: ({_YEAR}))?|((?!))|(this|the|next|"
    rf"the following) month)\b"
)
_OF_THE_MONTH = re.compile(rf"\b(?:the )?(\d{{1,2}})(?:st|nd|rd|th) (?:day )?{_MONTHLY}")
_YEAR_END = re.compile(r"\b(?:end of (?:the|this) year|year's end)\b")
_ABOUT_IT = ("before", "after", "at", "on", "for", "by", "until", "till", "over")
_BEHIND = "|".join(f"(?<={word} )" for word in _ABOUT_IT)
_CHRISTMAS = rf"(?:{_BEHIND})christmas(?= itself|[.,;!?]|$| and\b| i\b| we\b)|christmas day"
_HOLIDAYS = {
    r"christmas eve": (12, 24),
    _CHRISTMAS: (12, 25),
    r"boxing day|st\.? stephen's(?: day)?": (12, 26),
    r"new year's eve": (12, 31),
    r"new year's day": (1, 1),
    r"valentine's(?: day)?": (2, 14),
    r"st\.? patrick's day": (3, 17),
    r"hallowe'?en": (10, 31),
    r"all saints'?(?: day)?": (11, 1),
}
_TODAY = [
    (r"day before yesterday", -2),
    (r"(?<!day before )(?:yesterday|last night)", -1),
    (r"today|tonight|this (?:morning|afternoon|evening)|right now|straight away|immediately", 0),
    (r"(?:tomorrow week|a week tomorrow|a week from tomorrow|1 week from tomorrow)", 8),
    (r"(?:tomorrow fortnight|a fortnight tomorrow|a fortnight from tomorrow|2 weeks from tomorrow)", 15),
    (r"(?:a week today|today week|a week from (?:today|now)|1 week from (?:today|now)|this time next week)", 7),
    (r"(?:a fortnight (?:from )?today|in a fortnight)", 14),
    (r"day after tomorrow", 2),
    (r"(?<!day after )tomorrow", 1),
]
_AHEAD = re.compile(
    r"\b(?:in|within) (\d+|an?) (day|week|month|year)s?(?:'s?)?(?: time)?\b(?! or)(?! (?:on|before|after|from)\b)|"
    r"\b(\d+|an?) (day|week|month|year)s? from (?:now|today)\b"
)
_AGO = re.compile(r"\b(\d+|an?) (day|week|month|year)s? ago\b")


def named_days(text: str, now: date) -> tuple[list[NamedDay], str]:
    """The days that readable words name, but for weekdays alone, and the text with these words marked as read."""
    found: list[NamedDay] = []
    for reader in (_dated, _in_figures, _ranked, in_weeks, _edges, _from_now):
        for named in list(reader(text, now)):
            found.append(named)
            text = blanked(text, [(named.start, named.end)])
    for named in list(_ordinals(text, now, found)):
        found.append(named)
        text = blanked(text, [(named.start, named.end)])
    return found, text


def _dated(text: str, now: date) -> Iterator[NamedDay]:
    """ "18 May", "from the 18th to the 27th of May", "May 18 and 20, 2027"."""
    for found in _DAY_MONTH.finditer(text):
        month, year = month_number(found[2]), _year(found[3] or found[4])
        yield _named(_of(month, int(found[1]), year, now), *found.span())
        start = found.start()
        while before := _BEFORE_IT.search(text[:start]):
            start = before.start()
            yield _named(_of(month, int(before[1]), year, now), *before.span())
    text = blanked(text, [found.span() for found in _DAY_MONTH.finditer(text)])
    for found in _MONTH_DAY.finditer(text):
        month, end = month_number(found[1]), found.end()
        chain = [(found, int(found[2]))]
        year = _year(found[3])
        while after := _AFTER_IT.match(text, end):
            if "," in after[0] and not after[2] and not after[3]:
                break
            end, year = after.end(), year or _year(after[3])
            chain.append((after, int(after[1])))
        for each, number in chain:
            yield _named(_of(month, number, year, now), *each.span())


def _in_figures(text: str, now: date) -> Iterator[NamedDay]:
    """2027-05-18, 18/5/2027, 5/18/2027, 18.5., and "on 18/5"."""
    for found in _ISO.finditer(text):
        year, month, number = (found[place] or found[other] for place, other in ((1, 5), (3, 6), (4, 7)))
        yield _named([day(int(year), int(month), int(number))], *found.span())
    for found in _FIGURES.finditer(text):
        one, other, year = int(found[1]), int(found[3]), _year(found[4])
        if year is None and not found["dot"] and not _ON.search(text[: found.start()]):
            continue
        readings = [(other, one)] if found[2] == "." else [(other, one), (one, other)]
        yield _named([each for pair in readings for each in _of(*pair, year, now)], *found.span())


def _ranked(text: str, now: date) -> Iterator[NamedDay]:
    """ "the second Saturday of June", "the last day of the month", "the first weekend of May"."""
    for found in _RANKED_WEEK.finditer(text):
        months, weekdays = list(_months(found, 2, text, now)), weekdays_in(found["days"])
        days = [
            each for month in months for weekday in weekdays for each in _of_a_week(RANKS[found[1]], weekday, *month)
        ]
        yield _named(days, *found.span())
    text = blanked(text, [found.span() for found in _RANKED_WEEK.finditer(text)])
    for found in _RANKED.finditer(text):
        rank, what, days = RANKS[found[1]], found[2], list[date | None]()
        for year, month in _months(found, 3, text, now):
            if what == "day":
                days.append(days_of(year, month)[rank if rank < 0 else rank - 1])
            elif what == "weekend":
                saturday = ranked_weekday(rank, 5, year, month)
                days += [saturday, saturday and saturday + timedelta(1)]
            else:
                days.append(ranked_weekday(rank, weekday_number(what), year, month))
        yield _named(days, *found.span())


def _of_a_week(rank: int, weekday: int, year: int, month: int) -> Iterator[date | None]:
    """The weekday of a month's second week: the second such day, or that of the second week with or from a Monday."""
    first, monday = days_of(year, month)[0], ranked_weekday(rank, 0, year, month)
    yield ranked_weekday(rank, weekday, year, month)
    yield first + timedelta(7 * (rank - 1) + weekday - first.weekday()) if rank > 0 else None
    yield monday and monday + timedelta(weekday)


def _edges(text: str, now: date) -> Iterator[NamedDay]:
    """ "by the end of the month", "the whole of June", "the 15th of next month"."""
    for found in _OF_THE_MONTH.finditer(text):
        year, month = _shifted(now, found[2])
        yield _named([day(year, month, int(found[1]))], *found.span())
    for found in _EDGE.finditer(text):
        for year, month in _months(found, 2, text, now):
            days = days_of(year, month)
            edges = {"start": days[:1], "beginning": days[:1], "end": days[-1:], "": days[-1:]}
            yield _named(edges.get(found[1] or "", [days[0], days[-1]]), *found.span())
    for found in _YEAR_END.finditer(text):
        yield _named([date(now.year, 12, 31)], *found.span())


def _from_now(text: str, now: date) -> Iterator[NamedDay]:
    """ "tomorrow", "in ten days", "four days ago", "Boxing Day"."""
    for words, (month, number) in _HOLIDAYS.items():
        for found in re.finditer(rf"\b(?:{words})\b(?: ({_YEAR}))?", text):
            yield _named(_of(month, number, _year(found[1]), now), *found.span())
    for words, ahead in _TODAY:
        for found in re.finditer(rf"\b(?:{words})\b", text):
            yield _named([now + timedelta(ahead)], *found.span())
        text = blanked(text, [found.span() for found in re.finditer(rf"\b(?:{words})\b", text)])
    for found in _AHEAD.finditer(text):
        yield _named([moved(now, _count(found[1] or found[3]), found[2] or found[4])], *found.span())
    for found in _AGO.finditer(text):
        yield _named([moved(now, -_count(found[1]), found[2])], *found.span())


def _ordinals(text: str, now: date, named: list[NamedDay]) -> Iterator[NamedDay]:
    """ "the 27th": of the month that is spoken of just before, else the next one."""
    named = list(named)
    for found in _ORDINAL.finditer(text):
        before = [each for each in named if each.start < found.start() and each.days]
        nearest = max(before, key=lambda each: each.start, default=None)
        anchors = nearest.days if nearest else {now}
        named.append(_named([_next_numbered(int(found[1]), anchor) for anchor in anchors], *found.span()))
        yield named[-1]


def _next_numbered(number: int, start: date) -> date | None:
    """The next day of that number in a month, counting the day itself."""
    for ahead in range(3):
        year, month = divmod(start.year * 12 + start.month - 1 + ahead, 12)
        found = day(year, month + 1, number)
        if found and found >= start:
            return found
    return None


def _months(found: re.Match[str], place: int, text: str, now: date) -> Iterator[tuple[int, int]]:
    """The month that a match of `_OF_A_MONTH` names, its first group at that place, as (year, month)."""
    name, year, alone, relative = (found[place + each] for each in range(4))
    if name or alone:
        month = month_number(name or alone)
        yield int(year) if year else now.year + (month < now.month), month
        return
    named = list(re.finditer(rf"(?<![\w-]){MONTH}", text)) if relative in ("the", None) else []
    for each in named:
        month = month_number(each[0])
        yield now.year + (month < now.month), month
    if not named:
        yield _shifted(now, relative or "the")


def _shifted(now: date, whose: str) -> tuple[int, int]:
    ahead = now.year * 12 + now.month - 1 + (whose in ("next", "the following", "the coming"))
    return ahead // 12, ahead % 12 + 1


def _of(month: int, number: int, year: int | None, now: date) -> list[date | None]:
    return [day(year, month, number)] if year is not None else list(yearless(month, number, now))


def _named(days: "list[date | None] | list[date]", start: int, end: int) -> NamedDay:
    return NamedDay(frozenset(each for each in days if each is not None), start, end)


def _year(text: str | None) -> int | None:
    return None if text is None else int(text) + (2000 if len(text) == 2 else 0)


def _count(text: str) -> int:
    return 1 if text in ("a", "an") else int(text)
