"""Days that a text counts from others: "ten days after her operation", "two nights", "the week after, on Tuesday".

The others are days that the text names and days that results show; which of them is meant, only understanding can tell.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from toolscale.checkers.derived.calendar import last_weekday, monday_of, moved, next_weekday
from toolscale.checkers.derived.reading import READ, WEEKDAY, NamedDay, blanked, weekday_number
from toolscale.checkers.derived.weeks import FILLED, SOME_WEEKDAYS, weekdays_in

Counting = Callable[[date], Iterable[date | None]]


@dataclass(frozen=True)
class Relation:
    """What a text says of a day that it counts from another."""

    step: Counting
    start: int
    end: int
    neighbour: bool = False
    """Whether it is the day before or after."""
    anchored: int | None = None
    """Where the words stand that name the other day, if they follow at once."""

    def anchor(self, named: Iterable[NamedDay]) -> frozenset[date] | None:
        """The days that these words may mean."""
        return next((each.days for each in named if each.start == self.anchored), None)


_ANCHOR = rf"(?: (?:on |the )?(?P<anchor>{READ}))?"
_AFTER = r"after(?! next)|following|later than|from|starting|beginning"
_BEFORE = r"before|prior to|preceding|ahead of"
_THAT_WEEK = (
    r"(?P<week>(?:the )?week (?:right )?after(?! next)(?: that)?|(?:the )?following week|(?:a|1) week later|"
    r"(?:the )?week (?:right )?before"
    rf"(?: that)?|(?:the )?(?:previous|preceding) week|(?:a|1) week earlier|(?:the )?(?:same|that) week|"
    rf"(?:the )?week (?:of|commencing|beginning|starting|from)(?= (?:the )?{READ})){_ANCHOR}"
)
_WEEKS = [
    re.compile(rf"\b{_THAT_WEEK}{READ}*{FILLED}(?P<days>{SOME_WEEKDAYS})"),
    re.compile(rf"\b(?P<days>{SOME_WEEKDAYS})(?: ?, ?| )(?:(?:of|in|on) )?{_THAT_WEEK}"),
]
_WEEKDAYS = [
    re.compile(
        rf"\b(?P<days>{WEEKDAY}) (?:right |directly |immediately )?"
        rf"(?P<where>{_AFTER}|{_BEFORE}|afterwards?|thereafter)\b{_ANCHOR}"
    ),
    re.compile(rf"\b(?P<where>following|preceding|previous) (?P<days>{WEEKDAY}){_ANCHOR}"),
]
_THE_WEEKDAY = re.compile(rf"\bthe ({WEEKDAY})(?! (?:week|after|before|of)\b)")
_UNIT = r"(?P<unit>night|day|week|fortnight|month|year)"
_SPAN = re.compile(
    rf"(?:\b(?P<before>forward (?:by )?|short\w* (?:\w+ ){{0,3}}?by |reduc\w+ (?:\w+ ){{0,3}}?by |"
    rf"cut (?:\w+ ){{0,3}}?by |earlier by |"
    rf"(?:previous|preceding) ))?"
    rf"\b(?P<by>by )?(?P<for>for )?\b(?P<count>\d+|an?|another|extra) ?(?:more |extra |additional |further |"
    rf"full |whole |calendar )?[ -]?{_UNIT}s?\b'?(?! (?:on|from) (?:next |this )?{WEEKDAY})"
    rf"(?: (?:time|stay|long))?(?: (?P<where>before|earlier|prior(?: to)?|sooner|ahead of|less|fewer|shorter|off|"
    rf"after|later|from|following|past|on|longer|more|further)\b)?{_ANCHOR}"
)
_BACK = ("before", "earlier", "prior", "prior to", "sooner", "ahead of", "less", "fewer", "shorter", "off")
_ON = ("after", "later", "from", "following", "past", "on")
_PART = r"(?:day|night|evening|morning|afternoon)"
_DAY_BEFORE = re.compile(
    rf"\b(?:(?<!\d )(?:the )?{_PART} (?:before|prior to|preceding)|the (?:previous|preceding) {_PART}|eve of){_ANCHOR}"
)
_AT_ALL = r"(?: (?:(?:that's |that is |which is )?(?:possible|available|free)|(?:you|we|i) can))?"
_DAY_AFTER = re.compile(
    rf"\b(?:(?<!\d )(?:the )?{_PART}{_AT_ALL} (?:after|following)|(?:next|following) {_PART}|overnight|(?:stay\w*|"
    rf"for) (?:the|1) night|"
    rf"nights?\b[^.;!?\d]{{0,40}}\b(?:just|only) (?:the )?(?:1|thing)(?= ?[,.;!?]| in| at)){_ANCHOR}"
)
_WORKING = re.compile(
    r"\b(?:(?P<count>\d+|the next|the following|the first) )(?:working|business) days?\b(?P<before> before|"
    r" prior| earlier)?"
)


def relations(text: str) -> Iterator[Relation]:
    """Everything that a text, the days that it names marked as read, counts from other days."""
    for pattern, step in _READERS:
        found = [_related(each, step(each)) for each in pattern.finditer(text)]
        text = blanked(text, [(each.start, each.anchored or each.end) for each in found])
        yield from found


def of_weekdays(text: str) -> Iterator[Relation]:
    """ "on the Monday", after a day that is named."""
    for found in _THE_WEEKDAY.finditer(text):
        yield Relation(_weekday_beside(weekday_number(found[1]), "from"), *found.span())


def spans(text: str) -> Iterator[Relation]:
    """The spans alone, such as those that a policy states."""
    yield from (_related(found, _spanned(found)) for found in _SPAN.finditer(text))


def _related(found: re.Match[str], step: Counting) -> Relation:
    anchored = found.start("anchor") if "anchor" in found.re.groupindex and found["anchor"] else None
    return Relation(step, found.start(), found.end(), found.re in (_DAY_BEFORE, _DAY_AFTER), anchored)


def _by(count: int, unit: str) -> Counting:
    return lambda day: [moved(day, count, unit)]


def _spanned(found: re.Match[str]) -> Counting:
    count = int(found["count"]) if found["count"].isdigit() else 1
    unit, where = found["unit"], found["where"] or ""
    if unit in ("night", "fortnight"):
        count, unit = (count, "day") if unit == "night" else (2 * count, "week")
    if found["before"] or where in _BACK:
        return _by(-count, unit)
    inclusive = (
        where not in _ON
        and not found["by"]
        and (unit in ("month", "year") or (found["unit"] == "day" and bool(found["for"])))
    )
    return lambda day: _ends(day, count, unit, inclusive)


def _ends(day: date, count: int, unit: str, inclusive: bool) -> Iterator[date | None]:
    """The day so much later, and the one before it where the first day may count too: "for three days"."""
    end = moved(day, count, unit)
    yield end
    if inclusive and end:
        yield end - timedelta(1)


def _in_week(found: re.Match[str]) -> Counting:
    which, weekdays = found["week"], weekdays_in(found["days"])
    ahead = -1 if re.search("before|previous|preceding|earlier", which) else 1
    if re.search("same|that week|of|commencing|beginning|starting|from", which):
        ahead = 0
    return lambda day: [monday_of(day) + timedelta(7 * ahead + each) for each in weekdays]


def _beside(found: re.Match[str]) -> Counting:
    return _weekday_beside(weekday_number(found["days"]), found["where"])


def _weekday_beside(weekday: int, where: str) -> Counting:
    if re.match(f"{_BEFORE}|previous", where):
        return lambda day: [last_weekday(weekday, day)]
    if where in ("from", "starting", "beginning"):
        return lambda day: [next_weekday(weekday, day - timedelta(1))]
    return lambda day: [next_weekday(weekday, day)]


def _working(found: re.Match[str]) -> Counting:
    count = int(found["count"]) if found["count"].isdigit() else 1
    count = -count if found["before"] else count

    def step(day: date) -> list[date]:
        for _ in range(abs(count)):
            day += timedelta(1 if count > 0 else -1)
            while day.weekday() > 4:
                day += timedelta(1 if count > 0 else -1)
        return [day]

    return step


_WEEKEND = re.compile(rf"\bweekend (?:of|before|after)(?= (?:the |on )?{READ}){_ANCHOR}")


def _weekend(found: re.Match[str]) -> Counting:
    ahead = {"before": -7, "after": 7}.get(found[0].split()[1], 0)
    return lambda day: [monday_of(day) + timedelta(ahead + each) for each in (5, 6)]


_READERS: list[tuple[re.Pattern[str], Callable[[re.Match[str]], Counting]]] = [
    *((pattern, _in_week) for pattern in _WEEKS),
    *((pattern, _beside) for pattern in _WEEKDAYS),
    (_WEEKEND, _weekend),
    (_WORKING, _working),
    (_SPAN, _spanned),
    (_DAY_BEFORE, lambda found: _by(-1, "day")),
    (_DAY_AFTER, lambda found: _by(1, "day")),
]
