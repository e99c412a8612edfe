"""What an asset tells in the UI: how much there is, a preview, what was refused and why, and what it cost."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

import dagster as dg
from pydantic import BaseModel

from pipelines.factory import Factory
from toolscale.artifacts import GATES, EnvironmentSpec, Reject, Task

Metadata = dict[str, Any]

_PREVIEWED = 8
_LONGEST = 160
_CELL = 100


def preview(rows: Sequence[BaseModel], *columns: str) -> Metadata:
    """A table of the first rows, and the meaning of its columns."""
    if not rows:
        return {}
    fields = type(rows[0]).model_fields
    described = [dg.TableColumn(name, "string", description=fields[name].description) for name in columns]
    shown = rows[:: max(1, len(rows) // _PREVIEWED)][:_PREVIEWED]
    records = [dg.TableRecord({name: _short(getattr(row, name)) for name in columns}) for row in shown]
    return {"preview": dg.MetadataValue.table(records, dg.TableSchema(described))}


def task_preview(tasks: Sequence[Task]) -> Metadata:
    """A table of some tasks: what the user says, and the calls that solve it."""
    shown = tasks[:: max(1, len(tasks) // _PREVIEWED)][:_PREVIEWED]
    records = [
        dg.TableRecord(
            {
                "id": task.id,
                "instruction": _short(task.instruction),
                "golden_calls": _short(" → ".join(call.name for call in task.golden_calls)),
                "communicate_info": _short(", ".join(task.communicate_info)),
                "added": task.lineage.added,
                "pass_rate": "" if task.pass_rate is None else f"{task.pass_rate:.2f}",
            }
        )
        for task in shown
    ]
    return {"preview": dg.MetadataValue.table(records)} if records else {}


def refused(rejects: Sequence[Reject]) -> Metadata:
    """How many were refused, by which check, with an example of each."""
    counts = Counter(reject.check for reject in rejects)
    lines = ["| check | refused | for example |", "| --- | ---: | --- |"]
    for check, count in counts.most_common():
        example = next((reason for reject in rejects if reject.check == check for reason in reject.reasons), "")
        lines.append(f"| {check} | {count} | {_cell(example)} |")
    return {"rejects": len(rejects)} | ({"rejects_by_check": _markdown(lines)} if rejects else {})


def funnel(kept: Sequence[Task], rejected: Sequence[Task]) -> Metadata:
    """How many tasks each gate took, as a table and as figures that Dagster can plot."""
    taken = rejected_by_gate(rejected)
    remaining = len(kept) + len(rejected)
    lines = ["| gate | rejected | left | for example |", "| --- | ---: | ---: | --- |", f"| | | {remaining} | |"]
    for gate in GATES:
        remaining -= taken.get(gate, 0)
        examples = (
            reason
            for task in rejected
            if task.rejected_by == gate
            for outcome in task.gates
            if outcome.gate == gate
            for reason in outcome.reasons
        )
        lines.append(f"| {gate} | {taken.get(gate, 0)} | {remaining} | {_cell(next(examples, ''))} |")
    figures = {f"rejected_by_{gate}": taken.get(gate, 0) for gate in GATES}
    return {"proposed": len(kept) + len(rejected), "kept": len(kept), **figures, "funnel": _markdown(lines)}


def rejected_by_gate(rejected: Sequence[Task]) -> dict[str, int]:
    """First gate that each task failed -> number of tasks, in the order of the gates; gates that took none left out."""
    counts = Counter(task.rejected_by for task in rejected)
    return {gate: counts[gate] for gate in GATES if counts[gate]}


def mean_pass_rate(tasks: Sequence[Task]) -> float | None:
    """The mean of the tasks' pass rates, if there are any."""
    rates = [task.pass_rate for task in tasks if task.pass_rate is not None]
    return mean(rates) if rates else None


def pass_rates(tasks: Sequence[Task]) -> Metadata:
    """The mean pass rate, and how many tasks have which."""
    average = mean_pass_rate(tasks)
    if average is None:
        return {}
    counts = Counter(f"{task.pass_rate:.3f}" for task in tasks if task.pass_rate is not None)
    widest = max(counts.values())
    lines = ["| pass rate | tasks | |", "| ---: | ---: | --- |"]
    lines += [f"| {rate} | {counts[rate]} | {'█' * max(1, 24 * counts[rate] // widest)} |" for rate in sorted(counts)]
    return {"pass_rate": round(average, 4), "pass_rates": _markdown(lines)}


def cost(factory: Factory, domain: str, *stages: str) -> Metadata:
    """What the ledger of all runs says of a domain's stages: calls, tokens and dollars (unknown where a price is)."""
    with factory.store() as store:
        lines = [line for line in store.cost_by("stage", domain=domain) if line.name in stages]
    figures: Metadata = {
        "calls": sum(line.calls for line in lines),
        "tokens": sum(line.prompt_tokens + line.completion_tokens for line in lines),
        "traces": _markdown([f"`toolscale traces --domain {domain} --stage {stage}`  " for stage in stages]),
    }
    if unpriced := sum(line.unpriced for line in lines):
        return figures | {"unpriced_calls": unpriced}
    return figures | {"dollars": sum((line.dollars for line in lines), 0.0)}


def environment_metadata(environment: EnvironmentSpec) -> Metadata:
    """Tables with their sizes, and the functions."""
    sizes = {table: len(records) for table, records in environment.database.items() if isinstance(records, dict)}
    tables = ["| table | entries |", "| --- | ---: |", *(f"| {table} | {size} |" for table, size in sizes.items())]
    functions = ["| function | kind | what it does |", "| --- | --- | --- |"]
    functions += [f"| `{each.name}` | {each.kind} | {_cell(each.description)} |" for each in environment.functions]
    return {
        "entries": sum(sizes.values()),
        "functions": len(environment.functions),
        "writes": sum(function.kind == "write" for function in environment.functions),
        "now": environment.now.isoformat(sep=" "),
        "tables": _markdown(tables),
        "offered": _markdown(functions),
    }


def counted(name: str, counts: Mapping[str, int]) -> Metadata:
    """A table of counts."""
    lines = [f"| {name} | |", "| --- | ---: |", *(f"| {key} | {count} |" for key, count in counts.items())]
    return {name: _markdown(lines)}


def _markdown(lines: Sequence[str]) -> dg.MarkdownMetadataValue:
    return dg.MetadataValue.md("\n".join(lines))


def _cell(text: str) -> str:
    return _short(text, _CELL).replace("|", "\\|")


def _short(value: Any, longest: int = _LONGEST) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1] + "…"
