"""Times of day that a text names or counts from others: "half past six in the evening", "an hour later"."""

import re
from collections.abc import Iterator
from datetime import time

from toolscale.checkers.derived.reading import blanked

_MORNING = (
    r"\b(?:(?:in the|this|tomorrow|early|every|\w+day) morning|a\.? ?m\b|breakfast|first thing|"
    r"before (?:lunch|noon|school))"
)
_LATER = (
    r"\b(?:(?:in the|this|tomorrow|every|late|early|\w+day) (?:early |late )?(?:afternoon|evening|night)|"
    r"tonight|at night|afternoon|"
    r"evening|p\.? ?m\b|dinner|supper|after (?:work|school|lunch))"
)
_REACH = 40
"""Characters within which a word may say which half of the day is meant."""
_PAST_TO = r"(?P<way>past|after|to|before|till)"
_FORMS = [
    re.compile(
        rf"\b(?P<part>quarter|1/4|half|(?<![\d:.,])\d{{1,2}}(?: minutes?)?)[ -]{_PAST_TO} (?P<h>\d{{1,2}})\b(?![:.]\d)"
    ),
    re.compile(r"\b(?P<part>half)[ -](?P<h>[1-9]|1[0-2])\b(?![:.,]\d)"),
    re.compile(
        r"(?<![\d:.,/€$£-])(?P<h>\d{1,2})"
        r"(?= ?(?:-|to|till|until) ?\d{1,2}(?: ?[ap]\.? ?m\b| in the (?:morning|afternoon|evening)))"
    ),
    re.compile(
        r"(?<![\d:.,/€$£-])(?P<h>[01]?\d|2[0-4])(?::|\.|h| ?h ?)(?P<m>[0-5]\d)(?::\d\d)?(?![\d%€]|"
        r"[:.,/]\d)(?P<half> ?[ap]\.? ?m\b)?"
    ),
    re.compile(r"(?<![\d:.,/€$£-])(?P<h>0\d|1\d|2[0-3])(?P<m>[0-5]\d) ?(?:h|hrs|hours)\b"),
    re.compile(r"(?<![\d:.,/€$£-])(?P<h>\d{1,2})(?: (?P<m>[0-5]\d))?(?P<half> ?[ap]\.? ?m\b)"),
    re.compile(
        r"(?:\b(?:at|by|around|about|from|until|till|to|after|before|between|and) |^)(?P<h>\d{1,2}) (?P<m>[0-5]\d)"
        r"(?=[.,;!?)]|$| (?:in the|at night|tonight|to|till|until|and|on|sharp)\b)"
    ),
    re.compile(r"(?<![\d:.,/-])(?P<h>\d{1,2})(?: ?uhr| ?o'? ?clock|-?ish\b)"),
    re.compile(
        r"\b(?:at|by|around|about|from|until|till|to|after|before|between|and|past|since|or|-) ?(?:about |"
        r"around )?(?P<h>\d{1,2})"
        r"(?=(?: ?-| to| and| till| until| or) ?\d{1,2}\b(?!-)|[.,;!?)]|$|"
        r" (?:sharp|tonight|today|tomorrow|this|on|in the|at night|if|please|for|and|or|onwards?|already|the|"
        r"latest|every|with|to|till|until)\b)"
    ),
    re.compile(
        r"(?<![\d:.,/€$£-])(?P<h>\d{1,2})(?= (?:(?:or|and) \d{1,2} )?(?:in the (?:\w+ )?(?:morning|afternoon|"
        r"evening)|at night|tonight))"
    ),
]
_NAMED = [(re.compile(r"\b(?:noon|midday)\b"), 12), (re.compile(r"\bmidnight\b"), 0)]
_SPAN = re.compile(
    r"\b(?P<count>\d+(?:\.\d+)?|an?|another|1/2) ?(?:more |extra |full |whole )?[ -]?(?P<unit>hour|minute|min|h)s?\b'?"
    r"(?: (?P<back>before|earlier|prior|sooner|less|shorter)\b)?"
)


def clocks_said(text: str, now: time, shown: frozenset[time]) -> frozenset[time]:
    """The times that readable words name or count from others, one step away."""
    named = frozenset(_named(text))
    lengths = [_minutes(found) for found in _SPAN.finditer(text)]
    starts = named | shown or {now.replace(second=0, microsecond=0)}
    counted = (_moved(start, length) for start in starts for length in lengths)
    return named | frozenset(each for each in counted if each)


def _named(text: str) -> Iterator[time]:
    for form in _FORMS:
        matches = [(found, _of_the_clock(found)) for found in form.finditer(text)]
        for found, minutes in matches:
            if minutes is not None:
                yield from _halves(minutes, found, text)
        read = (found for found, minutes in matches if minutes is not None and not _may_be_a_range(found))
        text = blanked(text, [found.span() for found in read])
    for pattern, hour in _NAMED:
        if pattern.search(text):
            yield time(hour)


def _may_be_a_range(found: re.Match[str]) -> bool:
    """ "5 to 7" may be five minutes to seven, or two hours."""
    return found.groupdict().get("way") == "to" and (found["part"] or "").isdigit()


def _of_the_clock(found: re.Match[str]) -> int | None:
    """Minutes since midnight, as the words stand."""
    groups = found.groupdict()
    hour, part = int(groups["h"]), groups.get("part") or ""
    if hour > 24 or (part and hour > 12) or (part.isdigit() and int(part) % 5):
        return None
    minute = int(groups.get("m") or 0)
    if part:
        minute = {"half": 30, "quarter": 15, "1/4": 15}.get(part) or int(part.split()[0])
        minute = -minute if groups.get("way") in ("to", "before", "till") else minute
    return (60 * hour + minute) % (24 * 60)


def _halves(minutes: int, found: re.Match[str], text: str) -> Iterator[time]:
    """The time in the half of the day that is named near it, else in each that it may mean."""
    hour, minute = divmod(minutes, 60)
    on_face = 1 <= int(found["h"]) <= 12 and not found["h"].startswith("0")
    half = found.groupdict().get("half") or ""
    if not on_face:
        yield time(hour, minute)
        return
    morning, later = "a" in half, "p" in half
    if not half:
        after, before = (
            re.split(r"[.;!?](?=\s|$)", text[found.end() : found.end() + _REACH])[0],
            text[: found.start()][-_REACH:],
        )
        before = re.split(r"[.;!?](?=\s|$)", before)[-1]
        ahead = _nearest(after, last=False)
        morning, later = ahead if any(ahead) else _nearest(before, last=True)
    if morning and hour == 12:
        yield time(12, minute)  # up to noon
    if not later:
        yield time(hour % 12 if morning or hour == 24 else hour, minute)
    if not morning:
        yield time((hour % 12 + 12) % 24, minute)


def _nearest(text: str, *, last: bool) -> tuple[bool, bool]:
    """Whether the word nearest to a time says morning, or later."""
    mornings, laters = ([found.start() for found in re.finditer(words, text)] for words in (_MORNING, _LATER))
    if not mornings or not laters:
        return bool(mornings), bool(laters)
    sooner = max(mornings) > max(laters) if last else min(mornings) < min(laters)
    return sooner, not sooner


def _minutes(found: re.Match[str]) -> float:
    count = {"1/2": 0.5}.get(found["count"]) or (float(found["count"]) if found["count"][0].isdigit() else 1)
    return (-1 if found["back"] else 1) * count * (60 if found["unit"].startswith("h") else 1)


def _moved(start: time, minutes: float) -> time | None:
    whole = 60 * start.hour + start.minute + round(minutes)
    return time(whole // 60, whole % 60) if 0 <= whole < 24 * 60 else None
