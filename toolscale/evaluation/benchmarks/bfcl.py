"""The Berkeley Function Calling Leaderboard: its single-turn categories, judged by the calls' syntax trees.

`BFCL_v<n>_<category>.json` has `id, question, function`, and `possible_answer/` a file of the same name with the values
that are right for each parameter. Categories without possible answers are those where nothing is to be called
(irrelevance), or something (relevance). Multi-turn and executed categories, and those in Java and JavaScript, are
left out.
"""

import re
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolscale.artifacts import Call
from toolscale.errors import UserError
from toolscale.evaluation.benchmarks.offered import DescribedFunction, callable_name, calls_made
from toolscale.evaluation.problem import BenchmarkAttempt, Problem, Score
from toolscale.evaluation.solver import Solver, asked
from toolscale.messages import Message
from toolscale.questions.tables import SourceRow, rows_of, table_files

_FILE = re.compile(r"BFCL_v\d+_(?P<category>\w+)\.json")
_ANSWERED = re.compile(r"(live_)?(simple|simple_python|multiple|parallel|parallel_multiple)")
_UNANSWERED = re.compile(r"(live_)?(irrelevance|relevance)")
_FOLDED = re.compile(r"[ ,./\-_*^]")


@dataclass(frozen=True)
class CallsProblem:
    """A conversation and functions: solved by the right calls."""

    id: str
    topic: str
    conversation: list[Message]
    functions: tuple[DescribedFunction, ...]
    answers: list[dict[str, dict[str, list[Any]]]] | None
    """For each call that is wanted its function and the values that are right; None where no call is known."""

    async def attempt(self, solver: Solver) -> BenchmarkAttempt:
        """Let it call, and compare the calls."""
        tools = solver.open(self.id, self.functions)
        opening = [*asked("", tools)[:1], *self.conversation]
        trace = await solver.solve(self.id, tools, opening)
        score = self.judged(calls_made(trace, self.functions))
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


def fault(call: Call, answer: dict[str, dict[str, list[Any]]], required: dict[str, set[str]]) -> str:
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


def read_bfcl(place: Path, stack: ExitStack) -> list[Problem]:
    """The single-turn categories in a folder, or in one file with `possible_answer/` beside it."""
    problems: list[Problem] = []
    for file in table_files(place, "BFCL_v*.json"):
        found = _FILE.fullmatch(file.name)
        if found is None or file.parent.name == "possible_answer":
            continue
        category = found["category"]
        if _ANSWERED.fullmatch(category):
            possible = file.parent / "possible_answer" / file.name
            if not possible.exists():
                raise UserError(f"there is no {possible}, without it {file.name} cannot be judged")
            answers = {str(row.get("id")): row.get("ground_truth") for row in rows_of(possible)}
            problems += [_problem(file, row, category, answers) for row in rows_of(file)]
        elif _UNANSWERED.fullmatch(category):
            problems += [_problem(file, row, category, None) for row in rows_of(file)]
    return problems


def _problem(file: Path, row: SourceRow, category: str, answers: dict[str, Any] | None) -> CallsProblem:
    name = str(row.get("id"))
    try:
        (conversation,) = row["question"]
        functions = tuple(
            DescribedFunction.of(each["name"], each.get("description", ""), each["parameters"])
            for each in row["function"]
        )
        wanted = None if answers is None else answers[name]
        if wanted is not None and not all(isinstance(each, dict) and len(each) == 1 for each in wanted):
            raise ValueError("`ground_truth` is not a list of {function: parameters}")
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{file}: {name} is not of BFCL's single-turn form ({error})") from None
    return CallsProblem(name, category, list(conversation), functions, wanted)


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
    return isinstance(possible, list) and any(_same(value, each) for each in possible)


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
