"""A question that has a right answer."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """A question with its reference answer: what a benchmark or a (question, answer) set asks."""

    id: str
    question: str
    answer: str
    topic: str = ""
    difficulty: str = ""
