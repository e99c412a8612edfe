"""Evaluations side by side."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolscale.terminal import say, say_json

if TYPE_CHECKING:
    from toolscale.evaluation.comparison import BenchmarkGroup


def compare(
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN", help="Folders that `toolscale evaluate` wrote; NAME=FOLDER names one."),
    ] = None,
    benchmark: Annotated[
        list[str] | None,
        typer.Option(help="Show the papers' figures of this benchmark too, without a run of it; may be repeated."),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write the comparison, with plots, as this HTML page.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write it as this Markdown file, its plots beside it.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line of the comparison.")] = False,
) -> None:
    """Compare evaluations with each other and with the figures of the ToolOrchestra and ToolRL papers.

    Such as: toolscale evaluate compare evaluations/hle/* --html compared.html
    """
    from toolscale.errors import UserError
    from toolscale.evaluation.comparison import compare, read_runs, write_markdown, write_page

    for file in filter(None, (html, markdown)):
        if file.is_dir() or not file.parent.is_dir():
            raise UserError(f"{file}: no file can be written there; name one in a folder that exists")
    groups = compare(read_runs(runs or []), benchmark or [])
    if html:
        write_page(html, groups)
    if markdown:
        write_markdown(markdown, groups)
    for group in groups:
        _print_json(group) if as_json else _print(group)
    for file in filter(None, (html, markdown)):
        say(str(file), error=as_json)


def _print(group: "BenchmarkGroup") -> None:
    from toolscale.console import console, table
    from toolscale.evaluation.comparison.columns import main_columns_of

    columns = main_columns_of(group)
    say(f"{group.title}: means a task, runs with 95% intervals", *group.remarks)
    if not group.tables:
        say("the papers have no figures of this benchmark")
    shown = table("", *(column.heading for column in columns))
    source = ""
    for line in group.lines:
        if line.source != source:
            shown.add_row("")
            shown.add_row(line.source, style="dim")
            source = line.source
        shown.add_row(f"{line.called}, {line.setting}", *(column.brief(line) for column in columns))
    console().print(shown)
    if group.tools:
        say("")
        calls = table("calls by tool", "% of all calls")
        for line in group.runs:
            calls.add_row(f"{line.name}, {line.setting}", style="dim")
            for tool, share in sorted(line.shares.items(), key=lambda each: (-each[1], each[0])):
                calls.add_row(f"  {tool}", f"{share:.1f}")
        console().print(calls)
    say("")


def _print_json(group: "BenchmarkGroup") -> None:
    from dataclasses import asdict

    for line in group.lines:
        say_json({"benchmark": group.benchmark, **asdict(line)})
