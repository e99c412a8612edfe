"""Questions with reference answers, from sets such as GeneralThought-430K-filtered (ToolOrchestra, section 4.1)."""

from collections.abc import Iterable, Iterator

from toolscale.artifacts import Reject, content_id
from toolscale.errors import UserError
from toolscale.questions.question import Question
from toolscale.questions.tables import DOMAIN, SourceRow, first_of, rows_at

QUESTIONS = ("question", "problem", "query", "prompt", "instruction", "Question", "Problem")
ANSWERS = ("reference_answer", "answer", "final_answer", "expected_answer", "Answer", "solution")
"""Columns that hold them, the surest first. What a model answered (`model_answer`) is no reference."""

TOPICS = ("topic", "subject", "category", "task")
DIFFICULTIES = ("difficulty", "level")


def read_questions(where: str, *, split: str = "train") -> tuple[list[Question], list[Reject]]:
    """The questions of a set, each once, whatever number of models' answers the set has to it.

    Args:
        where: a file or folder of Parquet, JSON or JSON lines, or owner/name on the Hub.
        split: which split of a set of the Hub.

    Returns:
        The questions in the set's order; and the rows that are of no use, with the reasons.

    Raises:
        UserError: it cannot be read, it has no column of questions or none of answers, or no row is of use.
    """
    return questions_in(rows_at(where, split=split), where)


def questions_in(rows: Iterable[SourceRow], where: str) -> tuple[list[Question], list[Reject]]:
    """What `read_questions` makes of the rows of a set."""
    questions: dict[str, Question] = {}
    rejects: list[Reject] = []
    columns: set[str] = set()
    for row in rows:
        columns |= row.keys()
        asked, answer = _text(row, QUESTIONS), _text(row, ANSWERS)
        if reasons := list(_faults(row, asked, answer, questions.get(asked))):
            rejects.append(Reject(domain=DOMAIN, stage="questions", check="row", reasons=reasons))
        elif asked not in questions:
            questions[asked] = Question(
                id=content_id("question", asked, answer),
                question=asked,
                answer=answer,
                topic=_text(row, TOPICS),
                difficulty=_text(row, DIFFICULTIES),
            )
    for what, names in (("questions", QUESTIONS), ("reference answers", ANSWERS)):
        if not columns & {*names}:
            found = ", ".join(sorted(columns)) or "none"
            raise UserError(f"{where} has no column of {what} ({', '.join(names)}); its columns are {found}")
    if not questions:
        raise UserError(f"{where} has no row of use; the first is not, because {rejects[0].reasons[0]}")
    return list(questions.values()), rejects


def _faults(row: SourceRow, asked: str, answer: str, known: Question | None) -> Iterator[str]:
    if not asked:
        yield "there is no question"
    if not answer:
        yield "there is no reference answer"
    if row.get("prev_messages"):
        yield "the question goes on from an earlier conversation"
    if asked and answer and known is not None and known.answer != answer:
        yield f"question {known.id} has another reference answer"


def _text(row: SourceRow, names: Iterable[str]) -> str:
    found = first_of(row, names)
    return "" if found is None else str(found).strip()
