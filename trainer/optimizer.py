"""AdamW and the learning rate of a step."""

import math

import torch
from torch import nn

from trainer.config import Optimization


def adamw(policy: nn.Module, settings: Optimization) -> torch.optim.AdamW:
    """AdamW over the trainable parameters, with decay on matrices alone.

    Its moments exist from the start, so that a checkpoint before the first update has the shape of every later one.
    """
    trained = [parameter for parameter in policy.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(
        [
            {"params": [each for each in trained if each.ndim > 1], "weight_decay": settings.weight_decay},
            {"params": [each for each in trained if each.ndim <= 1], "weight_decay": 0.0},
        ],
        lr=settings.learning_rate,
        betas=settings.betas,
    )
    for parameter in trained:
        optimizer.state[parameter] = {
            "step": torch.zeros((), dtype=torch.float32),
            "exp_avg": torch.zeros_like(parameter.detach()),
            "exp_avg_sq": torch.zeros_like(parameter.detach()),
        }
    return optimizer


def learning_rate(settings: Optimization, step: int, steps: int) -> float:
    """The rate of a step (from 0) of `steps`: a linear rise over `warmup_steps`, then as `schedule` says.

    A function of the step alone, so there is no scheduler whose state could be lost.
    """
    if step < settings.warmup_steps:
        return settings.learning_rate * (step + 1) / settings.warmup_steps
    done = min(1.0, (step - settings.warmup_steps) / max(1, steps - settings.warmup_steps))
    left = {"constant": 1.0, "linear": 1 - done, "cosine": (1 + math.cos(math.pi * done)) / 2}
    return settings.learning_rate * left[settings.schedule]
