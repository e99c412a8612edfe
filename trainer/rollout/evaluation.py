"""How well a policy does on tasks that it was not trained on: pass@1 with its interval, and pass@k."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import comb, inf
from random import Random
from typing import Any

from scipy.stats import binomtest

from trainer.config import Evaluation
from trainer.distributed import Processes
from trainer.rollout.collect import Collector
from trainer.rollout.decoding import GREEDY, Decoding
from trainer.sequence import Rollout
from trainer.tasks.exercise import Playable


@dataclass(frozen=True)
class Evaluated:
    """What an evaluation found."""

    tasks: int
    solved: int
    """By the one attempt."""
    low: float
    high: float
    """The 95% Wilson interval of the pass rate."""
    pass_at: dict[int, float]
    """k -> chance that one of k sampled attempts solves a task, the mean over the tasks; empty without such."""
    turns: float
    sampled_tokens: float
    """Means over these attempts."""
    dollars: float = 0.0
    """Of an attempt, the mean: the policy's tokens and its tools."""
    calls: dict[str, float] = field(default_factory=dict)
    """Tool of a catalogue -> calls of it in an attempt, the mean."""
    user_errors: int = 0
    """Attempts that the simulated user broke; they count nowhere else."""
    environment_errors: int = 0
    """Attempts that the sandbox or the engine broke, likewise."""
    by_dataset: dict[str, "Evaluated"] = field(default_factory=dict)
    """Dataset of a mix -> the same of its tasks alone, without pass@k; empty where there is no mix."""
    decoding: Decoding = GREEDY
    """How the one attempt was sampled."""

    @property
    def pass_rate(self) -> float:
        """Share of the tasks that the one attempt solved."""
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
        figures |= {"user_errors": self.user_errors, "environment_errors": self.environment_errors}
        figures |= self.decoding.as_figures()
        for dataset, found in self.by_dataset.items():
            figures |= {f"{dataset}/{name}": value for name, value in found.as_figures().items()}
        return figures

    @classmethod
    def of(
        cls,
        firsts: Sequence[Rollout],
        sampled: Sequence[Sequence[Rollout]] = (),
        processes: Processes | None = None,
        samples: int = 0,
        tools: Sequence[str] = (),
    ) -> "Evaluated":
        """What one rollout a task, and by choice `samples` others, come to, over all processes.

        Of a task that user or environment broke too often, pass@k is known for smaller k alone.
        """
        sizes = _powers_of_two(samples)
        endings = Counter(rollout.ending for rollout in (*firsts, *chain.from_iterable(sampled)))
        broken = [endings["user_error"], endings["environment_error"]]
        firsts = [rollout for rollout in firsts if rollout.counts]
        sampled = [[rollout for rollout in each if rollout.counts] for each in sampled]
        turns = sum(message["role"] == "assistant" for rollout in firsts for message in rollout.trajectory.messages)
        tokens = sum(rollout.sequence.sampled_count for rollout in firsts)
        solved = [sum(rollout.solved for rollout in each) for each in sampled]
        known = [float(sum(len(each) >= k for each in sampled)) for k in sizes]
        chances = [
            sum(pass_at_k(len(each), good, k) for each, good in zip(sampled, solved, strict=True) if len(each) >= k)
            for k in sizes
        ]
        dollars = sum(rollout.vector.dollars for rollout in firsts)
        calls = [float(calls_of(tool, firsts)) for tool in tools]
        won_here = sum(rollout.solved for rollout in firsts)
        own = [len(firsts), won_here, *broken, turns, tokens, dollars, *calls, *chances, *known]
        tasks, won, by_users, by_environment, *sums = (processes or Processes()).sums(own)
        means, passing = sums[: 3 + len(tools)], sums[3 + len(tools) :]
        turns_a_task, tokens_a_task, dollars_a_task, *called = (each / max(1, tasks) for each in means)
        pass_at = [
            chance / max(1, count) for chance, count in zip(passing[: len(sizes)], passing[len(sizes) :], strict=True)
        ]
        return cls(
            int(tasks),
            int(won),
            *wilson(int(won), int(tasks)),
            dict(zip(sizes, pass_at, strict=True)),
            turns_a_task,
            tokens_a_task,
            dollars_a_task,
            dict(zip(tools, called, strict=True)),
            int(by_users),
            int(by_environment),
        )

    @classmethod
    def read(cls, figures: Mapping[str, Any]) -> "Evaluated":
        """From what `as_figures` gave."""
        own: dict[str, Any] = {}
        parts: dict[str, dict[str, Any]] = {}
        for name, value in figures.items():
            dataset, slash, rest = name.rpartition("/")
            (parts.setdefault(dataset, {}) if slash else own)[rest] = value
        pass_at = {
            int(name.removeprefix("pass_at_")): rate for name, rate in own.items() if name.startswith("pass_at_")
        }
        calls = {name.removeprefix("calls_"): each for name, each in own.items() if name.startswith("calls_")}
        whole = (int(own["tasks"]), int(own["solved"]), own["low"], own["high"])
        means = (own["turns"], own["sampled_tokens"], own.get("dollars", 0.0))
        by_dataset = {dataset: cls.read(part) for dataset, part in parts.items()}
        by_users, by_environment = (int(own.get(name, 0)) for name in ("user_errors", "environment_errors"))
        return cls(*whole, pass_at, *means, calls, by_users, by_environment, by_dataset, Decoding.read(own))


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
    decoding: Decoding = GREEDY,
    hear: Callable[[Sequence[Rollout]], None] = lambda attempts: None,
) -> Evaluated:
    """Play every exercise once by `decoding`, and `samples` times as in training.

    Each process takes its share. `tools` are those of which calls are counted; `datasets` are names for the sources of
    the exercises, which are told apart where there are several. `hear` is told of this process's one attempt at each.
    """
    mine = exercises[processes.rank :: processes.size]
    once = await collector.groups(mine, 1, f"{seed}/greedy/{processes.rank}", decoding)
    samples = settings.samples if settings.samples > 1 else 0
    sampled = await collector.groups(mine, samples, f"{seed}/samples/{processes.rank}") if samples else []
    firsts = [group.rollouts[0] for group in once]
    hear(firsts)
    found = Evaluated.of(firsts, [group.rollouts for group in sampled], processes, samples, tools)
    found = replace(found, decoding=decoding)
    if len(datasets) < 2:
        return found

    def of(source: int) -> Evaluated:
        own = [rollout for rollout, exercise in zip(firsts, mine, strict=True) if exercise.source == source]
        return replace(Evaluated.of(own, processes=processes, tools=tools), decoding=decoding)

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
