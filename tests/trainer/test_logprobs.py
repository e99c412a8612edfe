"""Log-probabilities without all the logits are those with all the logits."""

import pytest

torch = pytest.importorskip("torch")

from trainer.logprobs import sampled_logprobs  # noqa: E402

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


def test_bfloat16_is_normalized_in_float32():
    hidden, weight, targets = drawn(torch.float32)
    found, _ = sampled_logprobs(hidden.bfloat16(), weight.bfloat16(), targets)
    logits = (hidden.bfloat16() @ weight.bfloat16().T).float()
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, logits.log_softmax(-1).gather(-1, targets[:, None]).squeeze(-1))
