"""Questions with a topic and a difficulty whose right answer a program knows: it reads them back from their wording."""

import calendar
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Literal

from toolscale.artifacts import content_id
from toolscale.errors import UserError
from toolscale.questions.question import Question

Values = Mapping[str, str]
"""What stands in the gaps of a wording."""

Difficulty = Literal["easy", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = ("easy", "hard")

_TRIES = 50
"""Draws for one question, on average, after which a quiz is too long for its kinds."""


@dataclass(frozen=True)
class Kind:
    """Questions of one wording, such as "What is {a} plus {b}?". The answer is a whole number, or a choice."""

    topic: str
    difficulty: Difficulty
    wording: str
    draw: Callable[[Random], Sequence[object]]
    """Values for the gaps, in the order of their names."""
    solve: Callable[..., int | str]
    """The answer, from the values as they stand in the question."""
    choices: tuple[str, ...] = ()
    """All answers that there are, where it is not a whole number."""
    gap: str = r"\d[\d-]{0,9}"
    """What may stand in a gap, as a regular expression."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The gaps, in the order of their names: a, b, c."""
        return tuple(sorted(re.findall(r"\{(\w)\}", self.wording)))

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What the question looks like within a text, however it is spaced and whatever its capitals."""
        told = re.escape(self.wording.rstrip("?")).replace(r"\ ", r"\s+")
        for name in self.names:
            told = told.replace(rf"\{{{name}\}}", rf"(?P<{name}>{self.gap})")
        return re.compile(rf"\b{told}\b", re.IGNORECASE)


@dataclass(frozen=True)
class Asked:
    """A question that was found in a text."""

    kind: Kind
    values: Values
    answer: int | str

    @property
    def text(self) -> str:
        """The question in its own wording."""
        return self.kind.wording.format(**self.values)

    def wrong(self, draw: Random) -> int | str:
        """An answer that is wrong and looks right."""
        if isinstance(self.answer, int):
            return wrong_answer(self.answer, draw)
        return draw.choice([choice for choice in self.kind.choices if choice != self.answer])


def _years(draw: Random) -> Sequence[object]:
    return draw.randint(1900, 2010), draw.randint(11, 99)


def _leap_years_between(a: str, b: str) -> int:
    if int(a) >= int(b):
        raise ValueError("no year lies between them")
    return calendar.leapdays(int(a) + 1, int(b))


def _primes_between(a: str, b: str) -> int:
    least, most = int(a), int(b)
    if not 0 <= most - least <= 10_000 or most > 1_000_000:
        raise ValueError("too many to count")
    return sum(n > 1 and all(n % d for d in range(2, int(n**0.5) + 1)) for n in range(least + 1, most))


KINDS: tuple[Kind, ...] = (
    Kind(
        "arithmetic",
        "easy",
        "What is {a} plus {b}?",
        lambda draw: (draw.randint(11, 499), draw.randint(11, 499)),
        lambda a, b: int(a) + int(b),
    ),
    Kind(
        "arithmetic",
        "easy",
        "What is {a} minus {b}?",
        lambda draw: (draw.randint(500, 999), draw.randint(11, 499)),
        lambda a, b: int(a) - int(b),
    ),
    Kind(
        "units",
        "easy",
        "How many minutes are {a} hours?",
        lambda draw: (draw.randint(2, 900),),
        lambda a: 60 * int(a),
    ),
    Kind(
        "units",
        "easy",
        "How many grams are {a} kilograms?",
        lambda draw: (draw.randint(2, 900),),
        lambda a: 1000 * int(a),
    ),
    Kind(
        "dates",
        "easy",
        "In which year is somebody born in {a} going to be {b}?",
        _years,
        lambda a, b: int(a) + int(b),
    ),
    Kind(
        "arithmetic",
        "hard",
        "Which remainder is left when {a} to the power of {b} is divided by {c}?",
        lambda draw: (draw.randint(3, 99), draw.randint(20, 99), draw.randint(11, 97)),
        lambda a, b, c: pow(int(a), int(b), int(c)),
    ),
    Kind(
        "arithmetic",
        "hard",
        "Count the primes between {a} and {b}",
        lambda draw: (draw.randint(100, 499), draw.randint(500, 999)),
        _primes_between,
    ),
    Kind(
        "units",
        "hard",
        "Convert {a} weeks, {b} days and {c} hours to minutes",
        lambda draw: (draw.randint(2, 9), draw.randint(2, 6), draw.randint(2, 23)),
        lambda a, b, c: 60 * (24 * (7 * int(a) + int(b)) + int(c)),
    ),
    Kind(
        "dates",
        "hard",
        "Work out how many leap years lie between {a} and {b}",
        lambda draw: (draw.randint(1800, 1899), draw.randint(1901, 2099)),
        _leap_years_between,
    ),
)


def make_questions(count: int, *, hard: float = 0.5, seed: int = 0, kinds: Sequence[Kind] = KINDS) -> list[Question]:
    """`count` different questions in an order drawn by the seed.

    Args:
        count: of questions.
        hard: the share of them that is hard.
        seed: another one draws others.
        kinds: what may be asked.

    Raises:
        UserError: there are not so many different ones.
    """
    draw = Random(f"{seed}/quiz")
    number_of_hard = round(count * hard)
    wanted: dict[Difficulty, int] = {"hard": number_of_hard, "easy": count - number_of_hard}
    found: dict[str, Question] = {}
    for difficulty, number in wanted.items():
        fitting = [kind for kind in kinds if kind.difficulty == difficulty]
        if number and not fitting:
            raise UserError(f"no kind of question is {difficulty}: set the share of hard ones to 0 or 1")
        full = len(found) + number
        for _ in range(_TRIES * number):
            if len(found) == full:
                break
            question = _drawn(draw.choice(fitting), draw)
            found.setdefault(question.question, question)
        if len(found) < full:
            raise UserError(f"there are not {number} different {difficulty} questions: ask for fewer")
    return draw.sample(list(found.values()), count)


def find_question(text: str, kinds: Sequence[Kind] = KINDS) -> Asked | None:
    """The question that a text ends with, or the last one in it; None where it has none of these kinds."""
    found = [(match.start(), kind, match) for kind in kinds for match in kind.pattern.finditer(text)]
    for _, kind, match in sorted(found, key=lambda each: -each[0]):
        values = match.groupdict()
        try:
            return Asked(kind, values, kind.solve(**values))
        except (ValueError, OverflowError, ZeroDivisionError):
            continue  # no such day, no such number: nobody asks that
    return None


def wrong_answer(right: int, draw: Random) -> int:
    """An answer that is wrong and looks right: a slip in one digit, a carry forgotten, a count that is one off."""
    digits = list(str(abs(right)))
    place = draw.randrange(len(digits))
    slipped = [*digits[:place], str((int(digits[place]) + draw.choice((1, 2, 8, 9))) % 10), *digits[place + 1 :]]
    near = [right + 1, right - 1, right + 10, right - 10, int("".join(slipped)) * (1 if right >= 0 else -1)]
    possible = [each for each in near if each != right and (each >= 0 or right < 0)]
    return draw.choice(possible)


def _drawn(kind: Kind, draw: Random) -> Question:
    values = dict(zip(kind.names, map(str, kind.draw(draw)), strict=True))
    asked, answer = kind.wording.format(**values), str(kind.solve(**values))
    return Question(content_id("question", asked, answer), asked, answer, kind.topic, kind.difficulty)
