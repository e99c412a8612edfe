"""How well libraries read the days, times and numbers that users say, beside our own reading, on the tests' corpus.

    pip install dateparser parsedatetime recurrent timefhuman quantulum3 number-parser word2number
    python benchmarks/grounded_libraries.py

Only rows without results and without a policy are read, since no library knows of either. Each library is given the
present and asked for what it is for; where it raises, it has read nothing. The last column says how many values it gets
right and ours wrong.
"""

import importlib
import re
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import date, datetime
from typing import Any

from grounded import PARTS, judged, pairs

from toolscale.checkers.said.moments import moment_of

_INSTALL = "pip install dateparser parsedatetime recurrent timefhuman quantulum3 number-parser word2number"
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|,\s+")
Finds = Callable[[dict[str, Any], Any], bool]
Moments = Callable[[str, datetime], Iterable[Any]]


def of_moments(moments: Moments) -> Finds:
    """Whether the day, and the time, are among the moments that a library reads."""

    def finds(row: dict[str, Any], value: Any) -> bool:
        wanted = moment_of(str(value))
        if wanted is None:
            return False
        found = list(_flat(moments(row["says"], datetime.fromisoformat(row["now"]))))
        days = {each.date() if isinstance(each, datetime) else each for each in found if isinstance(each, date)}
        clocks = {(each.hour, each.minute) for each in found if hasattr(each, "hour")}
        day = wanted.day is None or wanted.day in days
        return day and (wanted.clock is None or (wanted.clock.hour, wanted.clock.minute) in clocks)

    return finds


def _flat(found: Any) -> Iterator[Any]:
    for each in found if isinstance(found, list | tuple | set) else [found]:
        if isinstance(each, list | tuple | set):
            yield from _flat(each)
        else:
            yield each


def dateparser() -> Finds:
    """Every date or time that its search finds."""
    search = importlib.import_module("dateparser.search").search_dates

    def moments(says: str, now: datetime) -> list[datetime]:
        settings = {"RELATIVE_BASE": now, "PREFER_DATES_FROM": "future"}
        return [moment for _, moment in search(says, languages=["en"], settings=settings) or ()]

    return of_moments(moments)


def parsedatetime() -> Finds:
    """Every moment that its reading of natural language finds."""
    calendar = importlib.import_module("parsedatetime").Calendar()

    def moments(says: str, now: datetime) -> list[datetime]:
        return [found[0] for found in calendar.nlp(says, sourceTime=now) or ()]

    return of_moments(moments)


def recurrent() -> Finds:
    """The event that it makes of each part of a sentence."""
    module = importlib.import_module("recurrent")

    def moments(says: str, now: datetime) -> Iterator[Any]:
        for part in _SENTENCE.split(says):
            with suppress(Exception):
                yield module.RecurringEvent(now_date=now).parse(part)

    return of_moments(lambda says, now: list(moments(says, now)))


def timefhuman() -> Finds:
    """Every moment and both ends of every range that it reads."""
    module = importlib.import_module("timefhuman")
    config = importlib.import_module("timefhuman.main").tfhConfig

    def moments(says: str, now: datetime) -> Any:
        with suppress(Exception):
            return module.timefhuman(says, config=config(now=now))
        return []

    return of_moments(moments)


def quantulum() -> Finds:
    """Every number with its unit."""
    parser = importlib.import_module("quantulum3.parser")
    return lambda row, value: any(each.value == value for each in parser.parse(row["says"]))


def number_parser() -> Finds:
    """Number words as digits; the digits are then looked for."""
    parse = importlib.import_module("number_parser").parse

    def finds(row: dict[str, Any], value: Any) -> bool:
        digits = re.findall(r"(?<![\w.,])-?\d+(?:\.\d+)?(?![\w]|[.,]\d)", parse(row["says"], language="en"))
        return any(float(each) == value for each in digits)

    return finds


def word2number() -> Finds:
    """The one number that it makes of each part of a sentence."""
    module = importlib.import_module("word2number.w2n")

    def finds(row: dict[str, Any], value: Any) -> bool:
        for part in _SENTENCE.split(row["says"]):
            try:
                if module.word_to_num(part) == value:
                    return True
            except (ValueError, IndexError, TypeError):
                continue
        return False

    return finds


READERS: list[tuple[str, tuple[str, ...], Callable[[], Finds]]] = [
    ("ours", ("day", "time"), lambda: judged),
    ("dateparser", ("day", "time"), dateparser),
    ("parsedatetime", ("day", "time"), parsedatetime),
    ("recurrent", ("day", "time"), recurrent),
    ("timefhuman", ("day", "time"), timefhuman),
    ("ours", ("figure",), lambda: judged),
    ("quantulum3", ("figure",), quantulum),
    ("number-parser", ("figure",), number_parser),
    ("word2number", ("figure",), word2number),
]


def main() -> None:
    """Print a line a library, as Markdown."""
    warnings.simplefilter("ignore")
    said = [pair for part in PARTS for pair in pairs(part) if "results" not in pair[0] and "policy" not in pair[0]]
    print("| kinds | | follow | not found | do not follow | found | CPU ms a value | right where ours is wrong |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, kinds, reader in READERS:
        own = [pair for pair in said if pair[0]["kind"] in kinds]
        try:
            finds = reader()
        except ImportError:
            raise SystemExit(f"{name} is not installed: {_INSTALL}") from None
        finds(*own[0][:2])  # what is loaded at the first call
        began = time.process_time()
        found = [finds(row, value) for row, value, _ in own]
        spent = 1000 * (time.process_time() - began) / len(own)
        right = [follows for _, _, follows in own]
        missed = sum(follows and not here for follows, here in zip(right, found, strict=True))
        passed = sum(here and not follows for follows, here in zip(right, found, strict=True))
        better = sum(
            here == follows != judged(row, value) for (row, value, follows), here in zip(own, found, strict=True)
        )
        figures = f"{sum(right)} | {missed} | {len(own) - sum(right)} | {passed} | {spent:.1f} | {better}"
        print(f"| {', '.join(kinds)} | {name} | {figures} |")


if __name__ == "__main__":
    main()
