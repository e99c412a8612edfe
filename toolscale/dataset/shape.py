"""How hard the tasks of a dataset are, and how varied: figures by depth of evolution, and over all of them."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import mean
from typing import Any

from toolscale.dataset.summary import Contents, Rows, Table

MANY_CALLS = 6
"""Golden calls from which on a task counts as long."""

Skeleton = tuple[str, tuple[tuple[str, tuple[str, ...]], ...]]
"""A domain, and the golden calls without their values: each function's name with the names of its arguments."""


def by_depth(contents: Contents) -> Table:
    """Golden calls, distinct functions and pass rate of the tasks, by how often they were made harder."""
    rows_at: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for row in contents.tasks:
        rows_at[row["lineage"]["depth"]].append(row)
    lines = [
        (
            str(depth),
            str(len(rows)),
            _mean(".2f", [len(_actions(row)) for row in rows]),
            _mean(".2f", [len({action["name"] for action in _actions(row)}) for row in rows]),
            _share(sum(len(_actions(row)) >= MANY_CALLS for row in rows), len(rows)),
            _mean(".2f", [row["pass_rate"] for row in rows if row["pass_rate"] is not None]),
        )
        for depth, rows in sorted(rows_at.items())
    ]
    many = f"{MANY_CALLS} calls or more"
    return Table(("times made harder", "tasks", "golden calls", "functions", many, "pass rate"), lines, texts=0)


def figures(contents: Contents) -> dict[str, float]:
    """What `facts` says in words: counts, shares from 0 to 1, and the mean golden calls of evolved tasks."""
    rows = contents.tasks
    writes = _writing_functions(contents.environments)
    evolved = [len(_actions(row)) for row in rows if row["lineage"]["depth"]]
    read_only = [row for row in rows if not any((row["domain"], each["name"]) in writes for each in _actions(row))]
    with_facts = sum(bool(row["evaluation_criteria"]["communicate_info"]) for row in read_only)
    return {
        "tasks": len(rows),
        "skeletons": len({skeleton(row) for row in rows}),
        "golden_calls_evolved": round(mean(evolved), 3) if evolved else 0.0,
        "with_many_calls": _of(sum(len(_actions(row)) >= MANY_CALLS for row in rows), len(rows)),
        "with_writes": _of(len(rows) - len(read_only), len(rows)),
        "read_only_with_facts": _of(with_facts, len(rows)),
    }


def facts(contents: Contents) -> Iterator[str]:
    """The figures, a sentence a line."""
    found = figures(contents)
    yield f"distinct golden-call skeletons (functions and argument names, in order): {found['skeletons']:.0f}"
    yield f"golden calls of tasks that were made harder, on average: {found['golden_calls_evolved']:.2f}"
    yield f"tasks with {MANY_CALLS} golden calls or more: {found['with_many_calls']:.0%}"
    yield f"tasks whose golden calls write: {found['with_writes']:.0%}"
    yield f"tasks that only read, and have a fact to tell the user: {found['read_only_with_facts']:.0%}"


def skeleton(row: Mapping[str, Any]) -> Skeleton:
    """What a task's golden calls have in common with those of tasks about other entries."""
    calls = tuple((action["name"], tuple(json.loads(action["arguments"]))) for action in _actions(row))
    return row["domain"], calls


def _writing_functions(environments: Rows) -> set[tuple[str, str]]:
    return {
        (environment["domain"], function["name"])
        for environment in environments
        for function in json.loads(environment["functions"])
        if function["kind"] == "write"
    }


def _actions(row: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    actions: Sequence[Mapping[str, Any]] = row["evaluation_criteria"]["actions"] or ()
    return actions


def _of(count: int, total: int) -> float:
    return round(count / total, 3) if total else 0.0


def _share(count: int, total: int) -> str:
    return f"{count / total:.0%}" if total else "-"


def _mean(form: str, values: Sequence[float]) -> str:
    return format(mean(values), form) if values else "-"
