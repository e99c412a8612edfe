"""A domain's functions as tools: one session for an episode, which the checkers can judge afterwards."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

from pydantic import ValidationError

from toolscale.artifacts import CallOutcome, FunctionSpec, GoldenCall
from toolscale.artifacts.base import Json
from toolscale.environment import Sandbox, Session
from toolscale.tools.tool import ToolAnswer

InThread = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Waits for work without holding up the event loop."""


class DomainFunctions:
    """All functions of a domain in one episode. ``session.replay`` is what they did to its database."""

    def __init__(self, sandbox: Sandbox, start: Sequence[GoldenCall], in_thread: InThread = asyncio.to_thread) -> None:
        """`start` sets the initial state, as the task has it."""
        self.session = Session(sandbox, start)
        turn = asyncio.Lock()
        self.tools = [FunctionTool(function, self.session, turn, in_thread) for function in sandbox.spec.functions]


class FunctionTool:
    """One function of a domain. Calls of one episode run one after the other, in the order in which they came."""

    kind: Literal["function"] = "function"

    def __init__(self, function: FunctionSpec, session: Session, turn: asyncio.Lock, in_thread: InThread) -> None:
        self._spec = function
        self._session = session
        self._turn = turn
        self._in_thread = in_thread

    @property
    def spec(self) -> FunctionSpec:
        """The function as the domain offers it."""
        return self._spec

    async def call(self, arguments: Mapping[str, Json]) -> ToolAnswer:
        """The function's result as JSON, or the error that it raised, in the words of an attempt at a task."""
        started = time.perf_counter()
        async with self._turn:
            try:
                outcome = await self._in_thread(lambda: self._session.call(self._spec.name, arguments))
            except ValidationError:
                return ToolAnswer(error="the arguments nest too deep")
        return _answer(outcome, time.perf_counter() - started)


def _answer(outcome: CallOutcome, seconds: float) -> ToolAnswer:
    if outcome.ok:
        return ToolAnswer(content=json.dumps(outcome.result, ensure_ascii=False), seconds=seconds)
    error = outcome.error or outcome.error_type
    return ToolAnswer(content=json.dumps({"error": error}, ensure_ascii=False), error=error, seconds=seconds)
