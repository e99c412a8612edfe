"""What a trajectory is worth: ToolOrchestra's preference rewards; ToolRL's format and correctness in `rewards.toolrl`.
What a trajectory took, from the ledger, is in `rewards.spending`: it alone needs the database.

rewards = final_rewards([RewardVector.of(trajectory, tools, solved=..., dollars=..., seconds=...), ...], preference)
"""

from toolscale.rewards.evaluation import Units, benchmark_score, evaluation_reward, relative_to_baseline
from toolscale.rewards.final import final_rewards, normalized
from toolscale.rewards.preference import preference_vector
from toolscale.rewards.vector import FloatArray, RewardVector, stacked

__all__ = [
    "FloatArray",
    "RewardVector",
    "Units",
    "benchmark_score",
    "evaluation_reward",
    "final_rewards",
    "normalized",
    "preference_vector",
    "relative_to_baseline",
    "stacked",
]
