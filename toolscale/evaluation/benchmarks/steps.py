"""Single steps of tool-calling chats that `toolscale import --format steps` wrote, or a set in its own format."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from toolscale.dataset.steps import CONFIG, read_step_tasks
from toolscale.evaluation.problem import BenchmarkAttempt, Problem, Score
from toolscale.evaluation.solver import Solver
from toolscale.questions.steps import Step
from toolscale.questions.steps import read_steps as read_set

SPLIT = "eval"


@dataclass(frozen=True)
class StepProblem:
    """A dialogue so far, and tools described in the prompt: solved by exactly the golden calls of the next step.

    The catalogue's tools are not offered: the step is one message, in ToolRL's format.
    """

    step: Step

    @property
    def id(self) -> str:
        """The step's."""
        return self.step.id

    @property
    def topic(self) -> str:
        """Whether the right step calls or answers."""
        return "calls" if self.step.golden_calls else "responses"

    async def attempt(self, solver: Solver) -> BenchmarkAttempt:
        """Let it write the step, and hold its calls against the golden ones."""
        trace = await solver.solve(self.id, (), self.step.messages(), max_turns=1)
        written = str(trace.messages[-1].get("content") or "") if trace.ending == "answered" else ""
        return BenchmarkAttempt(trace, (), self.judged(written))

    def judged(self, written: str) -> Score:
        """Are its calls the golden ones? The format is told beside it, and decides nothing."""
        reward = self.step.reward(written)
        return Score(reward.correctness >= 3 - 1e-9, f"correctness {reward.correctness:.2f}, format {reward.format:g}")


def read_steps(place: Path, stack: ExitStack) -> list[Problem]:
    """A set that `toolscale import` wrote, its split `eval`; or a file of ToolACE's, xLAM's or Hammer's, all of it."""
    if (place / CONFIG).is_dir():
        return [StepProblem(step) for step in read_step_tasks(place) if step.split == SPLIT]
    return [StepProblem(step) for step in read_set(str(place))[0]]
