"""ToolRL's format around an orchestrator: for a model that was trained on steps, and is to be asked as it was trained.

The conversation stays in OpenAI's form, in traces as elsewhere. Before each turn it is written as ToolRL's prompt, and
what the model writes into `<think>`, `<tool_call>` and `<response>` is read into a message with calls.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from toolscale.artifacts import Call
from toolscale.artifacts.strict_json import read_arguments
from toolscale.messages import Message
from toolscale.questions.steps import OfferedFunction, Step, Utterance
from toolscale.rewards.toolrl import read_calls, read_fields

ChatFormat = Literal["openai", "toolrl"]
"""How an orchestrator is asked: with the endpoint's own tool calls, or in ToolRL's fields."""


def as_step(messages: Sequence[Message], offer: Sequence[Mapping[str, Any]]) -> list[Message]:
    """The prompt for the next step of a conversation. What a system message says, the first user's message says."""
    tools = [_function(tool["function"]) for tool in offer]
    return Step(id="", tools=tools, history=_dialogue(messages), golden_calls=[]).messages()


def as_message(reply: Message) -> Message:
    """What a model wrote, as a message with calls; text in no fields, or whose calls cannot be read, is said."""
    output = str(reply.get("content") or "")
    try:
        calls = read_calls(output)
    except ValueError:
        calls = []
    fields = read_fields(output) or {}
    thought, beside = _thought(output)
    response = fields.get("response") or output.partition("<response>")[2].partition("</response>")[0]
    said = response.strip() if response or calls else beside.strip()
    message: Message = {"role": "assistant", "content": f"<think>{thought}</think>\n{said}" if thought else said}
    if calls:
        message["tool_calls"] = [_asked(call, place) for place, call in enumerate(calls)]
    return message


def _dialogue(messages: Sequence[Message]) -> list[Utterance]:
    told: list[Utterance] = []
    before = ""
    for message in messages:
        text = str(message.get("content") or "")
        if message["role"] == "system":
            before += f"{text}\n\n"
        elif message["role"] == "assistant":
            told.append(_said(text, message.get("tool_calls") or []))
        elif message["role"] == "tool":
            told.append(Utterance(speaker="tool", text=text))
        else:
            told.append(Utterance(speaker="user", text=before + text))
            before = ""
    return told


def _said(text: str, asked: Sequence[Mapping[str, Any]]) -> Utterance:
    thought, said = _thought(text)
    calls = [
        Call(name=call["function"]["name"], arguments=read_arguments(call["function"].get("arguments")))
        for call in asked
    ]
    return Utterance(speaker="assistant", text=said.strip(), calls=calls, thought=thought.strip())


def _function(described: Mapping[str, Any]) -> OfferedFunction:
    return OfferedFunction(
        name=described["name"],
        description=described.get("description") or "",
        parameters=described.get("parameters") or {},
    )


def _asked(call: Call, place: int) -> dict[str, Any]:
    function = {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)}
    return {"id": f"call_{place}", "type": "function", "function": function}


def _thought(text: str) -> tuple[str, str]:
    """What stands in the first `<think>`, where that is closed, and the text without it."""
    before, _, rest = text.partition("<think>")
    thought, closed, after = rest.partition("</think>")
    return (thought, before + after) if closed else ("", text)
