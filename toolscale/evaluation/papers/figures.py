"""The published tables, read into one row for each model and benchmark.

Figures stay decimals, with the digits that the paper gives.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from toolscale.artifacts.base import Artifact
from toolscale.toml_file import read_toml

Measure = Literal["accuracy", "preference"]

ORCHESTRATOR = "Orchestrator-8B"
"""The model that ToolOrchestra trains."""

_HERE = Path(__file__).parent
_NAMES, _SPENT = ("model", "setting"), ("cents", "minutes", "calls")


class PublishedTable(Artifact):
    """A table of a paper, and which of its columns is which benchmark's result."""

    file: str
    paper: str
    name: str
    about: str
    source: str
    note: str = ""
    """What to know before its figures are compared with others."""
    measure: Measure = "accuracy"
    varies: str = ""
    """What the settings of an ablation are of: "Dynamic" alone says nothing beside other tables."""
    repeats: tuple[str, ...] = ()
    """Settings of rows that stand in an earlier table under another name."""
    benchmarks: dict[str, str] = Field(min_length=1)
    """Benchmark -> column."""


class _Tables(Artifact):
    table: list[PublishedTable]


@dataclass(frozen=True)
class PublishedFigure:
    """What a paper reports for one model, set up in one way, on one benchmark."""

    table: PublishedTable
    benchmark: str
    model: str
    setting: str
    value: Decimal
    """In percent: the accuracy, or what the table measures instead."""
    cents: Decimal | None = None
    minutes: Decimal | None = None
    calls: Decimal | None = None
    """Calls of tools a task."""
    parts: Mapping[str, Decimal] = field(default_factory=dict)
    """The breakdown of the value, such as API-Bank's levels."""


@dataclass(frozen=True)
class PublishedShare:
    """How much of its work an orchestrator gives to a model, by a paper's words."""

    benchmark: str
    model: str
    called: str
    percent: Decimal
    of: str
    source: str


@cache
def published_tables() -> tuple[PublishedTable, ...]:
    """All tables, those first whose figures count where several give the same."""
    return tuple(read_toml(_HERE / "tables.toml", _Tables, "the list of published tables").table)


def published_benchmarks() -> list[str]:
    """The benchmarks that the papers have figures of."""
    return sorted({benchmark for table in published_tables() for benchmark in table.benchmarks})


def published_figures(benchmark: str) -> list[PublishedFigure]:
    """What the papers report on a benchmark, each result once, in the order of the tables."""
    found: dict[tuple[str, str, str, str, Decimal], PublishedFigure] = {}
    for table in published_tables():
        for row in _rows(table):
            said = _figure(table, benchmark, row)
            if said is not None and row["setting"] not in table.repeats:
                found.setdefault((table.paper, table.measure, said.model, said.setting, said.value), said)
    return list(found.values())


def orchestrator_figures(benchmark: str) -> list[PublishedFigure]:
    """What ToolOrchestra reports for the model that it trains; its main result stands first."""
    return [each for each in published_figures(benchmark) if each.model == ORCHESTRATOR]


def published_shares(benchmark: str) -> list[PublishedShare]:
    """What the papers say in words on whom an orchestrator asks; their tables of it are in none of our sources."""
    return [
        PublishedShare(**{**row, "percent": Decimal(row["percent"])})  # type: ignore[arg-type]
        for row in _read("shares.csv")
        if row["benchmark"] == benchmark
    ]


def _figure(table: PublishedTable, benchmark: str, row: Mapping[str, str]) -> PublishedFigure | None:
    column = table.benchmarks.get(benchmark)
    if column is None or not row[column]:
        return None
    results = set(table.benchmarks.values())
    return PublishedFigure(
        table=table,
        benchmark=benchmark,
        model=row["model"],
        setting=f"{table.varies}: {row['setting']}" if table.varies else row["setting"],
        value=Decimal(row[column]),
        **{name: Decimal(row[name]) for name in _SPENT if row.get(name)},
        parts={
            name: Decimal(figure)
            for name, figure in row.items()
            if name not in (*_NAMES, *_SPENT) and name not in results and figure
        },
    )


def _rows(table: PublishedTable) -> tuple[dict[str, str], ...]:
    return _read(table.file)


@cache
def _read(file: str) -> tuple[dict[str, str], ...]:
    with (_HERE / file).open(encoding="utf-8", newline="") as opened:
        return tuple(csv.DictReader(opened))
