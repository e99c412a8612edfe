"""The reward vector of a rollout: its calls, its outcome, its tokens at their prices, its measured seconds."""

from collections.abc import Sequence

from toolscale.artifacts import Trajectory, Verdict
from toolscale.rewards import RewardVector
from trainer.config import Rewarding


def reward_vector(
    trajectory: Trajectory, verdict: Verdict, offered: Sequence[str], seconds: float, prices: Rewarding
) -> RewardVector:
    """The paper's M (section 3.2) of a trajectory that was offered these tools.

    Every message is paid for as an endpoint bills it, the final answer too: all tokens that it read and all that it
    wrote. The seconds run from the instruction to the last message.
    """
    read = trajectory.prompt_tokens * prices.dollars_per_million_prompt_tokens
    wrote = trajectory.completion_tokens * prices.dollars_per_million_sampled_tokens
    return RewardVector.of(trajectory, offered, solved=verdict.solved, dollars=(read + wrote) / 1e6, seconds=seconds)
