"""Tool calls of an assistant message, run in a session; results and errors go back as tool messages."""

import asyncio
import json
from typing import Any

from pydantic import ValidationError

from toolscale.artifacts import Call, CallOutcome
from toolscale.artifacts.strict_json import read_arguments
from toolscale.environment import Session

Message = dict[str, Any]


async def answer_tool_calls(message: Message, session: Session) -> list[Message]:
    """Run every call of the message in order; one tool message each, with the result or ``{"error": ...}`` as JSON."""
    return [
        {"role": "tool", "tool_call_id": call["id"], "content": tool_content(await _outcome(call["function"], session))}
        for call in message.get("tool_calls") or []
    ]


def tool_content(outcome: CallOutcome | str) -> str:
    """What the agent reads of an outcome; a string is the error of a call that could not be made."""
    if isinstance(outcome, str):
        return json.dumps({"error": outcome})
    if not outcome.ok:
        return json.dumps({"error": outcome.error or outcome.error_type}, ensure_ascii=False)
    return json.dumps(outcome.result, ensure_ascii=False)


async def _outcome(function: dict[str, Any], session: Session) -> CallOutcome | str:
    name = function.get("name")
    if not isinstance(name, str):
        return "the call names no function"
    try:
        call = Call(name=name, arguments=read_arguments(function.get("arguments")))
    except ValidationError:
        return "the arguments nest too deep"
    except ValueError as error:
        return str(error)
    return await asyncio.to_thread(session.call, call.name, call.arguments)
