"""Whether an answer is the reference answer: by a program where that is certain, else by the role `judge`."""

import re
import unicodedata
from dataclasses import dataclass

from pydantic import BaseModel, Field

from toolscale.evaluation.problem import Score
from toolscale.llm import Gateway, MalformedAnswer
from toolscale.prompts import render

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_SEPARATED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_PUNCTUATION = re.compile(r"[^\w\s.+*/^=<>%-]|(?<!\d)[.](?!\d)|[.](?!\d)")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)")


class Judgement(BaseModel):
    """What the judge says."""

    reason: str = Field(min_length=1)
    correct: bool


@dataclass(frozen=True)
class Judge:
    """Judges free answers. The gateway keeps what it said, so the same answer is never judged twice."""

    gateway: Gateway
    benchmark: str

    async def same_answer(self, problem: str, question: str, reference: str, answer: str) -> Score:
        """Is this the reference answer, whatever its form?

        Raises:
            GatewayError: the judge's endpoint failed.
        """
        if not answer.strip():
            return Score(False, "there is no answer")
        if normalized(answer) == normalized(reference):
            return Score(True, "equals the reference answer")
        messages = render("judge_answer", question=question, reference=reference, answer=answer)
        try:
            said = await self.gateway.typed(
                "judge", messages, Judgement, stage="judge", domain=self.benchmark, task=problem
            )
        except MalformedAnswer as error:
            return Score(False, f"the judge gave no judgement: {error}")
        return Score(said.correct, f"judge: {said.reason}")


def normalized(answer: str) -> str:
    """An answer without what changes nothing: case, articles, punctuation, separators, zeros behind a point."""
    folded = unicodedata.normalize("NFKC", answer).casefold()
    words = _PUNCTUATION.sub(" ", _SEPARATED.sub("", _ARTICLES.sub(" ", folded))).split()
    return " ".join(_number(word) for word in words) or folded.strip()


def _number(word: str) -> str:
    if not _NUMBER.fullmatch(word):
        return word
    whole, point, decimals = word.removeprefix("+").partition(".")
    decimals = decimals.rstrip("0")
    return f"{whole or '0'}{point if decimals else ''}{decimals}"
