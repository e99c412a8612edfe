"""Rules: what the policy of a domain forbids, as a program holds it against a call, or as a sentence for a judge."""

from typing import Literal

from pydantic import Field

from toolscale.artifacts.base import Artifact, Json


class Rule(Artifact):
    """One rule of a policy, and who sees to it that golden calls keep it."""

    name: str = Field(
        description="The predicate's name; of a sentence that a judge reads, `not_checkable_1` and so on."
    )
    sentence: str = Field(min_length=1, description="What the policy says.")
    by: Literal["program", "judge"] = Field(description="Who says whether a golden call breaks it.")
    source: str = Field(default="", description="Python source of the predicate; never run outside the sandbox.")
    breaks: dict[str, Json] = Field(default_factory=dict, description="A call that breaks it, which it was tried with.")
    keeps: dict[str, Json] = Field(default_factory=dict, description="A call that just keeps it.")
