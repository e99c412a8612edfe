"""An environment as a value: what a folder ``environment/<domain>/`` holds."""

from datetime import datetime
from operator import not_
from typing import Any

from pydantic import Field

from toolscale.artifacts.base import Artifact, Json, Name
from toolscale.artifacts.function import FunctionSpec, UnofferedFunction


class EnvironmentSpec(Artifact):
    """A domain made executable. Two environments with the same content behave the same, always."""

    domain: Name
    now: datetime = Field(description="Frozen clock: what `datetime.now()` answers in the sandbox (naive).")
    seed: int = Field(default=0, description="Seeds `random` and `uuid` inside the sandbox.")
    policy: str = Field(default="", description="The rules an agent must follow, as Markdown.")
    functions: list[FunctionSpec] = Field(description="What is offered to the agent.")
    unoffered: list[UnofferedFunction] = Field(
        default_factory=list, exclude_if=not_, description="What the user or a task may call, and the agent may not."
    )
    source: str = Field(description="functions.py: a module that defines every function.")
    rules: str = Field(default="", description="rules.py: the policy's rules as predicates on calls; may be empty.")
    database: dict[str, Json] = Field(description="Tables, each an object from key to record.")
    json_schema: dict[str, Json] | None = Field(default=None, description="schema.json, where there is one.")

    def tools(self) -> list[dict[str, Any]]:
        """The offered functions as OpenAI tools."""
        return [function.tool() for function in self.functions]

    @property
    def callable(self) -> list[FunctionSpec]:
        """All functions, whoever may call them."""
        return [*self.functions, *self.unoffered]

    def function(self, name: str) -> FunctionSpec | None:
        """The offered function of that name, if there is one."""
        return next((function for function in self.functions if function.name == name), None)
