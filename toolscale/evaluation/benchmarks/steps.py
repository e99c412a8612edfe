"""Single steps of tool-calling chats that `toolscale import --format steps` wrote, or a set in its own format."""

from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from toolscale.dataset.steps import CONFIG, read_step_tasks
from toolscale.evaluation.problem import BenchmarkAttempt, Problem, Score
from toolscale.evaluation.solver import Solver
from toolscale.questions.step_sets import read_steps as read_set
from toolscale.questions.steps import Step

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
        as_it_stands = replace(solver, format="openai")  # the prompt is in ToolRL's format already
        trace = await as_it_stands.solve(self.id, (), self.step.messages(), max_turns=1)
        written = str(trace.messages[-1].get("content") or "") if trace.ending == "answered" else ""
        return BenchmarkAttempt(trace, (), self.judged(written))

    def judged(self, written: str) -> Score:
        """Are its calls the golden ones? The format is told beside it, and decides nothing."""
        reward = self.step.reward(written)
        told = f"correctness {reward.correctness:.2f}, format {reward.format:g}"
        return Score(self.step.makes_its_calls(written), told)


def read_steps(place: Path, stack: ExitStack) -> list[Problem]:
    """The split `eval` of what `toolscale import` wrote; or a set in its own format, all of it if it has no splits."""
    imported = (place / CONFIG).is_dir()
    steps = read_step_tasks(place) if imported else read_set(str(place))[0]
    held_out = [step for step in steps if step.split == SPLIT]
    return [StepProblem(step) for step in (held_out if held_out or imported else steps)]
