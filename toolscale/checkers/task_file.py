"""Tasks that somebody wrote: `tasks.json`, with our tasks, hand-written ones, or ones in tau2-bench's shape."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from toolscale.artifacts import GoldenCall, Instructions, Task, UserScenario
from toolscale.artifacts.strict_json import read_arguments, read_json
from toolscale.errors import UserError

_LARGEST = 256 * 2**20
"""Bytes of a file of tasks: it is one JSON value and is held whole, at some ten times its size."""


def read_tasks(path: Path) -> list[Task]:
    """The tasks of a file: a list, or an object with `tasks`. Raises `UserError` naming the place that is wrong.

    `id`, `golden_calls` and `communicate_info` are enough. Fields that we do not know are passed over.
    """
    try:
        raw = read_json(_bytes(path))
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); give a file with a list of tasks") from error
    except ValueError as error:
        raise UserError(f"{path}: {error}; give a file with a list of tasks") from error
    rows = raw.get("tasks") if isinstance(raw, dict) else raw
    if not isinstance(rows, list):
        raise UserError(f'{path}: not a list of tasks; write [{{"id", "golden_calls", "communicate_info"}}, ...]')
    tasks: dict[str, Task] = {}
    for position, row in enumerate(rows):
        try:
            task = _task(row)
        except ValueError as error:
            name = f" ({row['id']})" if isinstance(row, dict) and isinstance(row.get("id"), str) else ""
            raise UserError(f"{path}: task {position}{name}: {error}; correct it and run again") from error
        if task.id in tasks:
            raise UserError(f"{path}: task {position}: the id `{task.id}` is there twice; give each task its own")
        tasks[task.id] = task
    return list(tasks.values())


def _bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise UserError(f"{path}: over {_LARGEST // 2**20} MiB of tasks; judge them in several files")
    return content


def _task(row: Any) -> Task:
    if not isinstance(row, dict):
        raise ValueError("not an object")
    try:
        return Task.model_validate(row)
    except ValidationError:
        return _foreign_task(row)


def _foreign_task(row: dict[str, Any]) -> Task:
    """A task with fields of somebody else's: what is needed to judge, and the scenario where it can be read."""
    task_id = row.get("id")
    if not isinstance(task_id, str | int) or isinstance(task_id, bool):
        raise ValueError("no `id` (a string)")
    criteria = row["evaluation_criteria"] if isinstance(row.get("evaluation_criteria"), dict) else {}
    calls = row.get("golden_calls", criteria.get("actions"))
    if calls is None and not criteria:
        raise ValueError("no `golden_calls` (a list of {name, arguments})")
    info = row.get("communicate_info", criteria.get("communicate_info")) or []
    if not isinstance(info, list) or not all(isinstance(fact, str) for fact in info):
        raise ValueError("`communicate_info` is not a list of strings")
    if not isinstance(calls or [], list):
        raise ValueError("`golden_calls` is not a list")
    judged = "golden_calls" in row or judged_by_database(criteria)
    golden = [_golden_call(call, position) for position, call in enumerate(calls or [])]
    return Task(
        id=str(task_id),
        golden_calls=[call for call in golden if call is not None and judged],
        database_judged=judged,
        communicate_info=info,
        user_scenario=_scenario(row.get("user_scenario")),
    )


def judged_by_database(criteria: Mapping[str, Any]) -> bool:
    """Whether tau2-bench compares the database for a task with these criteria, or runs what only it can run instead.

    Without actions and assertions it compares nothing (with an empty list of actions: nothing may change).
    """
    if criteria.get("actions") is None and criteria.get("env_assertions") is None:
        return False
    return not set(criteria.get("reward_basis") or ["DB"]) <= _SAID


_SAID = {"COMMUNICATE", "NL_ASSERTION"}


def _golden_call(raw: Any, position: int) -> GoldenCall | None:
    """A golden call; None for an action that tau2-bench expects of the user and not of the agent."""
    if not isinstance(raw, dict) or not isinstance(raw.get("name"), str):
        raise ValueError(f"golden_calls[{position}] has no `name`")
    if raw.get("requestor") == "user":
        return None
    action_id = raw.get("action_id")
    try:
        arguments = read_arguments(raw.get("arguments"))
        return GoldenCall(
            action_id=action_id if isinstance(action_id, str) else "", name=raw["name"], arguments=arguments
        )
    except ValidationError as error:
        raise ValueError(f"golden_calls[{position}] `{raw['name']}`: the arguments are not JSON") from error
    except ValueError as error:
        raise ValueError(f"golden_calls[{position}] `{raw['name']}`: {error}") from error


def _scenario(raw: Any) -> UserScenario | None:
    if not isinstance(raw, dict):
        return None
    said, persona = raw.get("instructions"), raw.get("persona")
    if isinstance(said, str):
        said = {"reason_for_call": said}
    if not isinstance(said, dict) or not isinstance(said.get("reason_for_call"), str) or not said["reason_for_call"]:
        return None
    words = {name: said[name] for name in Instructions.model_fields if isinstance(said.get(name), str)}
    return UserScenario(
        persona=persona if isinstance(persona, str) else "", instructions=Instructions(**{"domain": "", **words})
    )
