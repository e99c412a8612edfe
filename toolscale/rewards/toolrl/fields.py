"""The fields of an output: `<think>`, `<tool_call>`, `<response>`, each at most once, in this order (ToolRL, 3.1)."""

import json
import re
from collections.abc import Collection, Mapping
from typing import Any, Literal, get_args

from toolscale.artifacts import Call
from toolscale.artifacts.strict_json import read_arguments, read_json

FieldName = Literal["think", "tool_call", "response"]
ORDER: tuple[FieldName, ...] = get_args(FieldName)

_TAG = re.compile(r"(</?(?:think|tool_call|response)>)")


def read_fields(output: str) -> dict[FieldName, str] | None:
    """The text of each field, by name; None where the output is not made of fields, each whole, once and in order.

    White space may stand between fields, and nothing else. A field's text holds no tag of any field.
    """
    texts, tags = _divided(output)
    openings, closings = tags[0::2], tags[1::2]
    if any(outside.strip() for outside in texts[0::2]):
        return None
    if closings != [f"</{tag[1:]}" for tag in openings]:
        return None
    found: dict[FieldName, str] = {
        name: text for name in ORDER for tag, text in zip(openings, texts[1::2], strict=True) if tag == f"<{name}>"
    }
    return found if [f"<{name}>" for name in found] == openings else None


def format_reward(output: str, required: Collection[FieldName]) -> int:
    """R_format (section 3.3): 1 where the output has the required fields, in order, and no others; else 0."""
    found = read_fields(output)
    return int(found is not None and set(found) == set(required))


def read_calls(output: str) -> list[Call]:
    """The calls of an output, whatever else is wrong with it: a JSON object `{"name", "parameters"}` on each line.

    Raises:
        ValueError: a `<tool_call>` is not closed, or a line in it is no such object.
    """
    texts, tags = _divided(output)
    lines: list[str] = []
    for position, tag in enumerate(tags):
        if tag == "<tool_call>":
            if tags[position + 1 : position + 2] != ["</tool_call>"]:
                raise ValueError("a <tool_call> is not closed")
            lines += texts[position + 1].split("\n")
    return [_read_call(line) for line in lines if line.strip()]


def written_out(message: Mapping[str, Any]) -> str:
    """An assistant's OpenAI chat message in ToolRL's fields.

    Thoughts stand in `reasoning_content`, or in `<think>` at the start of the content; the rest of the content is the
    response. Tags that are left over in it stay there, where `read_fields` finds them out of order.
    """
    content = message.get("content")
    response = content if isinstance(content, str) else ""
    thoughts = message.get("reasoning_content")
    if thoughts is None and response.lstrip().startswith("<think>") and "</think>" in response:
        thoughts, _, response = response.lstrip().removeprefix("<think>").partition("</think>")
    lines = [_written_call(call["function"]) for call in message.get("tool_calls") or []]
    written = "" if thoughts is None else f"<think>{thoughts}</think>\n"
    if lines:
        written += "<tool_call>\n" + "\n".join(lines) + "\n</tool_call>\n"
    return written + (f"<response>{response}</response>" if response.strip() else "")


def _divided(output: str) -> tuple[list[str], list[str]]:
    """The texts around the tags, always one more than there are tags; and the tags."""
    pieces = _TAG.split(output)
    return pieces[0::2], pieces[1::2]


def _read_call(line: str) -> Call:
    said = read_json(line)
    if not (isinstance(said, dict) and isinstance(said.get("name"), str) and isinstance(said.get("parameters"), dict)):
        raise ValueError(f'{line.strip()[:80]} is not {{"name": ..., "parameters": {{...}}}}')
    return Call(name=said["name"], arguments=said["parameters"])


def _written_call(function: Mapping[str, Any]) -> str:
    try:
        parameters: Any = read_arguments(function.get("arguments"))
    except ValueError:
        parameters = function.get("arguments")
    return json.dumps({"name": function.get("name"), "parameters": parameters}, ensure_ascii=False)
