"""PPO written down a second time, in plain Python and from the formulas alone: what the trainer's is compared with.

A sequence is a list with one entry for each sampled token; a batch is a list of sequences.
"""

from math import exp, sqrt


def token_rewards(reward: float, old: list[float], reference: list[float] | None, beta: float) -> list[float]:
    """r_t = -beta (log pi_old - log pi_ref), and R on top of that at the last token."""
    paid = [0.0] * len(old)
    if reference is not None:
        paid = [-beta * (mine - other) for mine, other in zip(old, reference, strict=True)]
    paid[-1] += reward
    return paid


def gae(rewards: list[float], values: list[float], gamma: float, decay: float) -> list[float]:
    """A_t = sum over l of (gamma lambda)^l delta_t+l, each sum written out."""
    after = [*values[1:], 0.0]
    deltas = [reward + gamma * later - now for reward, now, later in zip(rewards, values, after, strict=True)]
    return [
        sum((gamma * decay) ** far * delta for far, delta in enumerate(deltas[place:])) for place in range(len(deltas))
    ]


def whitened(batch: list[list[float]]) -> list[list[float]]:
    """All advantages of a batch less their mean, over the root of their variance plus 1e-8."""
    every = [value for sequence in batch for value in sequence]
    mean = sum(every) / len(every)
    variance = sum((value - mean) ** 2 for value in every) / len(every)
    return [[(value - mean) / sqrt(variance + 1e-8) for value in sequence] for sequence in batch]


def policy_loss(new: list[float], old: list[float], advantages: list[float], epsilon: float) -> list[float]:
    """-min(ratio A, clip(ratio) A)."""
    losses = []
    for now, before, advantage in zip(new, old, advantages, strict=True):
        ratio = exp(now - before)
        held = 1 + epsilon if ratio > 1 + epsilon else 1 - epsilon if ratio < 1 - epsilon else ratio
        losses.append(-min(ratio * advantage, held * advantage))
    return losses


def value_loss(values: list[float], old: list[float], returns: list[float], clip: float) -> list[float]:
    """max((V - G)^2, (clipped V - G)^2) / 2."""
    losses = []
    for value, before, wanted in zip(values, old, returns, strict=True):
        held = before + clip if value > before + clip else before - clip if value < before - clip else value
        losses.append(max((value - wanted) ** 2, (held - wanted) ** 2) / 2)
    return losses


def kl(new: list[float], reference: list[float]) -> list[float]:
    """exp(d) - d - 1 with d = log pi_ref - log pi."""
    return [exp(other - now) - (other - now) - 1 for now, other in zip(new, reference, strict=True)]


def explained_variance(returns: list[list[float]], values: list[list[float]]) -> float:
    """1 - Var(G - V) / Var(G)."""

    def variance(numbers: list[float]) -> float:
        mean = sum(numbers) / len(numbers)
        return sum((number - mean) ** 2 for number in numbers) / len(numbers)

    wanted = [value for sequence in returns for value in sequence]
    found = [value for sequence in values for value in sequence]
    return 1 - variance([goal - value for goal, value in zip(wanted, found, strict=True)]) / variance(wanted)
