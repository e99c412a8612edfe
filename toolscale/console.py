"""The door to the terminal for what `rich` lays out: tables, styled text, what moves."""

import os
from collections.abc import Iterable
from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from toolscale.printable import printable

_UNBOUNDED = 10_000


class ReadConsole(Console):
    """A console on which text is only read: neither escape sequences nor rich's own markup in it do anything."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """A string of a table or a line, spelt out before it is measured."""
        return super().render_str(printable(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Whatever else is shown, spelt out as it is written; rich's own control codes are marked as such."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


def console(file: TextIO | None = None, *, error: bool = False) -> ReadConsole:
    """Standard output, standard error, or a file. As wide as the terminal, or COLUMNS; else no line is broken."""
    shown = ReadConsole(file=file, stderr=error)
    if shown.is_terminal or "COLUMNS" in os.environ:
        return shown
    return ReadConsole(file=file, stderr=error, width=_UNBOUNDED)


def table(name: str, *figures: str) -> Table:
    """A table of a name and figures in each row. Where room is short the names are broken, and a figure never is."""
    made = Table(box=None, header_style="dim", pad_edge=False)
    made.add_column(name, overflow="fold")
    for figure in figures:
        made.add_column(figure, justify="right", no_wrap=True, vertical="bottom")
    return made
