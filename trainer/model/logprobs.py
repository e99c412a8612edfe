"""Log-probabilities of sampled tokens from hidden states, never holding the logits of more than a few of them."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from trainer.precision import as_on_a_gpu

LOGITS_AT_ONCE = 2**26
"""256 MiB of float32: 1,365 tokens of SmolLM2's vocabulary, 441 of Qwen3's."""
HEAD_AT_ONCE = 2**14
"""Rows of the head whose gradient is computed at a time: 256 MiB at a width of 4,096."""


def sampled_logprobs(
    hidden: Tensor, weight: Tensor, targets: Tensor, temperature: float = 1.0, at_once: int = LOGITS_AT_ONCE
) -> tuple[Tensor, Tensor]:
    """Log-probability and entropy where softmax(hidden . weight^T / temperature) is the distribution.

    A piece at a time, and again in the backward pass: [S, V] logits would be the largest tensor of a training by far.
    Factors are in the precision of `hidden`; logits, and all that follows, are at least in float32. Rounded to bfloat16
    a logit of 14 would be off by up to 0.03.

    Args:
        hidden: [S, H], the state after which each token was sampled.
        weight: [V, H], the head; its gradient is in its own type.
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
        head = _factor(weight.to(hidden.dtype))
        logprobs, entropies, normalizers = (hidden.new_empty(len(hidden), dtype=exact) for _ in range(3))
        for start in range(0, len(hidden), rows):
            piece = slice(start, start + rows)
            logits = float32_product(hidden[piece], head.T).div_(temperature)
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
        head = _factor(weight.to(hidden.dtype))
        to_hidden = torch.empty_like(hidden)
        to_weight = torch.zeros_like(weight, dtype=normalizers.dtype) if ctx.needs_input_grad[1] else None
        for start in range(0, len(hidden), ctx.rows):
            piece = slice(start, start + ctx.rows)
            logits = float32_product(hidden[piece], head.T).div_(ctx.temperature)
            slope = logits.sub_(normalizers[piece, None]).exp_().mul_(-gradient[piece, None])
            slope.scatter_add_(-1, targets[piece, None], gradient[piece, None])
            slope = _factor(slope.div_(ctx.temperature).to(hidden.dtype))
            to_hidden[piece] = slope @ head
            if to_weight is not None:
                # Some of the head's rows at a time: their product is as wide as the head.
                parts = torch.split(slope, HEAD_AT_ONCE, 1), torch.split(to_weight, HEAD_AT_ONCE)
                for part, each in zip(*parts, strict=True):
                    each.add_(float32_product(part.T, hidden[piece]))
        return to_hidden, None if to_weight is None else to_weight.to(weight.dtype), None, None, None


def _factor(rounded: Tensor) -> Tensor:
    """A factor of products in float32, with the values that it has. Only a GPU makes one of two bfloat16 factors."""
    return rounded if as_on_a_gpu(rounded) else rounded.to(torch.promote_types(rounded.dtype, torch.float32))


def float32_product(left: Tensor, right: Tensor) -> Tensor:
    """The product of two matrices in float32, or in their own type where that is wider."""
    if left.dtype == torch.bfloat16 and as_on_a_gpu(left):
        return torch.mm(left, right, out_dtype=torch.float32)
    return _factor(left) @ _factor(right)
