"""Our orchestrator as the agent of a framework that runs in a thread and asks for one message at a time.

The orchestrator works on the event loop, one run for each thing the user says. A call of a function of the domain
leaves it as the agent's next message, and what the framework answers comes back as the call's result; calls of the
catalogue's tools are made here, and the framework never hears of them.
"""

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from toolscale.artifacts import FunctionSpec
from toolscale.artifacts.base import Json
from toolscale.evaluation.solver import Solver
from toolscale.messages import Message
from toolscale.orchestration.run import Event, Said
from toolscale.orchestration.trace import ToolCall, Trace, as_one, turns_of
from toolscale.tools.tool import ToolAnswer

OVER = "###OVER###"
"""What the agent says when it cannot go on."""


class Conversation:
    """One conversation between a framework's user and the orchestrator."""

    def __init__(
        self,
        problem: str,
        solver: Solver,
        instructions: Sequence[Message],
        functions: Sequence[Mapping[str, Any]],
        messages: Any,
    ) -> None:
        """``functions`` are the domain's in OpenAI's form, ``messages`` the framework's module of message classes."""
        self._problem, self._solver, self._classes = problem, solver, messages
        self._offered = solver.open(problem, [_DomainTool.of(function, self) for function in functions])
        self._messages: list[Message] = list(instructions)
        self._said: asyncio.Queue[Any] = asyncio.Queue()
        self._heard: asyncio.Queue[Any] = asyncio.Queue()
        self._work: asyncio.Task[None] | None = None
        self._runs: list[Trace] = []
        self._numbered = 0
        self.failure: BaseException | None = None
        """What ended it that is nobody's answer, such as a broken endpoint."""

    @property
    def tools(self) -> tuple[str, ...]:
        """What the orchestrator is offered."""
        return tuple(tool.spec.name for tool in self._offered)

    def agent(self, loop: asyncio.AbstractEventLoop) -> "Tau2Agent":
        """What the framework talks to, from its own thread."""
        return Tau2Agent(self, loop)

    def remember(self, history: Sequence[Any]) -> None:
        """Messages that were there before the agent."""
        self._messages += [as_openai(message) for message in history]

    async def next(self, message: Any) -> Any:
        """The agent's next message, after something from the user or the results of its calls."""
        if self._work is not None:
            self._heard.put_nowait(message)
        else:
            self._messages.append(as_openai(message))
            self._work = asyncio.create_task(self._respond())
        said = await self._said.get()
        if isinstance(said, BaseException):
            raise said
        return said

    async def call_function(self, name: str, arguments: Mapping[str, Json]) -> ToolAnswer:
        """Have the framework run a function of the domain."""
        started = time.perf_counter()
        self._numbered += 1
        call = self._classes.ToolCall(id=f"call_{self._numbered}", name=name, arguments=dict(arguments))
        self._said.put_nowait(self._classes.AssistantMessage(role="assistant", content=None, tool_calls=[call]))
        result = await self._heard.get()
        content, seconds = str(result.content or ""), time.perf_counter() - started
        if getattr(result, "error", False):
            return ToolAnswer(error=content.removeprefix("Error: ") or "the function failed", seconds=seconds)
        return ToolAnswer(content=content, seconds=seconds)

    async def close(self) -> None:
        """End what the framework did not wait for; what it cost stays in the trace."""
        if self._work is not None:
            self._work.cancel()
            await asyncio.gather(self._work, return_exceptions=True)

    def trace(self) -> Trace:
        """All runs as one."""
        return as_one(self._problem, self._solver.model.model, self._runs, self._messages)

    async def _respond(self) -> None:
        """Work until there is something to say to the user."""
        left = self._solver.max_turns - sum(map(turns_of, self._runs))
        so_far = _SoFar()
        try:
            run = await self._solver.solve(
                self._problem, self._offered, self._messages, max_turns=left, conversing=True, heard=so_far.hear
            )
        except asyncio.CancelledError:
            self._runs.append(so_far.trace(self._problem, self._solver.model.model))
            raise
        except Exception as error:
            self.failure = error
            self._said.put_nowait(error)
            return
        finally:
            self._work = None
        self._runs.append(run)
        self._messages = run.messages
        content = run.answer if run.ending == "answered" else OVER
        self._said.put_nowait(self._classes.AssistantMessage(role="assistant", content=content))


class Tau2Agent:
    """The agent as tau2-bench calls it: in its thread, one message at a time."""

    def __init__(self, conversation: Conversation, loop: asyncio.AbstractEventLoop) -> None:
        self._conversation, self._loop = conversation, loop

    def get_init_state(self, message_history: Sequence[Any] | None = None) -> None:
        """Take over a conversation that others began."""
        self._conversation.remember(message_history or [])

    def generate_next_message(self, message: Any, state: None) -> tuple[Any, None]:
        """The agent's next message."""
        future = asyncio.run_coroutine_threadsafe(self._conversation.next(message), self._loop)
        return future.result(), None

    def stop(self, message: Any = None, state: None = None) -> None:
        """Nothing is held open."""

    def set_seed(self, seed: int) -> None:
        """The gateway has the seed already."""

    @classmethod
    def is_stop(cls, message: Any) -> bool:
        """Whether the agent cannot go on."""
        return bool(message.content == OVER)


@dataclass(frozen=True)
class _DomainTool:
    """A function of the framework's domain."""

    spec: FunctionSpec
    conversation: Conversation
    kind: Literal["function"] = "function"

    @classmethod
    def of(cls, function: Mapping[str, Any], conversation: Conversation) -> "_DomainTool":
        # Not validated: the domain names its functions. Each may write, so that calls go out one after the other.
        spec = FunctionSpec.model_construct(
            name=function["name"],
            description=function.get("description") or function["name"],
            parameters=function.get("parameters") or {"type": "object", "properties": {}},
            kind="write",
        )
        return cls(spec, conversation)

    async def call(self, arguments: Mapping[str, Json]) -> ToolAnswer:
        return await self.conversation.call_function(self.spec.name, arguments)


class _SoFar:
    """What a run came to that was ended from outside."""

    def __init__(self) -> None:
        self._last: Said | None = None
        self._calls: list[ToolCall] = []

    def hear(self, event: Event) -> None:
        if isinstance(event, ToolCall):
            self._calls.append(event)
        else:
            self._last = event

    def trace(self, problem: str, model: str) -> Trace:
        turn = self._last.turn if self._last else 0
        running = [call.answer for call in self._calls if call.turn == turn]
        return Trace(
            id=problem,
            model=model,
            messages=[],
            calls=self._calls,
            ending="agent_error",
            dollars=(self._last.dollars if self._last else 0.0) + sum(answer.dollars for answer in running),
            seconds=(self._last.seconds if self._last else 0.0) + sum(answer.seconds for answer in running),
            completion_tokens=self._last.tokens if self._last else 0,
        )


def as_openai(message: Any) -> Message:
    """A framework's message in OpenAI's form."""
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.id, "content": message.content or ""}
    said: Message = {"role": message.role, "content": message.content or ""}
    if message.role == "assistant" and message.tool_calls:
        said["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
            }
            for call in message.tool_calls
        ]
    return said
