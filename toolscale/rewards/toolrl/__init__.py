"""ToolRL's rewards (arXiv 2504.13958): format, correctness of the calls, length; and how their scales move in training.

reward = episode_reward(trajectory, task, Design(schedule="dynamic"), TrainingProgress(step, steps)).final
"""

from toolscale.rewards.toolrl.correctness import Granularity, match_share
from toolscale.rewards.toolrl.fields import FieldName, format_reward, read_calls, read_fields
from toolscale.rewards.toolrl.reward import Design, ToolRLReward, episode_reward, nothing_earned, output_reward
from toolscale.rewards.toolrl.schedules import LengthReward, Scale, Schedule, TrainingProgress, length_reward, scales

__all__ = [
    "Design",
    "FieldName",
    "Granularity",
    "LengthReward",
    "Scale",
    "Schedule",
    "ToolRLReward",
    "TrainingProgress",
    "episode_reward",
    "format_reward",
    "length_reward",
    "match_share",
    "nothing_earned",
    "output_reward",
    "read_calls",
    "read_fields",
    "scales",
]
