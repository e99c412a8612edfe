"""A domain before the money is spent on it: what a handful of tasks show of it, and what the rest would cost."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import takewhile
from typing import Any

from pipelines.domains import read_domain
from pipelines.factory import Factory
from pipelines.orders import PREVIEW_TASKS
from pipelines.preflight import offline_answers
from pipelines.progress import DomainReport
from pipelines.reports import report
from pipelines.storage import read_rows, rows_file, stored
from toolscale.artifacts import Domain, Entry, Function, Rule, Subject, Task
from toolscale.errors import UserError
from toolscale.estimate import Estimate, estimate
from toolscale.llm.budget import Spent
from toolscale.printable import in_one_line
from toolscale.synthesis.chain import CHAIN

TASKS_SHOWN = 3


@dataclass(frozen=True)
class Preview:
    """What there is of a domain, and what is still to be paid for."""

    domain: Domain
    subjects: Sequence[str]
    entries: dict[str, int]
    """Table -> entries."""
    functions: Sequence[Function]
    rules: Sequence[Rule]
    tasks: Sequence[Task]
    """A few, kept ones first."""
    funnel: DomainReport
    paid: Spent
    """For this domain so far, in all runs."""
    first_tasks: int
    """Of the whole domain."""
    rest: Estimate
    offline: str = ""
    """For which roles the offline model answered, in a line; empty if for none."""

    def as_json(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {
            "domain": self.domain.model_dump(mode="json"),
            "subjects": list(self.subjects),
            "entries": self.entries,
            "functions": [each.model_dump(include={"name", "kind", "description"}) for each in self.functions],
            "rules": [each.model_dump(include={"name", "sentence", "by"}) for each in self.rules],
            "tasks": [_told(task) for task in self.tasks],
            "funnel": asdict(self.funnel),
            "paid": self.paid._asdict(),
            "first_tasks": self.first_tasks,
            "rest": self.rest.as_json(),
        }

    def as_markdown(self) -> str:
        """The whole preview, for a terminal as for the UI."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"# {self.domain.name}\n\n{in_one_line(self.domain.description)}\n"
        if self.offline:
            yield f"{self.offline}\n"
        yield f"**Subjects**: {in_one_line('; '.join(self.subjects))}\n"
        yield f"**Tables**: {in_one_line(', '.join(f'{table} ({count})' for table, count in self.entries.items()))}\n"
        writes = sum(function.kind == "write" for function in self.functions)
        yield f"**Functions**, {len(self.functions)}, of which {writes} write:\n"
        yield from (f"- `{each.name}` ({each.kind}): {in_one_line(each.description)}" for each in self.functions)
        left = sum(rule.by == "judge" for rule in self.rules)
        yield f"\n**Rules of the policy**: {len(self.rules) - left} that programs check, {left} left to a judge.\n"
        yield "**Tasks, for example**:\n"
        for task in self.tasks:
            yield f"- {in_one_line(task.instruction)}"
            yield f"    - golden calls: {' → '.join(f'`{call.name}`' for call in task.golden_calls)}"
            if task.communicate_info:
                yield f"    - to be told: {in_one_line(', '.join(task.communicate_info))}"
            yield f"    - {_fate(task)}"
        funnel = self.funnel
        lost = "".join(f", {count} lost to {gate}" for gate, count in funnel.rejected.items())
        passing = "" if funnel.pass_rate is None else f"; mean pass rate {funnel.pass_rate:.2f}"
        yield f"\n**Funnel**: {funnel.proposed} tasks proposed{lost}, {funnel.kept} kept{passing}.\n"
        yield f"**Paid so far**: ${self.paid.dollars:.4f} for {self.paid.calls:,} calls.\n"
        calls, dollars = self.rest.calls, self.rest.dollars
        yield (
            f"**The rest**, to {self.first_tasks} first tasks: about ${dollars.low:,.2f} to ${dollars.high:,.2f}, "
            f"{calls.low:,.0f} to {calls.high:,.0f} calls. Rests on {self.rest.rests_on}."
        )


def preview_of(domain: str, factory: Factory) -> Preview:
    """What there is of a domain, and what a run with the factory's number of tasks would newly pay. Makes no call.

    The rest is what these very programs and functions still lack: a prompt that was changed since is not gone by.

    Raises:
        UserError: the domain's assets are not there, or a model cannot be had.
    """
    root, described = factory.data_root, read_domain(factory.data_root, domain)
    kept = read_rows(rows_file(root, "verified_tasks", domain), Task)
    rejected = read_rows(rows_file(root, "rejected_tasks", domain), Task)
    with factory.store() as store:
        lines = store.cost_by("domain", domain=domain)
        first_tasks = factory.likely_first_tasks(domain, store)
        rest = asyncio.run(
            estimate(
                described,
                factory.settings(),
                store,
                tasks=first_tasks,
                rounds=factory.evolution_rounds,
                made=_made_whole(root, domain),
            )
        )
    return Preview(
        domain=described,
        subjects=[subject.name for subject in read_rows(rows_file(root, "subjects", domain), Subject)],
        entries=dict(Counter(entry.table for entry in read_rows(rows_file(root, "entries", domain), Entry))),
        functions=read_rows(rows_file(root, "functions", domain), Function),
        rules=read_rows(rows_file(root, "rules", domain), Rule),
        tasks=[*kept, *rejected][:TASKS_SHOWN],
        funnel=report(root, domain, {task.id for task in kept}),
        paid=Spent(sum(line.calls for line in lines), sum(line.dollars for line in lines)),
        first_tasks=first_tasks,
        rest=rest,
        offline=offline_answers(factory.settings()),
    )


def _made_whole(data_root: str, domain: str) -> dict[str, Any]:
    """What the stages made that do not go by the number of tasks: the rest is made in this environment, so nothing of
    it is tried out once more. That took most of a preview's time."""
    whole = takewhile(lambda stage: "tasks_per_domain" not in stage.told, CHAIN)
    return {stage.name: stored(data_root, stage, domain) for stage in whole}


def refuse_preview(data_root: str, domain: str) -> None:
    """See that a preview would not take the place of more.

    Raises:
        UserError: the domain has more first tasks than a preview makes.
    """
    file = rows_file(data_root, "tasks", domain)
    there = len(read_rows(file, Task)) if file.exists() else 0
    if there > PREVIEW_TASKS:
        raise UserError(f"`{domain}` has {there} first tasks already, more than a preview makes: continue without one")


def _told(task: Task) -> dict[str, Any]:
    calls = [call.model_dump(include={"name", "arguments"}) for call in task.golden_calls]
    return {"instruction": task.instruction, "golden_calls": calls, "communicate_info": task.communicate_info} | {
        "rejected_by": task.rejected_by,
        "pass_rate": task.pass_rate,
    }


def _fate(task: Task) -> str:
    if task.rejected_by:
        return f"rejected by {task.rejected_by}"
    return "kept" if task.pass_rate is None else f"kept, solved in {task.pass_rate:.0%} of the attempts"
