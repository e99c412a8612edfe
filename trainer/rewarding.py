"""R of every rollout of a group, by the configured reward."""

from collections.abc import Sequence

from toolscale.errors import UserError
from toolscale.rewards import FloatArray, final_rewards, preference_vector
from toolscale.rewards.preference import BEYOND_TOOLS
from toolscale.rewards.toolrl import Design, TrainingProgress, episode_reward
from trainer.config import Rewarding
from trainer.exercise import Exercise, Playable, QuestionExercise, StepExercise
from trainer.sequence import Group


def group_rewards(group: Group, exercise: Playable, rewarding: Rewarding, progress: TrainingProgress) -> list[float]:
    """R of each rollout, in the group's order; 0 for one that its environment broke, which is in no normalization.

    By preference, `M_normalized . P` where the task was solved (ToolOrchestra, section 3.2); or ToolRL's format and
    correctness on the scale of this step: at single steps always, at domain tasks where configured, over all calls.

    Raises:
        UserError: the preference vector does not fit the tools that the task offers.
    """
    played = [rollout for rollout in group.rollouts if rollout.ending != "environment_error"]
    if isinstance(exercise, StepExercise):
        thinking = Design(schedule=rewarding.schedule)
        said = ["".join(rollout.trajectory.agent_messages[-1:]) for rollout in played]
        values = [exercise.step.reward(text, thinking, progress).final for text in said]
    elif rewarding.kind == "toolrl" and isinstance(exercise, Exercise):
        # The agent's prompt asks for no thoughts, so a message without them is well formed.
        design = Design(schedule=rewarding.schedule, thinks=False)
        values = [episode_reward(rollout.trajectory, exercise.task, design, progress).final for rollout in played]
    else:
        values = final_rewards([rollout.vector for rollout in played], wanted_at(exercise, rewarding)).tolist()
    earned = iter(values)
    return [0.0 if rollout.ending == "environment_error" else next(earned) for rollout in group.rollouts]


def wanted_at(exercise: Playable, rewarding: Rewarding) -> FloatArray:
    """P at an exercise: the preference that it brings, else the configured one over the tools that it offers.

    Raises:
        UserError: the configured one does not fit these tools.
    """
    if isinstance(exercise, QuestionExercise) and exercise.task.vector is not None:
        return preference_vector(exercise.task.vector, exercise.offered)
    wanted = rewarding.preference
    if isinstance(wanted, dict):
        wanted = [wanted.get(name, 0.0) for name in (*exercise.offered, *BEYOND_TOOLS)]
    return preference_vector(wanted, exercise.offered)


def check_preferences(exercises: Sequence[Playable], rewarding: Rewarding) -> None:
    """Raises UserError where the configured preference does not fit an exercise, or wants what none offers."""
    if isinstance(rewarding.preference, dict):
        known = {*BEYOND_TOOLS, *(name for exercise in exercises for name in exercise.offered)}
        if unknown := sorted(rewarding.preference.keys() - known):
            raise UserError(f"rewarding.preference: no task offers {unknown[0]}; there are {', '.join(sorted(known))}")
    for exercise in exercises:
        wanted_at(exercise, rewarding)
