"""Attempts as rows: chats from the user's first message on, beside the prompt that all chats of a domain begin with."""

from collections.abc import Mapping, Sequence
from typing import Any

from toolscale.artifacts import Trajectory, Verdict, content_id
from toolscale.dataset.rows import Row, as_json
from toolscale.errors import UserError
from toolscale.messages import Message


def system_prompt(messages: Sequence[Message]) -> str:
    """What a chat tells the agent first; empty if it has no such message."""
    return str(messages[0]["content"]) if messages and messages[0]["role"] == "system" else ""


def prompt_row(domain: str, said: str, tools: Sequence[Mapping[str, Any]]) -> Row:
    """What chats begin with, as a row: the system prompt, and the tools on offer."""
    offered = as_json(list(tools))
    return {
        "id": content_id(domain, "prompt", said, offered),
        "domain": domain,
        "system_prompt": said,
        "tools": offered,
    }


def chat_row(trajectory: Trajectory, prompt: Row) -> Row:
    """An attempt as a row that goes with this prompt."""
    return {
        "task_id": trajectory.task_id,
        "domain": prompt["domain"],
        "attempt": trajectory.attempt,
        "prompt_id": prompt["id"],
        "messages": [message_row(message) for message in after_system(trajectory.messages)],
        "calls": as_json([outcome.model_dump(mode="json") for outcome in trajectory.calls]),
        "prompt_tokens": trajectory.prompt_tokens,
        "completion_tokens": trajectory.completion_tokens,
    }


def failed_row(trajectory: Trajectory, prompt: Row, verdict: Verdict) -> Row:
    """A failed attempt as a row: the chat, and what was wrong with it."""
    return chat_row(trajectory, prompt) | verdict.model_dump(mode="json")


def after_system(messages: Sequence[Message]) -> Sequence[Message]:
    """The chat without its system prompt."""
    return messages[1:] if messages and messages[0]["role"] == "system" else messages


def whole_chat(row: Row, prompts: Mapping[str, Row]) -> Row:
    """A row with the whole of its chat: `messages` from the system prompt on, and `tools`.

    Rows of earlier versions are that already. Raises UserError where the row names a prompt that is not there.
    """
    if "prompt_id" not in row:
        return row
    prompt = prompts.get(row["prompt_id"])
    if prompt is None:
        raise UserError(
            f"no prompt `{row['prompt_id']}`, with which an attempt at {row['task_id']} begins; add its row"
        )
    said = prompt["system_prompt"]
    first = [{**dict.fromkeys(_MESSAGE), "role": "system", "content": said}] if said else []
    return {**row, "messages": [*first, *row["messages"]], "tools": prompt["tools"]}


_MESSAGE = ("role", "content", "tool_calls", "tool_call_id")


def message_row(message: Message) -> Row:
    """A message with all its columns."""
    calls = [_tool_call_row(call) for call in message.get("tool_calls") or []]
    return {name: message.get(name) for name in _MESSAGE} | {"tool_calls": calls or None}


def _tool_call_row(call: Row) -> Row:
    """A tool call as it was made; arguments that were left empty are an empty object."""
    function = call["function"]
    return {**call, "function": {"name": function["name"], "arguments": function["arguments"].strip() or "{}"}}
