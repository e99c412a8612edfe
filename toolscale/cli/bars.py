"""How far a command is, at a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Heard = Callable[[int, int, str], None]
"""Hears how many of how many are done, and a word on them."""


@contextmanager
def bar(doing: str) -> Iterator[Heard]:
    """A bar on standard error while the block lasts, and what to tell it. It is seen at a terminal alone."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from toolscale.console import console

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[said]}", markup=False),
        TimeElapsedColumn(),
    )
    screen = console(error=True)
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as shown:
        task = shown.add_task(doing, total=None, said="")
        yield lambda done, total, said: shown.update(task, total=total, completed=done, said=said)
