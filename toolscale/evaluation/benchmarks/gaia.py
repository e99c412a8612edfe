"""GAIA: `task_id, Question, Level, Final answer, file_name` of its `metadata`, judged by the rules of its own scorer.

Its validation split has the answers; rows without one (`?`, the test split) are left out. A file that belongs to a
question is shown with it where it is plain text; questions with other files (sheets, images, sound) are left out.
"""

import re
import string
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from toolscale.errors import UserError
from toolscale.evaluation.problem import BenchmarkAttempt, Problem, Score
from toolscale.evaluation.solver import Solver
from toolscale.questions.tables import SourceRow, column, rows_of, table_files

_TABLES = ("metadata.jsonl", "metadata.parquet")
"""The Hub has had both, and beside the second one for each level."""
_TEXTS = (".txt", ".md", ".csv", ".tsv", ".json", ".jsonl", ".jsonld", ".xml", ".html", ".py", ".pdb")
_LONGEST_FILE = 200_000
"""Characters of a file that is shown."""
_SECRET = "?"
_SEPARATORS = re.compile("[,;]")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True)
class GaiaProblem:
    """A question: solved by the reference answer, as GAIA's scorer compares them."""

    id: str
    topic: str
    question: str
    reference: str

    async def attempt(self, solver: Solver) -> BenchmarkAttempt:
        """Ask, and compare the answer."""
        tools = solver.open(self.id)
        trace = await solver.solve(self.id, tools, solver.asked(self.question, tools))
        if trace.ending == "answered":
            right = is_right(trace.answer, self.reference)
            score = Score(right, "the answer is right" if right else f"the answer is {self.reference}")
        else:
            score = Score(False, f"no answer: {trace.ending}")
        return BenchmarkAttempt(trace, tuple(tool.spec.name for tool in tools), score)


def is_right(answer: str, reference: str) -> bool:
    """Numbers as numbers, lists part by part in their order, and text by its letters and digits alone.

    In a list punctuation counts: it is what parts it.
    """
    if _number(reference) is not None:
        return _same_number(answer, reference)
    if not _SEPARATORS.search(reference):
        return _folded(answer).translate(_PUNCTUATION) == _folded(reference).translate(_PUNCTUATION)
    given, wanted = _SEPARATORS.split(answer), _SEPARATORS.split(reference)
    return len(given) == len(wanted) and all(map(_same_part, given, wanted))


def read_gaia(place: Path, stack: ExitStack) -> list[Problem]:
    """The questions of a folder, or of one table with its files beside it."""
    problems: list[Problem] = []
    for table in _tables(place):
        for row in rows_of(table):
            problem = _problem(table, row)
            if problem is not None:
                problems.append(problem)
    return problems


def _tables(place: Path) -> list[Path]:
    """One table for each folder: a copy in the other form says the same."""
    if place.is_file():
        return [place]
    found = [file for file in table_files(place, "metadata.*") if file.name in _TABLES]
    return list({file.parent: file for file in sorted(found, reverse=True)}.values())


def _problem(table: Path, row: SourceRow) -> GaiaProblem | None:
    question, reference = column(table, row, "Question"), column(table, row, "Final answer")
    name = str(row.get("file_name") or "")
    shown = question if not name else _with_file(question, table.parent, name)
    if reference == _SECRET or shown is None:
        return None
    level = column(table, row, "Level")
    return GaiaProblem(column(table, row, "task_id"), f"level {level}", shown, reference)


def _with_file(question: str, folder: Path, name: str) -> str | None:
    """The question with its file; None where it is no text."""
    if Path(name).suffix.lower() not in _TEXTS:
        return None
    file = folder / name
    if Path(name).name != name or not file.is_file():
        raise UserError(f"there is no {name} in {folder}, where a question of GAIA wants it: download the files too")
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file} cannot be read ({error}): download it again") from None
    return f"{question}\n\nThe file {name}:\n\n{text[:_LONGEST_FILE]}"


def _same_part(given: str, wanted: str) -> bool:
    return _same_number(given, wanted) if _number(wanted) is not None else _folded(given) == _folded(wanted)


def _same_number(given: str, wanted: str) -> bool:
    return _number(re.sub("[$%,]", "", given)) == _number(wanted)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _folded(text: str) -> str:
    return re.sub(r"\s", "", text).lower()
