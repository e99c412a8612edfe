"""Rows in the columns of the published ToolScale dataset, out and in.

`id, description, user_scenario, initial_state, evaluation_criteria`, with arguments as an object. The published Parquet
has one struct over the arguments of all functions, padded with nulls; we write JSON lines, where nothing is padded, and
read both.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from toolscale.artifacts import Task
from toolscale.artifacts.strict_json import read_json
from toolscale.dataset.folder import Placed
from toolscale.errors import UserError
from toolscale.exchange.report import Report
from toolscale.input_files import files_in
from toolscale.whole import whole_folder

COLUMNS = ("id", "description", "user_scenario", "initial_state", "evaluation_criteria")
PublishedRow = dict[str, Any]


def export_published(placed: Sequence[Placed], out: Path) -> Report:
    """Write ``train.jsonl`` and ``eval.jsonl`` into `out`."""
    return Report({"rows": write_lines(out, ((one.split, published_row(one.task)) for one in placed))})


def write_lines(out: Path, rows: Iterable[tuple[str, dict[str, Any]]]) -> int:
    """Write one file of JSON lines a split into `out`, which appears whole; returns how many lines."""
    texts: dict[str, list[str]] = {}
    for split, row in rows:
        texts.setdefault(split, []).append(json.dumps(row, ensure_ascii=False) + "\n")
    with whole_folder(out) as made:
        for split, lines in texts.items():
            (made / f"{split}.jsonl").write_text("".join(lines), encoding="utf-8")
    return sum(map(len, texts.values()))


def published_row(task: Task) -> PublishedRow:
    """A task in the published columns, which have no place for its environment and for what is known about it."""
    scenario = task.user_scenario
    return {
        "id": task.id,
        "description": {"purpose": task.intent, "relevant_policies": None, "notes": task.lineage.added or None},
        "user_scenario": scenario.model_dump(mode="json") if scenario else None,
        "initial_state": None,
        "evaluation_criteria": {
            "actions": [
                {"action_id": call.action_id, "name": call.name, "arguments": call.arguments}
                for call in task.golden_calls
            ]
            if task.database_judged
            else None,
            "communicate_info": task.communicate_info,
            "nl_assertions": task.nl_assertions,
        },
    }


def is_published(path: Path) -> bool:
    """Whether a path holds rows in these columns: a file of them, or a folder of such files."""
    return any(True for _ in _files(path))


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield from [path] if path.suffix in (".parquet", ".jsonl") else []
        return
    for folder in (path, path / "data"):
        yield from files_in(folder, "*.parquet", "*.jsonl")


def read_published(path: Path) -> list[tuple[PublishedRow, list[str]]]:
    """The rows of a file or folder, each with what is wrong with its form. Padding is taken out of the arguments.

    Raises:
        UserError: a file cannot be read, or its rows do not have these columns.
    """
    rows: list[tuple[PublishedRow, list[str]]] = []
    for file in _files(path):
        raw = _parquet(file) if file.suffix == ".parquet" else _lines(file)
        for position, row in enumerate(raw):
            if not isinstance(row, dict) or not {"id", "user_scenario", "evaluation_criteria"} <= row.keys():
                raise UserError(f"{file}: row {position} lacks the columns id, user_scenario, evaluation_criteria")
            rows.append(_plain(row))
    if not rows:
        raise UserError(f"{path}: holds no rows (*.parquet, *.jsonl); give a file or folder of rows to audit")
    return rows


def _parquet(file: Path) -> list[PublishedRow]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows: list[PublishedRow] = pq.ParquetFile(file).read(use_threads=False).to_pylist()
    except (OSError, pa.ArrowInvalid) as error:
        raise UserError(f"{file} cannot be read as Parquet ({error}); download it again") from error
    return rows


def _lines(file: Path) -> list[Any]:
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, ValueError) as error:
        raise UserError(f"{file}: cannot be read: {error}; download it again") from None
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            rows += [read_json(line)] if line.strip() else []
        except ValueError as error:
            raise UserError(f"{file}:{number}: {error}; one JSON object a line is wanted") from None
    return rows


def _plain(row: PublishedRow) -> tuple[PublishedRow, list[str]]:
    """A row with its arguments as plain objects, and what was wrong with its form."""
    wrong: list[str] = []
    criteria = row["evaluation_criteria"] if isinstance(row["evaluation_criteria"], dict) else {}
    actions = []
    listed = criteria.get("actions")
    if not isinstance(listed, list | None):
        wrong.append("its actions are not a list")
        listed = None
    for position, action in enumerate(listed or []):
        if not isinstance(action, dict):
            wrong.append(f"actions[{position}] is not an object")
            continue
        arguments = action.get("arguments")
        if isinstance(arguments, str):
            try:
                arguments = read_json(arguments)
            except ValueError as error:
                wrong.append(f"actions[{position}]: its arguments cannot be read ({error})")
                arguments = {}
        if not isinstance(arguments, dict | None):
            wrong.append(f"actions[{position}]: its arguments are not an object")
            arguments = {}
        given = {name: _value(value) for name, value in (arguments or {}).items() if value is not None}
        actions.append({"action_id": action.get("action_id"), "name": str(action.get("name")), "arguments": given})
    criteria = {**criteria, "actions": actions}
    return {**row, "id": str(row["id"]), "evaluation_criteria": criteria}, wrong


def _value(value: Any) -> Any:
    """A value as JSON has it: padding inside of structs goes, and so do the dates that Arrow makes of texts."""
    if isinstance(value, dict):
        return {name: _value(each) for name, each in value.items() if each is not None}
    if isinstance(value, list):
        return [_value(each) for each in value]
    return value.isoformat() if isinstance(value, date) else value
