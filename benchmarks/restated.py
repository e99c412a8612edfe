"""Whether a reworded request is taken if it says the same, and refused if not: ``python benchmarks/restated.py``.

Held against their templates are

- rewordings of a public library's requests by a language model that had seen nothing but the prompt; a reader said of
  many whether they are faithful (`benchmarks/recorded/public_library_rewordings.jsonl.xz`);
- the rewordings of `tests/checkers/restated`, faithful and not, by hand;
- the reference programs' other wordings of the same draw, which are faithful and were not written for these checks;
- what is made of the faithful ones that are taken by changing one thing (`benchmarks/unfaithful.py`).

`--misses` prints what is judged wrongly, `--every N` changes each Nth rewording only.
"""

import argparse
import json
import lzma
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)  # not this folder, where `dagster.py` is a benchmark

from benchmarks.unfaithful import unfaithful  # noqa: E402
from tests.programs import tool_hire  # noqa: E402
from tests.reference.rehearsal import Stage  # noqa: E402
from toolscale.artifacts import EnvironmentSpec, Task  # noqa: E402
from toolscale.checkers.facts import EnvironmentFacts  # noqa: E402
from toolscale.checkers.restated import Restated, differences  # noqa: E402
from toolscale.programs.words import words  # noqa: E402
from toolscale.reference.domain import reference_domain  # noqa: E402

RECORDED = ROOT / "benchmarks" / "recorded" / "public_library_rewordings.jsonl.xz"
BY_HAND = ROOT / "tests" / "checkers" / "restated"
LIBRARY, TOOL_HIRE = "public_library", "tool_hire"


@dataclass(frozen=True)
class Case:
    """A request in other words; `faithful` is what a reader said, None where nobody read it."""

    task: Task
    text: str
    asked: Mapping[str, str]
    faithful: bool | None

    def found(self) -> list[str]:
        """What the checks find."""
        return list(differences(self.task, Restated(self.text, self.asked), facts_of(self.task.domain)))


def recorded() -> Iterator[Case]:
    """What a language model made of a library's requests."""
    for row in _lines()[1:]:
        task = Task.model_validate(row["task"])
        yield Case(task, row["text"], row["asked"], row["faithful"])


def by_hand() -> Iterator[Case]:
    """The tests' rewordings."""
    tasks = {row.pop("name"): Task.model_validate(row) for row in map(json.loads, _text("tasks.jsonl").splitlines())}
    for kind, cases in yaml.safe_load(_text("rewordings.yaml")).items():
        for each in cases:
            task = tasks[each["task"]]
            yield Case(task, each["text"], dict(zip(task.asked, each["asked"], strict=True)), kind == "faithful")


def other_wordings() -> Iterator[Case]:
    """The same draws in the other wordings that the reference programs have for them."""
    for row in map(json.loads, _text("tasks.jsonl").splitlines()):
        row.pop("name")
        task = Task.model_validate(row)
        if task.domain == TOOL_HIRE or len(task.lineage.goals) > 1:
            continue
        programs = {each.name: each for each in reference_domain(task.domain).task_programs}
        (goal,) = task.lineage.goals
        for number in range(len(programs[goal.program].wordings)):
            try:
                said = words(programs, [goal], Random("other wordings"), number)
            except (KeyError, StopIteration):  # the program has other facts or twists than when the task was drawn
                continue
            asked = dict(zip(task.asked, said.asked.values(), strict=False))
            if len(asked) == len(task.asked) and said.text != _old(task):
                yield Case(task, said.text, asked, faithful=True)


@cache
def facts_of(domain: str) -> EnvironmentFacts:
    """A domain's records."""
    if domain == LIBRARY:
        return EnvironmentFacts(EnvironmentSpec.model_validate(_lines()[0]["environment"]))
    if domain == TOOL_HIRE:
        return EnvironmentFacts(tool_hire.environment())
    stage = Stage(domain)
    stage.sandbox.close()
    return EnvironmentFacts(stage.sandbox.spec)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--every", type=int, default=10)
    told = parser.parse_args()
    taken: list[Case] = []
    for name, cases in (("recorded", recorded()), ("by hand", by_hand()), ("other wordings", other_wordings())):
        taken += _show(name, list(cases), misses=told.misses)
    _show_unfaithful(taken[:: told.every], misses=told.misses)


def _show(name: str, cases: Sequence[Case], *, misses: bool) -> list[Case]:
    """Print what is taken of some cases, and return those."""
    found = [(case, case.found()) for case in cases]
    taken = [case for case, reasons in found if not reasons]
    print(f"{name}: {len(taken)} of {len(cases)} are taken")
    for faithful, said in ((True, "faithful"), (False, "unfaithful")):
        judged = [(case, reasons) for case, reasons in found if case.faithful is faithful]
        if judged:
            print(f"  read as {said}: {sum(not reasons for _, reasons in judged)} of {len(judged)}")
        for case, reasons in judged if misses else ():
            if bool(reasons) is faithful:
                print(f"    {reasons} {case.text!r}")
    return [case for case in taken if case.faithful is not False]


def _show_unfaithful(cases: Sequence[Case], *, misses: bool) -> None:
    """Print how many of the cases are still taken when one thing in them is changed."""
    made: Counter[str] = Counter()
    taken: Counter[str] = Counter()
    for case in cases:
        for change in unfaithful(case.task, case.text, case.asked):
            made[change.kind] += 1
            if not Case(case.task, change.text, change.asked, faithful=False).found():
                taken[change.kind] += 1
                if misses:
                    print(f"    {change.kind} {change.what} in {case.text!r}")
    print(f"changed in one thing, of {len(cases)} that are taken: {taken.total()} of {made.total()} are taken")
    for kind in made:
        print(f"  {kind}: {taken[kind]} of {made[kind]}")


@cache
def _lines() -> list[dict[str, Any]]:
    return [json.loads(line) for line in lzma.decompress(RECORDED.read_bytes()).decode().splitlines()]


def _text(file: str) -> str:
    return (BY_HAND / file).read_text(encoding="utf-8")


def _old(task: Task) -> str:
    return task.user_scenario.instructions.reason_for_call if task.user_scenario else ""


if __name__ == "__main__":
    main()
