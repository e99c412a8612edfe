"""An instance of a task (paper, section 3.3): its tool configuration, and the preference of its user."""

from collections.abc import Sequence
from typing import Self

from pydantic import model_validator

from toolscale.artifacts.base import Artifact
from toolscale.catalogue.configuration import ToolConfiguration
from toolscale.preferences.preference import Preference
from toolscale.rewards import FloatArray, preference_vector
from toolscale.rewards.preference import BEYOND_TOOLS


class Instance(Artifact):
    """A tool configuration, and a preference over just its tools where there is one."""

    configuration: ToolConfiguration
    preference: Preference | None = None
    """Its vector is P of the configuration's tools, in their order."""

    @model_validator(mode="after")
    def _prefers_what_is_offered(self) -> Self:
        if self.preference is None:
            return self
        if tuple(self.preference.tools) != self.configuration.names:
            raise ValueError("the preference is not over the tools that the configuration offers")
        if len(self.preference.vector) != len(self.preference.tools) + len(BEYOND_TOOLS):
            raise ValueError("the preference's vector has not one figure for each tool and three more")
        return self

    def told_after(self, instruction: str) -> str:
        """A task's instruction, with what the user prefers after it."""
        return self.preference.told_after(instruction) if self.preference else instruction

    def wanted_of(self, functions: Sequence[str]) -> FloatArray | None:
        """P over a domain's functions, which nobody prefers, then the configuration's tools; None without one."""
        if self.preference is None:
            return None
        offered = (*functions, *self.configuration.names)
        return preference_vector([0.0] * len(functions) + self.preference.vector, offered)
