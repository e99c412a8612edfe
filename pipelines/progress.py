"""How a run of the factory goes on, and what it comes to."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from toolscale.artifacts import GATES
from toolscale.llm.sight import Sight

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class Progress:
    """One step forward in a domain, or a sign that its stage is still at work."""

    domain: str
    stage: str
    state: Literal["started", "working", "finished"]
    done: int = 0
    total: int = 0
    """What `done` will be in the end; 0 where the stage does not know."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """What there is so far, such as tasks kept."""
    look: Callable[[], Sight] | None = None
    """Shows the stage's model calls, as they are whenever it is called."""

    def after(self, earlier: "Progress") -> "Progress":
        """This step, with what an earlier one of the same stage said and this one does not."""
        if earlier.stage != self.stage:
            return self
        done, total = (self.done, self.total) if self.total else (earlier.done, earlier.total)
        counts = {**earlier.counts, **self.counts}
        return replace(self, done=done, total=total, counts=counts, look=self.look or earlier.look)


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
