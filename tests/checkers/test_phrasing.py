"""How people word what a call writes formally. The clock stands at Friday, 20 November 2026."""

from datetime import datetime

import pytest

from toolscale.artifacts import Json
from toolscale.checkers.phrasing import worded
from toolscale.checkers.wording import fold

NOW = datetime(2026, 11, 20, 9, 30)

SAID: list[tuple[Json, str]] = [
    ("2026-11-24", "on 2026-11-24"),
    ("2026-11-24", "on 24 November 2026."),
    ("2026-11-24", "on the 24th of November"),
    ("2026-11-24", "November 24, 2026"),
    ("2026-11-24", "Nov 24"),
    ("2026-11-24", "24 Nov."),
    ("2026-11-24", "by 24/11/2026"),
    ("2026-11-24", "by 11/24/2026"),
    ("2026-11-24", "am 24.11."),
    ("2026-11-24", "from 24 to 27 November"),
    ("2026-11-24", "on the 24th"),
    ("2026-11-24", "next Tuesday"),
    ("2026-11-24", "on Tuesday, please"),
    ("2026-11-24", "in four days"),
    ("2026-09-03", "since Sept 3rd"),
    ("2026-11-20", "today"),
    ("2026-11-20", "for tonight"),
    ("2026-11-21", "tomorrow morning"),
    ("2026-11-22", "the day after tomorrow"),
    ("2026-11-19", "since yesterday"),
    ("2026-11-17", "last Tuesday"),
    ("2026-12-01", "Tuesday week or rather next Tuesday"),
    ("14:30", "at 2:30 pm"),
    ("14:30", "at 2.30 p.m."),
    ("14:30", "at 14:30"),
    ("14:30", "14h30"),
    ("14:30", "half past two"),
    ("14:30:00", "14:30"),
    ("14:00", "at 2pm"),
    ("08:00", "at eight o'clock"),
    ("09:15", "at 9:15"),
    ("12:00", "at noon"),
    ("2026-11-24T14:30", "Tuesday at 2:30 pm"),
    ("2026-11-24T14:30", "on 2026-11-24 at half past two"),
    ("2026-11-24 14:30:00", "24 November, 14:30"),
    (2, "two adults"),
    (12, "a dozen, that is twelve"),
    (45.2, "for $45.20"),
    (1234, "at most 1,234 francs"),
    (7.0, "7 nights"),
    ("Anna Keller", "I am ANNA KELLER."),
]

NOT_SAID: list[tuple[Json, str]] = [
    ("2026-11-24", "on 24 November 2025"),
    ("2026-11-24", "on 24 October"),
    ("2026-11-24", "on 25 November"),
    ("2026-11-24", "24 euros in November"),
    ("2026-11-04", "November 24"),
    ("2026-11-24", "the 24th of December"),
    ("2026-11-24", "by 24/11/2025"),
    ("2026-11-24", "on Wednesday"),
    ("2026-11-24", "last Tuesday"),
    ("2026-11-24", "for 4 days"),
    ("2026-12-15", "next Tuesday"),
    ("2026-11-21", "today"),
    ("2026-11-22", "tomorrow"),
    ("14:30", "at 2:30 am"),
    ("14:30", "at 14:35"),
    ("02:00", "at 2 pm"),
    ("2026-11-24T14:30", "Tuesday"),
    ("2026-13-45", "Tuesday"),
    (2, "twofold"),
    (2, "12 adults"),
    (2, "2.5 hours"),
    (-5, "5 francs"),
    ("art", "start"),
    ("", "nothing"),
]


@pytest.mark.parametrize(("value", "text"), SAID)
def test_a_value_is_recognised_as_people_word_it(value: Json, text: str) -> None:
    assert worded(value, fold(text), NOW)


@pytest.mark.parametrize(("value", "text"), NOT_SAID)
def test_another_value_is_not_recognised(value: Json, text: str) -> None:
    assert not worded(value, fold(text), NOW)
