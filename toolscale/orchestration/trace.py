"""The record of a run of an orchestrator."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

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


class Source(Artifact):
    """A page that an answer cites."""

    url: str
    read: bool
    """Whether it was read before: a search result's few lines are no source."""


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
    sources: list[Source] = Field(default_factory=list)
    """What a search agent's answer cites."""

    def times_called(self, tool: str) -> int:
        """How often a tool was called: the paper's m_t."""
        return sum(call.tool == tool for call in self.calls)


def as_one(id: str, model: str, runs: Sequence[Trace], messages: Sequence[dict[str, Any]] | None = None) -> Trace:
    """Runs that went on from one another, as one trace; `messages` are the last run's, if nothing else is given."""
    turns = 0
    calls: list[ToolCall] = []
    for run in runs:
        calls += [call.model_copy(update={"turn": turns + call.turn}) for call in run.calls]
        turns += turns_of(run)
    last = runs[-1] if runs else None
    return Trace(
        id=id,
        model=model,
        messages=list(messages if messages is not None else last.messages if last else ()),
        calls=calls,
        answer=last.answer if last else "",
        ending=last.ending if last else "agent_error",
        dollars=sum(run.dollars for run in runs),
        seconds=sum(run.seconds for run in runs),
        prompt_tokens=sum(run.prompt_tokens for run in runs),
        completion_tokens=sum(run.completion_tokens for run in runs),
        sources=last.sources if last else [],
    )


def turns_of(run: Trace) -> int:
    """Messages that the orchestrator wrote in a run: one for each turn with calls, and the last."""
    return max((call.turn for call in run.calls), default=0) + (run.ending == "answered")
