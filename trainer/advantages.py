"""How much better each rollout of a group did than its group (ToolOrchestra, section 3.2)."""

import torch
from torch import Tensor


def spread(rewards: Tensor) -> Tensor:
    """Population standard deviation over the last dimension: [..., n] -> [...].

    Exactly 0 where all are alike: a mean of equal numbers may be off by a rounding, and dividing by that would turn a
    tie into advantages of one.
    """
    alike = rewards.amax(-1) == rewards.amin(-1)
    return torch.where(alike, torch.zeros_like(alike, dtype=rewards.dtype), rewards.std(-1, correction=0))


def group_advantages(rewards: Tensor) -> Tensor:
    """A = (R - mean R) / std R of one group, or of many of one size: [..., n] -> [..., n]; 0 where all are alike.

    In the precision of `rewards`, so give float64. The paper's population deviation with nothing added to it; other
    libraries take the sample's and add 1e-4.
    """
    if not rewards.shape[-1]:
        return rewards.clone()
    deviation = spread(rewards).unsqueeze(-1)
    centred = rewards - rewards.mean(-1, keepdim=True)
    return torch.where(deviation > 0, centred / torch.where(deviation > 0, deviation, 1), torch.zeros_like(centred))
