"""A question as one training instance asks it: with the tools on offer, at their prices, and what its user prefers."""

from typing import Literal

from pydantic import model_validator

from toolscale.artifacts.base import Artifact
from toolscale.catalogue.configuration import ToolConfiguration
from toolscale.preferences.preference import Preference
from toolscale.questions.question import Question


class QuestionTask(Artifact):
    """A question with its reference answer, the tools of this instance, and a preference over just these tools."""

    id: str
    question: str
    answer: str
    topic: str = ""
    difficulty: str = ""
    configuration: ToolConfiguration | None = None
    """None leaves the tools to whoever asks the question."""
    preference: Preference | None = None
    """Its vector is P of the configuration's tools, in their order."""
    split: Literal["train", "eval"] = "train"

    @model_validator(mode="after")
    def _prefers_what_is_offered(self) -> "QuestionTask":
        if self.preference is not None:
            offered = [] if self.configuration is None else list(self.configuration.names)
            if self.preference.tools != offered:
                raise ValueError("the preference is not over the tools that the configuration offers")
        return self

    @property
    def asks(self) -> Question:
        """The question alone: what an answer is compared with."""
        return Question(self.id, self.question, self.answer, self.topic, self.difficulty)

    @property
    def instruction(self) -> str:
        """What the user says: the question, and what they prefer after it."""
        return self.preference.told_after(self.question) if self.preference else self.question

    @property
    def vector(self) -> list[float] | None:
        """P, of length n + 3; None is the outcome alone."""
        return list(self.preference.vector) if self.preference else None
