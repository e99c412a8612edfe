"""What a run's results come to: accuracy, cost, time, calls by tool, and how well preferences were kept."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from toolscale.errors import UserError
from toolscale.evaluation.preferences import BenchmarkPreference
from toolscale.evaluation.results import AttemptResult, counted
from toolscale.intervals import interval
from toolscale.rewards import Units, benchmark_score


def summary(results: Sequence[AttemptResult], seed: int = 0) -> dict[str, Any]:
    """Figures of the attempts at one limit on turns.

    ``accuracy`` in percent, ``cents`` and ``minutes`` a task (the paper's units), each with its interval; ``turns`` a
    task; ``tools``: name -> calls, their share of all calls, and calls a task; ``topics``: name -> tasks and accuracy;
    ``endings``; ``cents_per_solved``, null where nothing was solved; ``user_errors`` where a simulated user broke some,
    which count nowhere else.
    """
    every, results = results, counted(results)
    broken = {"user_errors": len(every) - len(results)} if len(results) < len(every) else {}
    if not results:
        return {"tasks": 0, **broken}
    dollars = sum(result.trace.dollars for result in results)
    solved = sum(result.solved for result in results)
    return {
        "tasks": len(results),
        "accuracy": interval([100.0 * result.solved for result in results], seed),
        "cents": interval([100 * result.trace.dollars for result in results], seed),
        "minutes": interval([result.trace.seconds / 60 for result in results], seed),
        "turns": sum(result.turns for result in results) / len(results),
        "cents_per_solved": 100 * dollars / solved if solved else None,
        "dollars": dollars,
        "endings": _counted([result.trace.ending for result in results]),
        "tools": _tools(results),
        "topics": _topics(results),
        **broken,
    }


def preference_metric(
    current: Sequence[AttemptResult], baseline: Sequence[AttemptResult], units: Units | None = None
) -> dict[str, float | int]:
    """The paper's preference-aware metric (its last appendix): the sum of R over the tasks, and R a task in percent.

    Raises:
        UserError: the two runs do not have the same tasks, tools or preferences.
    """
    others = {result.id: result for result in baseline}
    current = [one for one in counted(current) if one.id not in others or not others[one.id].user_fault]
    if missing := [result.id for result in current if result.id not in others]:
        raise UserError(
            f"the baseline run has no result for {missing[0]} and {len(missing) - 1} others: run it on the same tasks"
        )
    for result in current:
        if result.preference != others[result.id].preference:
            raise UserError(f"the baseline run had another preference at {result.id}: give both runs the same file")
    wanted = {result.id: (result.preference or BenchmarkPreference()).over(result.tools) for result in current}
    total = benchmark_score(
        {result.id: result.vector() for result in current},
        {result.id: others[result.id].vector() for result in current},
        wanted,
        units or Units(),
    )
    return {"sum": total, "per_task": 100 * total / len(current) if current else 0.0, "tasks": len(current)}


def _tools(results: Sequence[AttemptResult]) -> dict[str, dict[str, float]]:
    made = _counted([call.tool for result in results for call in result.trace.calls])
    every = sum(made.values())
    return {
        tool: {"calls": calls, "share": calls / every, "per_task": calls / len(results)}
        for tool, calls in sorted(made.items(), key=lambda each: (-each[1], each[0]))
    }


def _topics(results: Sequence[AttemptResult]) -> dict[str, dict[str, float]]:
    by_topic: dict[str, list[bool]] = defaultdict(list)
    for result in results:
        by_topic[result.topic].append(result.solved)
    return {
        topic: {"tasks": len(solved), "accuracy": 100 * sum(solved) / len(solved)}
        for topic, solved in sorted(by_topic.items())
        if topic
    }


def _counted(names: Sequence[str]) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for name in names:
        counts[name] += 1
    return dict(counts)


def at_limits(by_limit: Mapping[int, Sequence[AttemptResult]], seed: int = 0) -> dict[str, dict[str, Any]]:
    """`summary` for each limit on turns, by the limit as JSON writes it."""
    return {str(limit): summary(results, seed) for limit, results in sorted(by_limit.items())}
