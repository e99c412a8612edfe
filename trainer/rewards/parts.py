"""What R may be a weighted sum of: parts by name, ours and those that packages offer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from toolscale.artifacts import Call, CallOutcome, GoldenCall
from toolscale.errors import UserError
from toolscale.rewards import final_rewards
from toolscale.rewards.matched import matched_calls
from toolscale.rewards.toolrl import ToolRLReward, TrainingProgress, episode_reward, nothing_earned, read_calls
from trainer.config import Rewarding
from trainer.rewards.filters import unfinished
from trainer.rewards.functions import Transcript, packages_of, reward_function, reward_names
from trainer.sequence import Rollout
from trainer.tasks.exercise import Exercise, Playable, QuestionExercise, StepExercise
from trainer.tasks.preferences import wanted_at


@dataclass(frozen=True)
class Scored:
    """The rollouts of a group that count, and what their parts follow from."""

    rollouts: Sequence[Rollout]
    exercise: Playable
    rewarding: Rewarding
    progress: TrainingProgress

    @property
    def outcomes(self) -> list[float]:
        """1 where the task is solved, else 0; what a limit cut, or breaks the format, is no solution."""
        return [float(rollout.vector.solved) for rollout in self.rollouts]

    @property
    def preference(self) -> list[float]:
        """ToolOrchestra's `M_normalized . P` where the task is solved, else 0."""
        vectors = [rollout.vector for rollout in self.rollouts]
        rewards: list[float] = final_rewards(vectors, wanted_at(self.exercise, self.rewarding)).tolist()
        return rewards

    @cached_property
    def toolrl(self) -> list[ToolRLReward]:
        """ToolRL's format, correctness and length, on the scale of this step."""
        return [self._toolrl(rollout) for rollout in self.rollouts]

    @property
    def matched(self) -> list[float]:
        """The share of golden calls that were made; 0 where an episode did not come to an end of its own."""
        golden = _golden(self.exercise)
        whole = [isinstance(self.exercise, StepExercise) or not unfinished(each) for each in self.rollouts]
        shares = (matched_calls(self._calls(each), golden) for each in self.rollouts)
        return [share if ended else 0.0 for share, ended in zip(shares, whole, strict=True)]

    @cached_property
    def transcripts(self) -> list[Transcript]:
        """The rollouts as functions of others see them."""
        task = self.exercise.step if isinstance(self.exercise, StepExercise) else self.exercise.task
        return [
            Transcript(task, rollout.trajectory.messages, self._calls(rollout), rollout.verdict, rollout.ending)
            for rollout in self.rollouts
        ]

    def _toolrl(self, rollout: Rollout) -> ToolRLReward:
        if isinstance(self.exercise, StepExercise):
            return self.exercise.step.reward(_written(rollout), self.rewarding.design(thinks=True), self.progress)
        assert isinstance(self.exercise, Exercise)
        # The agent's prompt asks for no thoughts, so a message without them is well formed.
        design = self.rewarding.design(thinks=False)
        if unfinished(rollout):
            return nothing_earned(design, self.progress)
        return episode_reward(rollout.trajectory, self.exercise.task, design, self.progress)

    def _calls(self, rollout: Rollout) -> list[CallOutcome]:
        if not isinstance(self.exercise, StepExercise):
            return rollout.trajectory.calls
        try:
            spelt = read_calls(_written(rollout))
        except ValueError:
            return []
        return [CallOutcome(name=call.name, arguments=call.arguments) for call in spelt]


@dataclass(frozen=True)
class Part:
    """A part of ours: its value for each rollout, and at which exercises it has one."""

    of: Callable[[Scored], Sequence[float]]
    at: tuple[type, ...] = (Exercise, QuestionExercise, StepExercise)


_WITH_GOLDEN_CALLS = (Exercise, StepExercise)

OURS: Mapping[str, Part] = {
    "outcome": Part(lambda scored: scored.outcomes),
    "preference": Part(lambda scored: scored.preference, (Exercise, QuestionExercise)),
    "format": Part(lambda scored: [float(each.format) for each in scored.toolrl], _WITH_GOLDEN_CALLS),
    "correctness": Part(lambda scored: [each.correctness for each in scored.toolrl], _WITH_GOLDEN_CALLS),
    "length": Part(lambda scored: [each.length for each in scored.toolrl], _WITH_GOLDEN_CALLS),
    "matched_calls": Part(lambda scored: scored.matched, _WITH_GOLDEN_CALLS),
}


def part_names(rewarding: Rewarding) -> tuple[str, ...]:
    """All parts that any exercise's R is made of."""
    return tuple(rewarding.parts) if rewarding.parts is not None else ("preference", *_toolrl_parts(rewarding))


def weights_at(exercise: Playable, rewarding: Rewarding) -> dict[str, float]:
    """The parts that R is made of at an exercise, and what each counts.

    Without `parts` it is the reward of a paper: ToolRL's at single steps, and at domain tasks where configured; else
    ToolOrchestra's.
    """
    if rewarding.parts is not None:
        return {
            name: weight
            for name, weight in rewarding.parts.items()
            if name not in OURS or isinstance(exercise, OURS[name].at)
        }
    toolrl = isinstance(exercise, StepExercise) or (rewarding.kind == "toolrl" and isinstance(exercise, Exercise))
    return dict.fromkeys(_toolrl_parts(rewarding) if toolrl else ("preference",), 1.0)


def part_values(name: str, scored: Scored) -> Sequence[float]:
    """What each rollout has of a part.

    Raises:
        UserError: a function of others fails, or says what is no number; or the preference does not fit the exercise.
    """
    if name in OURS:
        return OURS[name].of(scored)
    function = reward_function(name)
    return [function.of(transcript) for transcript in scored.transcripts]


def check_parts(exercises: Sequence[Playable], rewarding: Rewarding) -> None:
    """See that every part is there, and that R can differ at every exercise.

    Raises:
        UserError: a part is nobody's, or of two; a function cannot be imported or asked; or no part has a value at an
            exercise.
    """
    offered = reward_names()
    for name in rewarding.parts or ():
        if name in OURS and name in offered:
            theirs = " and ".join(packages_of(name))
            raise UserError(
                f"rewarding.parts: `{name}` is a part of ours and of the package {theirs}: rename the latter"
            )
        if name not in OURS and name not in offered:
            raise UserError(
                f"rewarding.parts: there is no part `{name}`; ours are {', '.join(OURS)}, and installed packages offer "
                f"{', '.join(offered) or 'none'} (entry point toolscale.rewards)"
            )
        if name not in OURS:
            reward_function(name)
    for exercise in exercises:
        if not any(weights_at(exercise, rewarding).values()):
            raise UserError(
                f"rewarding.parts: none of {', '.join(rewarding.parts or ())} has a value at {exercise.id}, so that R "
                "would always be 0: add `outcome`, or leave its dataset out"
            )


def _toolrl_parts(rewarding: Rewarding) -> tuple[str, ...]:
    return ("format", "correctness") if rewarding.length == "none" else ("format", "correctness", "length")


def _golden(exercise: Playable) -> Sequence[GoldenCall | Call]:
    if isinstance(exercise, QuestionExercise):
        return []
    return exercise.step.golden_calls if isinstance(exercise, StepExercise) else exercise.task.golden_calls


def _written(rollout: Rollout) -> str:
    """What was written at a step, a message that was cut at the limit included."""
    last = rollout.trajectory.messages[-1]
    return str(last.get("content") or "") if last["role"] == "assistant" else ""
