"""Runs and published figures joined: one group for each benchmark, the runs first, then the papers."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from toolscale.catalogue.prices import EVALUATION
from toolscale.errors import UserError
from toolscale.evaluation.benchmarks import BENCHMARKS, has_columns
from toolscale.evaluation.comparison.parts import parts_of
from toolscale.evaluation.comparison.remarks import remarks
from toolscale.evaluation.comparison.runs import EvaluatedRun, LimitFigures, Mean
from toolscale.evaluation.papers import (
    PublishedFigure,
    PublishedShare,
    PublishedTable,
    published_benchmarks,
    published_figures,
    published_shares,
)

_SETTINGS = {
    "none": "no tools",
    "basic": "basic tools",
    "full": "basic tools and models",
    "full at unseen prices": "unseen prices",
    "reported": "reported by others",
}
_CATALOGUES = {
    "none": "no catalogue",
    "basic": "basic tools",
    "full": "basic tools and models",
    "unseen": "unseen tools",
}
"""How sets of the packaged catalogue are called; a benchmark may bring tools of its own, so `none` is not no tools."""
FUNCTIONS = "functions of the domain"
"""What a benchmark brings of its own, as one tool: dozens of names hide how much of the work went to which model."""


@dataclass(frozen=True)
class Amount:
    """A figure; a measured one has its interval, a published one the digits that it was published with."""

    value: float
    low: float | None = None
    high: float | None = None
    digits: int = 1

    @classmethod
    def measured(cls, mean: Mean | None) -> "Amount | None":
        """A share in percent that a run measured."""
        return None if mean is None else cls(mean.mean, mean.low, mean.high)

    @classmethod
    def spent(cls, mean: Mean | None) -> "Amount | None":
        """What a run spent, with three digits of what is small and fewer of what is large."""
        if mean is None:
            return None
        digits = 1 if mean.high >= 10 else 2 if mean.high >= 1 else 3 if mean.high > 0 else 0
        return cls(mean.mean, mean.low, mean.high, digits)

    @classmethod
    def published(cls, figure: Decimal | None) -> "Amount | None":
        """A paper's."""
        if figure is None:
            return None
        return cls(float(figure), digits=max(0, -int(figure.as_tuple().exponent)))

    @property
    def shown(self) -> str:
        """The figure alone."""
        return f"{self.value:.{self.digits}f}"

    @property
    def interval(self) -> str:
        """Its interval, empty where it has none."""
        if self.low is None or self.high is None or self.low == self.high == 0:
            return ""
        return f"{self.low:.{self.digits}f}-{self.high:.{self.digits}f}"


@dataclass(frozen=True)
class Line:
    """One line of a comparison: a run at one limit on turns, or a published result."""

    name: str
    setting: str
    source: str
    """Which table of which paper; empty for a run."""
    orchestrator: str = ""
    """A run's model; a published result is called like its own."""
    tasks: int | None = None
    accuracy: Amount | None = None
    cents: Amount | None = None
    minutes: Amount | None = None
    calls: Amount | None = None
    preference: Amount | None = None
    parts: Mapping[str, Amount] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    """Tool -> its share of the calls, in percent."""

    @property
    def ours(self) -> bool:
        """Whether it is a run."""
        return not self.source

    @property
    def called(self) -> str:
        """Its name, with the model that a run was made with."""
        return f"{self.name} ({self.orchestrator})" if self.orchestrator else self.name


@dataclass(frozen=True)
class BenchmarkGroup:
    """Everything that is known of one benchmark."""

    benchmark: str
    title: str
    lines: list[Line]
    tables: list[PublishedTable]
    """Where the published lines come from."""
    shares: list[PublishedShare]
    remarks: list[str]
    """What to know before comparing the runs."""

    @property
    def runs(self) -> list[Line]:
        """The lines that are runs."""
        return [line for line in self.lines if line.ours]

    def about(self, source: str) -> str:
        """What the table is of that a published line comes from."""
        return next(table.about for table in self.tables if _named(table) == source)

    @property
    def tools(self) -> list[str]:
        """The tools that the runs called, the most called first."""
        total: dict[str, float] = {}
        for line in self.runs:
            for tool, share in line.shares.items():
                total[tool] = total.get(tool, 0.0) + share
        return sorted(total, key=lambda tool: (-total[tool], tool))

    @property
    def parts(self) -> list[str]:
        """The columns into which results are broken down."""
        return list(dict.fromkeys(part for line in self.lines for part in line.parts))


def compare(runs: Sequence[EvaluatedRun], also: Sequence[str] = ()) -> list[BenchmarkGroup]:
    """The runs by benchmark, each group with what the papers report of it; `also` names benchmarks without a run.

    Raises:
        UserError: the papers have no figures of a benchmark in `also`, or there is nothing to compare.
    """
    known = published_benchmarks()
    if strange := [name for name in also if name not in known]:
        raise UserError(f"the papers have no figures of {strange[0]}, only of {', '.join(known)}")
    benchmarks = list(dict.fromkeys([*(run.metrics.benchmark for run in runs), *also]))
    if not benchmarks:
        raise UserError("name the folder of a run, or a benchmark with --benchmark")
    return [_group(name, [run for run in runs if run.metrics.benchmark == name]) for name in benchmarks]


def _group(benchmark: str, runs: Sequence[EvaluatedRun]) -> BenchmarkGroup:
    published = published_figures(benchmark)
    known = BENCHMARKS.get(benchmark)
    title = runs[0].metrics.title if runs else known.title if known else benchmark
    tables = list({each.table.file: each.table for each in published}.values())
    wanted = {part for each in published for part in each.parts}
    lines = [line for run in runs for line in _run_lines(run, wanted)] + [_published_line(each) for each in published]
    return BenchmarkGroup(benchmark, title, lines, tables, published_shares(benchmark), remarks(benchmark, runs))


def _run_lines(run: EvaluatedRun, wanted: Collection[str]) -> list[Line]:
    attempted = run.attempted
    return [
        _run_line(run, figures, wanted, limit if len(attempted) > 1 else "", is_longest=figures is run.longest)
        for limit, figures in attempted.items()
    ]


def _run_line(
    run: EvaluatedRun, figures: LimitFigures, wanted: Collection[str], limit: str, *, is_longest: bool
) -> Line:
    over_tasks = Amount.measured(figures.accuracy)
    parts: dict[str, Amount | None] = {
        part: Amount(value, low, high)
        for part, (value, low, high) in parts_of(run.metrics.benchmark, figures.topics, wanted).items()
    }
    if has_columns(run.metrics.benchmark):
        parts["over_tasks"] = over_tasks
    # It is computed over the longest limit alone.
    kept = run.metrics.preference if is_longest else None
    return Line(
        name=run.name,
        setting=", ".join(filter(None, [_made_with(run), f"{limit} turns" if limit else ""])),
        source="",
        orchestrator=run.metrics.run.model,
        tasks=figures.tasks,
        accuracy=parts.pop("overall", over_tasks),
        cents=Amount.spent(figures.cents),
        minutes=Amount.spent(figures.minutes),
        calls=Amount(sum(use.per_task for use in figures.tools.values()), digits=2),
        preference=Amount(kept.per_task) if kept else None,
        parts={part: amount for part, amount in parts.items() if amount},
        shares=_shares(figures, run.metrics.tools),
    )


def _shares(figures: LimitFigures, tools: Collection[str]) -> dict[str, float]:
    shares: dict[str, float] = {}
    for name, use in figures.tools.items():
        tool = name if name in tools else FUNCTIONS
        shares[tool] = shares.get(tool, 0.0) + 100 * use.share
    return shares


def _made_with(run: EvaluatedRun) -> str:
    made = run.metrics.run
    catalogue = _CATALOGUES.get(made.catalogue, made.catalogue)
    return catalogue if made.schedule == EVALUATION else f"{catalogue}, {made.schedule} prices"


def _published_line(figure: PublishedFigure) -> Line:
    result = Amount.published(figure.value)
    preferred = figure.table.measure == "preference"
    parts = {name: Amount.published(part) for name, part in figure.parts.items()}
    return Line(
        name=figure.model,
        setting=_SETTINGS.get(figure.setting, figure.setting),
        source=_named(figure.table),
        accuracy=None if preferred else result,
        cents=Amount.published(figure.cents),
        minutes=Amount.published(figure.minutes),
        calls=Amount.published(figure.calls),
        preference=result if preferred else None,
        parts={name: amount for name, amount in parts.items() if amount},
    )


def _named(table: PublishedTable) -> str:
    return f"{table.paper}, {table.name}"
