"""What an episode is played of: a task of a domain, a question with the tools of a catalogue, or one step of a chat."""

from dataclasses import dataclass
from typing import Any

from toolscale.artifacts import EnvironmentSpec, Task
from toolscale.messages import Message
from toolscale.prompts import render
from toolscale.questions.steps import Step
from toolscale.questions.task import QuestionTask


@dataclass(frozen=True)
class Exercise:
    """A task of a domain: where it is played, and with which functions."""

    task: Task
    environment: EnvironmentSpec
    """Exercises of one environment share one object, so they can share a sandbox."""
    offered: tuple[str, ...]
    """Names of the functions that the agent is offered, in the environment's order."""
    source: int = 0
    """Which of the training's datasets it comes from."""

    @property
    def id(self) -> str:
        """The task's."""
        return self.task.id

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The offered functions as OpenAI tools."""
        return [function.tool() for function in self.environment.functions if function.name in self.offered]

    @property
    def messages(self) -> list[Message]:
        """What the agent is told, and a user who says everything at once, as the dataset's attempts had them."""
        spec = self.environment
        system = render("agent", domain=spec.domain, policy=spec.policy, now=spec.now, direct=True)
        return [*system, {"role": "user", "content": self.task.instruction}]


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
    def offered(self) -> tuple[str, ...]:
        """Names of the tools, in the order of preference vectors."""
        return self.task.configuration.names if self.task.configuration else ()

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools as OpenAI tools; their descriptions tell price and latency."""
        return self.task.configuration.as_tools() if self.task.configuration else []

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
