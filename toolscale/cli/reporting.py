"""Showing a dataset to a person."""

from pathlib import Path
from typing import Annotated

import typer

from toolscale.terminal import say


def report(
    folder: Annotated[Path, typer.Argument(help="A dataset folder.")],
    out: Annotated[Path, typer.Option(help="The HTML file to write.")] = Path("report.html"),
    tasks: Annotated[int, typer.Option(min=0, help="Number of random tasks to show.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Seed for drawing these tasks.")] = 0,
) -> None:
    """A dataset as one HTML page: figures, plots, and random tasks with golden calls and diffs to judge."""
    from toolscale.dataset.report import write_report

    shown = write_report(folder, out, seed=seed, tasks=tasks)
    say(f"{out}: {shown} tasks to judge")
