"""Functions: what a domain offers, and the form in which an agent is offered it."""

from typing import Any, Literal

from pydantic import Field

from toolscale.artifacts.base import Artifact, Json, Name


class FunctionSpec(Artifact):
    """A function as an agent sees it: name, description, parameters (JSON Schema), and whether it may write."""

    name: Name
    description: str = Field(min_length=1)
    parameters: dict[str, Json] = Field(description="JSON Schema of the arguments: an object with `properties`.")
    kind: Literal["read", "write"]

    def tool(self) -> dict[str, Any]:
        """The function as an OpenAI tool."""
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.description, "parameters": self.parameters},
        }


class UnofferedFunction(FunctionSpec):
    """A function that no agent is offered: the user calls it, or the task itself, to begin with or at its end."""

    caller: Literal["user", "task"]


class Function(FunctionSpec):
    """A function with its Python source: ``def name(db, **arguments)`` and whatever private helpers it needs."""

    source: str = Field(description="Python source that defines the function; never run outside the sandbox.")
    examples: list[dict[str, Json]] = Field(
        default_factory=list,
        description="Arguments of calls that its author gave as examples and that it was tried with.",
    )

    def spec(self) -> FunctionSpec:
        """The function as an agent sees it."""
        return FunctionSpec(**self.model_dump(exclude={"source", "examples"}))
