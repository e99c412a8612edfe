"""ToolRL's own data (`rlla_4k`, and its files for SFT): one prompt and one golden output a row, both as text.

Its rows come as verl reads them (`prompt`, `reward_model`) or as LLaMA-Factory does (`instruction`, `input`, `output`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from toolscale.artifacts.base import Split
from toolscale.artifacts.strict_json import read_json, sort_of
from toolscale.questions.steps import Utterance
from toolscale.questions.tables import SourceRow
from toolscale.rewards.toolrl import read_calls, read_fields

_SECTION = re.compile(r"following tools:\n(.*?)\n\s*\*\*Steps for Each Turn\*\*", re.DOTALL)
_TOOL = re.compile(r"^\d+\. Name: (.+)\nDescription: ([\s\S]*?)\nParameters: (\{.*\})$", re.MULTILINE)
_NUMBERED = re.compile(r"^\d+\. Name: ", re.MULTILINE)
_HEADING = re.compile(r"\s*\*\*Dialogue (?:Records )?History\*\*")
_FIELD = re.compile(r"\s*<(user|think|tool_call|response|obs)>(.*?)</\1>", re.DOTALL)
_THOUGHT = re.compile(r"\s*<think>(.*?)</think>(.*)", re.DOTALL)


@dataclass(frozen=True)
class RllaRow:
    """What a row says."""

    tools: list[dict[str, Any]]
    history: list[Utterance]
    golden: Utterance
    split: Split | None
    """The authors', where the row names one."""


def read_rlla(row: SourceRow) -> RllaRow:
    """A row of ToolRL's data.

    Raises:
        ValueError: it is written otherwise than ToolRL's rows are.
    """
    if "reward_model" in row:
        told = {str(said.get("role")): str(said.get("content")) for said in _objects(row["prompt"], "prompt")}
        system, user = told.get("system", ""), told.get("user", "")
        output = str(_object(row["reward_model"], "reward_model").get("ground_truth"))
        extra = row.get("extra_info")
        named = extra.get("split") if isinstance(extra, dict) else None
    else:
        system, user, output, named = str(row["instruction"]), str(row["input"]), str(row["output"]), None
    split: Split | None = None if named is None else "train" if named == "train" else "eval"
    return RllaRow(_tools(system), _history(user), _golden(output), split)


def _tools(system: str) -> list[dict[str, Any]]:
    section = _SECTION.search(system)
    if section is None:
        raise ValueError("the system prompt lists no tools as ToolRL's does")
    found = _TOOL.findall(section[1])
    if len(found) < len(_NUMBERED.findall(section[1])):
        raise ValueError("a tool of the system prompt is not listed by name, description and parameters")
    return [
        {"name": name, "description": description, "parameters": _object(read_json(parameters), "parameters")}
        for name, description, parameters in found
    ]


def _history(user: str) -> list[Utterance]:
    """The dialogue: each of the assistant's messages is a thought, calls, a response, or several of these."""
    heading = _HEADING.match(user)
    said: list[Utterance] = []
    for name, text in _fields(user[heading.end() if heading else 0 :]):
        if name in ("user", "obs"):
            said.append(Utterance(speaker="user" if name == "user" else "tool", text=text))
            continue
        begun = said[-1] if said and said[-1].speaker == "assistant" and not said[-1].text else None
        if begun is None or name == "think" or (name == "tool_call" and begun.calls):
            said.append(begun := Utterance(speaker="assistant"))
        said[-1] = begun.model_copy(update=_part(name, text))
    return said


def _part(name: str, text: str) -> dict[str, Any]:
    if name == "tool_call":
        return {"calls": read_calls(f"<tool_call>{text}</tool_call>")}
    return {"thought" if name == "think" else "text": text}


def _fields(dialogue: str) -> Iterator[tuple[str, str]]:
    position = 0
    while dialogue[position:].strip():
        field = _FIELD.match(dialogue, position)
        if field is None:
            raise ValueError(f"`{dialogue[position:].strip()[:40]}` is no field of a dialogue")
        yield field[1], field[2].strip()
        position = field.end()


def _golden(output: str) -> Utterance:
    """A thought may speak of tags, so it ends with its own; the rest is fields."""
    thought = _THOUGHT.fullmatch(output)
    rest = thought[2] if thought else output
    fields = read_fields(rest)
    if not fields:
        raise ValueError("the golden output is not made of ToolRL's fields")
    return Utterance(
        speaker="assistant",
        thought=thought[1].strip() if thought else "",
        calls=read_calls(rest),
        text=fields.get("response", "").strip(),
    )


def _object(told: Any, what: str) -> dict[str, Any]:
    if not isinstance(told, dict):
        raise ValueError(f"`{what}` is {sort_of(told)}, not an object")
    return told


def _objects(told: Any, what: str) -> list[dict[str, Any]]:
    if not isinstance(told, Sequence) or isinstance(told, str):
        raise ValueError(f"`{what}` is {sort_of(told)}, not a list")
    return [_object(each, what) for each in told]
