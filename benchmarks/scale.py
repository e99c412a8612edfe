"""What a large dataset needs: rows, files, bytes, calls, dollars, events, extrapolated from what a build left behind.

Run with ``python benchmarks/scale.py --data-root data --dataset data/dataset``; with ``--dagster-home .dagster`` the
growth of Dagster's records is counted too, and with ``--builds FILE``, the output of ``benchmarks/build.py --json``,
time and memory. Nothing is asked and nothing is written.

What belongs to a domain (its environment) grows with the domains, what belongs to a task with the tasks. Tokens are as
the ledger has them: the offline model's are a quarter of the characters, and a model that thinks aloud writes more.
"""

import argparse
import json
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq

from toolscale.llm.prices import Prices
from toolscale.settings import Settings
from toolscale.store import Store

TASK_STAGES = ("tasks", "evolution", "episode", "user")
TASK_ASSETS = ("tasks", "evolved_tasks", "verified_tasks", "rejected_tasks", "trajectories")
MODELS = "openai/gpt-5-nano,openai/gpt-5-mini,openai/gpt-5"


class Room(NamedTuple):
    """What lies on a disk."""

    files: int = 0
    rows: int = 0
    bytes: int = 0

    def of(self, path: Path) -> "Room":
        """With one file more."""
        rows = pq.read_metadata(path).num_rows if path.suffix == ".parquet" else 0
        return Room(self.files + 1, self.rows + rows, self.bytes + path.stat().st_size)

    def times(self, factor: float) -> "Room":
        """So many times as much."""
        return Room(*(round(figure * factor) for figure in self))

    def plus(self, other: "Room") -> "Room":
        """Both together."""
        return Room(*(ours + theirs for ours, theirs in zip(self, other, strict=True)))


class Asked(NamedTuple):
    """Model calls."""

    calls: float = 0
    prompt_tokens: float = 0
    completion_tokens: float = 0

    def times(self, factor: float) -> "Asked":
        """So many times as many."""
        return Asked(*(figure * factor for figure in self))


@dataclass(frozen=True)
class Measured:
    """What a build left."""

    domains: int
    tasks: int
    """Kept, in the dataset."""
    by_domain: Room
    """Of all domains: rows and files that do not grow with their tasks."""
    by_task: Room
    """Of all tasks: Parquet rows of assets."""
    dataset: Room
    store_bytes: int
    asked: dict[str, Asked]
    """Stage -> calls of all domains."""
    runs: int = 0
    events: int = 0
    record_bytes: int = 0


def measure(data_root: Path, dataset: Path, dagster_home: Path | None) -> Measured:
    """Count what lies there."""
    names = sorted(file.stem for file in (data_root / "assets" / "verified_tasks").glob("*.parquet"))
    by_domain, by_task, released = Room(), Room(), Room()
    for file in sorted((data_root / "assets").glob("*/*.parquet")):
        if file.parent.name in TASK_ASSETS:
            by_task = by_task.of(file)
        else:
            by_domain = by_domain.of(file)
    for name in names:
        for file in (data_root / "environments" / name).iterdir():
            by_domain = by_domain.of(file)
    for file in filter(Path.is_file, dataset.rglob("*")):
        released = released.of(file)
    tasks = sum(pq.read_metadata(file).num_rows for file in dataset.glob("tasks/*.parquet"))
    with Store.existing(f"sqlite:///{data_root}/toolscale.db") as store:
        lines = store.cost_by("stage")
    asked = {line.name: Asked(line.calls, line.prompt_tokens, line.completion_tokens) for line in lines}
    runs, events, size = records(dagster_home) if dagster_home else (0, 0, 0)
    stored = sum(file.stat().st_size for file in data_root.glob("toolscale.db*"))
    return Measured(len(names), tasks, by_domain, by_task, released, stored, asked, runs, events, size)


def records(home: Path) -> tuple[int, int, int]:
    """Runs, events and bytes of Dagster's own records in SQLite."""
    history = home / "history"
    with closing(sqlite3.connect(f"file:{history}/runs.db?mode=ro", uri=True)) as database:
        (runs,) = database.execute("select count(*) from runs").fetchone()
    events = 0
    for file in (history / "runs").glob("*.db"):
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
            events += database.execute("select count(*) from event_logs").fetchone()[0]
    return runs, events, sum(file.stat().st_size for file in history.rglob("*.db"))


def extrapolated(found: Measured, domains: int, tasks: int, models: Sequence[str]) -> dict[str, Any]:
    """The same for so many domains and kept tasks."""
    wider, longer = domains / found.domains, tasks / found.tasks
    asked = {stage: each.times(longer if stage in TASK_STAGES else wider) for stage, each in found.asked.items()}
    total = Asked(*(sum(figures) for figures in zip(*asked.values(), strict=True)))
    calls_now = sum(each.calls for each in found.asked.values())
    assets = found.by_domain.times(wider).plus(
        found.by_task.times(longer)._replace(files=found.by_task.files * domains // found.domains)
    )
    prices = Prices(Settings.load().prices)
    return {
        "domains": domains,
        "tasks": tasks,
        "assets": assets._asdict(),
        "dataset": found.dataset.times(longer)._replace(files=found.dataset.files)._asdict(),
        "store_bytes": round(found.store_bytes * total.calls / calls_now),
        "asked": total._asdict(),
        "calls_per_task": total.calls / tasks,
        "dollars": {model: prices.dollars(model, total.prompt_tokens, total.completion_tokens) for model in models},
        "dagster": {
            "runs": round(found.runs * wider),
            "events": round(found.events * wider),
            "bytes": round(found.record_bytes * wider),
        },
    }


class Line(NamedTuple):
    """A straight line through what was measured."""

    at_nothing: float
    per_task: float
    worst: float
    """Largest distance of a measured point from the line, as a share of the point."""

    def at(self, tasks: float) -> float:
        """The figure at so many tasks."""
        return self.at_nothing + self.per_task * tasks


def line(points: Sequence[tuple[float, float]]) -> Line:
    """The line of least squares through (tasks, figure)."""
    sizes, figures = np.array(points, dtype=float).T
    slope, start = np.polyfit(sizes, figures, 1) if len(points) > 1 else (figures[0] / sizes[0], 0.0)
    worst = float(np.max(np.abs(start + slope * sizes - figures) / figures))
    return Line(float(start), float(slope), worst)


def built(file: Path, tasks: int) -> dict[str, Any]:
    """CPU and memory of builds of several sizes, and of one with so many tasks."""
    builds = json.loads(file.read_text())["builds"]
    found: dict[str, Any] = {"points": builds}
    for name in ("cpu", "megabytes"):
        through = line([(each["tasks"], each[name]) for each in builds])
        found[name] = {**through._asdict(), "extrapolated": through.at(tasks)}
    return found


def shown(measured: Measured, then: dict[str, Any], builds: dict[str, Any] | None) -> Iterator[str]:
    """The tables, as Markdown."""
    now = extrapolated(measured, measured.domains, measured.tasks, list(then["dollars"]))
    yield "| | measured | extrapolated |\n| --- | ---: | ---: |"
    rows = [
        ("domains", "{domains:,}"),
        ("kept tasks", "{tasks:,}"),
        ("assets: files", "{assets[files]:,}"),
        ("assets: rows", "{assets[rows]:,}"),
        ("assets: bytes", "{assets[bytes]:,}"),
        ("dataset: rows", "{dataset[rows]:,}"),
        ("dataset: bytes", "{dataset[bytes]:,}"),
        ("store: bytes", "{store_bytes:,}"),
        ("model calls", "{asked[calls]:,.0f}"),
        ("calls a kept task", "{calls_per_task:.1f}"),
        ("prompt tokens", "{asked[prompt_tokens]:,.0f}"),
        ("answer tokens", "{asked[completion_tokens]:,.0f}"),
        ("Dagster: runs", "{dagster[runs]:,}"),
        ("Dagster: events", "{dagster[events]:,}"),
        ("Dagster: bytes", "{dagster[bytes]:,}"),
    ]
    for name, form in rows:
        yield f"| {name} | {form.format(**now)} | {form.format(**then)} |"
    for model, dollars in then["dollars"].items():
        yield f"| dollars, {model} | {now['dollars'][model]:,.0f} | {dollars:,.0f} |"
    if builds is None:
        return
    yield "\n| kept tasks | CPU, s | line | peak memory, MB | line |\n| ---: | ---: | ---: | ---: | ---: |"
    cpu, memory = (Line(*(builds[name][field] for field in Line._fields)) for name in ("cpu", "megabytes"))
    points = [(each["tasks"], each["cpu"], each["megabytes"]) for each in builds["points"]]
    for tasks, seconds, megabytes in points:
        yield f"| {tasks:,.0f} | {seconds:,.0f} | {cpu.at(tasks):,.0f} | {megabytes:,.0f} | {memory.at(tasks):,.0f} |"
    yield f"| {then['tasks']:,} | | {cpu.at(then['tasks']):,.0f} | | {memory.at(then['tasks']):,.0f} |"


def main() -> None:
    """Measure, extrapolate, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data-root", type=Path, default=Path("data"))
    parser.add_argument("--dataset", type=Path, default=Path("data/dataset"))
    parser.add_argument("--dagster-home", type=Path, help="with its SQLite records; else they are left out")
    parser.add_argument("--builds", type=Path, help="what benchmarks/build.py --json printed")
    parser.add_argument("--domains", type=int, default=100)
    parser.add_argument("--tasks", type=int, default=1_000_000)
    parser.add_argument("--models", default=MODELS, help="whose prices, with commas")
    parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")
    options = parser.parse_args()
    found = measure(options.data_root, options.dataset, options.dagster_home)
    if not found.tasks:
        sys.exit(f"{options.dataset}: no tasks there; build a dataset first")
    then = extrapolated(found, options.domains, options.tasks, options.models.split(","))
    builds = built(options.builds, options.tasks) if options.builds else None
    if options.as_json:
        print(json.dumps({"measured": asdict(found), "extrapolated": then, "builds": builds}))
        return
    print("\n".join(shown(found, then, builds)))


if __name__ == "__main__":
    main()
