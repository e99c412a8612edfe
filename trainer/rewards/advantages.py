"""How much better things went than expected: a rollout than its group (GRPO), a token than the critic thought (PPO)."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from trainer.distributed import Processes


def spread(rewards: Tensor) -> Tensor:
    """Population standard deviation over the last dimension: [..., n] -> [...].

    Exactly 0 where all are alike: a mean of equal numbers may be off by a rounding, and dividing by that would turn a
    tie into advantages of one.
    """
    alike = rewards.amax(-1) == rewards.amin(-1)
    return torch.where(alike, torch.zeros_like(alike, dtype=rewards.dtype), rewards.std(-1, correction=0))


def group_advantages(rewards: Tensor, eta: float = 0.0, *, by_deviation: bool = True) -> Tensor:
    """A = (R - mean R) / (std R + eta) of one group, or of many of one size: [..., n] -> [..., n].

    0 where all are alike.
    In the precision of `rewards`, so give float64. The population deviation, to which ToolOrchestra adds nothing and
    ToolRL a small `eta`; other libraries take the sample's and add 1e-4. Not `by_deviation` A = R - mean R, as Dr. GRPO
    has it.
    """
    if not rewards.shape[-1]:
        return rewards.clone()
    deviation = spread(rewards).unsqueeze(-1)
    centred = rewards - rewards.mean(-1, keepdim=True)
    divisor = torch.where(deviation > 0, deviation + eta, 1) if by_deviation else torch.ones_like(deviation)
    return torch.where(deviation > 0, centred / divisor, torch.zeros_like(centred))


def token_rewards(rewards: Tensor, owners: Tensor, kl: Tensor | None, coefficient: float) -> Tensor:
    """What PPO pays for each of the S sampled tokens of a batch: R for the last one of a sequence, less the KL.

    Args:
        rewards: R of the sequence that each token is of, [S].
        owners: which sequence that is, [S]; the tokens of one stand together and in order.
        kl: log-probability under the policy that sampled, less that under the reference, [S]; None without a reference.
        coefficient: weight of the KL.
    """
    paid = torch.where(_last(owners), rewards, torch.zeros_like(rewards))
    return paid if kl is None else paid - coefficient * kl


def generalized_advantages(rewards: Tensor, values: Tensor, owners: Tensor, gamma: float, decay: float) -> Tensor:
    """A_t = delta_t + gamma lambda A_t+1 with delta_t = r_t + gamma V_t+1 - V_t (GAE): [S] float64, without gradient.

    t counts sampled tokens: what a tool answered between two of them is part of the step from one state to the next.
    After the last one of a sequence nothing is to be earned, whatever ended the episode.

    Args:
        rewards: of each sampled token, [S].
        values: V of the state in which it was chosen, [S].
        owners: which sequence it is of, [S]; the tokens of one stand together and in order.
        gamma: the discount from one sampled token to the next.
        decay: lambda: 1 is the return less the value, 0 the error of one step.
    """
    last, exact = _last(owners), values.double()
    following = torch.where(last, torch.zeros_like(exact), exact.roll(-1))
    errors = rewards.double() + gamma * following - exact
    advantages: list[float] = []
    later = 0.0
    for error, ends in zip(reversed(errors.tolist()), reversed(last.tolist()), strict=True):
        later = error + (0.0 if ends else gamma * decay * later)
        advantages.append(later)
    return torch.tensor(advantages[::-1], dtype=torch.float64, device=values.device)


def moments(parts: Sequence[Tensor], processes: Processes) -> tuple[float, float]:
    """Mean and population variance of all numbers in `parts` of all processes; 0 and 0 without any."""
    count, total = processes.sums([sum(map(len, parts)), sum(part.double().sum().item() for part in parts)])
    mean = total / max(1.0, count)
    (squares,) = processes.sums([sum(((part.double() - mean) ** 2).sum().item() for part in parts)])
    return mean, squares / max(1.0, count)


def whitened(advantages: Tensor, mean: float, variance: float) -> Tensor:
    """Advantages with mean 0 and deviation 1 over the batch that `mean` and `variance` are of, as PPO's usually are."""
    return (advantages - mean) / math.sqrt(variance + 1e-8)


def _last(owners: Tensor) -> Tensor:
    """Which tokens are the last of their sequence: [S] bool."""
    return torch.cat([owners[1:] != owners[:-1], owners.new_ones(min(1, len(owners)), dtype=torch.bool)])
