"""How well a policy does on tasks that it was not trained on: greedy pass@1 with its interval, and pass@k."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, sqrt
from random import Random
from typing import Any

from trainer.config import Evaluation
from trainer.data import Exercise
from trainer.distributed import World
from trainer.rollout.collect import Collector
from trainer.sequence import Rollout

Z_95 = 1.959963984540054
"""The normal distribution's quantile for a two-sided 95%."""


@dataclass(frozen=True)
class Evaluated:
    """What an evaluation found."""

    tasks: int
    solved: int
    """By the greedy attempt."""
    low: float
    high: float
    """The 95% Wilson interval of the pass rate."""
    pass_at: dict[int, float]
    """k -> chance that one of k sampled attempts solves a task, the mean over the tasks; empty for greedy alone."""
    turns: float
    sampled_tokens: float
    """Means over the greedy attempts."""

    @property
    def pass_rate(self) -> float:
        """Share of the tasks that the greedy attempt solved."""
        return self.solved / self.tasks if self.tasks else 0.0

    def as_figures(self) -> dict[str, float]:
        """Flat, for metrics and reports."""
        figures = {
            "tasks": self.tasks,
            "solved": self.solved,
            "pass_rate": self.pass_rate,
            "low": self.low,
            "high": self.high,
        }
        figures |= {f"pass_at_{k}": rate for k, rate in self.pass_at.items()}
        return {**figures, "turns": self.turns, "sampled_tokens": self.sampled_tokens}

    @classmethod
    def of(
        cls,
        greedy: Sequence[Rollout],
        sampled: Sequence[Sequence[Rollout]] = (),
        world: World | None = None,
        samples: int = 0,
    ) -> "Evaluated":
        """What one greedy rollout a task, and by choice `samples` sampled ones, come to, over all processes."""
        sizes = _powers_of_two(samples)
        turns = sum(message["role"] == "assistant" for rollout in greedy for message in rollout.trajectory.messages)
        tokens = sum(rollout.sequence.sampled_count for rollout in greedy)
        solved = [sum(rollout.verdict.solved for rollout in each) for each in sampled]
        chances = [
            sum(pass_at_k(len(each), good, k) for each, good in zip(sampled, solved, strict=True)) for k in sizes
        ]
        own = [len(greedy), sum(rollout.verdict.solved for rollout in greedy), turns, tokens, *chances]
        tasks, won, *sums = (world or World()).sums(own)
        turns_a_task, tokens_a_task, *rates = (each / max(1, tasks) for each in sums)
        low, high = wilson(int(won), int(tasks))
        return cls(int(tasks), int(won), low, high, dict(zip(sizes, rates, strict=True)), turns_a_task, tokens_a_task)

    @classmethod
    def read(cls, figures: Mapping[str, Any]) -> "Evaluated":
        """From what `as_figures` gave."""
        pass_at = {
            int(name.removeprefix("pass_at_")): rate for name, rate in figures.items() if name.startswith("pass_at_")
        }
        whole = (int(figures["tasks"]), int(figures["solved"]))
        return cls(*whole, figures["low"], figures["high"], pass_at, figures["turns"], figures["sampled_tokens"])


def held_out(exercises: Sequence[Exercise], settings: Evaluation) -> list[Exercise]:
    """The tasks of an evaluation: the same in every training on this dataset, so that trainings can be compared."""
    count = min(settings.tasks or len(exercises), len(exercises))
    return Random("evaluation").sample(list(exercises), count)


async def evaluate(
    collector: Collector, exercises: Sequence[Exercise], settings: Evaluation, seed: int, world: World
) -> Evaluated:
    """Play every exercise greedily, and `samples` times at the configured temperature; each process takes its share."""
    mine = exercises[world.rank :: world.size]
    greedy = await collector.groups(mine, 1, f"{seed}/greedy/{world.rank}", temperature=0.0)
    samples = settings.samples if settings.samples > 1 else 0
    sampled = await collector.groups(mine, samples, f"{seed}/samples/{world.rank}") if samples else []
    firsts = [group.rollouts[0] for group in greedy]
    return Evaluated.of(firsts, [group.rollouts for group in sampled], world, samples)


def wilson(successes: int, trials: int, z: float = Z_95) -> tuple[float, float]:
    """The Wilson score interval of a proportion (Wilson 1927); (0, 1) where nothing was tried."""
    if not trials:
        return 0.0, 1.0
    share = successes / trials
    centre = share + z**2 / (2 * trials)
    reach = z * sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    scale = 1 + z**2 / trials
    return max(0.0, (centre - reach) / scale), min(1.0, (centre + reach) / scale)


def pass_at_k(attempts: int, solved: int, k: int) -> float:
    """Chance that one of k attempts, drawn from these without putting back, solved it (Chen et al. 2021, unbiased)."""
    return 1 - comb(attempts - solved, k) / comb(attempts, k)


def _powers_of_two(most: int) -> list[int]:
    powers: list[int] = []
    while (k := 2 ** len(powers)) <= most:
        powers.append(k)
    return powers
