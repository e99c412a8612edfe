"""Showing a dataset to a person."""

from pathlib import Path
from typing import Annotated

import typer

from toolscale.terminal import say


def report(
    folder: Annotated[Path, typer.Argument(help="A dataset folder.")],
    out: Annotated[Path, typer.Option(help="The page, one HTML file.")] = Path("report.html"),
    tasks: Annotated[int, typer.Option(min=0, help="How many random tasks it shows.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Which tasks these are.")] = 0,
) -> None:
    """A dataset as one HTML page: figures, plots, and random tasks with golden calls and diffs to judge."""
    from toolscale.dataset.report import write_report

    shown = write_report(folder, out, seed=seed, tasks=tasks)
    say(f"{out}: {shown} tasks to judge")
