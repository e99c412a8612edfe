"""How a run of the factory goes on, and what it comes to."""

import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from rich.console import RenderableType

from toolscale.artifacts import GATES
from toolscale.console import console, table
from toolscale.llm.sight import Sight
from toolscale.printable import in_one_line
from toolscale.terminal import say

_WIDE = 80
"""Columns that any terminal has."""


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


ENDINGS = ("made", "failed", "out of budget", "stopped early")
"""What a fleet tells of a domain in place of a stage, when it has ended."""

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
    short: str = ""
    """What is missing of a wanted number of tasks, and why."""


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
            if not figures["short"]:
                del figures["short"]
        return {"dataset": self.dataset, "seconds": self.seconds, "domains": domains}

    def print(self) -> None:
        """Print a table of the domains, and where the dataset is."""
        console().print(*_tables({in_one_line(name): each for name, each in self.domains.items()}))
        for name, each in self.domains.items():
            if each.short:
                say(f"{in_one_line(name)}: {each.short}", "")
        say(
            f"{sum(each.kept for each in self.domains.values())} verified tasks in {self.seconds:.0f} s",
            f"dataset: {self.dataset}",
            f"audit:   toolscale audit {self.dataset}",
        )


def _tables(domains: Mapping[str, DomainReport]) -> Iterator[RenderableType]:
    """What became of the tasks, a row for each domain: first the figures, then which gate rejected how many."""
    rows = {**domains, **({"all": _sum(domains.values())} if len(domains) > 1 else {})}
    figures = table("domain", "functions", "entries", "drafts\nrefused", "tasks\nproposed", "tasks\nkept", "pass\nrate")
    for name, each in rows.items():
        counts = (each.functions, each.entries, each.refused, each.proposed, each.kept)
        rate = "" if each.pass_rate is None else f"{each.pass_rate:.2f}"
        figures.add_row(name, *(f"{count:,}" for count in counts), rate, style=_style(name, domains))
    yield figures
    if not any(each.rejected for each in domains.values()):
        return
    rejected = table("")
    rejected.add_column("tasks rejected by each gate", overflow="fold")
    room = max(_WIDE - max(map(len, rows)) - 2, _WIDE // 2)
    for name, each in rows.items():
        # A gate stays beside its figure: `textwrap` breaks no line at a space of that kind.
        taken = ", ".join(f"{gate}\xa0{each.rejected[gate]:,}" for gate in GATES if gate in each.rejected)
        lines = "\n".join(textwrap.wrap(taken, room)).replace("\xa0", " ")
        rejected.add_row(name, lines, style=_style(name, domains))
    yield ""
    yield rejected
    yield ""


def _style(name: str, domains: Mapping[str, DomainReport]) -> str:
    return "" if name in domains else "bold"


def _sum(reports: Collection[DomainReport]) -> DomainReport:
    """All domains together. Their pass rate is the mean over all kept tasks."""
    rated = [each for each in reports if each.pass_rate is not None and each.kept]
    solved = sum((each.pass_rate or 0) * each.kept for each in rated)
    rejected = sum((Counter(each.rejected) for each in reports), Counter[str]())
    return DomainReport(
        functions=sum(each.functions for each in reports),
        entries=sum(each.entries for each in reports),
        proposed=sum(each.proposed for each in reports),
        kept=sum(each.kept for each in reports),
        pass_rate=solved / sum(each.kept for each in rated) if rated else None,
        rejected=rejected,
        refused=sum(each.refused for each in reports),
    )
