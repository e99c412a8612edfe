"""Where a value may come from: what the user says, the present, the policy, and what earlier results show."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import cached_property
from math import isfinite

from toolscale.artifacts import Json
from toolscale.checkers.derived.calendar import days_of, moved
from toolscale.checkers.derived.clocks import clocks_said
from toolscale.checkers.derived.days import days_allowed, days_said
from toolscale.checkers.derived.figures import follows
from toolscale.checkers.derived.limits import limits_named
from toolscale.checkers.derived.reading import MONTH, WEEKDAYS, month_number, readable_words, weekday_number
from toolscale.checkers.derived.weeks import weekdays_in
from toolscale.checkers.said import can_be_said, fact_of, is_said
from toolscale.checkers.said.moments import Moment, moment_of
from toolscale.checkers.values import containers, leaves
from toolscale.checkers.wording import fold, stands_in

_MOST_DAYS = 8
"""Days of one field of a result from which others are counted; a longer list is what was offered, not what is meant."""
_MOST_RECORDS = 16
_FEW_DAYS = 3
"""Days of a field that count however many records show them: forty free starts on two days."""
_MONTH_VALUE = re.compile(r"(\d{4})-(0[1-9]|1[0-2])")
_SHORT = 3
"""Characters of an id that may be a number by chance, once spaces are no matter."""
_YEAR = re.compile(r"\b(?:19|20|21)\d\d\b")
_EXPIRY = re.compile(r"\b(0?[1-9]|1[0-2])/(\d\d|20\d\d)\b")


@dataclass(frozen=True)
class Sources:
    """What an agent knows before a call."""

    says: str
    now: datetime
    results: Sequence[Json] = ()
    policy: str = ""
    searching: bool = False
    """Whether the call only looks something up: it may then search from the first day of a month to its last."""

    @cached_property
    def words(self) -> str:
        """What the user says, ready for reading."""
        return readable_words(self.says)

    @cached_property
    def limits(self) -> str:
        """The sentences of the policy in which the user's limits stand."""
        return limits_named(self.words, self.policy)

    @cached_property
    def days(self) -> frozenset[date]:
        """The days that are named or follow."""
        shown = frozenset(moment.day for moment in self._shown if moment.day)
        said = days_said(self.words, self.now.date(), shown) | (self._bounds if self.searching else frozenset())
        return said | days_allowed(self.limits, said | shown) if self.limits else said

    @property
    def _bounds(self) -> frozenset[date]:
        """Where a search may begin and end: with the present, and with the months that the user names."""
        now = self.now.date()
        months = {(year + ahead, month) for year, month in _months(self) for ahead in (-1, 0)}
        return frozenset(
            [now, *(day for year, month in months for day in (days_of(year, month)[0], days_of(year, month)[-1]))]
        )

    @cached_property
    def clocks(self) -> frozenset[time]:
        """The times of day that are named or follow."""
        shown = frozenset(moment.clock for moment in self._shown if moment.clock)
        return clocks_said(self.words, self.now.time(), shown)

    @cached_property
    def columns(self) -> list[list[Json]]:
        """The values of each field of each result."""
        return [column for result in self.results for column in _columns(result)]

    @cached_property
    def figures(self) -> list[list[Decimal]]:
        """The fields that hold numbers."""
        numbers = ([_number(value) for value in column] for column in self.columns)
        return [column for column in ([each for each in some if each is not None] for some in numbers) if column]

    @cached_property
    def counts(self) -> list[int]:
        """How many things each list of a result holds."""
        return [len(held) for result in self.results for _, held in containers(result) if isinstance(held, list)]

    @cached_property
    def shown_days(self) -> frozenset[date]:
        """All days that results show."""
        moments = (moment_of(value) for column in self.columns for value in column if isinstance(value, str))
        return frozenset(moment.day for moment in moments if moment and moment.day)

    @cached_property
    def shown_clocks(self) -> frozenset[time]:
        """All times of day that results show."""
        moments = (moment_of(value) for column in self.columns for value in column if isinstance(value, str))
        return frozenset(moment.clock for moment in moments if moment and moment.clock)

    @property
    def _shown(self) -> Iterator[Moment]:
        """The moments that others may be counted from."""
        for column in self.columns:
            moments = {moment for value in column if isinstance(value, str) if (moment := moment_of(value))}
            few = len(moments) <= _FEW_DAYS and not any(moment.clock for moment in moments)
            if few or (len(moments) <= _MOST_DAYS and len(column) <= _MOST_RECORDS):
                yield from moments


def derivable(value: Json, sources: Sources) -> bool:
    """Whether a value follows from the sources: as it stands, as people say it, or by a reckoning that they ask for."""
    if value is None or isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return _number_follows(value, sources)
    if not isinstance(value, str) or not can_be_said(fact_of(value)):
        return False
    if (moment := moment_of(value)) is not None:
        return _moment_follows(moment, sources)
    if re.fullmatch(r"\d{1,4}(?:\.\d{1,2})?", value):
        return stands_in(value, fold(sources.says)) or _number_follows(float(value), sources)
    return _words_follow(value, sources)


def _number_follows(value: int | float, sources: Sources) -> bool:
    if isinstance(value, float) and not isfinite(value):
        return False
    wanted = Decimal(str(value))
    if follows(wanted, sources.words, sources.figures, sources.counts):
        return True
    if wanted in {Decimal(int(year)) for year in _YEAR.findall(sources.words)}:
        return True
    return bool(sources.limits) and follows(wanted, sources.limits, (), ())


def _moment_follows(moment: Moment, sources: Sources) -> bool:
    """The day and the time, each said, shown or counted; a time of day alone may stand in any result."""
    day = moment.day is None or moment.day in sources.days or moment.day in sources.shown_days
    clock = moment.clock
    return day and (clock is None or clock in sources.clocks or clock in sources.shown_clocks)


def _words_follow(value: str, sources: Sources) -> bool:
    if stands_in(fold(value), fold(sources.says)):
        return True
    if value.lower() in WEEKDAYS:
        weekday = weekday_number(value.lower())
        return weekday in weekdays_in(sources.words) or any(day.weekday() == weekday for day in _named(sources))
    if (found := _MONTH_VALUE.fullmatch(value)) is not None:
        return (int(found[1]), int(found[2])) in set(_months(sources))
    if len(value) < 2:
        return False
    facts = [fact_of(value)]
    if re.search(r"\d", value) and len(value) >= _SHORT:
        facts.append(fact_of(value, "address" if " " in value else "id"))
    return any(is_said(fact, says, sources.now) for fact in facts for says in (sources.says, sources.words))


def _named(sources: Sources) -> frozenset[date]:
    return days_said(sources.words, sources.now.date(), frozenset())


def _months(sources: Sources) -> Iterator[tuple[int, int]]:
    """The months that the user names."""
    now = sources.now.date()
    yield from ((day.year, day.month) for day in _named(sources))
    for found in re.finditer(rf"(?<![\w-])({MONTH})(?: (\d{{4}})\b)?", sources.words):
        month = month_number(found[1])
        yield int(found[2]) if found[2] else now.year + (month < now.month), month
    for words, ahead in (("this month", 0), ("next month", 1), ("last month", -1)):
        if words in sources.words and (day := moved(now, ahead, "month")):
            yield day.year, day.month
    for month, year in _EXPIRY.findall(sources.words):
        yield int(year) + (2000 if len(year) == 2 else 0), int(month)


def _columns(result: Json) -> Iterator[list[Json]]:
    """The values that stand under one name in a result, each list of records for itself."""
    fields: dict[tuple[str, ...], list[Json]] = {}
    for path, value in leaves(result):
        fields.setdefault(tuple(str(step) for step in path if isinstance(step, str)), []).append(value)
    yield from fields.values()


def _number(value: Json) -> Decimal | None:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or (isinstance(value, float) and not isfinite(value))
    ):
        return None
    return Decimal(str(value))
