"""What an episode is played of: a task of a domain, a question, or one step of a chat.

Tasks may, and questions do, offer tools of a catalogue at drawn prices, and their users may prefer something.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from toolscale.artifacts import EnvironmentSpec, Task
from toolscale.catalogue.configuration import ToolConfiguration
from toolscale.instances import Instance
from toolscale.messages import Message
from toolscale.prompts import render
from toolscale.questions.steps import Step
from toolscale.questions.task import QuestionTask
from toolscale.rewards import FloatArray, preference_vector


@dataclass(frozen=True)
class Exercise:
    """A task of a domain: where it is played, with which functions, and with which instance beside them."""

    task: Task
    environment: EnvironmentSpec
    """Exercises of one environment share one object, so they can share a sandbox."""
    functions: tuple[str, ...]
    """Names of the functions that the agent is offered, in the environment's order."""
    instance: Instance | None = None
    """Its tools and preference; None where there are the functions alone."""
    source: int = 0
    """Which of the training's datasets it comes from."""

    @property
    def id(self) -> str:
        """The task's."""
        return self.task.id

    @property
    def configuration(self) -> ToolConfiguration | None:
        """The tools beside the functions."""
        return self.instance.configuration if self.instance else None

    @property
    def offered(self) -> tuple[str, ...]:
        """Names of functions and tools, in the order of preference vectors."""
        return (*self.functions, *(self.configuration.names if self.configuration else ()))

    @property
    def wanted(self) -> FloatArray | None:
        """P of the task's own user; None where that is not known."""
        return self.instance.wanted_of(self.functions) if self.instance else None

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The offered functions as OpenAI tools, then the tools, whose descriptions tell price and latency."""
        functions = [function.tool() for function in self.environment.functions if function.name in self.functions]
        return [*functions, *(self.configuration.as_tools() if self.configuration else ())]

    @property
    def messages(self) -> list[Message]:
        """What the agent is told, and a user who says everything at once, as the dataset's attempts had them.

        What the user prefers comes last.
        """
        return self.preferring([*self.told(direct=True), {"role": "user", "content": self.task.instruction}])

    def told(self, *, direct: bool) -> list[Message]:
        """What the agent is told; `direct` where the user says everything at once."""
        spec = self.environment
        return render("agent", domain=spec.domain, policy=spec.policy, now=spec.now, direct=direct)

    def preferring(self, messages: Sequence[Message]) -> list[Message]:
        """A conversation at this task, with what the user prefers after the first thing that the user says."""
        first = next((place for place, message in enumerate(messages) if message["role"] == "user"), None)
        if self.instance is None or first is None:
            return list(messages)
        said = {**messages[first], "content": self.instance.told_after(messages[first]["content"])}
        return [*messages[:first], said, *messages[first + 1 :]]


@dataclass(frozen=True)
class QuestionExercise:
    """A question with its tool configuration and its preference."""

    task: QuestionTask
    """One that has a configuration."""
    instructions: str | None = None
    """The agent's, where they are not those of the prompt `orchestrator`."""
    source: int = 0

    @property
    def id(self) -> str:
        """The question's."""
        return self.task.id

    @property
    def configuration(self) -> ToolConfiguration | None:
        """The tools."""
        return self.task.configuration

    @property
    def offered(self) -> tuple[str, ...]:
        """Names of the tools, in the order of preference vectors."""
        return self.configuration.names if self.configuration else ()

    @property
    def wanted(self) -> FloatArray | None:
        """P of the question's own user; None where that is not known."""
        return None if self.task.vector is None else preference_vector(self.task.vector, self.offered)

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools as OpenAI tools; their descriptions tell price and latency."""
        return self.configuration.as_tools() if self.configuration else []

    @property
    def messages(self) -> list[Message]:
        """What an orchestrator is told, and the question with the user's preference after it."""
        asked = self.task.instruction
        if self.instructions is None:
            return render("orchestrator", question=asked, tools=bool(self.offered))
        return [{"role": "system", "content": self.instructions}, {"role": "user", "content": asked}]


@dataclass(frozen=True)
class StepExercise:
    """One step of a tool-calling chat: the dialogue so far, to be gone on with by one message in ToolRL's format."""

    step: Step
    source: int = 0

    @property
    def id(self) -> str:
        """The step's."""
        return self.step.id

    @property
    def configuration(self) -> ToolConfiguration | None:
        """None; see `offered`."""
        return None

    @property
    def wanted(self) -> FloatArray | None:
        """None: whose chat it was is not known."""
        return None

    @property
    def offered(self) -> tuple[str, ...]:
        """None: nothing is called, and the tools stand in the prompt."""
        return ()

    @property
    def tools(self) -> list[dict[str, Any]]:
        """None; see `offered`."""
        return []

    @property
    def messages(self) -> list[Message]:
        """Tools, format, and the dialogue so far."""
        return self.step.messages()


Playable = Exercise | QuestionExercise | StepExercise
