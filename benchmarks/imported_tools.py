"""Imported tools against the tools themselves: tau2-bench's own code in this process, ours in the sandbox.

    python benchmarks/imported_tools.py TAU2_BENCH [--domains airline retail] [--calls 500] [--seed 0]

`TAU2_BENCH` is a checkout of github.com/sierra-research/tau2-bench. What its toolkits import has to be installed:
`pip install addict deepdiff docstring-parser loguru python-dotenv toml`.

Calls are made in trajectories of ten. Half of them are as the tasks and the database have them: a golden call, or the
values of fields of that name. In the other half one thing is wrong: an argument too few or too many, a member left out
or put in, a value of another type. After each call the result, or the error's class and text, and the whole database
have to be the same. So have the golden calls of every task that is imported.
"""

import argparse
import copy
import importlib
import json
import os
import random
import sys
import tempfile
import time
import types
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

os.environ |= {"PYDANTIC_ERRORS_INCLUDE_URL": "0"}

from toolscale.artifacts import Call, CallOutcome, EnvironmentSpec, GoldenCall
from toolscale.artifacts.base import JsonPath as Place
from toolscale.checkers.task_file import read_tasks
from toolscale.checkers.values import containers, leaves, replaced
from toolscale.environment import ABSENT, Limits, Sandbox, equal, load_environment
from toolscale.environment.structure import entry_change
from toolscale.exchange.tau2_import import import_tau2

_IN_ONE_TRAJECTORY = 10
_WRONG = (None, "", "nonsense", 0, -1, 2.5, True, [], {}, ["x"], {"x": 1})


class Theirs:
    """tau2-bench's own toolkit of a domain, without the rest of its package (which wants a model's client and more)."""

    def __init__(self, checkout: Path, domain: str) -> None:
        if "tau2" not in sys.modules:
            package = types.ModuleType("tau2")
            package.__path__ = [str(checkout / "src/tau2")]
            sys.modules["tau2"] = package
            importlib.import_module("loguru").logger.remove()
        module = importlib.import_module(f"tau2.domains.{domain}.tools")
        toolkits = importlib.import_module("tau2.environment.toolkit")
        (self._kind,) = (
            each
            for each in vars(module).values()
            if isinstance(each, type) and issubclass(each, toolkits.ToolKitBase) and each.__module__ == module.__name__
        )
        self._initial = importlib.import_module(f"tau2.domains.{domain}.data_model").get_db()
        self._told = importlib.import_module("tau2.environment.environment").Environment.to_json_str
        self.before = self._entries(self._initial)

    def schemas(self) -> dict[str, Any]:
        """Each tool's parameters as its agents see them."""
        tools = self._kind(self._initial).get_tools()
        return {name: tool.openai_schema["function"]["parameters"] for name, tool in tools.items()}

    def run(self, calls: Sequence[Call | GoldenCall]) -> Iterator[tuple[Any, dict[tuple[str, str], Any]]]:
        """What each call told, and what differs from the initial database after it."""
        tools = self._kind(copy.deepcopy(self._initial))
        for call in calls:
            try:
                told = self._told(tools.use_tool(call.name, **copy.deepcopy(call.arguments)))
            except Exception as error:
                told = (type(error).__name__, str(error.args[0]) if isinstance(error, KeyError) else str(error))
            after = self._entries(tools.db)
            names = self.before.keys() | after.keys()
            different = {ref: after.get(ref, ABSENT) for ref in names if after.get(ref) != self.before.get(ref)}
            yield told, different

    @staticmethod
    def _entries(db: Any) -> dict[tuple[str, str], Any]:
        found: dict[tuple[str, str], Any] = {}
        for table, content in db.model_dump(mode="json", warnings=False).items():
            records = content if isinstance(content, dict) else {"": content}
            found |= {(table, str(key)): record for key, record in records.items()}
        return found


class Drawn:
    """Calls, half of them wrong in one place."""

    def __init__(self, spec: EnvironmentSpec, golden: Sequence[GoldenCall], seed: int) -> None:
        self._random = random.Random(seed)
        self._functions = spec.functions
        self._golden = defaultdict(list)
        self._values = defaultdict(list)
        for call in golden:
            self._golden[call.name].append(call.arguments)
            for name, value in call.arguments.items():
                self._values[name].append(value)
        for path, leaf in leaves(spec.database):
            if isinstance(path[-1], str):
                self._values[path[-1]].append(leaf)

    def call(self) -> Call:
        """One more call."""
        function = self._random.choice(self._functions)
        known = self._golden[function.name]
        arguments: dict[str, Any] = {
            name: self._random.choice(self._values[name] or ["nonsense"])
            for name in function.parameters.get("properties", {})
        }
        if known and self._random.random() < 0.7:
            arguments = self._random.choice(known)
        if self._random.random() < 0.5:
            arguments = self._spoilt(arguments)
        return Call(name=function.name, arguments=arguments)

    def _spoilt(self, arguments: dict[str, Any]) -> dict[str, Any]:
        arguments = copy.deepcopy(arguments)
        places: list[Place] = [path for path, _ in leaves(arguments)]
        objects = [value for _, value in containers(arguments) if isinstance(value, dict)] or [arguments]
        match self._random.randrange(4):
            case 0 if places:
                place = self._random.choice(places)
                value: Any = dict(leaves(arguments))[place]
                return replaced(arguments, place, self._random.choice([*_WRONG, str(value), f"{value}x"]))
            case 1:
                chosen = self._random.choice(objects)
                if chosen:
                    del chosen[self._random.choice([*chosen])]
            case 2:
                self._random.choice(objects)["extra"] = 1
            case _:
                name = self._random.choice([*arguments, "extra"])
                arguments[name] = self._random.choice([*_WRONG, *self._values[name][:50]])
        return arguments


def told_by(outcome: CallOutcome) -> Any:
    """An outcome as tau2-bench tells it."""
    if not outcome.ok:
        return outcome.error_type, outcome.error
    return outcome.result if isinstance(outcome.result, str) else json.dumps(outcome.result)


def alike(theirs: Any, outcome: CallOutcome) -> bool:
    """Whether both told the same: the same text, or the same JSON, or an error of one class with one text."""
    ours = told_by(outcome)
    if isinstance(theirs, tuple) or isinstance(ours, tuple):
        return bool(
            theirs == ours or (isinstance(theirs, tuple) and theirs[1][:1000] == ours[1] and theirs[0] == ours[0])
        )
    return bool(theirs == ours or (not isinstance(outcome.result, str) and equal(json.loads(theirs), outcome.result)))


def compared(theirs: Theirs, sandbox: Sandbox, calls: Sequence[Call | GoldenCall], found: Counter[str]) -> float:
    """Make the calls on both sides and count what came of them; returns the CPU seconds that ours took."""
    used = _cpu(sandbox)
    replay = sandbox.run(calls, fresh=True)
    seconds = _cpu(sandbox) - used
    ours: dict[tuple[str, str], Any] = {}
    for call, (told, state), outcome, step in zip(calls, theirs.run(calls), replay.outcomes, replay.steps, strict=True):
        ours |= step
        ours = {ref: entry for ref, entry in ours.items() if not equal(entry, theirs.before.get(ref, ABSENT))}
        found["calls"] += 1
        found["errors"] += isinstance(told, tuple)
        found["writes"] += bool(step)
        same_result = alike(told, outcome)
        same_state = ours.keys() == state.keys() and all(equal(ours[ref], state[ref]) for ref in ours)
        found["same result"] += same_result
        found["same state"] += same_state
        if not (same_result and same_state):
            print(f"  {call.name}({json.dumps(call.arguments)[:300]})", file=sys.stderr)
            print(f"    theirs: {str(told)[:300]}\n    ours:   {str(told_by(outcome))[:300]}", file=sys.stderr)
            for ref in ours.keys() | state.keys():
                if not equal(ours.get(ref, ABSENT), state.get(ref, ABSENT)):
                    change = entry_change(
                        ref, state.get(ref, theirs.before.get(ref)), ours.get(ref, theirs.before.get(ref))
                    )
                    print(f"    {ref}: {change and change.fields}", file=sys.stderr)
    return seconds


def _cpu(sandbox: Sandbox) -> float:
    """CPU seconds of this process, of the environment's warm process, and of every child that it has buried."""
    warm = sandbox._template._process
    below = Path(f"/proc/{warm.pid}/stat").read_text().rpartition(")")[2].split()[11:15] if warm else []
    return time.process_time() + sum(map(int, below)) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print a line a domain and kind of calls, as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--domains", nargs="+", default=["airline", "retail"])
    parser.add_argument("--calls", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("| domain | calls | | errors | that wrote | same result | same state | CPU ms a trajectory | schemas alike |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for domain in options.domains:
        theirs = Theirs(options.checkout, domain)
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / domain
            data, tools = (
                options.checkout / "data/tau2/domains" / domain,
                options.checkout / "src/tau2/domains" / domain,
            )
            report = import_tau2(data, out, tools)
            spec, tasks = load_environment(out), read_tasks(out / "tasks.json")
        schemas = theirs.schemas()
        same = sum(function.parameters == schemas.get(function.name) for function in spec.functions)
        drawn = Drawn(spec, [call for task in tasks for call in task.golden_calls], options.seed)
        random_calls = [
            [drawn.call() for _ in range(_IN_ONE_TRAJECTORY)] for _ in range(options.calls // _IN_ONE_TRAJECTORY)
        ]
        with Sandbox(spec, Limits(seconds=30)) as sandbox:
            sandbox.run(random_calls[0])
            for kind, lists in (
                (f"golden, {len(tasks)} tasks", [task.golden_calls for task in tasks]),
                ("random", random_calls),
            ):
                found: Counter[str] = Counter()
                seconds = sum(compared(theirs, sandbox, calls, found) for calls in lists)
                print(
                    f"| {domain} | {kind} | {found['calls']} | {found['errors']} | {found['writes']} "
                    f"| {found['same result']} | {found['same state']} | {1000 * seconds / (len(lists) or 1):.0f} "
                    f"| {same} of {len(schemas)} |"
                )
        print(f"{domain}: left out or told: {len(report.left_out)}", file=sys.stderr)


if __name__ == "__main__":
    main()
