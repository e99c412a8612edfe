"""What a dataset comes to, as tables and sentences that the card and the report both show."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import mean
from typing import Any, NamedTuple

from toolscale.artifacts import GATES
from toolscale.dataset.about import About

NAME = "toolscale"
LICENCE = "apache-2.0"
WHAT = (
    "Tool-use tasks, each with golden calls, each verified by execution in the environment that comes with it. "
    "Made by the ToolScale factory, after ToolOrchestra (arXiv 2511.21689)."
)

PAPERS_TASKS = {"medicine": 622, "weather": 375}
"""Domain -> tasks in the paper's dataset, where its text tells; over all ten domains it has `PAPERS_TOTAL`."""
PAPERS_TOTAL = 4063

Rows = Sequence[Mapping[str, Any]]


class Table(NamedTuple):
    """A table to be shown. The first `texts` columns are texts, the others are figures."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    texts: int = 1


@dataclass(frozen=True)
class Contents:
    """A dataset without its trajectories, which are many and of which only the number is told."""

    tables: Mapping[tuple[str, str], Rows]
    """(config, split) -> rows."""
    sizes: Mapping[tuple[str, str], int]
    """(config, split) -> number of rows, for every file there is."""
    about: About

    @cached_property
    def tasks(self) -> Rows:
        """The tasks of both splits."""
        return [row for split in ("train", "eval") for row in self.tables.get(("tasks", split), ())]

    @property
    def environments(self) -> Rows:
        """One a domain."""
        return self.tables["environments", "train"]

    @property
    def rejects(self) -> Rows:
        """What was refused."""
        return self.tables["rejects", "train"]


def domains(contents: Contents) -> Table:
    """What each domain has, beside the paper's number of tasks."""
    by_domain: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in contents.tasks:
        by_domain[row["domain"]].append(row)
    columns = ("domain", "functions", "entries", "tasks proposed", "tasks kept", "the paper's tasks")
    lines: list[tuple[str, ...]] = []
    for environment in contents.environments:
        domain, rows = environment["domain"], by_domain[environment["domain"]]
        database = json.loads(environment["database"])
        lines.append(
            (
                domain,
                str(len(json.loads(environment["functions"]))),
                str(sum(len(records) for records in database.values() if isinstance(records, dict | list))),
                str(contents.about.proposed.get(domain, len(rows))),
                str(len(rows)),
                str(PAPERS_TASKS.get(domain, "not told")),
                *_means(rows),
            )
        )
    if len(lines) > 1:
        proposed = sum(int(row[3]) for row in lines)
        sums = ("", "", str(proposed), str(len(contents.tasks)), f"{PAPERS_TOTAL} in ten")
        lines.append(("all", *sums, *_means(contents.tasks)))
    return Table((*columns, "golden calls a task", "pass rate"), lines)


def funnel(contents: Contents) -> Table:
    """How many tasks each gate refused first, and how many were left after it."""
    refused = Counter(row["check"] for row in contents.rejects if row["stage"] == "verified_tasks")
    left = len(contents.tasks) + refused.total()
    lines = [("proposed", "", str(left))]
    for gate in (*GATES, *sorted(set(refused) - set(GATES))):
        left -= refused[gate]
        lines.append((gate, str(refused[gate]), str(left)))
    return Table(("gate", "refused", "left"), lines)


def refusals(contents: Contents) -> Table:
    """How much each check of each stage refused."""
    refused = Counter((row["stage"], row["check"]) for row in contents.rejects)
    order = {gate: str(index) for index, gate in enumerate(GATES)}
    ranked = sorted(refused.items(), key=lambda each: (each[0][0], order.get(each[0][1], each[0][1])))
    rows = [(stage, check, str(count)) for (stage, check), count in ranked]
    return Table(("stage", "check", "refused"), rows, texts=2)


def pass_rates(contents: Contents) -> Counter[str]:
    """``"5 of 8"`` -> the tasks that so many of their attempts solved."""
    return Counter(
        f"{sum(attempt['solved'] for attempt in row['attempts'])} of {len(row['attempts'])}" for row in contents.tasks
    )


def golden_calls(contents: Contents) -> Counter[int]:
    """Number of golden calls -> tasks that have so many."""
    return Counter(len(row["evaluation_criteria"]["actions"] or ()) for row in contents.tasks)


def splits(contents: Contents) -> Table:
    """How many tasks each split has, and of how many the intent or the entities are not in ``train``."""
    lines: list[tuple[str, ...]] = []
    for split in ("train", "eval"):
        rows = contents.tables.get(("tasks", split), ())
        unseen = [(bool(row["unseen_intent"]), bool(row["unseen_entities"])) for row in rows]
        counts = (sum(intent for intent, _ in unseen), sum(each for _, each in unseen), sum(map(all, unseen)))
        shown = map(str, counts) if split == "eval" else ("", "", "")
        lines.append((split, str(len(rows)), *shown))
    return Table(("split", "tasks", "intent unseen", "entities unseen", "both unseen"), lines)


HOW_SPLIT = (
    "Kin (a task and what evolved from it) share a split. In `eval` are the families whose intent was held out, "
    "families whose entities were held out with all that share one of these, and one family in ten besides. "
    "`unseen_intent` is true where no task of the domain in `train` has the intent; `unseen_entities` where none in "
    "`train` names, in its golden calls, a record that this one names."
)

LIMITS = (
    "An instruction holds all that the user wants and knows. Whether an agent would ask back for the rest is not "
    "measured.",
    "A verdict compares states and looks for facts in what the agent said. It does not judge tone, brevity or extra "
    "promises.",
    "Databases, people, firms and prices are made up. Nothing here is advice, medical or other.",
    "English only.",
)

OF_THE_OFFLINE_MODEL = (
    "`offline/reference` is not a language model: it answers from hand-written reference domains, and its agent makes "
    "seeded mistakes. Pass rates measured with it say nothing about any language model."
)


def provenance(contents: Contents) -> Iterator[str]:
    """How the dataset was made, a fact a line; what is code stands in backquotes."""
    about = contents.about
    seeds = sorted({environment["seed"] for environment in contents.environments})
    cost = "not known for every model" if about.dollars is None else f"${about.dollars:.2f}"
    yield f"seed: {', '.join(map(str, seeds))}"
    yield f"model calls recorded for these domains so far, over all runs: {about.calls}; their cost: {cost}"
    yield from (f"{role}, answered so far by: {', '.join(models)}" for role, models in sorted(about.models.items()))
    yield from (f"prompt `{prompt}`: `{digest}`" for prompt, digest in sorted(about.prompts.items()))


def _means(rows: Rows) -> tuple[str, str]:
    calls = [len(row["evaluation_criteria"]["actions"] or ()) for row in rows]
    rates = [row["pass_rate"] for row in rows if row["pass_rate"] is not None]
    return _mean(".1f", calls), _mean(".2f", rates)


def _mean(form: str, values: Sequence[float]) -> str:
    return format(mean(values), form) if values else "-"
