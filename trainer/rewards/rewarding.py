"""R of every rollout of a group: a weighted sum of parts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from toolscale.rewards.toolrl import TrainingProgress
from trainer.config import Rewarding
from trainer.distributed import Processes
from trainer.rewards.parts import Scored, part_names, part_values, weights_at
from trainer.sequence import Group
from trainer.tasks.exercise import Playable


@dataclass(frozen=True)
class Reward:
    """What a rollout earned."""

    total: float = 0.0
    """R."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """What R is the sum of, by name, each before its weight."""


def group_rewards(group: Group, exercise: Playable, rewarding: Rewarding, progress: TrainingProgress) -> list[Reward]:
    """The reward of each rollout, in the group's order; an empty one where it does not count, which is in no
    normalization.

    Raises:
        UserError: the preference vector does not fit the tools that the task offers; or a function of others fails, or
            says what is no number.
    """
    scored = Scored([rollout for rollout in group.rollouts if rollout.counts], exercise, rewarding, progress)
    weights = weights_at(exercise, rewarding)
    values = {name: part_values(name, scored) for name in weights}
    earned = iter({name: values[name][place] for name in weights} for place in range(len(scored.rollouts)))
    return [_summed(next(earned), weights) if rollout.counts else Reward() for rollout in group.rollouts]


def part_means(rewards: Iterable[Reward], rewarding: Rewarding, processes: Processes) -> dict[str, float]:
    """`reward/PART` -> its mean over the rollouts of all processes that have it; every process has to ask."""
    found, names = list(rewards), part_names(rewarding)
    have = [[reward.parts[name] for reward in found if name in reward.parts] for name in names]
    sums = processes.sums([*map(float, map(len, have)), *map(sum, have)])
    counts, totals = sums[: len(names)], sums[len(names) :]
    return {f"reward/{name}": total / count for name, total, count in zip(names, totals, counts, strict=True) if count}


def _summed(parts: Mapping[str, float], weights: Mapping[str, float]) -> Reward:
    return Reward(sum(weights[name] * value for name, value in parts.items()), parts)
