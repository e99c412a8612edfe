"""Whether an answer is the reference answer: by a program where that is certain, else by the judge model."""

import re
import unicodedata
from fractions import Fraction
from typing import Literal

from pydantic import BaseModel, Field

from toolscale.artifacts.base import Artifact
from toolscale.llm import Gateway, MalformedAnswer
from toolscale.orchestration.questions.tables import DOMAIN
from toolscale.orchestration.tool import Question
from toolscale.prompts import render

STAGE = "judge"

_LONGEST_NUMBER = 100
"""Characters. What is longer is compared as text."""

_ANNOUNCED = re.compile(r"(?:final answer|answer)\s*(?:is|:|=)\s*:?\s*", re.IGNORECASE)
_LETTER = re.compile(r"\(([A-Ja-j])\)(?:\s.*)?|(?:[Oo]ption |[Cc]hoice )?([A-J])(?:[.):](?:\s.*)?)?", re.DOTALL)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,3})?")
_FRACTION = re.compile(r"([+-]?)\\[dt]?frac\{([^{}]+)\}\{([^{}]+)\}")
_WRAPPED = re.compile(r"\\(?:text|mathrm|mathbf|mathit|textbf|operatorname)\{([^{}]*)\}")
_NO_MATTER = re.compile(r"\\left|\\right|\\!|\\,|\\;|\\ |\\\$|\$|€|£|\*\*|\\\(|\\\)|\\\[|\\\]|`|\"")


class Outcome(Artifact):
    """Whether a question was answered rightly, and who says so."""

    solved: bool
    reason: str
    by: Literal["program", "judge"]


class Judgement(BaseModel):
    """What the judge says."""

    reason: str = Field(min_length=1)
    correct: bool


async def outcome(question: Question, answer: str, gateway: Gateway) -> Outcome:
    """Judge an answer. The gateway keeps what the judge said, so the same answer is never judged twice.

    Raises:
        GatewayError: the judge's endpoint failed.
    """
    if not answer.strip():
        return Outcome(solved=False, reason="there is no answer", by="program")
    certain = same(question.answer, answer)
    if certain is not None:
        said = "equals the reference answer" if certain else f"is not the reference answer {question.answer}"
        return Outcome(solved=certain, reason=said, by="program")
    messages = render("judge_answer", question=question.question, reference=question.answer, answer=answer)
    try:
        judged = await gateway.typed("judge", messages, Judgement, stage=STAGE, domain=DOMAIN, task=question.id)
    except MalformedAnswer as error:
        return Outcome(solved=False, reason=f"the judge gave no judgement: {error}", by="judge")
    return Outcome(solved=judged.correct, reason=judged.reason, by="judge")


def same(reference: str, answer: str) -> bool | None:
    """Whether an answer is the reference; None where a program cannot be sure.

    It is sure of what is equal but for its form, and of what differs where both are one letter or both whole numbers.
    """
    wanted, given = final(reference), final(answer)
    letters = letter(wanted), letter(given)
    if letters[0] and letters[1]:
        return letters[0] == letters[1]
    numbers = number(wanted), number(given)
    if numbers[0] is not None and numbers[1] is not None:
        if numbers[0] == numbers[1]:
            return True
        return False if numbers[0].denominator == numbers[1].denominator == 1 else None
    return True if normal(wanted) == normal(given) else None


def final(text: str) -> str:
    """The final answer in a text: what is boxed last, else what is announced last as the answer, else all of it."""
    if (boxed := _boxed(text)) is not None:
        return boxed.strip()
    *_, announced = [None, *_ANNOUNCED.finditer(text)]
    said = text[announced.end() :] if announced else text
    return said.strip().removesuffix(".").strip()


def letter(text: str) -> str:
    """The letter of a multiple choice that a final answer is, as a capital; empty if it is something else."""
    found = _LETTER.fullmatch(_bare(text))
    return (found[1] or found[2]).upper() if found else ""


def number(text: str) -> Fraction | None:
    """The number that a final answer is, exactly; None if it is something else, or has a unit."""
    told = _THOUSANDS.sub("", normal(text))
    parts = told.split("/")
    if len(told) > _LONGEST_NUMBER or len(parts) > 2 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    values = [Fraction(part) for part in parts]
    return values[0] if len(values) == 1 else values[0] / values[1] if values[1] else None


def normal(text: str) -> str:
    """A final answer without what changes nothing about it: case, white space, LaTeX's wrappings, currency signs."""
    plain = unicodedata.normalize("NFKC", _bare(text)).casefold().replace("−", "-")
    return re.sub(r"\s+", "", _THOUSANDS.sub("", plain)).rstrip(".")


def _bare(text: str) -> str:
    """LaTeX taken off: wrappings of text, fractions as a/b, spacing and dollar signs."""
    told = _WRAPPED.sub(r"\1", text)
    told = _FRACTION.sub(lambda found: f"{found[1]}{_grouped(found[2])}/{_grouped(found[3])}", told)
    return _NO_MATTER.sub("", told).strip()


def _grouped(part: str) -> str:
    return part if re.fullmatch(r"\w+", part) else f"({part})"


def _boxed(text: str) -> str | None:
    """What stands in the last ``\\boxed{...}``, with its own braces; None if there is none that is closed."""
    start = text.rfind("\\boxed{")
    if start < 0:
        return None
    depth = 0
    for position in range(start + len("\\boxed"), len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return text[start + len("\\boxed{") : position]
    return None
