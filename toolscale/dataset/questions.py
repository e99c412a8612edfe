"""Questions as rows: reference answer, tools of the instance with the prices as they are shown, and the preference."""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from toolscale.artifacts import Reject
from toolscale.catalogue.configuration import OfferedTool, ToolConfiguration
from toolscale.dataset.folder import decoded
from toolscale.dataset.imported import ImportedConfig, read_imported, write_imported
from toolscale.dataset.rows import Row, as_json
from toolscale.errors import UserError
from toolscale.input_files import files_in
from toolscale.preferences.preference import Preference
from toolscale.questions.task import QuestionTask

CONFIG: ImportedConfig = "questions"

_PRICE = pa.struct([("input", pa.float64()), ("output", pa.float64())])
_TERMS: list[tuple[str, pa.DataType]] = [
    ("price", _PRICE),
    ("listed_by", pa.string()),
    ("fee", pa.float64()),
    ("seconds", pa.float64()),
]
_TOOL = pa.struct(
    [*((name, pa.string()) for name in ("name", "kind", "description", "parameters")), *_TERMS, ("shown", pa.string())]
)
_PREFERENCE = pa.struct(
    [
        *((name, pa.string()) for name in ("id", "theme", "instruction", "explanation")),
        ("vector", pa.list_(pa.float64())),
    ]
)

SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("id", "question", "answer", "topic", "difficulty")),
        ("configuration", pa.string()),
        ("schedule", pa.string()),
        ("tools", pa.list_(_TOOL)),
        ("preference", _PREFERENCE),
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
    offered, wanted = task.configuration, task.preference
    return {
        **task.model_dump(mode="json", include={"id", "question", "answer", "topic", "difficulty", "split"}),
        "configuration": offered.id if offered else None,
        "schedule": offered.schedule if offered else None,
        "tools": [_tool_row(tool) for tool in offered.tools] if offered else None,
        "preference": wanted.model_dump(mode="json", exclude={"tools", "split"}) if wanted else None,
    }


def question_from(row: Row) -> QuestionTask:
    """The question that a row was made of."""
    configuration = None
    if row["tools"] is not None:
        tools = [_tool_from(tool) for tool in row["tools"]]
        configuration = ToolConfiguration(id=row["configuration"], schedule=row["schedule"], tools=tools)
    preference = None
    if row["preference"] is not None:
        names = list(configuration.names) if configuration else []
        preference = Preference(**row["preference"], tools=names, split=row["split"])
    asked = {name: row[name] for name in ("id", "question", "answer", "topic", "difficulty", "split")}
    return QuestionTask(**asked, configuration=configuration, preference=preference)


def _tool_row(tool: OfferedTool) -> Row:
    own: dict[str, Any] = {"name": tool.name, "kind": tool.kind, "description": tool.description}
    terms = tool.terms.model_dump(mode="json")
    return {**own, "parameters": as_json(tool.parameters), **terms, "shown": tool.spec().description}


def _tool_from(row: Row) -> OfferedTool:
    own = {name: row[name] for name in ("name", "kind", "description")}
    terms = {name: row[name] for name, _ in _TERMS}
    return OfferedTool.model_validate({**own, "parameters": json.loads(row["parameters"]), "terms": terms})
