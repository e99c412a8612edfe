"""tau-bench's own trajectories, as `historical_trajectories` has them, for `toolscale check`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolscale.environment.folder import read_json
from toolscale.errors import UserError


def trajectories_in(file: Path) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """Each row of a file with its name: as a line for `check`, or the reason why it cannot be one.

    Raises:
        UserError: the file cannot be read, or holds no list.
    """
    rows = read_json(file)
    if not isinstance(rows, list):
        raise UserError(f"{file}: holds no list; give one of tau-bench's files of trajectories")
    for position, row in enumerate(rows):
        name = f"{file.name}, row {position}"
        try:
            yield name, _trajectory(row)
        except ValueError as error:
            yield name, str(error)


def _trajectory(row: Any) -> dict[str, Any]:
    if not isinstance(row, dict) or not isinstance(row.get("task_id"), str | int):
        raise ValueError("it has no `task_id`")
    messages = row.get("traj")
    if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
        raise ValueError("its `traj` is no chat")
    info = row.get("info")
    judged = isinstance(info, dict) and info.get("reward_info")
    ended = {} if judged else {"broken_off": "it ran out of steps, so tau-bench did not judge it"}
    return {"task_id": str(row["task_id"]), **ended, "messages": [_message(each) for each in messages]}


def _message(message: dict[str, Any]) -> dict[str, Any]:
    """The message; what stands beside a call did not reach the user there, and is no part of it."""
    kept = ("role", "tool_calls") if message.get("tool_calls") else ("role", "content")
    return {name: message[name] for name in kept if message.get(name) is not None}
