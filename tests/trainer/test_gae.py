"""PPO's advantages and losses are those of the formulas, for every batch of sequences."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from trainer.distributed import Processes  # noqa: E402
from trainer.learning.loss import clipped_surrogate, clipped_value_loss, kl_estimate, ratios  # noqa: E402
from trainer.rewards.advantages import generalized_advantages, moments, token_rewards, whitened  # noqa: E402

from . import plain_ppo  # noqa: E402

LENGTHS = st.lists(st.integers(1, 9), min_size=1, max_size=6)
SEEDS = st.integers(0, 2**32 - 1)
SHARES = st.sampled_from([0.0, 0.5, 0.95, 1.0]) | st.floats(0, 1)


class Batch:
    """Sequences of these lengths with numbers drawn by chance, end to end and each by itself."""

    def __init__(self, lengths: list[int], seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.owners = torch.tensor(np.repeat(rng.permutation(len(lengths)), lengths))
        self.rewards = rng.normal(1, 2, len(lengths))
        self.cuts = np.cumsum(lengths)[:-1]
        size = sum(lengths)
        self.old = -rng.exponential(2.0, size)
        self.new, self.reference = (self.old + rng.normal(0, 0.4, size) for _ in range(2))
        self.values, self.updated = rng.normal(0, 2, size), rng.normal(0, 2, size)
        self.of_sequence = torch.tensor(np.repeat(self.rewards, lengths))

    def each(self, numbers) -> list[list[float]]:
        return [part.tolist() for part in np.split(np.asarray(numbers), self.cuts)]

    def paid(self, beta: float):
        kl = torch.tensor(self.old - self.reference)
        return token_rewards(self.of_sequence, self.owners, kl, beta)

    def advantages(self, gamma: float, decay: float, beta: float = 0.0):
        return generalized_advantages(self.paid(beta), torch.tensor(self.values), self.owners, gamma, decay)


def flat(batch: list[list[float]]) -> list[float]:
    return [value for sequence in batch for value in sequence]


@given(LENGTHS, SEEDS, SHARES, SHARES, st.sampled_from([0.0, 0.001, 0.3]))
@settings(deadline=None)
def test_advantages_and_returns_are_those_of_the_formula_written_out(lengths, seed, gamma, decay, beta):
    batch = Batch(lengths, seed)
    paid = [
        plain_ppo.token_rewards(reward, old, reference, beta)
        for reward, old, reference in zip(
            batch.rewards, batch.each(batch.old), batch.each(batch.reference), strict=True
        )
    ]
    np.testing.assert_allclose(batch.paid(beta).numpy(), flat(paid), atol=1e-6)
    expected = [
        plain_ppo.gae(rewards, values, gamma, decay)
        for rewards, values in zip(paid, batch.each(batch.values), strict=True)
    ]
    found = batch.advantages(gamma, decay, beta)
    np.testing.assert_allclose(found.numpy(), flat(expected), atol=1e-6)
    mean, variance = moments([found], Processes())
    np.testing.assert_allclose(whitened(found, mean, variance).numpy(), flat(plain_ppo.whitened(expected)), atol=1e-6)


@given(LENGTHS, SEEDS, st.floats(0.01, 2))
@settings(deadline=None)
def test_losses_and_kl_are_those_of_the_formulas(lengths, seed, clip):
    batch = Batch(lengths, seed)
    new, old, reference, values, updated = (
        torch.tensor(each) for each in (batch.new, batch.old, batch.reference, batch.values, batch.updated)
    )
    advantages = batch.advantages(1.0, 0.95)
    policy, _ = clipped_surrogate(ratios(new, old), advantages, 0.2, 0.2)
    np.testing.assert_allclose(
        policy.numpy(),
        plain_ppo.policy_loss(batch.new.tolist(), batch.old.tolist(), advantages.tolist(), 0.2),
        atol=1e-6,
    )
    returns = advantages + values
    critic, clipped = clipped_value_loss(updated, values, returns, clip)
    expected = plain_ppo.value_loss(batch.updated.tolist(), batch.values.tolist(), returns.tolist(), clip)
    np.testing.assert_allclose(critic.numpy(), expected, atol=1e-6)
    np.testing.assert_array_equal(clipped.numpy(), 2 * critic.numpy() > (updated - returns).numpy() ** 2)
    np.testing.assert_allclose(
        kl_estimate(new, reference).numpy(), plain_ppo.kl(batch.new.tolist(), batch.reference.tolist()), atol=1e-6
    )


@given(LENGTHS, SEEDS, SHARES)
@settings(deadline=None)
def test_with_lambda_one_they_are_the_discounted_returns_less_the_values(lengths, seed, gamma):
    batch = Batch(lengths, seed)
    returns = [
        [reward * gamma ** (length - 1 - place) for place in range(length)]
        for reward, length in zip(batch.rewards, lengths, strict=True)
    ]
    np.testing.assert_allclose(batch.advantages(gamma, 1.0).numpy(), flat(returns) - batch.values, atol=1e-6)


@given(LENGTHS, SEEDS)
@settings(deadline=None)
def test_with_gamma_and_lambda_one_every_token_is_worth_the_reward_less_its_own_value(lengths, seed):
    batch = Batch(lengths, seed)
    found = batch.advantages(1.0, 1.0) + torch.tensor(batch.values)
    torch.testing.assert_close(found, batch.of_sequence, atol=1e-9, rtol=0)


@given(LENGTHS, SEEDS, SHARES, SHARES)
@settings(deadline=None)
def test_a_critic_that_knows_all_rewards_leaves_no_advantage(lengths, seed, gamma, decay):
    """V_t = gamma^(T - t) R makes every delta 0."""
    batch = Batch(lengths, seed)
    batch.values = np.array(
        flat(
            [
                [reward * gamma ** (length - 1 - place) for place in range(length)]
                for reward, length in zip(batch.rewards, lengths, strict=True)
            ]
        )
    )
    np.testing.assert_allclose(batch.advantages(gamma, decay).numpy(), 0, atol=1e-9)


@given(LENGTHS, SEEDS, SHARES, SHARES)
@settings(deadline=None)
def test_no_sequence_hears_of_another(lengths, seed, gamma, decay):
    batch = Batch(lengths, seed)
    together = np.split(batch.advantages(gamma, decay).numpy(), batch.cuts)
    for reward, values, found in zip(batch.rewards, batch.each(batch.values), together, strict=True):
        owners = torch.zeros(len(values), dtype=torch.int64)
        paid = token_rewards(torch.full((len(values),), reward, dtype=torch.float64), owners, None, 0.0)
        alone = generalized_advantages(paid, torch.tensor(values, dtype=torch.float64), owners, gamma, decay)
        np.testing.assert_array_equal(alone.numpy(), found)


def test_a_value_that_moved_too_far_learns_no_more_and_one_that_came_back_does():
    values = torch.tensor([1.0, 1.0, -0.2], requires_grad=True)
    old, returns = torch.zeros(3), torch.tensor([3.0, 0.5, 3.0])
    loss, clipped = clipped_value_loss(values, old, returns, 0.5)
    loss.sum().backward()
    # The first is past the clip on its way to its goal; the second has overshot; the third went the wrong way.
    assert clipped.tolist() == [True, False, False]
    assert values.grad.tolist() == pytest.approx([0.0, 0.5, -3.2])


def test_nothing_sampled_has_no_advantage_and_no_moments():
    none = torch.zeros(0)
    assert generalized_advantages(none, none, none.long(), 1.0, 1.0).tolist() == []
    assert moments([], Processes()) == (0.0, 0.0)
