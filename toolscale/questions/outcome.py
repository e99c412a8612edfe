"""Whether an answer is the reference answer: by a program where that is certain, else by the judge model."""

from typing import Literal

from pydantic import BaseModel, Field

from toolscale.artifacts.base import Artifact
from toolscale.llm import Gateway, Unanswerable
from toolscale.prompts import render
from toolscale.questions.forms import compact, final, letter, number, worded
from toolscale.questions.question import Question
from toolscale.questions.tables import DOMAIN

STAGE = "judge"


class AnswerVerdict(Artifact):
    """Whether a question was answered rightly, and who says so."""

    solved: bool
    reason: str
    by: Literal["program", "judge"]


class Judgement(BaseModel):
    """What the judge says."""

    reason: str = Field(min_length=1)
    correct: bool


async def outcome(question: Question, answer: str, gateway: Gateway, *, domain: str = DOMAIN) -> AnswerVerdict:
    """Judge an answer. The gateway keeps what the judge said, so the same answer is never judged twice.

    Args:
        question: with its reference answer.
        answer: what was answered, with words around it or without.
        gateway: asks the role `judge`.
        domain: what the ledger sums by.

    Raises:
        GatewayError: the judge's endpoint failed.
    """
    if not answer.strip():
        return AnswerVerdict(solved=False, reason="there is no answer", by="program")
    certain = same(question.answer, answer)
    if certain is not None:
        said = "equals the reference answer" if certain else f"is not the reference answer {question.answer}"
        return AnswerVerdict(solved=certain, reason=said, by="program")
    messages = render("judge_answer", question=question.question, reference=question.answer, answer=answer)
    try:
        judged = await gateway.typed("judge", messages, Judgement, stage=STAGE, domain=domain, task=question.id)
    except Unanswerable as error:
        return AnswerVerdict(solved=False, reason=f"the judge gave no judgement: {error}", by="judge")
    return AnswerVerdict(solved=judged.correct, reason=judged.reason, by="judge")


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
    return True if compact(wanted) == compact(given) or worded(wanted) == worded(given) else None
