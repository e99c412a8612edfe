"""A single turn, judged by the syntax trees of its calls, as the leaderboard judges it."""

import re
from dataclasses import dataclass
from typing import Any

from toolscale.artifacts import Call
from toolscale.evaluation.benchmarks.bfcl.languages import SourceLanguage
from toolscale.evaluation.benchmarks.bfcl.package import PackageError
from toolscale.evaluation.benchmarks.offered import DescribedFunction, callable_name, calls_made
from toolscale.evaluation.problem import BenchmarkAttempt, Score
from toolscale.evaluation.solver import Solver
from toolscale.messages import Message

_FOLDED = re.compile(r"[ ,./\-_*^]")


Answer = dict[str, dict[str, list[Any]]]
"""The function of a call that is wanted, and for each parameter the values that are right."""


@dataclass(frozen=True)
class CallsProblem:
    """A conversation and functions: solved by the right calls."""

    id: str
    topic: str
    conversation: list[Message]
    functions: tuple[DescribedFunction, ...]
    answers: list[Answer] | None
    """For each call that is wanted its function and the values that are right; None where no call is known."""
    language: SourceLanguage | None = None
    """What values are written in, where that is not JSON."""

    async def attempt(self, solver: Solver) -> BenchmarkAttempt:
        """Let it call, and compare the calls."""
        tools = solver.open(self.id, self.functions)
        opening = [*solver.asked("", tools)[:-1], *self.conversation]
        trace = await solver.solve(self.id, tools, opening)
        calls = calls_made(trace, self.functions)
        try:
            score = self.judged(await self.language.read(calls) if self.language else calls)
        except (PackageError, ValueError) as error:
            score = Score(False, str(error))
        return BenchmarkAttempt(trace, tuple(tool.spec.name for tool in tools), score)

    def judged(self, calls: list[Call]) -> Score:
        """Are these the calls that are wanted, in whatever order?"""
        if self.answers is None:
            wanted = not self.topic.endswith("irrelevance")
            return Score(
                bool(calls) == wanted, f"{len(calls)} calls where {'some' if wanted else 'none'} should be made"
            )
        if len(calls) != len(self.answers):
            return Score(False, f"{len(calls)} calls instead of {len(self.answers)}")
        required = {function.spec.name: _required(function) for function in self.functions}
        faults = [[fault(call, answer, required) for answer in self.answers] for call in calls]
        if _matched(faults, set()):
            return Score(True, "the calls are right")
        return Score(False, next(each for call in faults for each in call if each))


def fault(call: Call, answer: Answer, required: dict[str, set[str]]) -> str:
    """What is wrong with a call, held against one that is wanted; empty if nothing is."""
    ((name, parameters),) = answer.items()
    if call.name != callable_name(name):
        return f"{call.name} was called instead of {name}"
    for parameter, value in call.arguments.items():
        if parameter not in parameters:
            return f"{name} got {parameter}, which is not wanted"
        if not _fits(value, parameters[parameter]):
            return f"{name} got {parameter}={value!r}, and wants one of {parameters[parameter]!r}"
    for parameter, values in parameters.items():
        if parameter not in call.arguments and (parameter in required.get(call.name, set()) or "" not in values):
            return f"{name} did not get {parameter}"
    return ""


def _required(function: DescribedFunction) -> set[str]:
    listed = function.spec.parameters.get("required")
    return {str(name) for name in listed} if isinstance(listed, list) else set()


def _matched(faults: list[list[str]], taken: set[int]) -> bool:
    """Whether each call can be given a wanted call of its own that it fits."""
    if not faults:
        return True
    return any(
        not each and position not in taken and _matched(faults[1:], taken | {position})
        for position, each in enumerate(faults[0])
    )


def _fits(value: Any, possible: Any) -> bool:
    """One of the right values; among values that are no text, the empty text only says that none need be given."""
    if not isinstance(possible, list):
        return False
    texts = all(isinstance(each, str | None) for each in possible)
    return any(_same(value, each) for each in possible if texts or each != "")


def _same(value: Any, wanted: Any) -> bool:
    """Equal as BFCL has it: text by its letters and digits; an object's fields each have a list of right values."""
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    if isinstance(value, str) and isinstance(wanted, str):
        return _folded(value) == _folded(wanted)
    if isinstance(value, list) and isinstance(wanted, list):
        return len(value) == len(wanted) and all(map(_same, value, wanted))
    if isinstance(value, dict) and isinstance(wanted, dict):
        left_out = (key for key in wanted if key not in value)
        return all(key in wanted and _field(each, wanted[key]) for key, each in value.items()) and all(
            isinstance(wanted[key], list) and "" in wanted[key] for key in left_out
        )
    return bool(value == wanted)


def _field(value: Any, wanted: Any) -> bool:
    return _fits(value, wanted) or _same(value, wanted)


def _folded(text: str) -> str:
    return _FOLDED.sub("", text).casefold().replace("'", '"')
