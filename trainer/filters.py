"""What is worth learning from: the paper's three filters (section 3.3), and a fourth for faults of the environment."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from trainer.advantages import group_advantages, spread
from trainer.config import Algorithm
from trainer.sequence import Group, Rollout, TokenSequence


@dataclass(frozen=True)
class Example:
    """A sequence, and how much more (or less) likely it shall become."""

    sequence: TokenSequence
    advantage: float


@dataclass
class Selection:
    """The examples of a batch of groups, and what was left out for which reason."""

    examples: list[Example] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def homogeneous(rewards: Tensor, least_std: float) -> bool:
    """Whether a group's rewards ([n]) differ too little to tell its rollouts apart; so do those of an empty group."""
    return rewards.numel() == 0 or bool(spread(rewards) < least_std)


def breaks_format(rollout: Rollout) -> bool:
    """Whether a message of the rollout is not aligned with the tool-call format."""
    return rollout.fault is not None or rollout.ending == "malformed"


def gives_no_answer(rollout: Rollout) -> bool:
    """Whether the rollout ended at a limit, so that there is no valid answer to judge."""
    return rollout.ending in ("turn_limit", "length_limit")


def select(groups: Sequence[Group], rewards: Sequence[Sequence[float]], algorithm: Algorithm) -> Selection:
    """Advantages over each whole group, then the filters.

    A rollout that its environment broke is no rollout of the policy's: it is in no mean. One that the policy spoiled is
    in its group's mean and deviation, and only then left out.

    Args:
        groups: the rollouts of each task.
        rewards: R of each rollout, in the same order.
        algorithm: `least_std`, and whether `drop_malformed`.
    """
    selection = Selection()
    for group, values in zip(groups, rewards, strict=True):
        played = [
            (rollout, reward)
            for rollout, reward in zip(group.rollouts, values, strict=True)
            if rollout.ending != "environment_error"
        ]
        earned = torch.tensor([reward for _, reward in played], dtype=torch.float64)
        selection.counts["environment_error"] += len(group.rollouts) - len(played)
        if homogeneous(earned, algorithm.least_std):
            selection.counts["homogeneous_groups"] += 1
            continue
        for (rollout, _), advantage in zip(played, group_advantages(earned).tolist(), strict=True):
            if algorithm.drop_malformed and breaks_format(rollout):
                selection.counts["malformed"] += 1
            elif algorithm.drop_malformed and gives_no_answer(rollout):
                selection.counts["unanswered"] += 1
            elif rollout.sequence.sampled_count:
                selection.examples.append(Example(rollout.sequence, advantage))
    return selection
