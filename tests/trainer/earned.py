"""R of a group's rollouts as numbers."""

from toolscale.rewards.toolrl import TrainingProgress
from trainer.config import Rewarding
from trainer.rewards.rewarding import group_rewards
from trainer.sequence import Group
from trainer.tasks.exercise import Playable


def totals(group: Group, exercise: Playable, rewarding: Rewarding, progress: TrainingProgress) -> list[float]:
    """R of each rollout, in the group's order."""
    return [reward.total for reward in group_rewards(group, exercise, rewarding, progress)]
