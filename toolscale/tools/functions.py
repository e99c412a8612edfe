"""A domain's functions as tools: one session for an episode, which the checkers can judge afterwards."""

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Literal

from pydantic import ValidationError

from toolscale.artifacts import CallOutcome, FunctionSpec
from toolscale.artifacts.base import Json
from toolscale.environment import Sandbox, Session
from toolscale.tools.tool import ToolAnswer


class DomainFunctions:
    """All functions of a domain in one episode. ``session.replay`` is what they did to its database."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.session = Session(sandbox)
        turn = asyncio.Lock()
        self.tools = [FunctionTool(function, self.session, turn) for function in sandbox.spec.functions]


class FunctionTool:
    """One function of a domain. Calls of one episode run one after the other, in the order in which they came."""

    kind: Literal["function"] = "function"

    def __init__(self, function: FunctionSpec, session: Session, turn: asyncio.Lock) -> None:
        self._spec = function
        self._session = session
        self._turn = turn

    @property
    def spec(self) -> FunctionSpec:
        """The function as the domain offers it."""
        return self._spec

    async def call(self, arguments: Mapping[str, Json]) -> ToolAnswer:
        """The function's result as JSON, or the error that it raised."""
        started = time.perf_counter()
        async with self._turn:
            try:
                outcome = await asyncio.to_thread(self._session.call, self._spec.name, arguments)
            except ValidationError:
                return ToolAnswer(error="the arguments nest too deep")
        return _answer(outcome, time.perf_counter() - started)


def _answer(outcome: CallOutcome, seconds: float) -> ToolAnswer:
    if outcome.ok:
        return ToolAnswer(content=json.dumps(outcome.result, ensure_ascii=False), seconds=seconds)
    return ToolAnswer(error=outcome.error or outcome.error_type, seconds=seconds)
