"""How a run of the factory goes on and what it comes to, and how a terminal shows both."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from toolscale.artifacts import GATES

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class Progress:
    """One step forward in a domain. `counts` says what there is so far, such as tasks proposed, met and kept."""

    domain: str
    stage: str
    state: Literal["started", "working", "finished"]
    counts: Mapping[str, int] = field(default_factory=dict)


Listener = Callable[[Progress], None]


@dataclass(frozen=True)
class DomainReport:
    """What a domain came to."""

    functions: int
    entries: int
    proposed: int
    """Tasks that met the gates: first and evolved ones. It is `kept` plus all of `rejected`."""
    kept: int
    pass_rate: float | None
    """Mean over the kept tasks."""
    rejected: Mapping[str, int]
    """Gate -> tasks whose first failed gate it was."""
    refused: int = 0
    """Drafts that never became a task: malformed, infeasible, or the double of another."""


@dataclass(frozen=True)
class RunReport:
    """What a run came to."""

    dataset: str
    seconds: float
    domains: Mapping[str, DomainReport]

    def as_json(self) -> dict[str, Any]:
        """What `--json` prints."""
        domains = {name: asdict(report) for name, report in self.domains.items()}
        for figures in domains.values():
            del figures["refused"]
        return {"dataset": self.dataset, "seconds": self.seconds, "domains": domains}

    def print(self) -> None:
        """Print a table of the domains, and where the dataset is."""
        from rich.console import Console

        Console().print(_table(self.domains))
        print(f"{sum(each.kept for each in self.domains.values())} verified tasks in {self.seconds:.0f} s")
        print(f"dataset: {self.dataset}")
        print(f"audit:   toolscale audit {self.dataset}")


@contextmanager
def shown() -> Iterator[Listener]:
    """A listener that shows progress on standard error: live at a terminal, else a line for each stage."""
    from rich.console import Console

    console = Console(stderr=True)
    if console.is_terminal:
        from rich.live import Live

        board = _Board()
        with Live(get_renderable=board.table, console=console, refresh_per_second=4, transient=True):
            yield board.hear
    else:
        yield _Lines().hear


class _Board:
    """The table of a run that is under way: one row a domain."""

    def __init__(self) -> None:
        self._latest: dict[str, Progress] = {}
        self._counts: dict[str, Mapping[str, int]] = {}
        self._started: dict[str, float] = {}
        self._ended: dict[str, float] = {}

    def hear(self, progress: Progress) -> None:
        self._started.setdefault(progress.domain, time.monotonic())
        self._ended[progress.domain] = time.monotonic()
        self._latest[progress.domain] = progress
        if progress.counts:
            self._counts[progress.domain] = progress.counts

    def table(self) -> "Table":
        from rich.table import Table

        table = Table("domain", "stage", box=None, header_style="dim")
        for heading in ("proposed", "met the gates", "kept", "attempts", "elapsed"):
            table.add_column(heading, justify="right")
        for domain, latest in self._latest.items():
            counts = self._counts.get(domain, {})
            under_way = domain == next(reversed(self._latest))
            until = time.monotonic() if under_way else self._ended[domain]
            stage = latest.stage if latest.state != "finished" or under_way else "done"
            figures = [str(counts.get(name, "")) for name in ("proposed", "met", "kept", "attempts")]
            table.add_row(domain, stage, *figures, f"{until - self._started[domain]:.0f} s")
        return table


class _Lines:
    """One line on standard error as each stage ends."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._counts: Mapping[str, int] = {}

    def hear(self, progress: Progress) -> None:
        self._counts = progress.counts or self._counts
        if progress.state == "finished":
            counts = "".join(f", {count} {name}" for name, count in self._counts.items())
            elapsed = time.monotonic() - self._began
            print(f"{elapsed:6.1f} s  {progress.domain}: {progress.stage}{counts}", file=sys.stderr, flush=True)
            self._counts = {}


def _table(domains: Mapping[str, DomainReport]) -> "Table":
    """What became of the tasks: a column for each domain, a row for each figure."""
    from rich.table import Table

    reports = domains.values()
    table = Table("", title="What the run came to", title_justify="left")
    for name in domains:
        table.add_column(name, justify="right")

    def row(name: str, figure: Callable[[DomainReport], object]) -> None:
        table.add_row(name, *(str(figure(report)) for report in reports))

    row("functions", lambda report: report.functions)
    row("entries", lambda report: report.entries)
    table.add_section()
    row("tasks proposed", lambda report: report.proposed)
    for gate in (gate for gate in GATES if any(gate in report.rejected for report in reports)):
        row(f"  rejected by {gate}", lambda report, gate=gate: report.rejected.get(gate, 0))  # type: ignore[misc]
    row("tasks kept", lambda report: report.kept)
    row("pass rate", lambda report: "" if report.pass_rate is None else f"{report.pass_rate:.2f}")
    table.add_section()
    row("drafts refused earlier", lambda report: report.refused)
    return table
