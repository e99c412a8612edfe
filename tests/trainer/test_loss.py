"""The loss of every token is the paper's, and of every batch that of the libraries people use."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from trainer.learning.loss import clipped_surrogate, importance_weights, kl_estimate, ratios, token_weights  # noqa: E402

LENGTHS = st.lists(st.integers(1, 7), min_size=1, max_size=6)


def drawn(lengths, seed):
    """Log-probabilities near to each other, and one advantage a sequence: new, old, advantages, owners."""
    rng = np.random.default_rng(seed)
    owners = np.repeat(np.arange(len(lengths)), lengths)
    old = -rng.exponential(2.0, len(owners))
    return old + rng.normal(0, 0.4, len(owners)), old, rng.normal(size=len(lengths))[owners], owners


@given(LENGTHS, st.integers(0, 2**32 - 1), st.sampled_from([(0.2, 0.2), (0.2, 0.28), (0.1, 5.0)]))
@settings(deadline=None)
def test_the_surrogate_is_that_of_a_plain_reading_of_the_paper(lengths, seed, clip):
    new, old, advantages, _ = drawn(lengths, seed)
    low, high = clip
    ratio = np.exp(new - old)
    expected = [-min(r * a, max(min(r, 1 + high), 1 - low) * a) for r, a in zip(ratio, advantages, strict=True)]
    loss, clipped = clipped_surrogate(ratios(torch.tensor(new), torch.tensor(old)), torch.tensor(advantages), low, high)
    np.testing.assert_allclose(loss.numpy(), expected, atol=1e-6)
    beyond = ((advantages > 0) & (ratio > 1 + high)) | ((advantages < 0) & (ratio < 1 - low))
    assert clipped.tolist() == beyond.tolist()


@given(LENGTHS, st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_the_gradient_is_the_advantage_times_the_ratio_and_none_where_clipped(lengths, seed):
    values, old, advantages, _ = drawn(lengths, seed)
    new = torch.tensor(values, requires_grad=True)
    loss, clipped = clipped_surrogate(ratios(new, torch.tensor(old)), torch.tensor(advantages), 0.2, 0.2)
    loss.sum().backward()
    expected = np.where(clipped.numpy(), 0, -advantages * np.exp(values - old))
    np.testing.assert_allclose(new.grad.numpy(), expected, atol=1e-6)


@pytest.mark.parametrize("norm", ["token", "sequence"])
@given(lengths=LENGTHS, seed=st.integers(0, 2**32 - 1), beta=st.sampled_from([0.0, 0.04]))
@settings(deadline=None)
def test_the_loss_of_a_batch_is_that_of_trl_on_its_padded_rectangle(norm, lengths, seed, beta):
    """TRL's `_compute_loss`: `loss_type` "bnpo" is the mean over tokens, "grpo" that of the sequences' means."""
    new, old, advantages, owners = drawn(lengths, seed)
    reference = old + np.random.default_rng(seed + 1).normal(0, 0.3, len(old))
    shape = (len(lengths), max(lengths))
    mask, each = np.zeros(shape), np.zeros(shape)
    for row, length in enumerate(lengths):
        mask[row, :length] = 1
        mine = owners == row
        ratio = np.exp(new[mine] - old[mine])
        per_token = -np.minimum(ratio * advantages[mine], np.clip(ratio, 0.8, 1.2) * advantages[mine])
        kl = np.exp(reference[mine] - new[mine]) - (reference[mine] - new[mine]) - 1
        each[row, :length] = per_token + beta * kl
    by_sequence = (each.sum(-1) / mask.sum(-1)).mean()
    expected = (each * mask).sum() / mask.sum() if norm == "token" else by_sequence

    loss, _ = clipped_surrogate(ratios(torch.tensor(new), torch.tensor(old)), torch.tensor(advantages), 0.2, 0.2)
    loss = loss + beta * kl_estimate(torch.tensor(new), torch.tensor(reference))
    weights = token_weights(torch.tensor(lengths)[torch.tensor(owners)], norm, sum(lengths), len(lengths))
    assert (loss * weights).sum().item() == pytest.approx(expected, abs=1e-6)
    assert weights.sum().item() == pytest.approx(1.0)


def test_importance_weights_are_truncated_and_pass_no_gradient():
    old = torch.tensor([-1.0, -1.0, -1.0], requires_grad=True)
    weights = importance_weights(old, torch.tensor([-1.0, -4.0, 0.0]), 2.0)
    assert weights.tolist() == pytest.approx([1.0, 2.0, np.exp(-1)])
    assert not weights.requires_grad


def test_the_estimate_of_the_kl_is_never_negative_and_right_on_average():
    generator = torch.Generator().manual_seed(0)
    policy, reference = torch.randn(2, 5, generator=generator, dtype=torch.float64).log_softmax(-1)
    exact = (policy.exp() * (policy - reference)).sum()
    estimates = kl_estimate(policy, reference)
    assert (estimates >= 0).all()
    assert (policy.exp() * estimates).sum().item() == pytest.approx(exact.item(), abs=1e-12)
