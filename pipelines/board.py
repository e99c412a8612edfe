"""What a terminal shows of a run that is under way; and the lines that stand in for it where there is no terminal."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.table import Table
from rich.text import Text

from pipelines import wording
from pipelines.progress import ENDINGS, Listener, Progress
from pipelines.wording import Pace
from toolscale.console import console
from toolscale.llm.sight import Sight
from toolscale.synthesis.chain import CHAIN
from toolscale.terminal import say

_SECONDS_BETWEEN_LINES = 10.0
_LINES_BELOW_THE_TABLE = 8


@contextmanager
def shown() -> Iterator[Listener]:
    """A listener that shows progress on standard error: live at a terminal, else in lines."""
    with _standard_error() as output:
        screen = console(output)
        if screen.is_terminal and not screen.is_dumb_terminal:
            board = Board()
            with Live(board, console=screen, refresh_per_second=4, transient=True):
                yield board.hear
        else:
            yield Lines(output).hear


@contextmanager
def _standard_error() -> Iterator[TextIO]:
    """Standard error as it is now: while a step runs, Dagster may lead it into a file."""
    try:
        copy = os.dup(sys.stderr.fileno())
    except (OSError, ValueError):  # it is no file, as under a test
        yield sys.stderr
        return
    with os.fdopen(copy, "w", encoding=sys.stderr.encoding, errors="replace") as output:
        yield output


@dataclass
class _Row:
    """What is known of a domain."""

    latest: Progress
    began: float
    heard: float
    counts: dict[str, int] = field(default_factory=dict)
    pace: Pace = field(default_factory=Pace)


class Board:
    """A row for each domain, and below it the calls of the whole run."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._rows: dict[str, _Row] = {}
        self._looks: dict[tuple[str, str], Callable[[], Sight]] = {}
        self._tokens = Pace(10)
        self._side_by_side = False

    def hear(self, progress: Progress) -> None:
        """Take in a step of the run."""
        now = self._clock()
        # Domains that are made in turn are not heard of again once the next one has begun.
        self._side_by_side |= progress.domain in self._rows and progress.domain != next(reversed(self._rows))
        row = self._rows.setdefault(progress.domain, _Row(progress, now, now))
        if progress.stage != row.latest.stage:
            row.pace = Pace()
        if progress.total:
            row.pace.note(now, progress.done)
        row.latest, row.heard = progress.after(row.latest), now
        row.counts |= progress.counts
        if progress.look is not None:
            self._looks[progress.domain, progress.stage] = progress.look
        if progress.state == "finished" and (look := self._looks.get((progress.domain, progress.stage))):
            last = look()
            self._looks[progress.domain, progress.stage] = lambda: last

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """As many rows as the terminal is high, the latest ones, and then the calls."""
        if not self._rows:
            return
        now = self._clock()
        sight = Sight.of([look() for look in list(self._looks.values())])
        self._tokens.note(now, sight.tokens)
        yield self._table(now, most=max(1, (options.height or console.height) - _LINES_BELOW_THE_TABLE))
        yield ""
        yield _line("calls", wording.calls(sight))
        yield _line("tokens", wording.tokens(sight, self._tokens.a_second(now)))
        yield _line("cost", wording.dollars(sight))
        for remark in (*wording.waits(sight), *wording.errors(sight)):
            yield _line("", remark)

    def _table(self, now: float, most: int) -> Table:
        table = Table(box=None, header_style="dim", pad_edge=False)
        table.add_column("domain", no_wrap=True, overflow="ellipsis")
        table.add_column("stage", no_wrap=True, overflow="ellipsis")
        for heading in ("done", "kept", "attempts", "elapsed", "left"):
            table.add_column(heading, justify="right", no_wrap=True)
        rows = sorted(self._rows.items(), key=lambda each: self._is_under_way(*each))
        for domain, row in rows[-most:]:
            under_way = self._is_under_way(domain, row)
            latest, left = row.latest, None
            if under_way and latest.state != "finished":
                left = row.pace.left(now, latest.total)
            table.add_row(
                Text(domain),
                latest.stage if under_way or latest.state != "finished" or latest.stage in ENDINGS else "done",
                f"{latest.done} of {latest.total}" if latest.total else "",
                *(f"{row.counts[name]:,}" if name in row.counts else "" for name in ("kept", "attempts")),
                f"{(now if under_way else row.heard) - row.began:.0f} s",
                f"about {wording.about(left)}" if left is not None else "",
            )
        return table

    def _is_under_way(self, domain: str, row: _Row) -> bool:
        """Whether a domain is at work: the latest one; or where several are made at once, each that has not ended."""
        if row.latest.stage in ENDINGS:
            return False
        ended = row.latest.state == "finished" and row.latest.stage == CHAIN[-1].name
        return domain == next(reversed(self._rows)) or (self._side_by_side and not ended)


class Lines:
    """A line as each stage ends, and while a stage takes long one every ten seconds at most."""

    def __init__(self, output: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._output = output
        self._clock = clock
        self._began = self._printed = clock()
        self._latest: Progress | None = None
        self._pace = Pace()

    def hear(self, progress: Progress) -> None:
        """Take in a step of the run, and print it if it is time."""
        now = self._clock()
        if self._latest is None or (self._latest.domain, self._latest.stage) != (progress.domain, progress.stage):
            self._latest, self._pace = None, Pace()
        if progress.total:
            self._pace.note(now, progress.done)
        self._latest = progress if self._latest is None else progress.after(self._latest)
        ended = progress.state == "finished"
        if ended or (progress.state == "working" and now - self._printed >= _SECONDS_BETWEEN_LINES):
            left = None if ended else self._pace.left(now, self._latest.total)
            elapsed = f"{now - self._began:6.1f} s"
            said = wording.as_line(self._latest, left)
            say(f"{elapsed}  {self._latest.domain}: {said}", to=self._output)
            self._printed = now


def _line(heading: str, text: str) -> Text:
    return Text.assemble((f"{heading:<8}", "dim"), text, no_wrap=True, overflow="ellipsis")
