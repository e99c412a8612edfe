"""The dataset card: what is in it, how it came about, and how to load it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from toolscale.dataset.contents import Contents
from toolscale.dataset.plots import FOLDER, PLOTS
from toolscale.dataset.shape import DIFFICULTY, by_depth, by_difficulty, facts
from toolscale.dataset.summary import (
    HOW_SPLIT,
    LICENCE,
    LIMITS,
    NAME,
    OF_THE_OFFLINE_MODEL,
    WHAT,
    Table,
    domains,
    funnel,
    pass_rates,
    provenance,
    refusals,
    splits,
    written,
)
from toolscale.markdown import cell, inert


def card(contents: Contents) -> str:
    """The card as Markdown, with the YAML header from which the Hub and `datasets` know the configs."""
    sections = [
        _header(contents.sizes),
        f"# {NAME}",
        WHAT,
        "## Domains\n\n" + _table(domains(contents)),
        "## Gates\n\nA task is kept when it passes every gate. The first that refused it counts.\n\n"
        + _table(funnel(contents)),
        "## What was refused\n\nRefused entries, functions and tasks are in the config `rejects`, with the reasons, "
        "also where a later answer was accepted.\n\n" + _table(refusals(contents)),
        "## Pass rates\n\n" + _table(_of_attempts(contents)) + "\n\n" + _plot("pass_rates"),
        "## Golden calls\n\n"
        + _table(by_depth(contents))
        + "\n\n"
        + _list(facts(contents))
        + "\n\n"
        + _plot("golden_calls"),
        "## Difficulty\n\n" + DIFFICULTY + "\n\n" + _table(by_difficulty(contents)),
        "## Splits\n\n" + HOW_SPLIT + "\n\n" + _table(splits(contents)),
        *_preferences(contents),
        "## How it was made\n\n" + _list(provenance(contents)),
        "## Limits\n\n" + _list([*([OF_THE_OFFLINE_MODEL] if contents.about.offline else []), *LIMITS]),
        _loading(),
    ]
    return "\n\n".join(sections) + "\n"


def _header(sizes: Mapping[tuple[str, str], int]) -> str:
    lines = ["---", f"license: {LICENCE}", f"pretty_name: {NAME}", "language:", "- en"]
    lines += ["task_categories:", "- text-generation", "tags:", "- tool-use", "- agents", "- reinforcement-learning"]
    lines.append("- synthetic")
    named: dict[str, list[str]] = defaultdict(list)
    for (config, split), size in sizes.items():
        if size:  # `datasets` refuses to load a config of which any split has no rows
            named[config].append(split)
    lines += ["configs:"] if named else []
    for config, names in named.items():
        lines.append(f"- config_name: {config}")
        lines += ["  default: true"] if config == "tasks" else []
        lines.append("  data_files:")
        for split in names:
            lines += [f"  - split: {split}", f"    path: {config}/{split}.parquet"]
    return "\n".join([*lines, "---"])


def _table(table: Table) -> str:
    columns = list(table.frame.columns)
    rule = [*(["---"] * table.texts), *(["---:"] * (len(columns) - table.texts))]
    rows = table.frame.itertuples(index=False, name=None)
    lines = [" | ".join(columns), "|".join(rule), *(" | ".join(map(cell, row)) for row in rows)]
    return "\n".join(f"| {line} |" if position != 1 else f"|{line}|" for position, line in enumerate(lines))


def _of_attempts(contents: Contents) -> Table:
    import pandas as pd

    rates = pass_rates(contents)
    return Table(
        pd.DataFrame({"attempts that solved the task": list(rates), "tasks": [str(count) for count in rates.values()]})
    )


def _plot(name: str) -> str:
    return f"![{PLOTS[name]}]({FOLDER}/{name}.png)"


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {inert(line)}" for line in lines)


def _preferences(contents: Contents) -> list[str]:
    """The section on preferences; none where the dataset has none."""
    frame = contents.frame(
        "select theme, count(*) filter (where split = 'train') as train, "
        "count(*) filter (where split = 'eval') as eval from preferences group by theme order by theme"
    )
    if frame.empty:
        return []
    table = Table(written(frame, {}))
    return [
        "## Preferences\n\nWhat a user may say of how to work (`instruction`), put after a task's own instruction, and "
        "what it comes to: `vector` has one figure from 0 to 1 for each of `tools`, then outcome, compute and latency. "
        "No vector and no instruction is in both splits."
        + _who_prefers(contents.about.preferences)
        + "\n\n"
        + _table(table)
    ]


def _who_prefers(told: Mapping[str, str]) -> str:
    if not told:
        return ""
    who = (
        f" They are about the catalogue `{told['catalogue']}`, proposed by {told['proposed_by']} and validated by "
        f"{told['validated_by']}."
    )
    offline = " The offline model's instructions are hand-written sentences." * told["proposed_by"].startswith(
        "offline/"
    )
    return inert(who) + offline


def _loading() -> str:
    return (
        "## Loading\n\n"
        "```python\n"
        "from datasets import load_dataset\n\n"
        'tasks = load_dataset("PATH_OR_REPO", "tasks", split="train")\n'
        "```\n\n"
        'Arguments of golden calls are JSON strings: `json.loads(action["arguments"])`. `toolscale audit PATH` replays '
        f"every task. Licence: {LICENCE}."
    )
