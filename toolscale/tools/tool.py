"""What an orchestrator is offered, whatever stands behind it: name, description, typed parameters, a way to call it."""

from collections.abc import Mapping
from typing import Literal, Protocol

from toolscale.artifacts import FunctionSpec
from toolscale.artifacts.base import Artifact, Json

ToolKind = Literal["function", "web_search", "extract_content", "local_search", "code_interpreter", "mcp", "model"]


class ToolAnswer(Artifact):
    """What a tool answered, and what that cost. One that could not answer says so in `error`; the episode goes on."""

    content: str = ""
    error: str | None = None
    dollars: float = 0.0
    """Priced by the episode's schedule: tokens of a model, a fee for a search; 0 for what runs on the own machine."""
    seconds: float = 0.0
    """Measured, or simulated from a latency profile where the tool is simulated."""
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def shown(self) -> str:
        """What the orchestrator reads: the content, which may tell of the error in the tool's own words."""
        return self.content if self.error is None or self.content else f"error: {self.error}"


class Tool(Protocol):
    """One entry of the catalogue, ready to be called in one episode."""

    @property
    def kind(self) -> ToolKind: ...

    @property
    def spec(self) -> FunctionSpec:
        """Name, description and parameters (JSON Schema), as the orchestrator sees them."""
        ...

    async def call(self, arguments: Mapping[str, Json]) -> ToolAnswer:
        """Answer, or say in `error` why not. Never raises for what a model or a remote side did wrong."""
        ...
