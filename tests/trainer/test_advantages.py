"""Advantages are the paper's, also where rewards tie."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from trainer.rewards.advantages import group_advantages, spread  # noqa: E402

REWARDS = st.lists(st.sampled_from([0.0, 0.1, 0.3, 1.0]) | st.floats(0, 3).map(lambda r: round(r, 3)), max_size=12)


def by_the_paper(rewards: list[float]) -> list[float]:
    mean = sum(rewards) / len(rewards)
    deviation = (sum((reward - mean) ** 2 for reward in rewards) / len(rewards)) ** 0.5
    return [(reward - mean) / deviation for reward in rewards]


@given(REWARDS)
@settings(deadline=None)
def test_advantages_are_those_of_a_plain_reading_of_the_paper(rewards):
    found = group_advantages(torch.tensor(rewards, dtype=torch.float64)).tolist()
    expected = [0.0] * len(rewards) if len(set(rewards)) < 2 else by_the_paper(rewards)
    np.testing.assert_allclose(found, expected, atol=1e-6)


@given(REWARDS, st.floats(1e-9, 1.0))
@settings(deadline=None)
def test_eta_stands_beside_the_deviation_as_in_toolrl(rewards, eta):
    found = group_advantages(torch.tensor(rewards, dtype=torch.float64), eta).tolist()
    mean, deviation = (np.mean(rewards), np.std(rewards)) if rewards else (0, 0)
    np.testing.assert_allclose(found, [(reward - mean) / (deviation + eta) for reward in rewards], atol=1e-6)


@given(st.floats(0, 1), st.integers(1, 40))
@settings(deadline=None)
def test_a_tie_has_no_advantages_whatever_its_mean_rounds_to(reward, size):
    tied = torch.full((size,), reward, dtype=torch.float64)
    assert spread(tied).item() == 0.0
    assert group_advantages(tied).tolist() == [0.0] * size


def test_advantages_of_many_groups_at_once_are_those_of_each_alone():
    rewards = torch.rand(5, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    rewards[2] = 0.7
    together = group_advantages(rewards)
    for row, alone in zip(rewards, together, strict=True):
        torch.testing.assert_close(group_advantages(row), alone)


def test_the_deviation_is_the_populations_so_converting_trls_gives_ours():
    rewards = torch.tensor([0.0, 0.0, 0.0, 1.0], dtype=torch.float64)
    trl = (rewards - rewards.mean()) / (rewards.std() + 1e-4)
    converted = trl * (rewards.std() + 1e-4) / rewards.std(correction=0)
    torch.testing.assert_close(group_advantages(rewards), converted, atol=1e-6, rtol=0)
