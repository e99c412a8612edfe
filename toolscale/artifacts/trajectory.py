"""Calls, their outcomes, trajectories and verdicts."""

from typing import Any, Literal, NamedTuple

from pydantic import Field

from toolscale.artifacts.base import Artifact, Json

Termination = Literal["done", "turn_limit", "agent_error", "user_error", "environment_error"]
"""Why an episode ended, as a trajectory says it."""


class Call(Artifact):
    """A function's name with its arguments."""

    name: str
    arguments: dict[str, Json] = Field(default_factory=dict)


class EntryRef(NamedTuple):
    """One entry of the database. ``key`` is empty where a table is not an object from key to record."""

    table: str
    key: str


class CallOutcome(Artifact):
    """What one call did: its result or its error, and its access log."""

    name: str
    arguments: dict[str, Json] = Field(default_factory=dict)
    result: Json = None
    error: str | None = Field(default=None, description="The exception's text; a call without one succeeded.")
    error_type: str | None = Field(
        default=None,
        description="The exception's class, or the sandbox's own: `Timeout`, `Killed`, `NotRun`, `UnknownFunction`.",
    )
    looked_up: list[EntryRef] = Field(default_factory=list, description="Entries that were looked up by key.")
    scanned: list[str] = Field(default_factory=list, description="Tables that were scanned.")
    wrote: list[EntryRef] = Field(default_factory=list, description="Entries that were added, removed or changed.")

    @property
    def ok(self) -> bool:
        """True when the call returned."""
        return self.error_type is None


class Trajectory(Artifact):
    """What an agent said and did in one episode."""

    task_id: str
    attempt: int = 0
    messages: list[dict[str, Any]] = Field(default_factory=list, description="OpenAI chat messages.")
    calls: list[CallOutcome] = Field(default_factory=list)
    agent_messages: list[str] = Field(default_factory=list, description="What the agent said to the user.")
    termination: Termination = "done"
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Verdict(Artifact):
    """The paper's three criteria (Appendix, data synthesis); a trajectory solves its task when all hold."""

    execution: bool
    fidelity: bool
    completeness: bool
    reasons: list[str] = Field(default_factory=list, description="One sentence for each thing that is wrong.")

    @property
    def solved(self) -> bool:
        """All three criteria hold."""
        return self.execution and self.fidelity and self.completeness
