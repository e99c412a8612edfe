"""The dataset card: what is in it, how it came about, and how to load it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from statistics import mean
from typing import Any

from pydantic import BaseModel

from toolscale.artifacts import GATES


class About(BaseModel):
    """What the rows themselves do not tell."""

    name: str = "toolscale"
    licence: str = "apache-2.0"
    seed: int = 0
    models: dict[str, str] = {}
    """Role -> model string."""
    prompts: dict[str, str] = {}
    """Prompt -> hash."""
    dollars: float | None = 0.0
    """What the model calls cost; None where a price is not known."""
    calls: int = 0
    proposed: dict[str, int] = {}
    """Domain -> tasks that met the gates."""


def card(tables: Mapping[tuple[str, str], Iterable[Mapping[str, Any]]], about: About) -> str:
    """The card as Markdown, with the YAML header from which the Hub and `datasets` know the configs."""
    sections = [
        _header(tables, about),
        f"# {about.name}",
        "Tool-use tasks, each with golden calls, each verified by execution in the environment that comes with it. "
        "Made by the ToolScale factory, after ToolOrchestra (arXiv 2511.21689).",
        _counts(tables, about),
        _funnel(tables),
        _pass_rates(tables),
        _provenance(about),
        _loading(about),
    ]
    return "\n\n".join(sections) + "\n"


def _header(tables: Mapping[tuple[str, str], Any], about: About) -> str:
    lines = ["---", f"license: {about.licence}", f"pretty_name: {about.name}", "language:", "- en"]
    lines += ["task_categories:", "- text-generation", "tags:", "- tool-use", "- agents", "- reinforcement-learning"]
    lines += ["- synthetic", "configs:"]
    splits: dict[str, list[str]] = defaultdict(list)
    for config, split in tables:
        splits[config].append(split)
    for config, names in splits.items():
        lines.append(f"- config_name: {config}")
        lines += ["  default: true"] if config == "tasks" else []
        lines.append("  data_files:")
        for split in names:
            lines += [f"  - split: {split}", f"    path: {config}/{split}.parquet"]
    return "\n".join([*lines, "---"])


def _tasks(tables: Mapping[tuple[str, str], Iterable[Mapping[str, Any]]]) -> list[Mapping[str, Any]]:
    return [row for split in ("train", "eval") for row in tables["tasks", split]]


def _counts(tables: Mapping[tuple[str, str], Iterable[Mapping[str, Any]]], about: About) -> str:
    import json

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
        calls = mean([len(row["evaluation_criteria"]["actions"]) for row in rows] or [0])
        rates = [row["pass_rate"] for row in rows if row["pass_rate"] is not None]
        lines.append(
            f"| {domain} | {len(json.loads(environment['functions']))} | {sum(map(len, database.values()))} "
            f"| {about.proposed.get(domain, len(rows))} | {len(rows)} | {calls:.1f} | {mean(rates or [0]):.2f} |"
        )
    return "## Domains\n\n" + "\n".join(lines)


def _funnel(tables: Mapping[tuple[str, str], Iterable[Mapping[str, Any]]]) -> str:
    refused = Counter((row["stage"], row["check"]) for row in tables["rejects", "train"])
    order = {gate: index for index, gate in enumerate(GATES)}
    lines = ["| stage | check | refused |", "|---|---|---:|"]
    for (stage, check), count in sorted(refused.items(), key=lambda each: (each[0][0], order.get(each[0][1], -1))):
        lines.append(f"| {stage} | {check} | {count} |")
    return (
        "## What was refused\n\nEvery refused answer and task is in the config `rejects`, with its reasons.\n\n"
        + "\n".join(lines)
    )


def _pass_rates(tables: Mapping[tuple[str, str], Iterable[Mapping[str, Any]]]) -> str:
    counts = Counter(
        f"{sum(attempt['solved'] for attempt in row['attempts'])} of {len(row['attempts'])}" for row in _tasks(tables)
    )
    lines = ["| attempts that solved the task | tasks |", "|---|---:|"]
    lines += [f"| {outcome} | {count} |" for outcome, count in sorted(counts.items())]
    return "## Pass rates\n\n" + "\n".join(lines)


def _provenance(about: About) -> str:
    lines = [f"- seed: {about.seed}", f"- model calls: {about.calls}"]
    lines.append("- cost: not known for every model" if about.dollars is None else f"- cost: ${about.dollars:.2f}")
    lines += [f"- {role}: `{model}`" for role, model in sorted(about.models.items())]
    lines += [f"- prompt `{prompt}`: `{digest}`" for prompt, digest in sorted(about.prompts.items())]
    if any(model.startswith("offline/") for model in about.models.values()):
        lines.append(
            "- `offline/reference` is not a language model: it answers from hand-written reference domains, and its "
            "agent makes seeded mistakes. Pass rates measured with it say nothing about any language model."
        )
    return "## How it was made\n\n" + "\n".join(lines)


def _loading(about: About) -> str:
    return (
        "## Loading\n\n"
        "```python\n"
        "from datasets import load_dataset\n\n"
        f'tasks = load_dataset("PATH_OR_REPO", "tasks", split="train")\n'
        "```\n\n"
        'Arguments of golden calls are JSON strings: `json.loads(action["arguments"])`. `toolscale audit PATH` replays '
        f"every task. Licence: {about.licence}."
    )
