"""Rejects: what did not pass, and why. Nothing that was paid for is thrown away."""

from pydantic import Field

from toolscale.artifacts.base import Artifact, Json, Name


class Reject(Artifact):
    """An answer, entry, function or task that a check refused."""

    domain: Name
    stage: str = Field(description="The stage that refused it, such as `entries`.")
    check: str = Field(description="The check it failed, such as `references`, or the name of a gate.")
    reasons: list[str]
    raw: Json = Field(default=None, description="What was refused, as it came.")
