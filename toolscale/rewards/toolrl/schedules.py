"""The ranges of ToolRL's rewards and how they move while training goes on (sections 3.3, 5.1 and 5.2)."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, assert_never

from toolscale.errors import UserError

Schedule = Literal["constant", "equal_maxima", "two_stage", "dynamic"]
LengthReward = Literal["none", "fixed", "dynamic"]

SWITCH_STEP = 30
"""s: the step at which the two-stage schedule goes from format to correctness (section 5.2)."""
TARGET_LENGTH = 512
"""L_target: thoughts of this length have the whole length reward (section 5.1)."""


@dataclass(frozen=True)
class TrainingProgress:
    """How far training is."""

    step: int = 0
    """S_current: steps that are done; 0 in the first step."""
    steps: int = 1
    """S_total."""

    def __post_init__(self) -> None:
        """Raises UserError for a step that the training does not have."""
        if not 0 <= self.step <= self.steps or self.steps < 1:
            raise UserError(f"there is no step {self.step} in a training of {self.steps} steps")

    @property
    def share(self) -> float:
        """p, in [0, 1]."""
        return self.step / self.steps


class Scale(NamedTuple):
    """The range of a reward."""

    low: float
    high: float

    def at(self, share: float) -> float:
        """The reward of who has this share, in [0, 1], of what there was to gain."""
        return self.low + share * (self.high - self.low)


class Scales(NamedTuple):
    """The ranges of the two rewards."""

    format: Scale
    correctness: Scale


def scales(schedule: Schedule = "constant", progress: TrainingProgress = TrainingProgress()) -> Scales:
    """The ranges of R_format and R_correct at a step.

    `constant` is the paper's design; `dynamic` moves evenly from equal ranges to nearly it and did better in the paper,
    `two_stage` and `equal_maxima` did worse.
    """
    p = progress.share
    match schedule:
        case "constant":
            return Scales(Scale(0, 1), Scale(-3, 3))
        case "equal_maxima":
            return Scales(Scale(0, 1), Scale(-1, 1))
        case "two_stage" if progress.step < SWITCH_STEP:
            return Scales(Scale(0, 1), Scale(-1, 1))
        case "two_stage":
            return Scales(Scale(0, 0.5), Scale(-3, 3))
        case "dynamic":
            return Scales(Scale(-2 + p, 2 - p), Scale(-2 - p, 2 + p))
    assert_never(schedule)


def length_reward(
    length: float, kind: LengthReward = "fixed", progress: TrainingProgress = TrainingProgress()
) -> float:
    """The reward for long thoughts, in [0, 1]: their length over the target, which for `dynamic` doubles over training.

    The paper found that it hurts. It gives the length no unit; `think_length` counts words, as the authors' code does.
    """
    if kind == "none":
        return 0.0
    target = TARGET_LENGTH * (1 + progress.share) if kind == "dynamic" else TARGET_LENGTH
    return min(length / target, 1.0)
