"""The benchmarks that `toolscale evaluate` knows: where their data lies, and how it is read."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from toolscale.errors import UserError
from toolscale.evaluation.problem import Problem

Reader = Callable[[Path, ExitStack], list[Problem]]
"""From a benchmark's files, or a folder of them, to its problems; what they hold open is closed with the stack."""


@dataclass(frozen=True)
class Benchmark:
    """One benchmark."""

    name: str
    title: str
    module: str
    """Module of this package that reads it, with `read_<name>`."""
    source: str = ""
    """Repository on the Hub; empty where there is none, and `--data` must name a folder."""
    files: tuple[str, ...] = ()
    """Which of its files are needed."""
    judged: bool = False
    """True where a model judges what no program can."""
    columns: bool = False
    """True where the topics are summed up in columns of its leaderboard, by `leaderboard` of its module."""
    own_data: bool = False
    """True where a package of its own brings the data."""

    def read(self, place: Path, stack: ExitStack) -> list[Problem]:
        """Its problems, in the order of the data.

        Raises:
            UserError: the data is not there, or not of this benchmark's form.
        """
        reader: Reader = getattr(self._module(), f"read_{self.name}")
        problems = reader(place, stack)
        if not problems:
            raise UserError(f"{place} holds no task of {self.title}: see docs/evaluation.md for the files it has")
        ids = [problem.id for problem in problems]
        if len(set(ids)) != len(ids):
            twice = next(name for name in ids if ids.count(name) > 1)
            raise UserError(f"{place}: the task {twice} is there twice: name one copy of the benchmark with --data")
        return problems

    def leaderboard(self, topics: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
        """The columns of its leaderboard in percent, from tasks and accuracy by topic, where it has `columns`."""
        columns: dict[str, Any] = self._module().leaderboard(topics)
        return columns

    def _module(self) -> Any:
        return import_module(f"{__name__}.{self.module}")


_ALL = (
    Benchmark("hle", "HLE (text only)", "questions", "cais/hle", ("data/test-*.parquet",), judged=True),
    Benchmark("frames", "FRAMES", "questions", "google/frames-benchmark", ("test.tsv",), judged=True),
    Benchmark("bamboogle", "Bamboogle", "questions", "chiayewken/bamboogle", ("data/test-*.parquet",), judged=True),
    Benchmark("gaia", "GAIA", "gaia", "gaia-benchmark/GAIA", ("2023/validation/*",)),
    Benchmark(
        "bfcl",
        "BFCL",
        "bfcl",
        "gorilla-llm/Berkeley-Function-Calling-Leaderboard",
        ("BFCL_v*.json", "possible_answer/*.json", "multi_turn_func_doc/*.json"),
        columns=True,
    ),
    Benchmark(
        "api_bank",
        "API-Bank",
        "api_bank",
        "liminghao1630/API-Bank",
        ("test-data/level-[12]-api.json", "test-data/level-3-batch-inf.json"),
    ),
    Benchmark("toolscale", "ToolScale, eval split", "episodes"),
    Benchmark("questions", "A set of questions", "questions", judged=True),
    Benchmark("steps", "A set of single steps", "steps"),
    Benchmark("tau2", "tau2-bench", "tau2", judged=True, own_data=True),
)
BENCHMARKS: Mapping[str, Benchmark] = {benchmark.name: benchmark for benchmark in _ALL}


def benchmark_named(name: str) -> Benchmark:
    """A benchmark by its name. Raises UserError for one that nobody knows."""
    if name not in BENCHMARKS:
        raise UserError(f"there is no benchmark `{name}`, only {', '.join(BENCHMARKS)}")
    return BENCHMARKS[name]


def has_columns(name: str) -> bool:
    """Whether a benchmark of this name is summed up in the columns of a leaderboard."""
    return name in BENCHMARKS and BENCHMARKS[name].columns
