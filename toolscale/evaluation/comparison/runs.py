"""The folders that `toolscale evaluate` wrote, read back by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from toolscale.errors import UserError
from toolscale.evaluation.results import METRICS, read_outcomes
from toolscale.input_files import read_at_most

_LARGEST = 64 << 20
"""Bytes of a run's metrics; a run over ten thousand topics has a few."""


class _Read(BaseModel):
    # Later versions may write more into their metrics.
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Mean(_Read):
    """A mean over a run's tasks, with its 95% interval."""

    mean: float
    low: float
    high: float


class ToolUse(_Read):
    """How often a tool was called."""

    calls: int
    share: float
    per_task: float


class TopicFigures(_Read):
    """A part of a benchmark."""

    tasks: int = Field(ge=1)
    accuracy: float = Field(ge=0, le=100)


class LimitFigures(_Read):
    """What a run came to at one limit on turns."""

    tasks: int
    accuracy: Mean | None = None
    cents: Mean | None = None
    minutes: Mean | None = None
    tools: Mapping[str, ToolUse] = {}
    topics: Mapping[str, TopicFigures] = {}


class RunSetting(_Read):
    """What a run was made with."""

    model: str
    catalogue: str
    schedule: str


class PreferenceMetric(_Read):
    """How well preferences were kept, in percent a task."""

    per_task: float


class RunMetrics(_Read):
    """What is read of a run's `metrics.json`."""

    benchmark: str
    title: str
    complete: bool
    run: RunSetting
    tools: Sequence[str]
    """Those of the catalogue; what else was called is the benchmark's own."""
    max_turns: Mapping[str, LimitFigures]
    preference: PreferenceMetric | None = None


@dataclass(frozen=True)
class EvaluatedRun:
    """A run under the name that it has in a comparison."""

    name: str
    folder: Path
    metrics: RunMetrics
    solved: Mapping[str, bool]
    """By task, at the longest limit on turns."""

    @property
    def attempted(self) -> dict[str, LimitFigures]:
        """The limits on turns at which it attempted something, from the shortest; there is at least one."""
        return {limit: figures for limit, figures in self.metrics.max_turns.items() if figures.tasks}

    @property
    def longest(self) -> LimitFigures:
        """What it came to at the longest of them."""
        return list(self.attempted.values())[-1]


def read_runs(named: Sequence[str]) -> list[EvaluatedRun]:
    """Runs by their folders, each as `FOLDER` or `NAME=FOLDER`; without a name a run is called like its folder.

    Raises:
        UserError: a folder holds no run, or a run without figures; or two runs of one benchmark have the same name.
    """
    runs = [_run(each) for each in named]
    places: dict[tuple[str, str], Path] = {}
    for run in runs:
        other = places.setdefault((run.metrics.benchmark, run.name), run.folder)
        if other is not run.folder and other.resolve() == run.folder.resolve():
            raise UserError(f"{run.folder} is there twice: name each run once")
        if other is not run.folder:
            raise UserError(
                f"{other} and {run.folder} would both be called {run.name}: give one another name, as NAME={run.folder}"
            )
    return runs


def _run(named: str) -> EvaluatedRun:
    name, _, folder = named.partition("=")
    place = Path(folder) if folder and not Path(named).exists() else Path(named)
    if not name or place == Path(named):
        name = place.resolve().name
    metrics = _metrics(place)
    if not any(figures.tasks for figures in metrics.max_turns.values()):
        raise UserError(f"{place}: its evaluation attempted no task, so it has no figures; run it again")
    return EvaluatedRun(name, place, metrics, read_outcomes(place))


def _metrics(folder: Path) -> RunMetrics:
    file = folder / METRICS
    if not file.is_file():
        raise UserError(f"{folder} holds no finished evaluation: name a folder that `toolscale evaluate` wrote")
    try:
        return RunMetrics.model_validate_json(read_at_most(file, _LARGEST))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "it"
        raise UserError(f"{file} holds no figures of an evaluation ({where}: {first['msg']}): run it again") from None
