"""Log-probabilities of sampled tokens from hidden states, never holding the logits of more than a few of them."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

LOGITS_AT_ONCE = 2**26
"""256 MiB of float32: 1,365 tokens of SmolLM2's vocabulary, 441 of Qwen3's."""


def sampled_logprobs(
    hidden: Tensor, weight: Tensor, targets: Tensor, temperature: float = 1.0, at_once: int = LOGITS_AT_ONCE
) -> tuple[Tensor, Tensor]:
    """Log-probability and entropy where softmax(hidden . weight^T / temperature) is the distribution.

    A piece at a time, and again in the backward pass: [S, V] logits would be the largest tensor of a training by far.
    Products are computed in the precision of `hidden`, all that follows at least in float32.

    Args:
        hidden: [S, H], the state after which each token was sampled.
        weight: [V, H], the head, of the same type.
        targets: [S] int64.
        temperature: of the sampling. 0 means greedy decoding, whose tokens are scored at 1.
        at_once: logits that one piece may hold.

    Returns:
        Log-probabilities [S], differentiable in `hidden` and `weight`; entropies [S], not differentiable.
    """
    rows = max(1, at_once // len(weight))
    apply: Callable[..., tuple[Tensor, Tensor]] = _SampledLogprobs.apply
    logprobs, entropies = apply(hidden, weight, targets, temperature or 1.0, rows)
    return logprobs, entropies


class _SampledLogprobs(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, weight: Tensor, targets: Tensor, temperature: float, rows: int
    ) -> tuple[Tensor, Tensor]:
        exact = torch.promote_types(hidden.dtype, torch.float32)
        logprobs, entropies, normalizers = (hidden.new_empty(len(hidden), dtype=exact) for _ in range(3))
        for start in range(0, len(hidden), rows):
            piece = slice(start, start + rows)
            logits = _logits(hidden[piece], weight, temperature, exact)
            normalizers[piece] = logits.logsumexp(-1)
            logprobs[piece] = logits.gather(-1, targets[piece, None]).squeeze(-1) - normalizers[piece]
            expected = (torch.exp(logits - normalizers[piece, None]).mul_(logits)).sum(-1)
            entropies[piece] = normalizers[piece] - expected
        ctx.save_for_backward(hidden, weight, targets, normalizers)
        ctx.temperature, ctx.rows = temperature, rows
        ctx.mark_non_differentiable(entropies)
        return logprobs, entropies

    @staticmethod
    def backward(ctx: Any, gradient: Tensor, _: Tensor) -> tuple[Tensor | None, Tensor | None, None, None, None]:
        hidden, weight, targets, normalizers = ctx.saved_tensors
        to_hidden, to_weight = torch.empty_like(hidden), torch.zeros_like(weight, dtype=normalizers.dtype)
        for start in range(0, len(hidden), ctx.rows):
            piece = slice(start, start + ctx.rows)
            logits = _logits(hidden[piece], weight, ctx.temperature, normalizers.dtype)
            slope = logits.sub_(normalizers[piece, None]).exp_().mul_(-gradient[piece, None])
            slope.scatter_add_(-1, targets[piece, None], gradient[piece, None])
            slope = slope.div_(ctx.temperature).to(hidden.dtype)
            to_hidden[piece] = slope @ weight
            to_weight += slope.T @ hidden[piece]
        return to_hidden, to_weight.to(weight.dtype), None, None, None


def _logits(hidden: Tensor, weight: Tensor, temperature: float, exact: torch.dtype) -> Tensor:
    return (hidden @ weight.T).to(exact).div_(temperature)
