"""Trajectories that somebody recorded: lines of JSON, with plain calls or with OpenAI chat messages."""

from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from toolscale.artifacts import Call
from toolscale.artifacts.strict_json import read_arguments, read_json, sort_of


class BadTrajectoryError(Exception):
    """A line that is no trajectory: what is wrong with it, and the task it names if it names one."""

    def __init__(self, problem: str, task_id: str | None = None) -> None:
        super().__init__(problem)
        self.task_id = task_id


@dataclass(frozen=True)
class RecordedTrajectory:
    """What an agent called and said. A call whose arguments nobody can read did nothing but err: it is only noted."""

    task_id: str
    calls: list[Call]
    agent_messages: list[str]
    erring: list[str] = field(default_factory=list)
    of_user: frozenset[int] = frozenset()
    """Which of the calls the user made."""
    broken_off: str = ""
    """Why the episode had no end, where it had none: it solved nothing then."""


def parse_trajectory(line: str | bytes) -> RecordedTrajectory:
    """Read one line. Where it has both, `calls` and `agent_messages` go before what `messages` say.

    Raises `BadTrajectoryError` if the line is no trajectory.
    """
    try:
        raw = read_json(line)
    except ValueError as error:
        raise BadTrajectoryError(str(error)) from error
    if not isinstance(raw, dict):
        raise BadTrajectoryError(f"a trajectory is a JSON object, this is {sort_of(raw)}")
    task_id = raw.get("task_id")
    if isinstance(task_id, int) and not isinstance(task_id, bool):
        task_id = str(task_id)
    if not isinstance(task_id, str):
        raise BadTrajectoryError(
            "no `task_id`" if task_id is None else f"`task_id` is {sort_of(task_id)}, not a string"
        )
    try:
        return _trajectory(task_id, raw)
    except ValueError as error:
        raise BadTrajectoryError(str(error), task_id) from error


def _trajectory(task_id: str, raw: dict[str, Any]) -> RecordedTrajectory:
    calls, said, messages = (raw.get(word) for word in ("calls", "agent_messages", "messages"))
    if calls is None and said is None and messages is None:
        raise ValueError("neither `calls` with `agent_messages` nor `messages`")
    chat = [_object(message, f"messages[{place}]") for place, message in enumerate(_list(messages or [], "messages"))]
    spoken = [(place, message) for place, message in enumerate(chat) if message.get("role") == "assistant"]
    if calls is None:
        written = [
            (f"messages[{place}].tool_calls[{position}]", _made_by(message, call))
            for place, message in enumerate(chat)
            if message.get("role") in ("assistant", "user")
            for position, call in enumerate(
                _list(message.get("tool_calls") or _legacy_call(message), f"messages[{place}].tool_calls")
            )
        ]
    else:
        written = [(f"calls[{position}]", call) for position, call in enumerate(_list(calls, "calls"))]
    if said is None:
        agent_messages = [
            text for place, message in spoken if (text := _content(message.get("content"), f"messages[{place}]"))
        ]
    else:
        agent_messages = [
            _string(text, f"agent_messages[{position}]") for position, text in enumerate(_list(said, "agent_messages"))
        ]
    readable: list[Call] = []
    erring: list[str] = []
    of_user: set[int] = set()
    for place, call in written:
        try:
            made = _call(_object(call, place), place)
        except _ArgumentsError as error:
            erring.append(str(error))
            continue
        if call.get("requestor") == "user":
            of_user.add(len(readable))
        readable.append(made)
    broken_off = _string(raw.get("broken_off", ""), "`broken_off`")
    return RecordedTrajectory(task_id, readable, agent_messages, erring, frozenset(of_user), broken_off)


def _made_by(message: dict[str, Any], call: Any) -> Any:
    """The call, with who made it: tau2-bench's users call tools too."""
    return {**call, "requestor": message["role"]} if isinstance(call, dict) else call


class _ArgumentsError(Exception):
    """The arguments of a call are no JSON object."""


def _call(raw: dict[str, Any], place: str) -> Call:
    function = _object(raw["function"], f"{place}.function") if "function" in raw else raw
    name = _string(function.get("name"), f"{place} `name`")
    try:
        return Call(name=name, arguments=read_arguments(function.get("arguments")))
    except ValidationError as error:
        raise _ArgumentsError(f"{place} `{name}`: the arguments are not JSON") from error
    except ValueError as error:
        raise _ArgumentsError(f"{place} `{name}`: {error}") from error


def _legacy_call(message: dict[str, Any]) -> list[Any]:
    """OpenAI's older form, one `function_call` a message."""
    return [{"function": message["function_call"]}] if message.get("function_call") else []


def _content(content: Any, place: str) -> str:
    """What a message says: a string, or the text of its parts."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = [_object(part, f"{place}.content[{position}]") for position, part in enumerate(_list(content, place))]
    texts = [part.get("text") for part in parts if part.get("type") in ("text", "output_text")]
    return "\n".join(_string(text, f"{place}.content") for text in texts)


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"`{place}` is {sort_of(value)}, not a list")
    return value


def _object(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"`{place}` is {sort_of(value)}, not an object")
    return value


def _string(value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{place} is {sort_of(value)}, not a string")
    return value
