"""Steps from sets of tool-calling chats: ToolACE's, xLAM's and Hammer's own formats, and that of ToolRL's data.

`read_steps` says which rows it could not use.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

from pydantic import ValidationError

from toolscale.artifacts import Call, Reject
from toolscale.artifacts.base import Json
from toolscale.artifacts.strict_json import read_arguments, read_json, sort_of
from toolscale.errors import UserError
from toolscale.questions.call_text import read_call_list
from toolscale.questions.rlla import read_rlla
from toolscale.questions.steps import OfferedFunction, Step, Utterance, identified
from toolscale.questions.tables import DOMAIN, SourceRow, rows_at

Format = Literal["toolace", "xlam", "rlla"]
"""Hammer's sets have the form of xLAM's, from which they were made."""

_SPEAKERS = {"user": "user", "human": "user", "assistant": "assistant", "gpt": "assistant"}
_RESULTS = {"tool", "function", "observation"}


def read_steps(where: str, *, split: str = "train") -> tuple[list[Step], list[Reject]]:
    """The steps of a set in one of these formats; a chat of several turns gives several steps.

    Args:
        where: a file or folder of Parquet, JSON or JSON lines, or owner/name on the Hub.
        split: which split of a set of the Hub.

    Returns:
        The steps in the set's order, each once; and the rows that are of no use, with the reasons.

    Raises:
        UserError: it cannot be read, it has another format, or no row is of use.
    """
    return steps_in(rows_at(where, split=split), where)


def steps_in(rows: Iterable[SourceRow], where: str) -> tuple[list[Step], list[Reject]]:
    """What `read_steps` makes of the rows of a set."""
    steps: dict[str, Step] = {}
    rejects: list[Reject] = []
    for row in rows:
        read = _READERS[_format(row, where)]
        try:
            steps |= {step.id: step for step in read(row)}
        except (ValueError, ValidationError) as error:
            reason = str(error).splitlines()[0]
            rejects.append(Reject(domain=DOMAIN, stage="steps", check="row", reasons=[reason]))
    if not steps:
        because = f"; the first is not, because {rejects[0].reasons[0]}" if rejects else ""
        raise UserError(f"{where} has no row of use{because}")
    return list(steps.values()), rejects


def _format(row: SourceRow, where: str) -> Format:
    if {"system", "conversations"} <= row.keys():
        return "toolace"
    if {"query", "answers", "tools"} <= row.keys():
        return "xlam"
    if {"prompt", "reward_model"} <= row.keys() or {"instruction", "input", "output"} <= row.keys():
        return "rlla"
    raise UserError(
        f"{where} is in no format of tool calls that is read: ToolACE has the columns system, conversations; xLAM and "
        "Hammer have query, tools, answers; ToolRL's data has prompt, reward_model, or instruction, input, output; "
        f"here are {', '.join(map(str, row))}"
    )


def _of_xlam(row: SourceRow) -> Iterator[Step]:
    """One step: a query, and the calls that answer it; no calls where no tool helps (Hammer's irrelevance set)."""
    tools = [_function(tool) for tool in _list(row["tools"], "tools")]
    calls = [_call(call) for call in _list(row["answers"], "answers")]
    asked = Utterance(speaker="user", text=str(row["query"]).strip())
    yield _step(tools, [asked], Utterance(speaker="assistant", calls=calls))


def _of_rlla(row: SourceRow) -> Iterator[Step]:
    """One step, as ToolRL's authors prompt for it; their own split is kept."""
    told = read_rlla(row)
    tools = [_function(tool) for tool in told.tools]
    step = _step(tools, told.history, told.golden)
    yield step.model_copy(update={"split": told.split}) if told.split else step


def _of_toolace(row: SourceRow) -> Iterator[Step]:
    """A step for each turn of the assistant, with all that was said before it."""
    tools = [_function(tool) for tool in _tools_in(str(row["system"]))]
    names = [tool.name for tool in tools]
    history: list[Utterance] = []
    steps = []
    for said in _list(row["conversations"], "conversations"):
        message = _said(said, names)
        if message.speaker == "assistant":
            if not history:
                raise ValueError("the assistant speaks first")
            steps.append(_step(tools, history, message))
        history = [*history, message]
    yield from steps


def _said(message: Any, names: Sequence[str]) -> Utterance:
    if not isinstance(message, dict):
        raise ValueError(f"a message is {sort_of(message)}, not an object")
    speaker, text = str(message.get("from")), str(message.get("value") or "").strip()
    if speaker in _RESULTS:
        return Utterance(speaker="tool", text=text)
    if speaker not in _SPEAKERS:
        raise ValueError(f"nobody knows the speaker `{speaker}`")
    if _SPEAKERS[speaker] == "user":
        return Utterance(speaker="user", text=text)
    calls = read_call_list(text, names)
    return Utterance(speaker="assistant", text="" if calls else text, calls=calls)


def _tools_in(system: str) -> list[Any]:
    """The list of functions in a system prompt: the first JSON list of objects in it."""
    start = system.find("[{")
    while start >= 0:
        try:
            found, _ = json.JSONDecoder().raw_decode(system, start)
        except (ValueError, RecursionError):
            start = system.find("[{", start + 1)
        else:
            return list(found)
    raise ValueError("the system prompt has no JSON list of functions")


def _step(tools: list[OfferedFunction], history: Sequence[Utterance], golden: Utterance) -> Step:
    names = {tool.name for tool in tools}
    if unknown := sorted({call.name for call in golden.calls} - names):
        raise ValueError(f"`{unknown[0]}` is called and not offered")
    return identified(
        Step(
            id="",
            tools=tools,
            history=list(history),
            golden_calls=golden.calls,
            response=golden.text,
            thought=golden.thought,
        )
    )


def _function(told: Any) -> OfferedFunction:
    """A function with its parameters as JSON Schema: the two formats have other names for objects and types."""
    if not isinstance(told, dict) or not isinstance(told.get("name"), str) or not told["name"].strip():
        raise ValueError("a function of the list has no name")
    parameters = told.get("parameters") or {}
    if not isinstance(parameters, dict):
        raise ValueError(f"the parameters of `{told['name']}` are {sort_of(parameters)}, not an object")
    if "properties" in parameters:
        schema: dict[str, Json] = {**parameters, "type": "object"}
    else:
        required: list[Json] = [name for name, each in parameters.items() if _is_required(each)]
        schema = {"type": "object", "properties": parameters, "required": required}
    return OfferedFunction(name=told["name"], description=str(told.get("description") or ""), parameters=schema)


def _is_required(parameter: Any) -> bool:
    """xLAM marks a parameter that may be left out by a default, or by ``optional`` in its type."""
    return isinstance(parameter, dict) and "default" not in parameter and "optional" not in str(parameter.get("type"))


def _call(told: Any) -> Call:
    if not isinstance(told, dict) or not isinstance(told.get("name"), str):
        raise ValueError('an answer is not {"name": ..., "arguments": {...}}')
    return Call(name=told["name"], arguments=read_arguments(told.get("arguments")))


def _list(told: Any, what: str) -> list[Any]:
    """A list, or the JSON text of one, as the columns of these sets have it."""
    value = read_json(told) if isinstance(told, str) else told
    if not isinstance(value, list):
        raise ValueError(f"`{what}` is {sort_of(value)}, not a list")
    return value


_READERS: dict[Format, Callable[[SourceRow], Iterator[Step]]] = {
    "toolace": _of_toolace,
    "xlam": _of_xlam,
    "rlla": _of_rlla,
}
