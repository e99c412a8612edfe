"""Questions as rows: reference answer, tools of the instance with the prices as they are shown, and the preference."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pyarrow as pa

from toolscale.artifacts import Reject
from toolscale.dataset.columns import INSTANCE_COLUMNS
from toolscale.dataset.folder import decoded
from toolscale.dataset.imported import ImportedConfig, read_imported, write_imported
from toolscale.dataset.instances import configuration_from, instance_row, preference_in
from toolscale.dataset.rows import Row
from toolscale.errors import UserError
from toolscale.input_files import files_in
from toolscale.questions.task import QuestionTask

CONFIG: ImportedConfig = "questions"

SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("id", "question", "answer", "topic", "difficulty")),
        *((column.name, column.type) for column in INSTANCE_COLUMNS),
        ("split", pa.string()),
    ]
)
"""`configuration` is the id; with `schedule` and `tools` it is the whole of it. All three are null where the instance
leaves its tools open."""


def write_questions(
    folder: Path,
    tasks: Callable[[str], Iterable[QuestionTask]],
    rejects: Sequence[Reject] = (),
    told: Sequence[str] = (),
) -> dict[str, int]:
    """Write a folder of questions; `tasks` gives those of a split, one after the other. Returns how many there are."""
    return write_imported(folder, CONFIG, SCHEMA, lambda split: map(question_row, tasks(split)), rejects, told)


def read_question_tasks(folder: Path) -> list[QuestionTask]:
    """The questions of a folder that `toolscale import --format questions` wrote, both splits.

    Raises:
        UserError: it holds none, or a row has another form.
    """
    return read_imported(folder, CONFIG, question_from)


def question_task(folder: Path, name: str) -> QuestionTask:
    """One question of such a folder, by its id.

    Raises:
        UserError: it is not there, or its row has another form.
    """
    import pyarrow.parquet as pq

    for file in files_in(folder / CONFIG, "*.parquet"):
        # One thread: pyarrow's own may abort the process if it ends while they wind down.
        for row in pq.read_table(file, filters=[("id", "=", name)], use_threads=False).to_pylist():
            return decoded(folder, CONFIG, question_from, row)
    raise UserError(
        f"{folder} has no question `{name}`: --questions names a folder of `toolscale import`, QUESTION an id"
    )


def question_row(task: QuestionTask) -> Row:
    """A question as a row."""
    asked = task.model_dump(mode="json", include={"id", "question", "answer", "topic", "difficulty", "split"})
    return {**asked, **instance_row(task.configuration, task.preference)}


def question_from(row: Row) -> QuestionTask:
    """The question that a row was made of."""
    configuration = configuration_from(row)
    preference = preference_in(row, configuration, row["split"])
    asked = {name: row[name] for name in ("id", "question", "answer", "topic", "difficulty", "split")}
    return QuestionTask(**asked, configuration=configuration, preference=preference)
