"""One domain made twice, by drafting and by task programs: ``python benchmarks/programs.py DOMAIN DRAFTED PROGRAMMED``.

The two are data roots. Printed beside each other: what is kept and what it took of the teacher and the evolver, of
those who read and reword, and of the agent; golden calls, skeletons, pass rates; and how alike the words are, over as
many tasks of each. Nothing is asked and nothing is written.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

sys.path[0] = str(Path(__file__).parent.parent)  # not this folder, where `dagster.py` is a benchmark

from pipelines.storage import read_rows, rows_file  # noqa: E402
from toolscale.artifacts import Task, TaskProgram  # noqa: E402
from toolscale.dataset.diversity import Diversity  # noqa: E402
from toolscale.settings import Settings  # noqa: E402
from toolscale.store import Store  # noqa: E402
from toolscale.traces.costs import costs  # noqa: E402

WRITING = ("programs", "tasks", "evolution")
"""Stages of the teacher and the evolver that make tasks."""

BESIDE = ("reading", "rewording")
"""Stages of the other roles that programs add."""


@dataclass(frozen=True)
class Made:
    """What a data root holds of the domain."""

    root: str
    domain: str
    kept: list[Task]

    @classmethod
    def of(cls, root: str, domain: str) -> "Made":
        return cls(root, domain, read_rows(rows_file(root, "verified_tasks", domain), Task))

    def tokens(self, *stages: str) -> tuple[int, int, float]:
        """Tokens read and written by stages, and their dollars."""
        with Store.existing(Settings(data_root=self.root).database_url()) as store:
            lines = [line for line in costs(store, "stage", domain=self.domain).lines if line.name in stages]
        dollars = sum(line.dollars or 0 for line in lines)
        return sum(line.prompt_tokens for line in lines), sum(line.completion_tokens for line in lines), dollars

    def figures(self, compared: int) -> Iterator[tuple[str, str]]:
        """Name and value of each figure."""
        count = max(1, len(self.kept))
        yield "kept", str(len(self.kept))
        programs = rows_file(self.root, "programs", self.domain)
        yield "task programs", str(len(read_rows(programs, TaskProgram))) if programs.exists() else "0"
        for name, stages in (
            ("teacher and evolver", WRITING),
            ("reading and rewording", BESIDE),
            ("agent", ("episode",)),
        ):
            read, wrote, dollars = self.tokens(*stages)
            yield f"{name}: tokens a kept task", f"{(read + wrote) / count:,.0f}"
            yield f"{name}: cents a kept task", f"{100 * dollars / count:.2f}"
        lengths = [len(task.golden_calls) for task in self.kept]
        yield "golden calls, mean (most)", f"{mean(lengths or [0]):.1f} ({max(lengths, default=0)})"
        yield "skeletons that differ", str(len({_skeleton(task) for task in self.kept}))
        yield f"of {compared} tasks, skeletons", str(len({_skeleton(task) for task in self._sample(compared)}))
        rates = [task.pass_rate for task in self.kept if task.pass_rate is not None]
        yield "pass rate, mean", f"{mean(rates):.2f} of {len(rates)}" if rates else "not known"
        yield "solved at the first attempt that counts", f"{mean(_first(task) for task in self.kept):.0%}"
        operators = Counter(task.lineage.operator or "none" for task in self.kept)
        yield "operators", ", ".join(f"{name} {number}" for name, number in operators.most_common(12))
        found = Diversity.of([_words(task) for task in self._sample(compared)])
        yield f"distinct-3 of {compared}", f"{found.distinct_3:.2f}"
        yield "nearest neighbour", f"{found.nearest:.2f}"
        yield "openings that differ", f"{found.openings:.0%}"
        if any(task.lineage.goals for task in self.kept):
            reworded = sum(task.lineage.reworded for task in self.kept)
            yield "reworded", f"{reworded} of {len(self.kept)}"

    def _sample(self, count: int) -> list[Task]:
        return random.Random(0).sample(self.kept, min(count, len(self.kept)))


def _skeleton(task: Task) -> tuple[tuple[str, ...], ...]:
    return tuple((call.name, *sorted(call.arguments)) for call in task.golden_calls)


def _first(task: Task) -> bool:
    return next((each.verdict.solved for each in task.attempts if not each.user_fault), False)


def _words(task: Task) -> str:
    return task.user_scenario.instructions.reason_for_call if task.user_scenario else ""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domain")
    parser.add_argument("drafted", help="data root in which its tasks were drafted")
    parser.add_argument("programmed", help="data root in which programs drew them")
    given = parser.parse_args()
    drafted, programmed = (Made.of(root, given.domain) for root in (given.drafted, given.programmed))
    compared = min(len(drafted.kept), len(programmed.kept))
    columns = [dict(each.figures(compared)) for each in (drafted, programmed)]
    print(f"| {given.domain} | drafted | by programs |\n| --- | ---: | ---: |")
    for name in dict.fromkeys([*columns[0], *columns[1]]):
        print(f"| {name} | {columns[0].get(name, '')} | {columns[1].get(name, '')} |")
    (read, wrote, _), (read_, wrote_, _) = (each.tokens(*WRITING) for each in (drafted, programmed))
    before, after = (read + wrote) / max(1, len(drafted.kept)), (read_ + wrote_) / max(1, len(programmed.kept))
    print(f"\nteacher and evolver, a kept task: {after / before:.3f} of drafting (aim: 0.1)")


if __name__ == "__main__":
    main()
