"""Log-probabilities without all the logits are those with all the logits."""

import pytest

torch = pytest.importorskip("torch")

from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402

from trainer.memory.footprint import Ledger  # noqa: E402
from trainer.model.logprobs import sampled_logprobs  # noqa: E402

TOKENS, WIDTH, VOCABULARY = 23, 8, 50


def drawn(dtype=torch.float64):
    generator = torch.Generator().manual_seed(0)
    hidden = torch.randn(TOKENS, WIDTH, generator=generator, dtype=dtype).requires_grad_()
    weight = torch.randn(VOCABULARY, WIDTH, generator=generator, dtype=dtype).requires_grad_()
    return hidden, weight, torch.randint(VOCABULARY, (TOKENS,), generator=generator)


@pytest.mark.parametrize("temperature", [1.0, 0.7])
@pytest.mark.parametrize("rows", [1, 5, 23, 100])
def test_values_and_gradients_are_those_of_log_softmax(rows, temperature):
    hidden, weight, targets = drawn()
    slope = torch.linspace(-1, 2, TOKENS, dtype=torch.float64)
    every = (hidden @ weight.T / temperature).log_softmax(-1)
    expected = every.gather(-1, targets[:, None]).squeeze(-1)
    expected_gradients = torch.autograd.grad((expected * slope).sum(), (hidden, weight))
    found, entropies = sampled_logprobs(hidden, weight, targets, temperature, at_once=rows * VOCABULARY)
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(entropies, -(every.exp() * every).sum(-1))
    for mine, other in zip(
        torch.autograd.grad((found * slope).sum(), (hidden, weight)), expected_gradients, strict=True
    ):
        torch.testing.assert_close(mine, other)


def test_nothing_as_large_as_the_logits_is_kept_for_the_backward_pass():
    hidden, weight, targets = drawn()
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: kept.append(tensor.numel()) or tensor, lambda t: t):
        sampled_logprobs(hidden, weight, targets, at_once=VOCABULARY)
    assert sum(kept) <= hidden.numel() + weight.numel() + 2 * TOKENS < TOKENS * VOCABULARY


def test_greedy_tokens_are_scored_at_temperature_one():
    hidden, weight, targets = drawn()
    torch.testing.assert_close(
        sampled_logprobs(hidden, weight, targets, 0.0), sampled_logprobs(hidden, weight, targets, 1.0)
    )


def exact(hidden, weight, targets, slope):
    """Log-probabilities and gradients in float64, of the same bfloat16 factors."""
    hidden, weight = (each.detach().double().requires_grad_() for each in (hidden, weight))
    chosen = (hidden @ weight.T).log_softmax(-1).gather(-1, targets[:, None]).squeeze(-1)
    return chosen, *torch.autograd.grad((chosen * slope).sum(), (hidden, weight))


def test_in_bfloat16_no_logit_is_rounded_and_the_heads_gradient_is_added_up_in_float32():
    generator = torch.Generator().manual_seed(0)
    hidden = torch.randn(300, 64, generator=generator).bfloat16().requires_grad_()
    weight = torch.randn(200, 64, generator=generator).bfloat16().float().requires_grad_()
    targets, slope = torch.randint(200, (300,), generator=generator), torch.linspace(-1, 2, 300)
    expected, *expected_gradients = exact(hidden, weight, targets, slope)
    found, _ = sampled_logprobs(hidden, weight, targets, at_once=10 * 200)
    assert found.dtype == torch.float32
    assert expected.min() < -30, "logits that bfloat16 rounds by up to a sixteenth"
    torch.testing.assert_close(found.double(), expected, rtol=1e-5, atol=1e-5)
    to_hidden, to_weight = torch.autograd.grad((found * slope).sum(), (hidden, weight))
    assert (to_hidden.dtype, to_weight.dtype) == (torch.bfloat16, torch.float32)
    # The slopes are rounded to bfloat16, 30 pieces of them are not.
    for mine, other in zip((to_hidden, to_weight), expected_gradients, strict=True):
        assert (mine.double() - other).norm() / other.norm() < 3e-3


def test_on_a_gpu_no_factor_is_widened():
    """Measured on tensors without data: nothing as large as the head in float32 comes to be."""
    with FakeTensorMode(), Ledger() as ledger:
        hidden = torch.empty(8, 64, dtype=torch.bfloat16, requires_grad=True)
        weight = torch.empty(100_000, 64, dtype=torch.bfloat16)
        targets = torch.zeros(8, dtype=torch.int64)
        held = ledger.now
        found, _ = sampled_logprobs(hidden, weight, targets, at_once=100_000)
        found.sum().backward()
    assert found.dtype == torch.float32
    assert ledger.most - held < weight.numel() * 4 / 2


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="wants a GPU")
def test_a_gpu_makes_float32_of_bfloat16_factors():
    generator = torch.Generator().manual_seed(0)
    hidden = torch.randn(300, 64, generator=generator).bfloat16().requires_grad_()
    weight = torch.randn(200, 64, generator=generator).requires_grad_()
    targets = torch.randint(200, (300,), generator=generator)
    found, _ = sampled_logprobs(hidden, weight, targets)
    on_gpu, _ = sampled_logprobs(hidden.cuda(), weight.cuda(), targets.cuda())
    torch.testing.assert_close(on_gpu.cpu(), found, rtol=1e-5, atol=1e-4)
    mine, theirs = (torch.autograd.grad(each.sum(), (hidden, weight)) for each in (on_gpu, found))
    for one, other in zip(mine, theirs, strict=True):
        assert (one - other).float().norm() / other.float().norm() < 5e-3
