"""R of every rollout of a group, by the configured reward."""

from toolscale.artifacts import Task
from toolscale.rewards import final_rewards
from toolscale.rewards.toolrl import Design, Progress, episode_reward
from trainer.config import Rewarding
from trainer.sequence import Group


def group_rewards(group: Group, task: Task, rewarding: Rewarding, progress: Progress) -> list[float]:
    """R of each rollout, in the group's order; 0 for one that its environment broke, which is in no normalization.

    By preference, `M_normalized . P` where the task was solved (ToolOrchestra, section 3.2); or ToolRL's format and
    correctness over all calls, on the scale of this step.

    Raises:
        UserError: the preference vector does not fit the tools that the task offers.
    """
    played = [rollout for rollout in group.rollouts if rollout.ending != "environment_error"]
    if rewarding.kind == "toolrl":
        # The agent's prompt asks for no thoughts, so a message without them is well formed.
        design = Design(schedule=rewarding.schedule, thinks=False)
        values = [episode_reward(rollout.trajectory, task, design, progress).final for rollout in played]
    else:
        values = final_rewards([rollout.vector for rollout in played], rewarding.preference).tolist()
    earned = iter(values)
    return [0.0 if rollout.ending == "environment_error" else next(earned) for rollout in group.rollouts]
