"""Which rows of a dataset, and lines of its exports, stand in another split than a task that they name."""

import json
import re
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from toolscale.dataset.chats import whole_chat
from toolscale.dataset.columns import LATER

_NAME = re.compile(r"[\w-]+")


def rows_of(file: Path) -> list[dict]:
    if file.suffix == ".parquet":
        return pq.read_table(file).to_pylist()
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def splits_of_tasks(dataset: Path) -> dict[str, str]:
    """Task id -> the split of the file that its row is in."""
    return {row["id"]: file.stem for file in sorted((dataset / "tasks").iterdir()) for row in rows_of(file)}


def crossing(dataset: Path, folder: Path | None = None) -> list[str]:
    """Rows outside of `eval` that name a task of `eval`, anywhere in them; and attempts that are not with their task.

    `folder` is the dataset itself, or what it was exported to. Environments are of both splits.
    """
    splits = splits_of_tasks(dataset)
    found = []
    for file in sorted((folder or dataset).rglob("*")):
        if file.suffix not in (".parquet", ".jsonl") or file.parent.name == "environments":
            continue
        for row in rows_of(file):
            named = {name for name in _NAME.findall(json.dumps(row)) if name in splits}
            crossed = [name for name in named if file.stem != "eval" and splits[name] == "eval"]
            own = row.get("task_id")
            if crossed or (own and splits[own] != file.stem):
                found.append(f"{file.relative_to(folder or dataset)}: {crossed or own}")
    return found


def as_earlier_versions_wrote_it(dataset: Path) -> Path:
    """Put all attempts, and all rejects, into one file each, whole chats, and leave out what came later."""
    prompts = {row["id"]: row for row in rows_of(dataset / "prompts" / "train.parquet")}
    chats = [
        {**whole_chat(row, prompts), "termination": "done"}
        for file in sorted((dataset / "trajectories").iterdir())
        for row in rows_of(file)
    ]
    rejects = pq.read_table(dataset / "rejects")
    for config in ("trajectories", "rejects"):
        for file in (dataset / config).iterdir():
            file.unlink()
    pq.write_table(rejects, dataset / "rejects" / "train.parquet")
    pq.write_table(pa.Table.from_pylist(chats).drop_columns("prompt_id"), dataset / "trajectories" / "train.parquet")
    for config in ("prompts", "failed_attempts"):
        shutil.rmtree(dataset / config)
    for file in (dataset / "tasks").iterdir():
        pq.write_table(pq.read_table(file).drop_columns(sorted(LATER["tasks"])), file)
    return dataset
