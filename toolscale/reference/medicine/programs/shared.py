"""What several programs draw, say and twist alike."""

from collections.abc import Callable, Generator
from datetime import timedelta
from random import Random
from typing import Any

from toolscale.artifacts import PRESENT, Call
from toolscale.reference.kit import known, must
from toolscale.reference.program import Choice, Facts, Record, World, pick
from toolscale.reference.words import words

WORDS = words(__file__)

TODAY = PRESENT.date()

Draw = Callable[[World, Random, Facts], Facts]
Errand = Generator[Call | Choice, Any, Any]
"""A part of a solution: it calls and chooses, and returns what it found instead of a reply."""


def weekday(rng: Random, first: int = 2, last: int = 18) -> str:
    """A working day so many days from now."""
    days = [TODAY + timedelta(days=number) for number in range(first, last + 1)]
    return pick(rng, [day.isoformat() for day in days if day.weekday() < 5])


def a_patient(world: World, rng: Random) -> Record:
    """One of the patients in sight."""
    return pick(rng, world.rows("patients"))


def home_city(world: World, patient: Record) -> str:
    """The city of the patient's home clinic; a dead end where the clinic is out of sight."""
    city: str = known(world, "clinics", patient["home_clinic_id"])["city"]
    return city


def money(rng: Random, low: float, high: float) -> float:
    """An amount that nobody would call round."""
    return round(rng.uniform(low, high), 2)


def amount(low: float, high: float, name: str) -> Draw:
    """A twist's draw: an amount of money under that name."""

    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        return {name: money(rng, low, high)}

    return draw


def another_day(name: str) -> Draw:
    """A twist's draw: a working day other than the one that was said."""

    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        day = weekday(rng)
        must(day != facts.get(name), "the same day again")
        return {name: day}

    return draw


def _own_language(world: World, rng: Random, facts: Facts) -> Facts:
    patient = world.get("patients", facts["patient_id"])
    return {"language": pick(rng, [patient["language"] if patient else "English", "English"])}


VIDEO_ONLY = WORDS.twist("by video", "constraint", sets={"mode": "video"})

IN_PERSON_ONLY = WORDS.twist("in person", "constraint", sets={"mode": "in person"})

LANGUAGE = WORDS.twist("language", "constraint", _own_language)

NOT_BEFORE = WORDS.twist("not before", "constraint", another_day("from_date"))

AFFORDABLE = WORDS.twist("affordable", "condition", amount(6, 120, "max_share"))
