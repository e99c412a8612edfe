"""API-Bank: the next API call of a dialogue, levels 1 to 3, in the form of its `test-data/`.

Levels 1 and 2 are `level-<n>-api.json`: `instruction, input, expected_output`, and the instruction ends with
descriptions of the APIs, one JSON object a line. Level 3 is `level-3-batch-inf.json`: the only API that its input
describes is a search for APIs, and what earlier calls found stands in the dialogue; so those can be called too.
Its own evaluator runs the APIs and compares results; we compare the calls, which is stricter.
"""

import json
import re
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from toolscale.artifacts import Call
from toolscale.errors import UserError
from toolscale.evaluation.benchmarks.offered import DescribedFunction, callable_name, calls_made
from toolscale.evaluation.problem import BenchmarkAttempt, Problem, Score
from toolscale.evaluation.solver import Solver
from toolscale.python_source import literal, parsed
from toolscale.questions.forms import worded
from toolscale.questions.tables import SourceRow, column, rows_of, table_files

_DESCRIPTIONS = re.compile(r"API descriptions:\s*", re.IGNORECASE)
_REQUEST = re.compile(r"\[\s*(?P<name>\w+)\((?P<arguments>.*)\)\s*\]", re.DOTALL)
_KEY = re.compile(r"(?:^|,\s*)(\w+)\s*=\s*")
_YEAR = re.compile(r"The current year is \d{4}\.")
_FOUND = re.compile(r"^API-Request: \[.*\]->(?P<result>\{.*\})\s*$", re.MULTILINE)
_LEVEL = re.compile(r"^(level-\d).*$")
_SEARCH = "ToolSearcher"
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_CUE = re.compile(r"Generate API Request:\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class NextCallProblem:
    """A dialogue so far and APIs: solved by exactly the call that comes next in it."""

    id: str
    topic: str
    dialogue: str
    functions: tuple[DescribedFunction, ...]
    expected: Call

    async def attempt(self, solver: Solver) -> BenchmarkAttempt:
        """Let it call, and compare the call."""
        tools = solver.open(self.id, self.functions)
        question = (
            "Below is a dialogue between a user and an assistant. You are the assistant: make the one API call that "
            f"comes next, then end.\n\n{self.dialogue}"
        )
        trace = await solver.solve(self.id, tools, solver.asked(question, tools))
        score = self.judged(calls_made(trace, self.functions))
        return BenchmarkAttempt(trace, tuple(tool.spec.name for tool in tools), score)

    def judged(self, calls: list[Call]) -> Score:
        """Is it this one call, with these values?"""
        if len(calls) != 1:
            return Score(False, f"{len(calls)} calls instead of one of {self.expected.name}")
        (call,) = calls
        if call.name != self.expected.name:
            return Score(False, f"{call.name} was called instead of {self.expected.name}")
        for key in sorted({*call.arguments, *self.expected.arguments}):
            given, wanted = call.arguments.get(key), self.expected.arguments.get(key)
            if key not in call.arguments or key not in self.expected.arguments or not self._same(given, wanted):
                return Score(False, f"{call.name} got {key}={given!r}, and wants {wanted!r}")
        return Score(True, "the call is right")

    def _same(self, given: Any, wanted: Any) -> bool:
        """Equal as text; of a search for APIs `QueryMeeting` and `query meeting` are the same keywords."""
        if self.expected.name == _SEARCH:
            given, wanted = (_CAPITAL.sub(" ", each) if isinstance(each, str) else each for each in (given, wanted))
        return _written(given) == _written(wanted)


def read_api_bank(place: Path, stack: ExitStack) -> list[Problem]:
    """The levels in a folder, or the rows of one file."""
    files = table_files(place, "level-[12]-api.json")
    if place.is_dir():
        files += table_files(place, "level-3-batch-inf.json")
    return [_problem(file, row, number) for file in files for number, row in enumerate(rows_of(file))]


def call_in(request: str) -> Call:
    """The call of `API-Request: [Name(key='value', ...)]`.

    Raises:
        ValueError: there is none in it.
    """
    found = _REQUEST.search(request)
    if found is None:
        raise ValueError(f"{request[:80]!r} is no API request")
    try:
        (statement,) = parsed(found[0].strip()).body
        (node,) = statement.value.elts  # type: ignore[attr-defined]
        arguments = {each.arg: literal(each.value) for each in node.keywords}
    except (ValueError, AttributeError):  # quotes within quotes, or none: read what can be read
        _, *parts = _KEY.split(found["arguments"])
        arguments = {key: value.strip().strip("'\"") for key, value in zip(parts[::2], parts[1::2], strict=True)}
    return Call(name=callable_name(found["name"]), arguments=arguments)


def _problem(file: Path, row: SourceRow, number: int) -> NextCallProblem:
    instruction, said = column(file, row, "instruction"), column(file, row, "input")
    _, *described = _DESCRIPTIONS.split(instruction)
    listed = [line for line in "\n".join(described).splitlines() if line.strip()]
    if not listed:
        listed, said = _leading_objects(said)
    try:
        functions = [_function(json.loads(line)) for line in listed] + _found_in(said)
        expected = call_in(column(file, row, "expected_output", "output"))
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise UserError(f"{file}: row {number} is not of API-Bank's form ({error})") from None
    dialogue = _CUE.sub("", said).strip()
    year = _YEAR.search(instruction)
    return NextCallProblem(
        id=f"{file.stem}-{number}",
        topic=_LEVEL.sub(r"\1", file.stem),
        dialogue=f"{year[0]}\n\n{dialogue}" if year else dialogue,
        functions=tuple({function.spec.name: function for function in functions}.values()),
        expected=expected,
    )


def _leading_objects(text: str) -> tuple[list[str], str]:
    """The lines with objects that level 3's inputs begin with, and the rest."""
    lines = text.splitlines()
    described = list(takewhile(lambda line: line.startswith("{"), lines))
    return described, "\n".join(lines[len(described) :])


def _found_in(dialogue: str) -> list[DescribedFunction]:
    """The APIs that earlier searches of a dialogue found."""
    results = [literal(found["result"]) for found in _FOUND.finditer(dialogue) if _SEARCH in found[0]]
    outputs = [result.get("output") for result in results]
    described = [each for output in outputs for each in (output if isinstance(output, list) else [output])]
    return [_function(each) for each in described if isinstance(each, dict) and "name" in each]


def _function(described: dict[str, Any]) -> DescribedFunction:
    """An API in either of the two ways in which it is described."""
    parameters = described.get("input_parameters") or described.get("parameters") or {}
    schema = {"type": "object", "properties": parameters, "required": list(parameters)}
    name = described["name"] if "name" in described else described["apiCode"]
    return DescribedFunction.of(name, str(described.get("description", "")), schema)


def _written(value: Any) -> str:
    """A value as text: API-Bank writes numbers with quotes and without."""
    return worded(value if isinstance(value, str) else json.dumps(value, sort_keys=True))
