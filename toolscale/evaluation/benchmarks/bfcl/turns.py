"""Several turns of a user with simulated services, judged after each turn by their state and by what calls returned.

The services are the authors' classes, in a process of their own for each attempt. Two copies stand in it: the model's
calls are made on one, the right calls on the other. A turn is right where both have the same state afterwards, and
the results of the right calls are among those that the model has had so far.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from toolscale.artifacts import FunctionSpec
from toolscale.artifacts.base import Json
from toolscale.evaluation.benchmarks.bfcl.package import Package, PackageError
from toolscale.evaluation.benchmarks.offered import callable_name, json_schema
from toolscale.evaluation.problem import BenchmarkAttempt, Score
from toolscale.evaluation.solver import Solver
from toolscale.messages import Message
from toolscale.orchestration.trace import Trace, as_one, turns_of
from toolscale.tools.tool import Tool, ToolAnswer

STEPS_A_TURN = 20
"""Messages with calls that the leaderboard allows before it gives a conversation up."""
_MORE_FUNCTIONS = "You now have more functions than before. Please go on with them."
"""What is said in a turn that has no words of the user: functions that were missing are offered."""


@dataclass(frozen=True)
class UserTurn:
    """What is said in one turn, and the calls that are right then; none where nothing can be done yet."""

    messages: list[Message]
    right_calls: list[str]
    added: frozenset[str] = frozenset()
    """Functions that are offered from this turn on."""


@dataclass(frozen=True)
class TurnsProblem:
    """A conversation: solved when every turn with right calls leaves the right state and has the right results."""

    id: str
    topic: str
    turns: list[UserTurn]
    services: list[str]
    config: dict[str, Json]
    functions: list[dict[str, Any]]
    """All, those too that are added later."""

    def rehearsal(self) -> list[dict[str, Json]]:
        """What the services are asked where every right call is made, and nothing else."""
        requests: list[dict[str, Json]] = [{"do": "load", **self._loaded()}]
        for turn in self.turns:
            requests.append({"do": "right_calls", "calls": list(turn.right_calls)})
        return requests

    async def attempt(self, solver: Solver) -> BenchmarkAttempt:
        """Play the turns one after the other, and judge each."""
        async with Package() as package:
            await package.ask("load", **self._loaded())
            return await self._played(solver, package)

    def _loaded(self) -> dict[str, Json]:
        return {
            "classes": list(self.services),
            "config": self.config,
            "long_context": "long_context" in self.topic,
        }

    async def _played(self, solver: Solver, package: Package) -> BenchmarkAttempt:
        results: list[str] = []
        functions = {each["name"]: _Service.of(each, package, results) for each in self.functions}
        missing = frozenset[str]().union(*(turn.added for turn in self.turns))
        messages: list[Message] = []
        runs: list[Trace] = []
        score = Score(True, "every turn has the right state and the right results")
        offered: Sequence[Tool] = ()
        for number, turn in enumerate(self.turns, start=1):
            missing -= turn.added
            offered = solver.open(self.id, [each for name, each in functions.items() if name not in missing])
            said = turn.messages or [{"role": "user", "content": _MORE_FUNCTIONS}]
            if not messages:
                said = [*solver.asked("", offered)[:-1], *solver.preferring(self.id, said)]
            left = solver.max_turns - sum(map(turns_of, runs))
            run = await solver.solve(
                self.id, offered, [*messages, *said], max_turns=min(left, STEPS_A_TURN + 1), conversing=True
            )
            runs.append(run)
            messages = run.messages
            if not _came_to_its_end(run):
                score = Score(False, f"turn {number} did not come to its end: {run.ending}")
                break
            if score.solved:
                score = await _judged(number, turn, run, package, results)
        trace = as_one(self.id, solver.model.model, runs)
        return BenchmarkAttempt(trace, tuple(tool.spec.name for tool in offered), score)


async def _judged(number: int, turn: UserTurn, run: Trace, package: Package, results: Sequence[str]) -> Score:
    """What the right calls of a turn say of what was done so far."""
    right = Score(True, "every turn has the right state and the right results")
    if not turn.right_calls:
        return right
    try:
        wanted = await package.ask("right_calls", calls=list(turn.right_calls))
        differing = await package.ask("differences")
    except PackageError as failure:
        return Score(False, f"turn {number}: {failure}")
    if not run.calls:
        return Score(False, f"turn {number}: nothing was called")
    if differing:
        return Score(False, f"turn {number}: {differing[0]} is not as the right calls leave it")
    if lacking := Counter(wanted) - Counter(results):
        return Score(False, f"turn {number}: no call had the result {next(iter(lacking))[:200]}")
    return right


def _came_to_its_end(run: Trace) -> bool:
    """Whether the last message called nothing; one that says nothing either ends a turn too."""
    last = run.messages[-1] if run.messages else {}
    return run.ending == "answered" or (
        run.ending == "agent_error" and last.get("role") == "assistant" and not last.get("tool_calls")
    )


@dataclass(frozen=True)
class _Service:
    """A function of a simulated service."""

    spec: FunctionSpec
    name: str
    package: Package
    results: list[str]
    """What all calls returned so far, in their order."""
    kind: Literal["function"] = field(default="function")

    @classmethod
    def of(cls, described: Mapping[str, Any], package: Package, results: list[str]) -> "_Service":
        # Not validated: the benchmark names its functions. Each may write, so that calls go out one after the other.
        spec = FunctionSpec.model_construct(
            name=callable_name(described["name"]),
            description=described.get("description") or described["name"],
            parameters=json_schema(described["parameters"]),
            kind="write",
        )
        return cls(spec, described["name"], package, results)

    async def call(self, arguments: Mapping[str, Json]) -> ToolAnswer:
        try:
            made = await self.package.ask("call", name=self.name, arguments=dict(arguments))
        except PackageError as failure:
            return ToolAnswer(error=str(failure))
        self.results.append(made["result"])
        return ToolAnswer(error=made["result"]) if made["failed"] else ToolAnswer(content=made["result"])


def user_turns(
    questions: Sequence[Sequence[Message]], right: Sequence[Sequence[str]], added: Mapping[str, Sequence[str]]
) -> list[UserTurn]:
    """The turns of a row. Raises ValueError where they are not as many as the answers."""
    if len(questions) != len(right):
        raise ValueError(f"{len(questions)} turns, and right calls for {len(right)}")
    return [
        UserTurn([dict(each) for each in said], [str(each) for each in calls], frozenset(added.get(str(number), ())))
        for number, (said, calls) in enumerate(zip(questions, right, strict=True))
    ]
