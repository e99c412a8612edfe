"""Benchmarks of questions with one reference answer: HLE's text-only subset, FRAMES, Bamboogle, and sets of one's own.

A set that `toolscale import` wrote says for each question which tools are offered, at which prices, and what its user
prefers; then these are what an attempt has, and not the command's.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from toolscale.catalogue.configuration import ToolConfiguration
from toolscale.dataset.questions import CONFIG, read_question_tasks
from toolscale.evaluation.preferences import BenchmarkPreference
from toolscale.evaluation.problem import BenchmarkAttempt, Problem, Score
from toolscale.evaluation.solver import Solver
from toolscale.questions.outcome import outcome
from toolscale.questions.question import Question
from toolscale.questions.reading import read_questions as read_set
from toolscale.questions.tables import SourceRow, column, rows_of, table_files
from toolscale.questions.task import QuestionTask

SPLIT = "eval"


@dataclass(frozen=True)
class QuestionProblem:
    """A question: solved by the reference answer, in whatever form."""

    asks: Question
    configuration: ToolConfiguration | None = None
    """The tools of this question alone, where it has such."""
    preference: BenchmarkPreference | None = None
    """What its own user prefers, where that is known."""

    @classmethod
    def of(cls, task: QuestionTask) -> "QuestionProblem":
        """The problem that a row of a set is."""
        return cls(task.asks, task.configuration, BenchmarkPreference.of(task.preference))

    @property
    def id(self) -> str:
        """The question's."""
        return self.asks.id

    @property
    def topic(self) -> str:
        """The question's."""
        return self.asks.topic

    async def attempt(self, solver: Solver) -> BenchmarkAttempt:
        """Ask, and compare the answer."""
        tools = solver.open(self.id, configuration=self.configuration)
        opening = solver.asked(self.asks.question, tools)
        trace = await solver.solve(self.id, tools, opening, configuration=self.configuration)
        if trace.ending == "answered":
            found = await outcome(self.asks, trace.answer, solver.judging, domain=solver.benchmark)
            score = Score(found.solved, f"judge: {found.reason}" if found.by == "judge" else found.reason)
        else:
            score = Score(False, f"no answer: {trace.ending}")
        return BenchmarkAttempt(trace, tuple(tool.spec.name for tool in tools), score)


def read_questions(place: Path, stack: ExitStack) -> list[Problem]:
    """A set that `toolscale import` wrote, its split `eval`; or any file of questions and answers, all of it."""
    if (place / CONFIG).is_dir():
        return [QuestionProblem.of(task) for task in read_question_tasks(place) if task.split == SPLIT]
    return [QuestionProblem(question) for question in read_set(str(place))[0]]


def read_hle(place: Path, stack: ExitStack) -> list[Problem]:
    """Humanity's Last Exam: `id, question, image, answer, category`; questions with an image are left out."""

    def question(file: Path, row: SourceRow, number: int) -> Question | None:
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

    def question(file: Path, row: SourceRow, number: int) -> Question:
        return Question(
            id=str(row.get("Unnamed: 0") or row.get("") or number),
            question=column(file, row, "Prompt"),
            answer=column(file, row, "Answer"),
            topic=str(row.get("reasoning_types") or ""),
        )

    return list(_problems(place, question))


def read_bamboogle(place: Path, stack: ExitStack) -> list[Problem]:
    """Bamboogle: `Question, Answer`."""

    def question(file: Path, row: SourceRow, number: int) -> Question:
        asks, answer = column(file, row, "Question", "question"), column(file, row, "Answer", "answer")
        return Question(id=str(number), question=asks, answer=answer)

    return list(_problems(place, question))


def _problems(place: Path, question: Callable[[Path, SourceRow, int], Question | None]) -> Iterator[Problem]:
    number = 0
    for file in table_files(place):
        for row in rows_of(file):
            asks = question(file, row, number)
            number += 1
            if asks is not None:
                yield QuestionProblem(asks)
