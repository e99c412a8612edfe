"""tau2-bench's results.json as trajectories for `toolscale check`.

A simulation that neither side ended by itself counts as unsolved there, whatever it did. Its line says so.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolscale.environment.folder import read_json
from toolscale.errors import UserError

_ENDED = ("agent_stop", "user_stop")
_ROLES = ("user", "assistant", "tool", "system")


def simulations_in(file: Path) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """The simulations of a file, each with its name: as a line, or the reason why it cannot be one.

    Raises:
        UserError: the file cannot be read, or holds no simulations.
    """
    results = read_json(file)
    if not isinstance(results, dict) or not isinstance(results.get("simulations"), list):
        raise UserError(f"{file}: has no list `simulations`; give a results.json of tau2-bench")
    listed = results.get("tasks")
    tasks = {str(task.get("id")): task for task in listed if isinstance(task, dict)} if isinstance(listed, list) else {}
    for position, simulation in enumerate(results["simulations"]):
        name = f"{file.name}, simulation number {position}"
        try:
            yield name, _trajectory(simulation, tasks)
        except ValueError as error:
            yield name, str(error)


def _trajectory(simulation: Any, tasks: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(simulation, dict) or not isinstance(simulation.get("task_id"), str | int):
        raise ValueError("it has no `task_id`")
    messages = simulation.get("messages")
    if not isinstance(messages, list) or not all(
        isinstance(each, dict) and each.get("role") in _ROLES for each in messages
    ):
        spoken = simulation.get("ticks") and not messages
        raise ValueError(
            "it was spoken, and has ticks in place of messages" if spoken else "its `messages` are no chat"
        )
    task_id, reason = str(simulation["task_id"]), simulation.get("termination_reason")
    history = _history(tasks.get(task_id))
    ended = {} if reason in _ENDED else {"broken_off": str(reason)}
    # What a task's history called belongs to its initial state.
    began = len(history) if [*map(_said, messages[: len(history)])] == [*map(_said, history)] else 0
    return {"task_id": task_id, **ended, "messages": [_message(each) for each in messages[began:]]}


def _history(task: Any) -> list[Any]:
    state = task.get("initial_state") if isinstance(task, dict) else None
    history = state.get("message_history") if isinstance(state, dict) else None
    return history if isinstance(history, list) else []


def _said(message: Any) -> Any:
    if not isinstance(message, dict):
        return message
    calls = message.get("tool_calls")
    names = [each.get("name") for each in calls if isinstance(each, dict)] if isinstance(calls, list) else []
    return message.get("role"), message.get("content"), names


def _message(message: dict[str, Any]) -> dict[str, Any]:
    return {name: message[name] for name in ("role", "content", "tool_calls", "id") if message.get(name) is not None}
