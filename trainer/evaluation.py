"""How well a policy does on tasks that it was not trained on: greedy pass@1 with its interval, and pass@k."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import comb, inf
from random import Random
from typing import Any

from scipy.stats import binomtest

from trainer.config import Evaluation
from trainer.distributed import Processes
from trainer.exercise import Playable
from trainer.rollout.collect import Collector
from trainer.sequence import Rollout


@dataclass(frozen=True)
class Evaluated:
    """What an evaluation found."""

    tasks: int
    solved: int
    """By the one attempt, which is greedy unless `evaluation.temperature` says else."""
    low: float
    high: float
    """The 95% Wilson interval of the pass rate."""
    pass_at: dict[int, float]
    """k -> chance that one of k sampled attempts solves a task, the mean over the tasks; empty for greedy alone."""
    turns: float
    sampled_tokens: float
    """Means over these attempts."""
    dollars: float = 0.0
    """Of an attempt, the mean: the policy's tokens and its tools."""
    calls: dict[str, float] = field(default_factory=dict)
    """Tool of a catalogue -> calls of it in an attempt, the mean."""
    by_dataset: dict[str, "Evaluated"] = field(default_factory=dict)
    """Dataset of a mix -> the same of its tasks alone, without pass@k; empty where there is no mix."""

    @property
    def pass_rate(self) -> float:
        """Share of the tasks that the greedy attempt solved."""
        return self.solved / self.tasks if self.tasks else 0.0

    @property
    def dollars_per_solved(self) -> float:
        """All that was paid, over the tasks that were solved; infinite where none was."""
        return self.dollars * self.tasks / self.solved if self.solved else inf

    @property
    def shares(self) -> dict[str, float]:
        """Tool of a catalogue -> its share of all calls of such tools; 0 where there were none."""
        made = sum(self.calls.values())
        return {tool: times / made if made else 0.0 for tool, times in self.calls.items()}

    def as_figures(self) -> dict[str, float]:
        """Flat, for metrics and reports; figures of one dataset are called DATASET/NAME."""
        figures = {
            "tasks": self.tasks,
            "solved": self.solved,
            "pass_rate": self.pass_rate,
            "low": self.low,
            "high": self.high,
        }
        figures |= {f"pass_at_{k}": rate for k, rate in self.pass_at.items()}
        figures |= {f"calls_{tool}": times for tool, times in self.calls.items()}
        figures |= {"turns": self.turns, "sampled_tokens": self.sampled_tokens, "dollars": self.dollars}
        for dataset, found in self.by_dataset.items():
            figures |= {f"{dataset}/{name}": value for name, value in found.as_figures().items()}
        return figures

    @classmethod
    def of(
        cls,
        greedy: Sequence[Rollout],
        sampled: Sequence[Sequence[Rollout]] = (),
        processes: Processes | None = None,
        samples: int = 0,
        tools: Sequence[str] = (),
    ) -> "Evaluated":
        """What one rollout a task, and by choice `samples` sampled ones, come to, over all processes."""
        sizes = _powers_of_two(samples)
        turns = sum(message["role"] == "assistant" for rollout in greedy for message in rollout.trajectory.messages)
        tokens = sum(rollout.sequence.sampled_count for rollout in greedy)
        solved = [sum(rollout.verdict.solved for rollout in each) for each in sampled]
        chances = [
            sum(pass_at_k(len(each), good, k) for each, good in zip(sampled, solved, strict=True)) for k in sizes
        ]
        dollars = sum(rollout.vector.dollars for rollout in greedy)
        calls = [float(calls_of(tool, greedy)) for tool in tools]
        own = [len(greedy), sum(rollout.verdict.solved for rollout in greedy), turns, tokens, dollars, *calls, *chances]
        tasks, won, *sums = (processes or Processes()).sums(own)
        turns_a_task, tokens_a_task, dollars_a_task, *rates = (each / max(1, tasks) for each in sums)
        called, pass_at = rates[: len(tools)], rates[len(tools) :]
        return cls(
            int(tasks),
            int(won),
            *wilson(int(won), int(tasks)),
            dict(zip(sizes, pass_at, strict=True)),
            turns_a_task,
            tokens_a_task,
            dollars_a_task,
            dict(zip(tools, called, strict=True)),
        )

    @classmethod
    def read(cls, figures: Mapping[str, Any]) -> "Evaluated":
        """From what `as_figures` gave."""
        pass_at = {
            int(name.removeprefix("pass_at_")): rate for name, rate in figures.items() if name.startswith("pass_at_")
        }
        calls = {name.removeprefix("calls_"): each for name, each in figures.items() if name.startswith("calls_")}
        whole = (int(figures["tasks"]), int(figures["solved"]), figures["low"], figures["high"])
        means = (figures["turns"], figures["sampled_tokens"], figures.get("dollars", 0.0))
        parts: dict[str, dict[str, Any]] = {}
        for name, value in figures.items():
            dataset, slash, own = name.rpartition("/")
            if slash:
                parts.setdefault(dataset, {})[own] = value
        return cls(*whole, pass_at, *means, calls, {dataset: cls.read(own) for dataset, own in parts.items()})


def held_out(exercises: Sequence[Playable], settings: Evaluation) -> list[Playable]:
    """The tasks of an evaluation: the same in every training on this dataset, so that trainings can be compared."""
    count = min(settings.tasks or len(exercises), len(exercises))
    return Random("evaluation").sample(list(exercises), count)


async def evaluate(
    collector: Collector,
    exercises: Sequence[Playable],
    settings: Evaluation,
    seed: int,
    processes: Processes,
    tools: Sequence[str] = (),
    datasets: Sequence[str] = (),
) -> Evaluated:
    """Play every exercise once at the evaluation's temperature, and `samples` times at that of the rollouts.

    Each process takes its share. `tools` are those of which calls are counted; `datasets` are names for the sources of
    the exercises, which are told apart where there are several.
    """
    mine = exercises[processes.rank :: processes.size]
    greedy = await collector.groups(mine, 1, f"{seed}/greedy/{processes.rank}", settings.temperature)
    samples = settings.samples if settings.samples > 1 else 0
    sampled = await collector.groups(mine, samples, f"{seed}/samples/{processes.rank}") if samples else []
    firsts = [group.rollouts[0] for group in greedy]
    found = Evaluated.of(firsts, [group.rollouts for group in sampled], processes, samples, tools)
    if len(datasets) < 2:
        return found

    def of(source: int) -> Evaluated:
        own = [rollout for rollout, exercise in zip(firsts, mine, strict=True) if exercise.source == source]
        return Evaluated.of(own, processes=processes, tools=tools)

    return replace(found, by_dataset={name: of(source) for source, name in enumerate(datasets)})


def calls_of(tool: str, rollouts: Sequence[Rollout]) -> int:
    """How many times rollouts called a tool."""
    return sum(call.name == tool for rollout in rollouts for call in rollout.trajectory.calls)


def wilson(solved: int, tasks: int) -> tuple[float, float]:
    """The 95% Wilson interval of a pass rate; (0, 1) where nothing was tried."""
    if not tasks:
        return 0.0, 1.0
    interval = binomtest(solved, tasks).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)


def pass_at_k(attempts: int, solved: int, k: int) -> float:
    """Chance that one of k attempts, drawn from these without putting back, solved it (Chen et al. 2021, unbiased)."""
    return 1 - comb(attempts - solved, k) / comb(attempts, k)


def _powers_of_two(most: int) -> list[int]:
    powers: list[int] = []
    while (k := 2 ** len(powers)) <= most:
        powers.append(k)
    return powers
