"""The factory's own eval split: tasks in environments that really run, judged by their verdict."""

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from toolscale.artifacts import Call, EnvironmentSpec, Task
from toolscale.artifacts.base import Split
from toolscale.catalogue.configuration import ToolConfiguration
from toolscale.checkers.verdict import judge
from toolscale.dataset.folder import read_placed
from toolscale.environment import Sandbox
from toolscale.episodes.user import SimulatedUser, heard_from
from toolscale.evaluation.preferences import BenchmarkPreference
from toolscale.evaluation.problem import BenchmarkAttempt, Problem, Score
from toolscale.evaluation.solver import Solver
from toolscale.instances import Instance, Instances
from toolscale.messages import Message
from toolscale.orchestration.trace import Trace, as_one, turns_of
from toolscale.prompts import render
from toolscale.tools.functions import DomainFunctions
from toolscale.tools.tool import Tool

SPLIT: Split = "eval"


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
    instance: Instance | None = None
    """Tools beside the functions, and a preference, where the task has such of its own."""

    @property
    def id(self) -> str:
        """The task's."""
        return self.task.id

    @property
    def topic(self) -> str:
        """Its domain."""
        return self.task.domain

    @property
    def configuration(self) -> ToolConfiguration | None:
        """The tools of its instance."""
        return self.instance.configuration if self.instance else None

    @property
    def preference(self) -> BenchmarkPreference | None:
        """That of its instance; the domain's functions weigh nothing in it."""
        return BenchmarkPreference.of(self.instance.preference) if self.instance else None

    def drawing(self, instances: Instances | None) -> "EpisodeProblem":
        """The same with an instance, drawn if it has none of its own; without any where none is drawn."""
        if instances is None:
            return replace(self, instance=None)
        return self if self.instance else replace(self, instance=instances.of_task(self.task, self.environment, SPLIT))

    async def attempt(self, solver: Solver) -> BenchmarkAttempt:
        """Let it act, and replay what it did."""
        sandbox = self.sandboxes.of(self.environment)
        functions = DomainFunctions(sandbox, self.task.start)
        tools = solver.open(self.id, functions.tools, self.configuration)
        if solver.user_mode == "direct":
            opening = self._opening(self.task.instruction)
            trace, broken = await solver.solve(self.id, tools, opening, configuration=self.configuration), False
        else:
            trace, broken = await self._conversation(solver, tools)
        if broken:
            score = Score(False, "the simulated user broke the attempt", user_fault=True)
        elif trace.ending != "answered":
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

    async def _conversation(self, solver: Solver, tools: Sequence[Tool]) -> tuple[Trace, bool]:
        """Let it talk with a simulated user until that user is done; and whether the user broke it off."""
        user = SimulatedUser(self.task, solver.gateway.with_model("user", solver.user), seed=solver.seed, sample=0)
        runs: list[Trace] = []
        heard, messages = await heard_from(user, []), list[Message]()
        while heard.ending is None:
            (said,) = heard.contents
            answer: Message = {"role": "user", "content": said}
            messages = [*messages, answer] if runs else solver.preferring(self.id, self._opening(said, direct=False))
            left = solver.max_turns - sum(map(turns_of, runs))
            runs.append(
                await solver.solve(
                    self.id, tools, messages, configuration=self.configuration, max_turns=left, conversing=True
                )
            )
            messages = runs[-1].messages
            if runs[-1].ending != "answered":
                break
            heard = await heard_from(user, messages)
        return as_one(self.id, solver.model.model, runs, messages), heard.ending == "user_error"

    def _opening(self, said: str, *, direct: bool = True) -> list[Message]:
        spec = self.environment
        system = render("agent", domain=spec.domain, policy=spec.policy, now=spec.now, direct=direct)
        return [*system, {"role": "user", "content": said}]


def read_toolscale(place: Path, stack: ExitStack) -> list[Problem]:
    """The tasks of a dataset folder's eval split."""
    sandboxes = Sandboxes(stack)
    return [
        EpisodeProblem(placed.task, placed.environment, sandboxes, placed.instance)
        for placed in read_placed(place)
        if placed.split == SPLIT
    ]
