"""A comparison as Markdown, its plots as files beside it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from toolscale.evaluation.comparison.columns import columns_of
from toolscale.evaluation.comparison.groups import BenchmarkGroup
from toolscale.evaluation.comparison.plots import plots
from toolscale.markdown import cell
from toolscale.whole import writing


def write_markdown(file: Path, groups: Sequence[BenchmarkGroup]) -> None:
    """Write the text, and each plot beside it as `NAME.BENCHMARK.NUMBER.png`. Raises UserError if the disk refuses."""
    parts = [
        "# Evaluations compared",
        "Accuracy in percent; cost in cents, time in minutes and calls of tools a task, all as means. Runs are bold, "
        "with 95% bootstrap intervals over their tasks. All other lines are published figures, over whole benchmarks "
        "and without intervals.",
    ]
    with writing(file):
        for group in groups:
            parts += _text(group)
            for number, (caption, png) in enumerate(plots(group).items(), start=1):
                image = file.with_name(f"{file.stem}.{group.benchmark}.{number}.png")
                image.write_bytes(png)
                parts.append(f"![{caption}](<{image.name}>)")
            parts += _sources(group)
        file.write_text("\n\n".join(parts) + "\n", encoding="utf-8", errors="backslashreplace")


def _text(group: BenchmarkGroup) -> Iterator[str]:
    yield f"## {cell(group.title)}"
    yield from (cell(remark) for remark in group.remarks)
    if not group.tables:
        yield "The papers have no figures of this benchmark."
    columns = columns_of(group)
    rows = [
        [
            f"**{cell(line.called)}**" if line.ours else cell(line.name),
            cell(line.setting),
            line.source,
            *(column.cell(line) for column in columns),
        ]
        for line in group.lines
    ]
    yield _table(["model or run", "setting", "from", *(column.heading for column in columns)], rows, words=3)
    if group.tools:
        shares = [
            [cell(tool), *(f"{line.shares[tool]:.1f}" if tool in line.shares else "" for line in group.runs)]
            for tool in group.tools
        ]
        yield _table(["% of calls", *(cell(f"{line.name}, {line.setting}") for line in group.runs)], shares, words=1)


def _sources(group: BenchmarkGroup) -> Iterator[str]:
    for share in group.shares:
        given = f"gives {share.called} {share.percent}% of its {share.of}"
        yield f"{share.model} as the orchestrator {given} ({share.source})."
    if group.tables:
        yield "\n".join(
            " ".join(filter(None, (f"- {table.paper}, {table.name}: {table.about} ({table.source}).", table.note)))
            for table in group.tables
        )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], *, words: int) -> str:
    """A table whose first columns are words, and whose other columns are figures."""
    lines = [head, ["---"] * words + ["---:"] * (len(head) - words), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)
