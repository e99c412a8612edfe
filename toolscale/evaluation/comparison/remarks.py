"""What to know before the runs of a group are compared, and how they did task by task."""

from collections.abc import Sequence

from toolscale.evaluation.benchmarks import has_columns
from toolscale.evaluation.comparison.parts import missing_of
from toolscale.evaluation.comparison.runs import EvaluatedRun
from toolscale.intervals import interval


def remarks(benchmark: str, runs: Sequence[EvaluatedRun]) -> list[str]:
    """Sentences on the runs of a benchmark."""
    said = [
        f"{run.name} was stopped before it had attempted all its tasks." for run in runs if not run.metrics.complete
    ]
    if runs and has_columns(benchmark):
        said.append("Accuracy is the leaderboard's overall; a run's mean over its tasks stands beside it.")
        said += [told for run in runs if (told := _lacking(benchmark, run))]
    if len({frozenset(run.solved) for run in runs}) > 1:
        shared = frozenset.intersection(*(frozenset(run.solved) for run in runs))
        said.append(f"The runs attempted different tasks; {len(shared):,} are common to all of them.")
    return [*said, *(told for run in runs[1:] if (told := _beside(runs[0], run)))]


def _lacking(benchmark: str, run: EvaluatedRun) -> str:
    """Of which categories a run has no tasks: its overall is over the others."""
    missing = missing_of(benchmark, run.longest.topics)
    return f"{run.name} has no tasks of {', '.join(missing)}: its overall is over the others." if missing else ""


def _beside(first: EvaluatedRun, run: EvaluatedRun) -> str:
    """The difference in accuracy, task by task: surer than two intervals, since they attempted the same tasks."""
    shared = sorted(first.solved.keys() & run.solved.keys())
    if not shared:
        return ""
    gain = interval([100.0 * (run.solved[task] - first.solved[task]) for task in shared])
    return (
        f"{run.name} less {first.name}, over the {len(shared):,} tasks that both attempted: {gain['mean']:+.1f} points "
        f"({gain['low']:+.1f} to {gain['high']:+.1f})."
    )
