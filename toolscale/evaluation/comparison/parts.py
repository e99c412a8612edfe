"""The breakdown of a run's accuracy into the columns that a paper's table has, each with its interval."""

import re
from collections.abc import Collection, Mapping

import numpy as np

from toolscale.evaluation.benchmarks import BENCHMARKS, has_columns
from toolscale.evaluation.comparison.runs import TopicFigures
from toolscale.intervals import CONFIDENCE, RESAMPLES

Bounded = tuple[float, float, float]
"""A share in percent, and the ends of its interval."""


def parts_of(
    benchmark: str, topics: Mapping[str, TopicFigures], wanted: Collection[str], seed: int = 0
) -> dict[str, Bounded]:
    """The columns of the benchmark's leaderboard, or else the topics that are among the wanted parts."""
    if has_columns(benchmark):
        return _leaderboard(benchmark, topics, seed)
    named = {re.sub(r"\W+", "_", topic.lower()): topic for topic in topics}
    accuracies = _resampled(topics, seed)
    return {
        part: _bounded(topics[topic].accuracy, accuracies[topic]) for part, topic in named.items() if part in wanted
    }


def missing_of(benchmark: str, topics: Mapping[str, TopicFigures]) -> list[str]:
    """The categories of a leaderboard that nothing was attempted of."""
    missing: list[str] = BENCHMARKS[benchmark].leaderboard(_told(topics))["missing"]
    return missing


def _leaderboard(benchmark: str, topics: Mapping[str, TopicFigures], seed: int) -> dict[str, Bounded]:
    summed_up = BENCHMARKS[benchmark].leaderboard
    found = summed_up(_told(topics))
    accuracies = _resampled(topics, seed)
    drawn = [
        summed_up({topic: {"tasks": each.tasks, "accuracy": accuracies[topic][draw]} for topic, each in topics.items()})
        for draw in range(RESAMPLES)
    ]
    return {
        column: _bounded(value, np.asarray([each[column] for each in drawn]))
        for column, value in found.items()
        if isinstance(value, int | float)
    }


def _told(topics: Mapping[str, TopicFigures]) -> dict[str, dict[str, float]]:
    return {topic: {"tasks": each.tasks, "accuracy": each.accuracy} for topic, each in topics.items()}


def _resampled(topics: Mapping[str, TopicFigures], seed: int) -> dict[str, np.ndarray]:
    """What each topic's accuracy is over tasks drawn again from the same topic, with replacement."""
    random = np.random.default_rng(seed)
    return {
        topic: 100 * random.binomial(each.tasks, each.accuracy / 100, RESAMPLES) / each.tasks
        for topic, each in sorted(topics.items())
    }


def _bounded(value: float, resampled: np.ndarray) -> Bounded:
    low, high = np.percentile(resampled, CONFIDENCE)
    return value, float(low), float(high)
