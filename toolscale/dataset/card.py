"""The dataset card: what is in it, how it came about, and how to load it."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

from pydantic import BaseModel

from toolscale.artifacts import GATES


class About(BaseModel):
    """What the rows themselves do not tell."""

    models: dict[str, list[str]] = {}
    """Role -> the models that answered for it."""
    prompts: dict[str, str] = {}
    """Prompt -> hash."""
    dollars: float | None = 0.0
    """What the model calls recorded for these domains cost, over all runs; None where a price is not known."""
    calls: int = 0
    """Model calls recorded for these domains, over all runs."""
    proposed: dict[str, int] = {}
    """Domain -> tasks that met the gates."""


NAME = "toolscale"
LICENCE = "apache-2.0"


def card(tables: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]], about: About) -> str:
    """The card as Markdown, with the YAML header from which the Hub and `datasets` know the configs."""
    sections = [
        _header(tables),
        f"# {NAME}",
        "Tool-use tasks, each with golden calls, each verified by execution in the environment that comes with it. "
        "Made by the ToolScale factory, after ToolOrchestra (arXiv 2511.21689).",
        _counts(tables, about),
        _funnel(tables),
        _pass_rates(tables),
        _provenance(tables, about),
        _loading(),
    ]
    return "\n\n".join(sections) + "\n"


def _header(tables: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]]) -> str:
    lines = ["---", f"license: {LICENCE}", f"pretty_name: {NAME}", "language:", "- en"]
    lines += ["task_categories:", "- text-generation", "tags:", "- tool-use", "- agents", "- reinforcement-learning"]
    lines.append("- synthetic")
    splits: dict[str, list[str]] = defaultdict(list)
    for (config, split), rows in tables.items():
        if rows:  # `datasets` refuses to load a config of which any split has no rows
            splits[config].append(split)
    lines += ["configs:"] if splits else []
    for config, names in splits.items():
        lines.append(f"- config_name: {config}")
        lines += ["  default: true"] if config == "tasks" else []
        lines.append("  data_files:")
        for split in names:
            lines += [f"  - split: {split}", f"    path: {config}/{split}.parquet"]
    return "\n".join([*lines, "---"])


def _tasks(tables: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]]) -> list[Mapping[str, Any]]:
    return [row for split in ("train", "eval") for row in tables["tasks", split]]


def _counts(tables: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]], about: About) -> str:
    by_domain: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in _tasks(tables):
        by_domain[row["domain"]].append(row)
    lines = [
        "| domain | functions | entries | tasks proposed | tasks kept | golden calls a task | pass rate |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for environment in tables["environments", "train"]:
        domain = environment["domain"]
        rows = by_domain[domain]
        database = json.loads(environment["database"])
        entries = sum(len(table) for table in database.values() if isinstance(table, dict | list))
        calls = _mean(".1f", [len(row["evaluation_criteria"]["actions"]) for row in rows])
        rate = _mean(".2f", [row["pass_rate"] for row in rows if row["pass_rate"] is not None])
        lines.append(
            f"| {domain} | {len(json.loads(environment['functions']))} | {entries} "
            f"| {about.proposed.get(domain, len(rows))} | {len(rows)} | {calls} | {rate} |"
        )
    return "## Domains\n\n" + "\n".join(lines)


def _mean(form: str, values: list[float]) -> str:
    return format(mean(values), form) if values else "-"


def _funnel(tables: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]]) -> str:
    refused = Counter((row["stage"], row["check"]) for row in tables["rejects", "train"])
    order = {gate: index for index, gate in enumerate(GATES)}
    lines = ["| stage | check | refused |", "|---|---|---:|"]
    for (stage, check), count in sorted(refused.items(), key=lambda each: (each[0][0], order.get(each[0][1], -1))):
        lines.append(f"| {stage} | {check} | {count} |")
    return (
        "## What was refused\n\n"
        "Refused entries, functions and tasks are in the config `rejects`, with the reasons, also where a later answer "
        "was accepted.\n\n" + "\n".join(lines)
    )


def _pass_rates(tables: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]]) -> str:
    counts = Counter(
        f"{sum(attempt['solved'] for attempt in row['attempts'])} of {len(row['attempts'])}" for row in _tasks(tables)
    )
    lines = ["| attempts that solved the task | tasks |", "|---|---:|"]
    lines += [f"| {outcome} | {count} |" for outcome, count in sorted(counts.items())]
    return "## Pass rates\n\n" + "\n".join(lines)


def _provenance(tables: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]], about: About) -> str:
    seeds = sorted({environment["seed"] for environment in tables["environments", "train"]})
    cost = "not known for every model" if about.dollars is None else f"${about.dollars:.2f}"
    lines = [f"- seed: {', '.join(map(str, seeds))}"]
    lines.append(f"- model calls recorded for these domains so far, over all runs: {about.calls}; their cost: {cost}")
    lines += [f"- {role}, answered so far by: {', '.join(models)}" for role, models in sorted(about.models.items())]
    lines += [f"- prompt `{prompt}`: `{digest}`" for prompt, digest in sorted(about.prompts.items())]
    if any(model.startswith("offline/") for models in about.models.values() for model in models):
        lines.append(
            "- `offline/reference` is not a language model: it answers from hand-written reference domains, and its "
            "agent makes seeded mistakes. Pass rates measured with it say nothing about any language model."
        )
    return "## How it was made\n\n" + "\n".join(lines)


def _loading() -> str:
    return (
        "## Loading\n\n"
        "```python\n"
        "from datasets import load_dataset\n\n"
        f'tasks = load_dataset("PATH_OR_REPO", "tasks", split="train")\n'
        "```\n\n"
        'Arguments of golden calls are JSON strings: `json.loads(action["arguments"])`. `toolscale audit PATH` replays '
        f"every task. Licence: {LICENCE}."
    )
