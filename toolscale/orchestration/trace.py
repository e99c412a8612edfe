"""The record of a run of an orchestrator."""

from collections.abc import Mapping
from typing import Any, Literal

from toolscale.artifacts.base import Artifact, Json
from toolscale.episodes.loop import Ending
from toolscale.tools.tool import ToolAnswer

TraceEnding = Literal["answered", "turn_limit", "budget", "agent_error"]

ENDINGS: Mapping[Ending, TraceEnding] = {
    "done": "answered",
    "turn_limit": "turn_limit",
    "budget": "budget",
    "agent_error": "agent_error",
}
"""What a trace calls the endings of an orchestrator's episode."""


class ToolCall(Artifact):
    """One call of an orchestrator in a trace."""

    turn: int
    tool: str
    arguments: dict[str, Json]
    answer: ToolAnswer


class Trace(Artifact):
    """One run of an orchestrator at a question or task: what was said and called, and its cost, every token counted."""

    id: str
    """Of the question or task."""
    model: str
    """The orchestrator."""
    messages: list[dict[str, Any]]
    calls: list[ToolCall]
    answer: str = ""
    ending: TraceEnding = "answered"
    dollars: float = 0.0
    """The orchestrator's tokens, the final answer's too, and every tool's."""
    seconds: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    """The orchestrator's own; the tools' stand with their calls."""

    def times_called(self, tool: str) -> int:
        """How often a tool was called: the paper's m_t."""
        return sum(call.tool == tool for call in self.calls)
