"""One turn of an orchestrator: the calls of its message, made, and what they took."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

from pydantic import Field, ValidationError

from toolscale.artifacts.base import Artifact, Json
from toolscale.artifacts.strict_json import read_arguments
from toolscale.episodes.loop import Spoken
from toolscale.llm import BudgetSpent
from toolscale.messages import Message
from toolscale.orchestration.trace import ToolCall
from toolscale.tools.tool import Tool, ToolAnswer

OUT_OF_BUDGET = "the run's budget is spent"


class Turn(Artifact):
    """What an orchestrator said in one turn, what its calls brought, and what all of it took."""

    turn: int
    message: Message
    calls: list[ToolCall] = Field(default_factory=list, description="One for each tool call of the message, in order.")
    dollars: float = Field(default=0.0, description="Of the orchestrator's own tokens.")
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = Field(default=0.0, description="Of the orchestrator and its calls, as they went side by side.")

    def spoken(self) -> Spoken:
        """The turn's message, as the loop counts it."""
        return Spoken(self.message, self.dollars, self.seconds, self.prompt_tokens, self.completion_tokens)

    def messages(self) -> list[Message]:
        """The turn as it stands in the conversation: what was said, then one message for each call."""
        answers = [
            {"role": "tool", "tool_call_id": call["id"], "content": made.answer.shown}
            for call, made in zip(self.message.get("tool_calls") or [], self.calls, strict=True)
        ]
        return [readable(self.message), *answers]


def readable(message: Message) -> Message:
    """A message as it stands in the conversation.

    Arguments that are no JSON object stand there as an empty one, since endpoints refuse a conversation that has them;
    the call's answer says what was wrong.
    """
    asked = message.get("tool_calls")
    return {**message, "tool_calls": [_readable(call) for call in asked]} if asked else message


def with_ids(message: Message) -> Message:
    """A message whose calls all have an id; some servers send none."""
    asked = message.get("tool_calls")
    if not asked:
        return message
    named = [{**call, "id": call.get("id") or f"call_{position}"} for position, call in enumerate(asked)]
    return {**message, "tool_calls": named}


async def make_calls(
    turn: int, message: Message, tools: Mapping[str, Tool], heard: Callable[[ToolCall], None]
) -> tuple[list[ToolCall], float]:
    """Make every call of a message; the calls, and the seconds they took.

    Calls that only read go out together; one that writes waits for those before it, and those after it wait for it.

    Raises:
        UserError: a tool found something that the user has to mend.
    """
    asked = [_asked(turn, call.get("function") or {}, tools) for call in message.get("tool_calls") or []]
    made: list[ToolCall] = []
    seconds = 0.0

    async def make(call: ToolCall) -> ToolCall:
        answered = call if call.answer.error else call.model_copy(update={"answer": await _answer(call, tools)})
        heard(answered)
        return answered

    for _, together in groupby(enumerate(asked), key=lambda each: -1 if _reads(each[1], tools) else each[0]):
        answered = await _all([make(call) for _, call in together])
        made += answered
        seconds += max(call.answer.seconds for call in answered)
    return made, seconds


def stateful(call: ToolCall, tools: Mapping[str, Tool]) -> bool:
    """True for a call that a later one may build on, so that it must be made again where its traces are gone.

    Those of an MCP server's tool are not: what it did in the world is still done, and must not be done twice.
    """
    tool = tools.get(call.tool)
    return (
        tool is not None
        and tool.kind != "mcp"
        and (tool.kind in ("function", "code_interpreter") or tool.spec.kind == "write")
    )


def _asked(turn: int, function: Mapping[str, Any], tools: Mapping[str, Tool]) -> ToolCall:
    """A call as it was asked for; with an error already where it cannot be made."""
    name = function.get("name") or ""
    arguments: dict[str, Json] = {}
    error = None
    if name not in tools:
        error = f"there is no tool `{name}`: use {', '.join(tools) or 'none'}"
    else:
        try:
            arguments = read_arguments(function.get("arguments"))
            return ToolCall(turn=turn, tool=name, arguments=arguments, answer=ToolAnswer())
        except ValidationError:
            error, arguments = "the arguments nest too deep", {}
        except ValueError as reason:
            error = str(reason)
    return ToolCall(turn=turn, tool=str(name), arguments=arguments, answer=ToolAnswer(error=error))


def _readable(call: dict[str, Any]) -> dict[str, Any]:
    try:
        read_arguments(call["function"].get("arguments"))
        return call
    except ValueError:
        return {**call, "function": {**call["function"], "arguments": "{}"}}


def _reads(call: ToolCall, tools: Mapping[str, Tool]) -> bool:
    return call.tool not in tools or tools[call.tool].spec.kind == "read"


async def _answer(call: ToolCall, tools: Mapping[str, Tool]) -> ToolAnswer:
    try:
        return await tools[call.tool].call(call.arguments)
    except BudgetSpent:
        return ToolAnswer(error=OUT_OF_BUDGET)


async def _all(calls: Sequence[Awaitable[ToolCall]]) -> list[ToolCall]:
    """All answers, once every call has come to its end; then the first failure, if any."""
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
    return [outcome for outcome in outcomes if isinstance(outcome, ToolCall)]
