"""All days that follow from what somebody says, from the present and from days that results show."""

from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from toolscale.checkers.derived.named_days import named_days
from toolscale.checkers.derived.reading import NamedDay, blanked
from toolscale.checkers.derived.relative_days import Relation, of_weekdays, relations, spans
from toolscale.checkers.derived.weeks import on_weekdays, on_weekends


def days_said(text: str, now: date, shown: frozenset[date]) -> frozenset[date]:
    """The days that readable words name or count from others: two steps at most, from days named and days shown."""
    named, text = named_days(text, now)
    related = list(relations(text))
    weekdays = list(of_weekdays(text))
    unread = blanked(text, [(each.start, each.end) for each in related])
    for reader in (on_weekends, on_weekdays):
        for found in list(reader(unread, now)):
            named.append(found)
            unread = blanked(unread, [(found.start, found.end)])
    said = frozenset(day for each in named for day in each.days)
    starts = said | shown or frozenset({now})
    reached = said | frozenset(_reached(weekdays, named, {min(each.days) for each in named if each.days}))
    for each in related:
        first = frozenset(_reached([each], named, starts))
        others = [other for other in related if other.anchored is None and _goes_on(each, other)]
        reached |= first | frozenset(_reached(others, named, first))
    return reached


def days_allowed(policy: str, starts: frozenset[date]) -> frozenset[date]:
    """The days that spans of a policy's readable words count from others."""
    return frozenset(_reached(spans(policy), [], starts))


def _goes_on(one: Relation, other: Relation) -> bool:
    """Whether a second step may follow a first: who names the next day twice means it once."""
    return other is not one and not (one.neighbour and other.neighbour)


def _reached(related: Iterable[Relation], named: list[NamedDay], starts: Iterable[date]) -> Iterator[date]:
    for each in related:
        anchor = each.anchor(named)
        for start in starts if anchor is None else anchor:
            yield from (day for day in each.step(start) if day is not None and abs(day - start) < timedelta(4000))
