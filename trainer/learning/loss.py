"""What GRPO and PPO minimize, as functions of tensors: one value for each of the S sampled tokens of a batch.

A token's ratio is its own, or that of its whole sequence. ToolOrchestra (section 3.2) writes the likelihood ratio of a
trajectory; GSPO's is that of n tokens to the power 1/n.
"""

from typing import Literal

import torch
from torch import Tensor

Mean = Literal["token", "sequence", "constant"]
"""What a loss is a mean over: all tokens; the sequences' means; or the sequences' sums, over a constant length."""


def ratios(new: Tensor, old: Tensor, owners: Tensor | None = None) -> Tensor:
    """exp(new - old) of each token; or, with `owners`, exp of the mean of new - old over its sequence: [S].

    Args:
        new: log-probabilities under the policy, [S].
        old: those under the policy that sampled, [S].
        owners: which sequence each token is of, [S]; all tokens of one are there, and stand together.
    """
    difference = new - old
    return torch.exp(difference if owners is None else _sequence_means(difference, owners))


def clipped_surrogate(
    ratio: Tensor, advantages: Tensor, low: float, high: float, dual: float | None = None
) -> tuple[Tensor, Tensor]:
    """What PPO minimizes, and most forms of GRPO: -min(ratio A, clip(ratio, 1 - low, 1 + high) A).

    With the dual clip (Ye et al., 2020) no less than `dual` A where A < 0: a token that became much likelier, or that
    the engine thought much less likely, cannot push without bound.

    Args:
        ratio: of the policy to the one that sampled, [S]; the gradient flows through it.
        advantages: of the sequence that each token is of, or its own, [S].
        low: how far the ratio may fall below 1.
        high: how far it may rise above 1.
        dual: cap of the ratio where A < 0; None is without one.

    Returns:
        The loss of each token [S], and which of them a clip cut off from the gradient [S].
    """
    free, held = ratio * advantages, ratio.clamp(1 - low, 1 + high) * advantages
    gained, clipped = torch.minimum(free, held), free.detach() > held.detach()
    if dual is not None:
        beyond = (advantages < 0) & (ratio.detach() > dual)
        gained, clipped = torch.where(beyond, dual * advantages, gained), clipped | beyond
    return -gained, clipped


def weighted_logprobs(new: Tensor, ratio: Tensor, advantages: Tensor, low: float, high: float) -> tuple[Tensor, Tensor]:
    """CISPO's: -clip(ratio, 1 - low, 1 + high) A new, the clipped ratio a weight without gradient.

    No token is cut off from the gradient.

    Args:
        new: log-probabilities under the policy, [S]; the gradient flows through them.
        ratio: see `clipped_surrogate`.
        advantages: see `clipped_surrogate`.
        low: see `clipped_surrogate`.
        high: see `clipped_surrogate`.

    Returns:
        The loss of each token [S], and which of them have a clipped weight [S].
    """
    free = ratio.detach()
    weight = free.clamp(1 - low, 1 + high)
    return -weight * advantages * new, weight != free


def clipped_value_loss(values: Tensor, old: Tensor, returns: Tensor, clip: float) -> tuple[Tensor, Tensor]:
    """The critic's: max((V - G)^2, (clip(V, V_old - c, V_old + c) - G)^2) / 2.

    Args:
        values: V of each token, [S]; the gradient flows through them.
        old: V before the first update on this batch, [S].
        returns: G, what V should have been, [S].
        clip: how far V may move from the old one.

    Returns:
        The loss of each token [S], and which of them the clip cut off from the gradient [S].
    """
    free, held = (values - returns) ** 2, (values.clamp(old - clip, old + clip) - returns) ** 2
    return torch.maximum(free, held) / 2, held.detach() > free.detach()


def importance_weights(old: Tensor, behaviour: Tensor, cap: float, owners: Tensor | None = None) -> Tensor:
    """Truncated importance sampling: the ratio of `old` to `behaviour`, at most `cap`, for each token [S]; no gradient.

    Corrects for an engine that sampled (`behaviour`) with other numerics than the trainer recomputes (`old`). With
    `owners` the ratio is that of sequences, see `ratios`.
    """
    return ratios(old, behaviour, owners).clamp(max=cap).detach()


def kl_estimate(new: Tensor, reference: Tensor) -> Tensor:
    """KL(new || reference) from tokens that `new` sampled: exp(d) - d - 1 with d = reference - new, [S].

    Never negative and of little variance (Schulman's third estimator).
    """
    difference = reference - new
    return torch.expm1(difference) - difference


def token_weights(lengths: Tensor, mean: Mean, tokens: float, sequences: float, constant: float = 1.0) -> Tensor:
    """What each token's loss counts, [S]; over the whole batch of all processes a mean's weights add up to 1.

    Args:
        lengths: how many sampled tokens the token's own sequence has, [S].
        mean: over what.
        tokens: sampled tokens in the whole batch.
        sequences: sequences in the whole batch.
        constant: the length by which `constant` divides every sequence's sum.
    """
    if mean == "sequence":
        return 1 / (lengths * sequences)
    share = 1 / tokens if mean == "token" else 1 / (sequences * constant)
    return torch.full(lengths.shape, share, device=lengths.device)


def _sequence_means(values: Tensor, owners: Tensor) -> Tensor:
    """The mean over its sequence for each token, [S]; in float64, since a long sequence's is near to its rounding."""
    _, own, lengths = torch.unique_consecutive(owners, return_inverse=True, return_counts=True)
    sums = torch.zeros(len(lengths), dtype=torch.float64, device=values.device).index_add(0, own, values.double())
    means: Tensor = (sums / lengths).index_select(0, own)
    return means.to(values.dtype)
