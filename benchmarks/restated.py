"""What requests in their users' voices keep, and how varied they are: ``python benchmarks/restated.py``.

Held against what programs drew are

- the requests of a public library that programs of a language model drew, as they stand in their templates, and as a
  language model had freely reworded them (`benchmarks/recorded/public_library_rewordings.jsonl.xz`);
- what a language model, answering from the prompt alone, made of sixty of these requests, by today's prompt and the one
  before (`benchmarks/recorded/public_library_voices.jsonl`);
- answers to the prompt for thirty of these and thirty requests of `medicine`, written by the language model that wrote
  the check: faithful ones, and others that add, lose or change something (`benchmarks/recorded/voices.yaml`,
  `benchmarks/recorded/voices_tasks.jsonl`).

`--show` prints each answer with what is made of it.
"""

import argparse
import json
import lzma
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)  # not this folder, where `dagster.py` is a benchmark

from tests.reference.rehearsal import Stage  # noqa: E402
from toolscale.artifacts import EnvironmentSpec, Task  # noqa: E402
from toolscale.checkers.facts import EnvironmentFacts  # noqa: E402
from toolscale.dataset.diversity import Diversity  # noqa: E402
from toolscale.synthesis.rewording import parts  # noqa: E402

RECORDED = ROOT / "benchmarks" / "recorded"
LIBRARY = "public_library"


@dataclass(frozen=True)
class Case:
    """An answer to the prompt: a request's marked text, and in what it is unfaithful, if it is."""

    kind: str
    task: Task
    text: str
    fault: str

    @property
    def new(self) -> str:
        """The request as it is reworded."""
        facts = facts_of(self.task.domain)
        return parts(self.task, facts).worded(self.text, facts)

    @property
    def outcome(self) -> str:
        """What becomes of the answer."""
        facts = facts_of(self.task.domain)
        found = parts(self.task, facts)
        if any(found.faults(self.text)):
            return "sent back"
        refused = sum(found.held(at, said, facts) is None for at, said in enumerate(found.said(self.text)))
        if self.new == old(self.task):
            return "the template stays"
        return "some of it is left out" if refused else "taken whole"


def old(task: Task) -> str:
    """What the template says."""
    return task.user_scenario.instructions.reason_for_call if task.user_scenario else ""


def answers() -> Iterator[Case]:
    """What a language model answered, by the prompt."""
    drawn = [Task.model_validate(row["task"]) for row in _library()[1:]]
    tasks = {task.id: task for task in drawn}
    for line in (RECORDED / "public_library_voices.jsonl").read_text(encoding="utf-8").splitlines():
        each = json.loads(line)
        yield Case(each["prompt"], tasks[each["task"]], each["text"], "")


def cases() -> Iterator[Case]:
    """Answers of whoever wrote the check."""
    lines = (RECORDED / "voices_tasks.jsonl").read_text(encoding="utf-8").splitlines()
    tasks = {name: Task.model_validate(task) for name, task in (json.loads(line) for line in lines)}
    for kind, answers in yaml.safe_load((RECORDED / "voices.yaml").read_text(encoding="utf-8")).items():
        for each in answers:
            yield Case(kind, tasks[each["task"]], each["text"], each.get("fault", ""))


@cache
def facts_of(domain: str) -> EnvironmentFacts:
    """A domain's records."""
    if domain == LIBRARY:
        return EnvironmentFacts(EnvironmentSpec.model_validate(_library()[0]["environment"]))
    stage = Stage(domain)
    stage.sandbox.close()
    return EnvironmentFacts(stage.sandbox.spec)


@cache
def _library() -> list[dict[str, Any]]:
    packed = (RECORDED / "public_library_rewordings.jsonl.xz").read_bytes()
    return [json.loads(line) for line in lzma.decompress(packed).decode().splitlines()]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true")
    show = parser.parse_args().show
    _print_pieces([Task.model_validate(row["task"]) for row in _library()[1:]])
    for kind, of_kind in _by_kind(list(answers())):
        _print_outcomes(f"a language model, {kind}", of_kind, show=show)
        _print_words("  templates", [old(case.task) for case in of_kind])
        _print_words("  in their voices", [case.new for case in of_kind])
    found = list(cases())
    for kind, of_kind in _by_kind(found):
        _print_outcomes(kind, of_kind, show=show)
    faithful = [case for case in found if not case.fault]
    _print_words("templates", [old(case.task) for case in faithful])
    _print_words("in their voices", [case.new for case in faithful])
    of_library = {case.task.id for case in faithful}
    free = [row for row in _library()[1:] if row["task"]["id"] in of_library]
    _print_words("of these the library's: templates", [old(Task.model_validate(row["task"])) for row in free])
    _print_words("in their voices", [case.new for case in faithful if case.task.domain == LIBRARY])
    _print_words("freely reworded", [row["text"] for row in free])


def _by_kind(found: Sequence[Case]) -> Iterator[tuple[str, list[Case]]]:
    for kind in dict.fromkeys(case.kind for case in found):
        yield kind, [case for case in found if case.kind == kind]


def _print_outcomes(name: str, of_kind: Sequence[Case], *, show: bool) -> None:
    counted = Counter(case.outcome for case in of_kind)
    print(f"{name}, {len(of_kind)}: {', '.join(f'{outcome} {count}' for outcome, count in sorted(counted.items()))}")
    for case in of_kind if show else ():
        print(f"  {case.outcome} ({case.fault or 'faithful'}): {case.text!r}\n    {case.new!r}")


def _print_pieces(tasks: Sequence[Task]) -> None:
    found = [parts(task, facts_of(task.domain)) for task in tasks]
    words = sum(len(old(task).split()) for task in tasks)
    kept = sum(len(piece.opening.split()) for each in found for piece in each.pieces)
    pieces = sum(len(each.pieces) for each in found) / len(tasks)
    places = sum(sum(each.free) for each in found) / len(tasks)
    print(f"{len(tasks)} requests of {LIBRARY}: {kept / words:.0%} of their words are pieces;")
    print(f"  a request has {pieces:.1f} pieces and {places:.1f} places for small talk")


def _print_words(name: str, texts: Sequence[str]) -> None:
    found = Diversity.of(texts)
    print(
        f"{name}, {len(texts)}: distinct-3 {found.distinct_3:.2f}, nearest neighbour {found.nearest:.2f}, "
        f"openings that differ {found.openings:.0%}"
    )


if __name__ == "__main__":
    main()
