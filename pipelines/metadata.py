"""What an asset tells in the UI: how much there is, a preview, what was refused and why, and what it cost."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import mean
from typing import Any, NamedTuple

import dagster as dg
from pydantic import BaseModel

from pipelines.domains import lacks_its_file
from pipelines.factory import Factory
from pipelines.pictures import bars, is_picture
from pipelines.shown import markdown
from toolscale.artifacts import GATES, EnvironmentSpec, Reject, Task
from toolscale.environment import not_checkable_in, rules_in
from toolscale.markdown import cell
from toolscale.traces.costs import Costs, costs

Metadata = dict[str, Any]

_LEADING = ("short", "kept")
"""What stands at the top of a page."""

_PREVIEWED = 5
_REFUSALS_A_GATE = 5
_LONGEST = 120
_SENTENCES = 300
_CELL = 100


def page(*parts: Metadata, last: Metadata | None = None) -> Metadata:
    """All that an asset's page shows, in the order in which it is read.

    What is kept comes first, with the other figures, then the funnel, the pictures, and what was refused; `last` goes
    to the end, but for its pictures.
    """
    shown = {name: value for part in parts for name, value in part.items()}
    drawn = {name: value for name, value in (last or {}).items() if is_picture(value)}
    ordered = sorted((shown | drawn).items(), key=lambda item: _place(*item))  # a stable sort: the rest stays as it is
    return dict(ordered) | (last or {})


def _place(name: str, value: Any) -> int:
    if name in _LEADING:
        return _LEADING.index(name)
    kinds = (isinstance(value, int | float), name == "funnel", is_picture(value), name == "rejects_by_check")
    return len(_LEADING) + next((place for place, is_so in enumerate(kinds) if is_so), len(kinds))


def preview(rows: Sequence[BaseModel], *columns: str) -> Metadata:
    """A table of the first rows, and the meaning of its columns."""
    if not rows:
        return {}
    fields = type(rows[0]).model_fields
    described = [dg.TableColumn(name, "string", description=fields[name].description) for name in columns]
    shown = rows[:: max(1, len(rows) // _PREVIEWED)][:_PREVIEWED]
    records = [dg.TableRecord({name: _short(getattr(row, name)) for name in columns}) for row in shown]
    return {"preview": dg.MetadataValue.table(records, dg.TableSchema(described))}


def task_preview(tasks: Sequence[Task], more: str = "") -> Metadata:
    """A table of some tasks: what the user says, the calls that solve it, what to tell, and one column `more`.

    It is kept narrow, because Dagster widens all of an asset's metadata with its widest table, and cuts it off.
    """
    shown = tasks[:: max(1, len(tasks) // _PREVIEWED)][:_PREVIEWED]
    records = [
        dg.TableRecord(
            {
                "id": task.id,
                "instruction": _short(task.instruction),
                "golden_calls": _short(" → ".join(call.name for call in task.golden_calls)),
                "to tell": _short(", ".join(task.communicate_info)),
                **({more: _further(task)[more]} if more else {}),
            }
        )
        for task in shown
    ]
    return {"preview": dg.MetadataValue.table(records)} if records else {}


def _further(task: Task) -> dict[str, str]:
    return {
        "added": task.lineage.added,
        "pass_rate": "" if task.pass_rate is None else f"{task.pass_rate:.2f}",
    }


def refusals(rejected: Sequence[Task]) -> Metadata:
    """Why tasks were refused, in the gates' words: some of each gate, with the instruction and the golden calls."""
    lines: list[str] = []
    for gate in GATES:
        of_gate = [task for task in rejected if task.rejected_by == gate]
        for task in of_gate[:_REFUSALS_A_GATE]:
            lines.append(f"- **{gate}**: {_short('; '.join(_reasons(task, gate)), _SENTENCES)}")
            lines.append(f"    - `{task.id}`: {_short(task.instruction, _SENTENCES)}")
            lines.append(f"    - golden calls: {' → '.join(f'`{call.name}`' for call in task.golden_calls)}")
        if more := of_gate[_REFUSALS_A_GATE:]:
            lines.append(f"- **{gate}**: {len(more)} more")
    return {"refusals": _markdown(lines)} if lines else {}


def _reasons(task: Task, gate: str) -> Iterator[str]:
    return (reason for outcome in task.gates if outcome.gate == gate for reason in outcome.reasons)


def refused(rejects: Sequence[Reject]) -> Metadata:
    """How many were refused, by which check, with an example of each."""
    counts = Counter(reject.check for reject in rejects)
    lines = ["| check | refused | for example |", "| --- | ---: | --- |"]
    for check, count in counts.most_common():
        example = next((reason for reject in rejects if reject.check == check for reason in reject.reasons), "")
        lines.append(f"| {check} | {count} | {_cell(example)} |")
    return {"rejects": len(rejects)} | ({"rejects_by_check": _markdown(lines)} if rejects else {})


def lost_at_gates(rejects: Sequence[Reject]) -> Counter[str]:
    """Gate -> drafts that never passed it."""
    return Counter(reject.check for reject in rejects if reject.check in GATES)


def funnel(kept: Sequence[Task], rejected: Sequence[Task]) -> Metadata:
    """How many tasks were kept of how many, and which gates took the others, with a reason of each."""
    taken = rejected_by_gate(rejected)
    remaining = len(kept) + len(rejected)
    lines = [
        "| gate | rejected | left | for example |",
        "| --- | ---: | ---: | --- |",
        f"| proposed | | {remaining} | |",
    ]
    for gate, count in taken.items():
        remaining -= count
        examples = (reason for task in rejected if task.rejected_by == gate for reason in _reasons(task, gate))
        lines.append(f"| {gate} | {count} | {remaining} | {_cell(next(examples, ''))} |")
    lines.append(f"| {'the other' if taken else 'all'} {len(GATES) - len(taken)} | 0 | {remaining} | |")
    return {"kept": len(kept), "proposed": len(kept) + len(rejected), "funnel": _markdown(lines)}


def rejected_by_gate(rejected: Sequence[Task]) -> dict[str, int]:
    """First gate that each task failed -> number of tasks, in the order of the gates; gates that took none left out."""
    counts = Counter(task.rejected_by for task in rejected)
    return {gate: counts[gate] for gate in GATES if counts[gate]}


def mean_pass_rate(rates: Iterable[float | None]) -> float | None:
    """The mean of tasks' pass rates, if there are any."""
    known = [rate for rate in rates if rate is not None]
    return mean(known) if known else None


def pass_rates(rates: Sequence[float | None]) -> Metadata:
    """The mean pass rate of tasks, and a picture of how many have which."""
    average = mean_pass_rate(rates)
    if average is None:
        return {}
    counts = Counter(f"{rate:.3g}" for rate in rates if rate is not None)
    ordered = {rate: counts[rate] for rate in sorted(counts, key=float)}
    return {"pass_rate": round(average, 4), "pass_rates": bars(ordered, "Kept tasks by pass rate")}


def by_depth(tasks: Iterable[tuple[int, int]]) -> Metadata:
    """A picture of how many golden calls tasks have, by how often they were made harder; given both of each task."""
    calls: dict[int, list[int]] = defaultdict(list)
    for depth, count in tasks:
        calls[depth].append(count)
    means = {f"{depth} ({len(calls[depth])} tasks)": mean(calls[depth]) for depth in sorted(calls)}
    return {"calls_by_depth": bars(means, "Mean golden calls by rounds of evolution", form=".1f")} if means else {}


def depths_of(tasks: Iterable[Task]) -> list[tuple[int, int]]:
    """How often each task was made harder, and how many golden calls it has."""
    return [(task.lineage.depth, len(task.golden_calls)) for task in tasks]


def cost(factory: Factory, domain: str, *stages: str) -> Metadata:
    """What the ledger of all runs says of a domain's stages: calls, tokens and dollars (unknown where a price is)."""
    with factory.store() as store:
        lines = [line for line in store.cost_by("stage", domain=domain) if line.name in stages]
    figures: Metadata = {
        "calls": sum(line.calls for line in lines),
        "tokens": sum(line.prompt_tokens + line.completion_tokens for line in lines),
        "traces": _markdown([f"`toolscale traces --domain {domain} --stage {stage}`  " for stage in stages]),
    }
    if cached := sum(line.cached_tokens for line in lines):
        figures["cached_tokens"] = cached
    if unpriced := sum(line.unpriced for line in lines):
        return figures | {"unpriced_calls": unpriced}
    return figures | {"dollars": sum((line.dollars for line in lines), 0.0)}


def cost_of_domain(factory: Factory, domain: str, kept: int) -> Metadata:
    """What all stages of a domain cost so far, for each task that is kept now, and a picture by stage."""
    with factory.store() as store:
        paid = costs(store, "stage", domain=domain, kept={domain: kept})
    lines = paid.lines
    dollars = {line.name: line.dollars for line in lines}
    tokens = {line.name: float(line.prompt_tokens + line.completion_tokens) for line in lines}
    if sum(dollars.values()):
        picture = bars(dollars, "Dollars by stage", form=",.3f")
    else:
        picture = bars({name: count / 1000 for name, count in tokens.items()}, "Thousand tokens by stage")
    found: Metadata = {
        "domain_tokens": int(sum(tokens.values())),
        "cost_by_stage": picture,
        "cents_a_kept_task": _cents_by_stage(paid),
    }
    if not any(line.unpriced for line in lines):
        found["domain_dollars"] = sum(dollars.values())
        if kept:
            found["dollars_per_kept_task"] = sum(dollars.values()) / kept
    return found


def _cents_by_stage(paid: Costs) -> dg.MarkdownMetadataValue:
    """What `toolscale cost --domain NAME` prints."""
    rows = [
        "| stage | calls | tokens in | cached | tokens out | $ | ¢ a kept task |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    whole = [(line, paid.cents(line)) for line in paid.lines] + [(paid.whole, paid.cents_per_kept_task)]
    for line, cents in whole:
        tokens = (line.calls, line.prompt_tokens, line.cached_tokens, line.completion_tokens)
        counts = " | ".join(f"{count:,}" for count in tokens)
        rows.append(f"| {line.name} | {counts} | {line.dollars:,.4f} | {'' if cents is None else f'{cents:.2f}'} |")
    return _markdown(rows)


class ReleasedDomain(NamedTuple):
    """A domain of a dataset, for its table."""

    functions: int
    entries: int
    proposed: int
    golden_calls: list[int]
    """Of each kept task."""
    pass_rates: list[float | None]
    """Likewise."""


def domains_table(domains: Mapping[str, ReleasedDomain], factory: Factory) -> Metadata:
    """A row for each domain of a dataset; one whose file is gone is marked as retired."""
    with factory.store() as store:
        paid = {line.name: line for line in store.cost_by("domain", domain=list(domains))}
    rows = []
    for name, domain in domains.items():
        line, rate = paid.get(name), mean_pass_rate(domain.pass_rates)
        rows.append(
            dg.TableRecord(
                {
                    "domain": f"{name} (retired)" if lacks_its_file(factory.data_root, name) else name,
                    "functions": domain.functions,
                    "entries": domain.entries,
                    "proposed": domain.proposed,
                    "kept": len(domain.golden_calls),
                    "golden calls a task": round(mean(domain.golden_calls), 1) if domain.golden_calls else "",
                    "pass rate": "" if rate is None else round(rate, 3),
                    "dollars": round(line.dollars, 4) if line and not line.unpriced else "not known" if line else 0,
                }
            )
        )
    return {"domains": dg.MetadataValue.table(rows)}


def environment_metadata(environment: EnvironmentSpec) -> Metadata:
    """Tables with their sizes, and the functions."""
    sizes = {table: len(records) for table, records in _tables(environment).items()}
    tables = ["| table | entries |", "| --- | ---: |", *(f"| {table} | {size} |" for table, size in sizes.items())]
    functions = ["| function | kind | what it does |", "| --- | --- | --- |"]
    functions += [f"| `{each.name}` | {each.kind} | {_cell(each.description)} |" for each in environment.functions]
    return {
        "entries": sum(sizes.values()),
        "functions": len(environment.functions),
        "writes": sum(function.kind == "write" for function in environment.functions),
        "rules": len(rules_in(environment.rules)),
        "left_to_a_judge": len(not_checkable_in(environment.rules)),
        "now": environment.now.isoformat(sep=" "),
        "tables": _markdown(tables),
        "offered": _markdown(functions),
    }


def _tables(environment: EnvironmentSpec) -> dict[str, dict[str, Any]]:
    return {table: records for table, records in environment.database.items() if isinstance(records, dict)}


def counted(name: str, counts: Mapping[str, int]) -> Metadata:
    """A table of counts."""
    lines = [f"| {name} | |", "| --- | ---: |", *(f"| {key} | {count} |" for key, count in counts.items())]
    return {name: _markdown(lines)}


def _markdown(lines: Sequence[str]) -> dg.MarkdownMetadataValue:
    return markdown("\n".join(lines))


def _cell(text: str) -> str:
    return cell(_short(text, _CELL))


def _short(value: Any, longest: int = _LONGEST) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1] + "…"
