"""The factory's own eval split: tasks in environments that really run, judged by their verdict."""

import asyncio
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from toolscale.artifacts import Call, EnvironmentSpec, Task
from toolscale.checkers.verdict import judge
from toolscale.dataset.folder import read_placed
from toolscale.environment import Sandbox
from toolscale.evaluation.problem import BenchmarkAttempt, Problem, Score
from toolscale.evaluation.solver import Solver
from toolscale.messages import Message
from toolscale.prompts import render
from toolscale.tools.functions import DomainFunctions

SPLIT = "eval"


class Sandboxes:
    """Each environment's sandbox, opened when the first task needs it."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._open: dict[int, Sandbox] = {}

    def of(self, environment: EnvironmentSpec) -> Sandbox:
        """The sandbox of an environment; tasks of one environment share one object."""
        if id(environment) not in self._open:
            self._open[id(environment)] = self._stack.enter_context(Sandbox(environment))
        return self._open[id(environment)]


@dataclass(frozen=True)
class EpisodeProblem:
    """A task of the dataset: solved when all three criteria of the verdict hold."""

    task: Task
    environment: EnvironmentSpec
    sandboxes: Sandboxes

    @property
    def id(self) -> str:
        """The task's."""
        return self.task.id

    @property
    def topic(self) -> str:
        """Its domain."""
        return self.task.domain

    async def attempt(self, solver: Solver) -> BenchmarkAttempt:
        """Let it act, and replay what it did."""
        sandbox = self.sandboxes.of(self.environment)
        functions = DomainFunctions(sandbox)
        tools = solver.open(self.id, functions.tools)
        trace = await solver.solve(self.id, tools, self._opening())
        if trace.ending != "answered":
            score = Score(False, f"the episode did not come to its end: {trace.ending}")
        else:
            said = [
                str(each["content"]) for each in trace.messages if each["role"] == "assistant" and each.get("content")
            ]
            names = {tool.spec.name for tool in functions.tools}
            calls = [Call(name=call.tool, arguments=call.arguments) for call in trace.calls if call.tool in names]
            verdict = await asyncio.to_thread(judge, sandbox, self.task, calls, said)
            score = Score(verdict.solved, "; ".join(verdict.reasons) or "execution, fidelity and completeness hold")
        return BenchmarkAttempt(trace, tuple(tool.spec.name for tool in tools), score)

    def _opening(self) -> list[Message]:
        spec = self.environment
        system = render("agent", domain=spec.domain, policy=spec.policy, now=spec.now, direct=True)
        return [*system, {"role": "user", "content": self.task.instruction}]


def read_toolscale(place: Path, stack: ExitStack) -> list[Problem]:
    """The tasks of a dataset folder's eval split."""
    sandboxes = Sandboxes(stack)
    return [
        EpisodeProblem(placed.task, placed.environment, sandboxes)
        for placed in read_placed(place)
        if placed.split == SPLIT
    ]
