"""Benchmarks of questions with one reference answer: HLE's text-only subset, FRAMES, Bamboogle."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from toolscale.evaluation.benchmarks.tables import Row, column, rows_of, table_files
from toolscale.evaluation.problem import Attempt, Problem, Score
from toolscale.evaluation.solver import Solver, asked
from toolscale.orchestration.tool import Question


@dataclass(frozen=True)
class QuestionProblem:
    """A question: solved by the reference answer, in whatever form."""

    asks: Question

    @property
    def id(self) -> str:
        """The question's."""
        return self.asks.id

    @property
    def topic(self) -> str:
        """The question's."""
        return self.asks.topic

    async def attempt(self, solver: Solver) -> Attempt:
        """Ask, and compare the answer."""
        tools = solver.open(self.id)
        trace = await solver.solve(self.id, tools, asked(self.asks.question, tools))
        score = (
            await solver.judge.same_answer(self.id, self.asks.question, self.asks.answer, trace.answer)
            if trace.ending == "answered"
            else Score(False, f"no answer: {trace.ending}")
        )
        return Attempt(trace, tuple(tool.spec.name for tool in tools), score)


def read_hle(place: Path, stack: ExitStack) -> list[Problem]:
    """Humanity's Last Exam: `id, question, image, answer, category`; questions with an image are left out."""

    def question(file: Path, row: Row, number: int) -> Question | None:
        if row.get("image"):
            return None
        return Question(
            id=str(row.get("id") or number),
            question=column(file, row, "question"),
            answer=column(file, row, "answer"),
            topic=str(row.get("category") or ""),
        )

    return list(_problems(place, question))


def read_frames(place: Path, stack: ExitStack) -> list[Problem]:
    """FRAMES: `Prompt, Answer, reasoning_types`. The articles that it names are not shown: finding them is the task."""

    def question(file: Path, row: Row, number: int) -> Question:
        return Question(
            id=str(row.get("Unnamed: 0") or row.get("") or number),
            question=column(file, row, "Prompt"),
            answer=column(file, row, "Answer"),
            topic=str(row.get("reasoning_types") or ""),
        )

    return list(_problems(place, question))


def read_bamboogle(place: Path, stack: ExitStack) -> list[Problem]:
    """Bamboogle: `Question, Answer`."""

    def question(file: Path, row: Row, number: int) -> Question:
        asks, answer = column(file, row, "Question", "question"), column(file, row, "Answer", "answer")
        return Question(id=str(number), question=asks, answer=answer)

    return list(_problems(place, question))


def _problems(place: Path, question: Callable[[Path, Row, int], Question | None]) -> Iterator[Problem]:
    number = 0
    for file in table_files(place):
        for row in rows_of(file):
            asks = question(file, row, number)
            number += 1
            if asks is not None:
                yield QuestionProblem(asks)
