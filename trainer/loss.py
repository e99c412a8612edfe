"""GRPO's objective as functions of tensors, one value for each of the S sampled tokens of a batch (section 3.2).

The paper writes one ratio for a trajectory; here every token has its own, as in the implementations that people use.
"""

from typing import Literal

import torch
from torch import Tensor


def clipped_surrogate(new: Tensor, old: Tensor, advantages: Tensor, low: float, high: float) -> tuple[Tensor, Tensor]:
    """What is to be minimized: -min(ratio A, clip(ratio, 1 - low, 1 + high) A), with ratio = exp(new - old).

    Args:
        new: log-probabilities under the policy, [S]; the gradient flows through them.
        old: those under the policy that sampled, [S].
        advantages: of the sequence that each token is of, [S].
        low: how far the ratio may fall.
        high: how far it may rise.

    Returns:
        The loss of each token [S], and which of them the clip cut off from the gradient [S].
    """
    ratio = torch.exp(new - old)
    free, held = ratio * advantages, ratio.clamp(1 - low, 1 + high) * advantages
    return -torch.minimum(free, held), free.detach() > held.detach()


def importance_weights(old: Tensor, behaviour: Tensor, cap: float) -> Tensor:
    """Truncated importance sampling: min(exp(old - behaviour), cap) for each token, [S]; no gradient.

    Corrects for an engine that sampled (`behaviour`) with other numerics than the trainer recomputes (`old`).
    """
    return torch.exp(old - behaviour).clamp(max=cap).detach()


def kl_estimate(new: Tensor, reference: Tensor) -> Tensor:
    """KL(new || reference) from tokens that `new` sampled: exp(d) - d - 1 with d = reference - new, [S].

    Never negative and of little variance (Schulman's third estimator).
    """
    difference = reference - new
    return torch.expm1(difference) - difference


def token_weights(lengths: Tensor, norm: Literal["token", "sequence"], tokens: float, sequences: float) -> Tensor:
    """What each token's loss counts, [S]; over the whole batch of all processes they add up to 1.

    Args:
        lengths: how many sampled tokens the token's own sequence has, [S].
        norm: the mean over all tokens, or the mean over the sequences' means.
        tokens: sampled tokens in the whole batch.
        sequences: sequences in the whole batch.
    """
    if norm == "token":
        return torch.full(lengths.shape, 1 / tokens, device=lengths.device)
    return 1 / (lengths * sequences)
