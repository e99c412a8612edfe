"""Two datasets beside each other: what the second has more of, and how hard it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolscale.artifacts import DIFFICULTIES
from toolscale.dataset import shape
from toolscale.dataset.contents import Contents
from toolscale.dataset.diversity import SAMPLED, Diversity
from toolscale.dataset.ready_views import MANY_CALLS
from toolscale.dataset.summary import ShownTable, golden_calls, written

_FIGURES: Mapping[str, str] = {
    "tasks": ".0f",
    "domains": ".0f",
    "tasks kept of those proposed": ".0%",
    "mean pass rate": ".2f",
    "tasks that no attempt solved": ".0%",
    "tasks that every attempt solved": ".0%",
    "golden calls a task": ".2f",
    f"tasks with {MANY_CALLS} golden calls or more": ".0%",
    "tasks that write": ".0%",
    "functions that some task needs": ".0%",
    "distinct skeletons a task": ".2f",
    "distinct-3 of the words": ".2f",
}


@dataclass(frozen=True)
class Comparison:
    """This dataset and another."""

    name: str
    """Of the other."""
    table: ShownTable
    both: int
    """Tasks that both have: an id follows from the content."""
    gained: int
    lost: int
    curves: Mapping[str, Any]
    """For the page's script: shares of tasks, this dataset's and the other's."""


def compared(this: Contents, other: Contents, name: str) -> Comparison:
    """Hold a dataset against another one, which may be an earlier build of it."""
    import pandas as pd

    here, there = _figures(this), _figures(other)
    frame = pd.DataFrame(
        [
            [figure, *(format(value, form) for value in (here[figure], there[figure])), _change(here, there, figure)]
            for figure, form in _FIGURES.items()
        ],
        columns=["", "this dataset", "the other", "change"],
    )
    mine, its = _ids(this), _ids(other)
    return Comparison(
        name=name,
        table=ShownTable(written(frame, {})),
        both=len(mine & its),
        gained=len(mine - its),
        lost=len(its - mine),
        curves={"this": _curves(this), "other": _curves(other)},
    )


def label(folder: Path, against: Path) -> str:
    """What to call the other folder on a page: its last part, and the one before where the last parts are alike."""
    one, other = folder.resolve(), against.resolve()
    return other.name if one.name != other.name else str(Path(*other.parts[-2:]))


def _change(here: Mapping[str, float], there: Mapping[str, float], figure: str) -> str:
    form = _FIGURES[figure]
    difference = here[figure] - there[figure]
    text = format(difference * 100, "+.0f") + " points" if form.endswith("%") else format(difference, f"+{form}")
    return "same" if not float(text.split()[0]) else text


def _figures(contents: Contents) -> dict[str, float]:
    facts = shape.figures(contents)
    (row,) = contents.tables.rows(
        "select (select count(*) from domains where kept > 0), (select sum(kept) / sum(proposed) from domains), "
        "avg(pass_rate), avg((pass_rate = 0)::int), avg((pass_rate = 1)::int), avg(golden_calls), "
        "(select avg((tasks > 0)::int) from functions_used) from shape"
    )
    domains, kept, rate, unsolved, solved, calls, functions = (float(value or 0) for value in row)
    said = contents.tables.rows("select prompt from tasks where prompt <> '' order by md5(id) limit " + str(SAMPLED))
    return {
        "tasks": contents.tasks,
        "domains": domains,
        "tasks kept of those proposed": kept,
        "mean pass rate": rate,
        "tasks that no attempt solved": unsolved,
        "tasks that every attempt solved": solved,
        "golden calls a task": calls,
        f"tasks with {MANY_CALLS} golden calls or more": facts["with_many_calls"],
        "tasks that write": facts["with_writes"],
        "functions that some task needs": functions,
        "distinct skeletons a task": facts["skeletons"] / max(1, contents.tasks),
        "distinct-3 of the words": Diversity.of([text for (text,) in said]).distinct_3,
    }


def _ids(contents: Contents) -> set[str]:
    return {name for (name,) in contents.tables.rows("select id from tasks")}


def _curves(contents: Contents) -> dict[str, dict[str, float]]:
    """Shares of tasks: by golden calls, by pass rate in tenths, and by type of difficulty."""
    tasks = max(1, contents.tasks)
    rates = contents.tables.rows(
        "select round(pass_rate * 10)::int as tenth, count(*) from shape where pass_rate is not null group by all"
    )
    kinds = dict(contents.tables.rows("select difficulty, sum(tasks)::bigint from difficulties group by difficulty"))
    return {
        "golden calls": {str(calls): count / tasks for calls, count in golden_calls(contents).items()},
        "pass rate": {f"{tenth / 10:.1f}": count / tasks for tenth, count in sorted(rates)},
        "difficulty": {kind: kinds.get(kind, 0) / tasks for kind in DIFFICULTIES},
    }
