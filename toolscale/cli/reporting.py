"""Showing a dataset to a person."""

from pathlib import Path
from typing import Annotated

import typer

from toolscale.terminal import say


def report(
    folder: Annotated[Path, typer.Argument(help="A dataset folder.")],
    out: Annotated[Path, typer.Option(help="The HTML file to write.")] = Path("report.html"),
    tasks: Annotated[int, typer.Option(min=0, help="Number of random tasks to replay and show.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Seed for drawing these tasks.")] = 0,
    against: Annotated[Path | None, typer.Option(help="Another dataset folder, to compare this one with.")] = None,
) -> None:
    """A dataset as one HTML page: charts, tables, and tasks with golden calls, diffs and attempts to judge.

    Such as: toolscale report data/dataset --against data/last-week --out report.html
    """
    from toolscale.dataset.report import write_report

    shown = write_report(folder, out, seed=seed, tasks=tasks, against=against)
    say(f"{out}: {shown} tasks to judge")
