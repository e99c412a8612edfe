"""The dataset card: what is in it, how it came about, and how to load it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from toolscale.dataset.by_model import HOW_MEASURED, by_model
from toolscale.dataset.contents import Contents
from toolscale.dataset.dictionary import dictionary, of_instances
from toolscale.dataset.diversity import by_source, explained
from toolscale.dataset.licence import LICENCE, LICENCE_FILE
from toolscale.dataset.plots import FOLDER, PLOTS
from toolscale.dataset.shape import DIFFICULTY, OPERATORS, by_depth, by_difficulty, by_operator, facts
from toolscale.dataset.summary import (
    HOW_ATTEMPTS,
    HOW_SEEN,
    HOW_SPLIT,
    LIMITS,
    NAME,
    OF_THE_OFFLINE_MODEL,
    OFFLINE_ATTEMPTS,
    WHAT,
    ShownTable,
    attempts,
    domains,
    funnel,
    pass_rates,
    provenance,
    refusals,
    seen,
    splits,
    written,
)
from toolscale.dataset.usage import CHATS, CITATION, LOADING, REWARD, code, sample, size_category
from toolscale.markdown import cell, inert


def card(contents: Contents) -> str:
    """The card as Markdown, with the YAML header from which the Hub and `datasets` know the configs."""
    sections = [
        _header(contents),
        f"# {NAME}",
        WHAT,
        "## Domains\n\n" + _table(domains(contents)),
        "## Gates\n\nA task is kept when it passes every gate. The first that refused it counts.\n\n"
        + _table(funnel(contents)),
        "## What was refused\n\nRefused entries, functions and tasks are in the config `rejects`, with the reasons, "
        "also where a later answer was accepted.\n\n" + _table(refusals(contents)),
        "## Pass rates\n\n" + _table(_of_attempts(contents)) + "\n\n" + _plot("pass_rates"),
        *_by_model(contents),
        "## Golden calls\n\n"
        + _table(by_depth(contents))
        + "\n\n"
        + _list(facts(contents))
        + "\n\n"
        + _plot("golden_calls"),
        "## Difficulty\n\n" + DIFFICULTY + "\n\n" + _table(by_difficulty(contents)),
        "## Operators\n\n" + OPERATORS + "\n\n" + _table(by_operator(contents)),
        "## Words\n\n" + explained(contents) + "\n\n" + _table(by_source(contents)),
        "## Splits\n\n" + HOW_SPLIT + _held_out(contents) + "\n\n" + _table(splits(contents)),
        "## What train has seen of eval\n\n" + HOW_SEEN + "\n\n" + _table(seen(contents)),
        "## Attempts\n\n" + " ".join(_of_lessons(contents)) + "\n\n" + _table(attempts(contents)),
        *_preferences(contents),
        *_instances(contents),
        "## How it was made\n\n" + _list(provenance(contents)),
        "## Limits\n\n" + _list([*([OF_THE_OFFLINE_MODEL] if contents.about.offline else []), *LIMITS]),
        "## Columns\n\n" + dictionary(dict.fromkeys(config for config, _ in contents.sizes)),
        *([of_instances()] if contents.about.instances else []),
        *_sample(contents),
        _using(),
        f"## Licence\n\n{LICENCE}; its text is in the file `{LICENCE_FILE}`.",
        "## Citation\n\n" + code("bibtex", CITATION),
    ]
    return "\n\n".join(sections) + "\n"


def _header(contents: Contents) -> str:
    lines = ["---", f"license: {LICENCE}", f"pretty_name: {NAME}", "language:", "- en"]
    lines += ["task_categories:", "- text-generation", "tags:", "- tool-use", "- agents", "- reinforcement-learning"]
    lines += ["- synthetic", "size_categories:", f"- {size_category(contents.tasks)}"]
    named: dict[str, list[str]] = defaultdict(list)
    for (config, split), size in contents.sizes.items():
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


def _table(table: ShownTable) -> str:
    columns = list(table.frame.columns)
    rule = [*(["---"] * table.texts), *(["---:"] * (len(columns) - table.texts))]
    rows = table.frame.itertuples(index=False, name=None)
    lines = [" | ".join(columns), "|".join(rule), *(" | ".join(map(cell, row)) for row in rows)]
    return "\n".join(f"| {line} |" if position != 1 else f"|{line}|" for position, line in enumerate(lines))


def _of_attempts(contents: Contents) -> ShownTable:
    import pandas as pd

    rates = pass_rates(contents)
    return ShownTable(
        pd.DataFrame({"attempts that solved the task": list(rates), "tasks": [str(count) for count in rates.values()]})
    )


def _by_model(contents: Contents) -> list[str]:
    """The section on pass rates by model; none where the dataset has none."""
    table = by_model(contents)
    return [f"## Pass rates by model\n\n{HOW_MEASURED}\n\n{_table(table)}"] if table else []


def _plot(name: str) -> str:
    return f"![{PLOTS[name]}]({FOLDER}/{name}.png)"


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {inert(line)}" for line in lines)


def _held_out(contents: Contents) -> str:
    names = contents.about.held_out_domains
    return f" Held out: {', '.join(names)}." if names else " No domain was held out."


def _of_lessons(contents: Contents) -> list[str]:
    return [HOW_ATTEMPTS, *([OFFLINE_ATTEMPTS] if contents.about.offline else [])]


def _sample(contents: Contents) -> list[str]:
    """The section with a row; none where there are no tasks."""
    row = sample(contents)
    return ["## A row of `tasks`\n\nWith the first of its attempts only.\n\n" + code("json", row)] if row else []


def _preferences(contents: Contents) -> list[str]:
    """The section on preferences; none where the dataset has none."""
    frame = contents.frame(
        "select theme, count(*) filter (where split = 'train') as train, "
        "count(*) filter (where split = 'eval') as eval from preferences group by theme order by theme"
    )
    if frame.empty:
        return []
    table = ShownTable(written(frame, {}))
    return [
        "## Preferences\n\nWhat a user may say of how to work (`instruction`), put after a task's own instruction, and "
        "what it comes to: `vector` has one figure from 0 to 1 for each of `tools`, then outcome, compute and latency. "
        "No vector and no instruction is in both splits."
        + _who_prefers(contents.about.preferences)
        + "\n\n"
        + _table(table)
    ]


def _instances(contents: Contents) -> list[str]:
    """The section on the tasks' instances; none where the dataset has none."""
    told = contents.about.instances
    if not told:
        return []
    frame = contents.frame(
        "select schedule, count(*) as tasks, avg(len(tools)) as tools, count(preference) as preferences from tasks "
        "group by schedule order by schedule"
    )
    dealt = " Where a preference of the task's split says something about these tools, its user has one."
    return [
        "## Instances\n\n"
        + inert(
            f"Each task offers tools and models of its own beside its functions, at the prices of one schedule, drawn "
            f"from the catalogue `{told['catalogue']}` and the schedules {told['schedules']} with seed {told['seed']}."
        )
        + dealt * (told["preferences"] == "yes")
        + " `tools` is how many a task offers, the mean.\n\n"
        + _table(ShownTable(written(frame, {"tools": ".1f"})))
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


def _using() -> str:
    return (
        "## Use\n\n"
        + code("python", LOADING)
        + "\n\nSystem prompt and tools are stored once a domain, in `prompts`. Whole chats for fine-tuning, with "
        "`tools` as JSON:\n\n"
        + code("python", CHATS)
        + "\n\nThe reward of an episode, with the package `toolscale`:\n\n"
        + code("python", REWARD)
        + "\n\n`toolscale audit PATH` replays every task."
    )
