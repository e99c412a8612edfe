"""The ranges of format and correctness at each step are the paper's; so is the reward for long thoughts."""

import pytest

from toolscale.errors import UserError
from toolscale.rewards.toolrl import Scale, TrainingProgress, length_reward, scales


@pytest.mark.parametrize(
    ("schedule", "step", "of_format", "of_correctness"),
    [
        ("constant", 0, (0, 1), (-3, 3)),
        ("constant", 100, (0, 1), (-3, 3)),
        ("equal_maxima", 0, (0, 1), (-1, 1)),
        ("equal_maxima", 100, (0, 1), (-1, 1)),
        ("two_stage", 0, (0, 1), (-1, 1)),
        ("two_stage", 29, (0, 1), (-1, 1)),
        ("two_stage", 30, (0, 0.5), (-3, 3)),
        ("two_stage", 100, (0, 0.5), (-3, 3)),
        ("dynamic", 0, (-2, 2), (-2, 2)),
        ("dynamic", 25, (-1.75, 1.75), (-2.25, 2.25)),
        ("dynamic", 100, (-1, 1), (-3, 3)),
    ],
)
def test_ranges_at_a_step_of_a_hundred(schedule, step, of_format, of_correctness):
    assert scales(schedule, TrainingProgress(step, 100)) == (of_format, of_correctness)


def test_a_reward_is_its_share_of_the_range():
    assert [Scale(-3, 3).at(share) for share in (0, 0.25, 0.5, 1)] == [-3, -1.5, 0, 3]


@pytest.mark.parametrize(
    ("words", "kind", "step", "expected"),
    [
        (0, "fixed", 0, 0),
        (128, "fixed", 0, 0.25),
        (512, "fixed", 90, 1),
        (5000, "fixed", 0, 1),
        (512, "dynamic", 0, 1),
        (512, "dynamic", 50, 512 / 768),
        (512, "dynamic", 100, 0.5),
        (2000, "dynamic", 100, 1),
        (512, "none", 0, 0),
    ],
)
def test_long_thoughts_earn_up_to_one(words, kind, step, expected):
    assert length_reward(words, kind, TrainingProgress(step, 100)) == pytest.approx(expected)


@pytest.mark.parametrize(("step", "steps"), [(-1, 10), (11, 10), (0, 0)])
def test_a_training_has_the_steps_from_0_to_its_last(step, steps):
    with pytest.raises(UserError, match=f"no step {step} in a training of {steps}"):
        TrainingProgress(step, steps)
