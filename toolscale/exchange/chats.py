"""`toolscale export --format openai`: the successful attempts as chats for fine-tuning."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolscale.dataset.folder import ids_in, read_trajectories
from toolscale.exchange.published import write_lines
from toolscale.exchange.report import LeftOut, Report


def export_chats(folder: Path, out: Path) -> Report:
    """Write ``train.jsonl`` and ``eval.jsonl`` into `out`: one chat a line, in the split of its task.

    A line has `messages` and `tools`, and nothing else, for endpoints refuse fields that they do not know. Raises
    `UserError` where the folder is no dataset of ours.
    """
    known, strays = ids_in(folder), Counter[str]()

    def chats() -> Iterator[tuple[str, dict[str, Any]]]:
        for split, row in read_trajectories(folder):
            if row["task_id"] in known:
                messages = [_message(message) for message in row["messages"]]
                yield split, {"messages": messages, "tools": json.loads(row["tools"])}
            else:
                strays[row["task_id"]] += 1

    lines = write_lines(out, chats())
    left_out = [LeftOut(f"task {task}", f"not in the dataset, {n} chats") for task, n in strays.items()]
    return Report({"chats": lines}, left_out)


def _message(message: dict[str, Any]) -> dict[str, Any]:
    """A message without the nulls that Parquet's columns hold; what an assistant did not say stays null."""
    return {
        name: value
        for name, value in message.items()
        if value is not None or (name == "content" and message["role"] == "assistant")
    }
