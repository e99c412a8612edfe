"""Calls of a domain's functions: as a message asks for them, and as the agent reads what came of them."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import ValidationError

from toolscale.artifacts import Call, CallOutcome
from toolscale.artifacts.strict_json import read_arguments
from toolscale.environment import Session
from toolscale.messages import Message


async def answers_of(message: Message, make: Callable[[Call], Awaitable[CallOutcome | str]]) -> list[str]:
    """Make every call of a message in order: what the agent reads of each.

    Args:
        message: an assistant message.
        make: makes one call; a string is the error of one that cannot be made.
    """
    return [tool_content(await _made(call["function"], make)) for call in message.get("tool_calls") or []]


def in_session(session: Session) -> Callable[[Call], Awaitable[CallOutcome]]:
    """Makes calls in a session, without holding up the event loop."""

    async def make(call: Call) -> CallOutcome:
        return await asyncio.to_thread(session.call, call.name, call.arguments)

    return make


def tool_content(outcome: CallOutcome | str) -> str:
    """What the agent reads of an outcome; a string is the error of a call that could not be made."""
    if isinstance(outcome, str):
        return json.dumps({"error": outcome})
    if not outcome.ok:
        return json.dumps({"error": outcome.error or outcome.error_type}, ensure_ascii=False)
    return json.dumps(outcome.result, ensure_ascii=False)


async def _made(function: dict[str, Any], make: Callable[[Call], Awaitable[CallOutcome | str]]) -> CallOutcome | str:
    name = function.get("name")
    if not isinstance(name, str):
        return "the call names no function"
    try:
        call = Call(name=name, arguments=read_arguments(function.get("arguments")))
    except ValidationError:
        return "the arguments nest too deep"
    except ValueError as error:
        return str(error)
    return await make(call)
