"""What is worth learning from: the paper's three filters (section 3.3), and a fourth for faults of the environment and
of the simulated user."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor

from trainer.config import Algorithm
from trainer.rewards.advantages import group_advantages, spread
from trainer.sequence import LIMITS, Group, Rollout, TokenSequence


@dataclass(frozen=True)
class Example:
    """A sequence, what it earned, and how much more (or less) likely it shall become by comparison with its group."""

    sequence: TokenSequence
    reward: float
    advantage: float
    home: tuple[int, int] = (0, 0)
    """The process that played it, and its place among the examples of that one."""


@dataclass
class Selection:
    """The examples of a batch of groups, and what was left out for which reason."""

    examples: list[Example] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    advantages: dict[int, float] = field(default_factory=dict)
    """`id` of a rollout's sequence -> its advantage in its group, also where the rollout itself is then left out."""
    left_out: dict[int, str] = field(default_factory=dict)
    """`id` of a rollout's sequence -> why nothing is learnt from it."""

    def leave_out(self, rollouts: Iterable[Rollout], reason: str) -> None:
        """Note why nothing is learnt from these."""
        self.left_out.update((id(rollout.sequence), reason) for rollout in rollouts)


def homogeneous(rewards: Tensor, least_std: float) -> bool:
    """Whether a group's rewards ([n]) differ too little to tell its rollouts apart; so do those of an empty group."""
    return rewards.numel() == 0 or bool(spread(rewards) < least_std)


def teaches_nothing(
    group: Group, rewards: Sequence[float], algorithm: Algorithm
) -> Literal["broken_groups", "homogeneous_groups"] | None:
    """Why a whole group is dropped, if it is.

    One rollout of a group that was broken but for it has nothing to be normalized over, so that its R says nothing.
    Where every task is played once, no rollout has others to be like, and a group is broken with its only one.
    """
    earned = [reward for rollout, reward in zip(group.rollouts, rewards, strict=True) if rollout.counts]
    several = algorithm.rollouts_per_task > 1
    if len(earned) < (2 if several else 1):
        return "broken_groups"
    least_std = algorithm.least_std if several else 0.0
    return "homogeneous_groups" if homogeneous(torch.tensor(earned, dtype=torch.float64), least_std) else None


def breaks_format(rollout: Rollout) -> bool:
    """Whether a message of the rollout is not aligned with the tool-call format."""
    return rollout.fault is not None or rollout.ending == "malformed"


def gives_no_answer(rollout: Rollout) -> bool:
    """Whether the rollout ended at a limit, so that there is no valid answer to judge."""
    return rollout.ending in LIMITS


def unfinished(rollout: Rollout) -> bool:
    """Whether the rollout did not come to an end of its own, in the tool-call format."""
    return breaks_format(rollout) or gives_no_answer(rollout)


def select(groups: Sequence[Group], rewards: Sequence[Sequence[float]], algorithm: Algorithm) -> Selection:
    """Advantages over each whole group, then the filters.

    A rollout that its environment or its user broke is no rollout of the policy's: it is in no mean. One that the
    policy spoiled is in its group's mean and deviation, and only then left out.

    Args:
        groups: the rollouts of each task.
        rewards: R of each rollout, in the same order.
        algorithm: `loss`, `least_std`, `std_eta`, and whether `drop_malformed`.
    """
    selection = Selection()
    for group, values in zip(groups, rewards, strict=True):
        played = [(rollout, reward) for rollout, reward in zip(group.rollouts, values, strict=True) if rollout.counts]
        for rollout in group.rollouts:
            if not rollout.counts:
                selection.counts[rollout.ending] += 1
                selection.leave_out([rollout], rollout.ending)
        if reason := teaches_nothing(group, values, algorithm):
            selection.counts[reason] += 1
            selection.leave_out((rollout for rollout, _ in played), reason.removesuffix("s"))
            continue
        earned = torch.tensor([reward for _, reward in played], dtype=torch.float64)
        advantages = group_advantages(earned, algorithm.std_eta, by_deviation=algorithm.loss != "dr_grpo").tolist()
        for (rollout, reward), advantage in zip(played, advantages, strict=True):
            selection.advantages[id(rollout.sequence)] = advantage
            if spoiled := _spoiled(rollout, algorithm):
                selection.counts[spoiled] += 1
                selection.leave_out([rollout], spoiled)
            elif rollout.sequence.sampled_count:
                selection.examples.append(Example(rollout.sequence, reward, advantage))
            else:
                selection.leave_out([rollout], "nothing_sampled")
    return selection


def _spoiled(rollout: Rollout, algorithm: Algorithm) -> str | None:
    """Why the paper's filters leave a rollout out; None where they do not, or are not asked."""
    if not algorithm.drop_malformed:
        return None
    if breaks_format(rollout):
        return "malformed"
    return "unanswered" if gives_no_answer(rollout) else None
