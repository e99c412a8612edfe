"""What several programs draw, say and twist alike."""

from collections.abc import Callable, Generator, Mapping
from datetime import timedelta
from random import Random
from typing import Any

from toolscale.artifacts import PRESENT, Call, Operator
from toolscale.reference.program import Choice, DeadEnd, Facts, Record, Twist, World, pick

TODAY = PRESENT.date()

Draw = Callable[[World, Random, Facts], Facts]
Errand = Generator[Call | Choice, Any, Any]
"""A part of a policy: it calls and chooses, and returns what it found instead of a reply."""


def says(
    plain: str,
    terse: str,
    chatty: str,
    formal: str,
    hurried: str | None = None,
    non_native: str | None = None,
    confused: str | None = None,
) -> dict[str, str]:
    """One wording in each voice that there is."""
    wordings = {
        "plain": plain, "terse": terse, "chatty": chatty, "formal": formal, "hurried": hurried,
        "non_native": non_native, "confused": confused,
    }  # fmt: skip
    return {voice: text for voice, text in wordings.items() if text is not None}


def weekday(rng: Random, first: int = 2, last: int = 18) -> str:
    """A working day so many days from now."""
    days = [TODAY + timedelta(days=number) for number in range(first, last + 1)]
    return pick(rng, [day.isoformat() for day in days if day.weekday() < 5])


def a_patient(world: World, rng: Random) -> Record:
    """One of the patients in sight."""
    return pick(rng, world.rows("patients"))


def known(world: World, table: str, key: str) -> Record:
    """A record by key; a dead end where it is out of sight."""
    record = world.get(table, key)
    if record is None:
        raise DeadEnd(f"{key} is out of sight")
    return record


def home_city(world: World, patient: Record) -> str:
    """The city of the patient's home clinic; a dead end where the clinic is out of sight."""
    city: str = known(world, "clinics", patient["home_clinic_id"])["city"]
    return city


def late_first(text: str) -> int:
    """A key that sorts ISO days and moments from late to early."""
    return -int("".join(sign for sign in text if sign.isdigit()))


def clock(start: str) -> str:
    """The time of day of a moment, such as 10:20."""
    return start[11:16]


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
        if day == facts.get(name):
            raise DeadEnd("the same day again")
        return {name: day}

    return draw


def another(name: str, values: tuple[str, ...]) -> Draw:
    """A twist's draw: another of the values than the one that was said."""

    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        return {name: pick(rng, [value for value in values if value != facts.get(name)])}

    return draw


def remark(name: str, *lines: str) -> Twist:
    """A remark that must lead nowhere."""
    voices = dict(zip(("plain", "terse", "chatty", "formal"), lines, strict=False))
    return Twist(name, "distractor", voices)


def twist(name: str, operator: Operator, voices: Mapping[str, str], draw: Draw | None = None, **sets: Any) -> Twist:
    """A twist with the facts that its sentence implies as keywords."""
    return Twist(name, operator, voices, draw, sets=sets) if draw else Twist(name, operator, voices, sets=sets)


def _own_language(world: World, rng: Random, facts: Facts) -> Facts:
    patient = world.get("patients", facts["patient_id"])
    return {"language": pick(rng, [patient["language"] if patient else "English", "English"])}


VIDEO_ONLY = twist("by video", "constraint", says(
    "It has to be by video, because I cannot travel at the moment.",
    "video only.",
    "Oh, and I can't really leave the house these days, so it would have to be a video call.",
    "The consultation must take place by video.",
    "has to be video, can't come in.",
    "It must be by video, I can not come to the clinic.",
), mode="video")  # fmt: skip

IN_PERSON_ONLY = twist("in person", "constraint", says(
    "I want to be examined in person, not by video.",
    "in person only.",
    "And please no screens, I'd really like to sit in the same room as the doctor.",
    "The consultation must take place in person.",
    "must be in person.",
    "I want to see the doctor in person and not in the computer.",
), mode="in person")  # fmt: skip

LANGUAGE = twist("language", "constraint", says(
    "The doctor has to speak {language}.",
    "{language}-speaking doctor only.",
    "It would be such a relief to explain it all in {language}, so please only a doctor who speaks it.",
    "Kindly consider only physicians who speak {language}.",
    "needs to speak {language}.",
    "The doctor must speak {language} with me, please.",
), _own_language)  # fmt: skip

NOT_BEFORE = twist("not before", "constraint", says(
    "I am away until then, so nothing before {from_date:date}.",
    "not before {from_date:date}.",
    "I'm off visiting my sister first, so it can't be any earlier than {from_date:date}.",
    "Please disregard any date earlier than {from_date:date}.",
    "nothing earlier than {from_date:date}, I'm away.",
), another_day("from_date"))  # fmt: skip

AFFORDABLE = twist("affordable", "condition", says(
    "Book it only if my own share is at most {max_share:money} euros; otherwise book nothing and tell me what I "
    "would pay.",
    "only if i pay {max_share:money} or less myself, else book nothing and say what it costs me.",
    "Money is a bit tight, so only book if my part comes to no more than {max_share:money} euros, and if it's more "
    "just tell me how much and leave it.",
    "The booking is conditional on my share not exceeding EUR {max_share:money}; failing that, state my share and "
    "refrain from booking.",
), amount(6, 120, "max_share"))  # fmt: skip
