"""AdamW and the learning rate of a step."""

import math

import torch
from torch import Tensor, nn

from trainer.config import Optimization

MOMENTS = ("exp_avg", "exp_avg_sq")


def adamw(policy: nn.Module, settings: Optimization, fused: bool | None = None) -> torch.optim.AdamW:
    """AdamW over the trainable parameters, with decay on matrices alone.

    Its moments exist from the start, so that a checkpoint before the first update has the shape of every later one.

    Args:
        policy: what is trained.
        settings: AdamW's.
        fused: whether one kernel makes the whole step; None does so on a GPU, where the default would take another copy
            of the weights in every step, for square roots.
    """
    trained = [parameter for parameter in policy.parameters() if parameter.requires_grad]
    fused = any(each.is_cuda for each in trained) if fused is None else fused
    optimizer = torch.optim.AdamW(
        [
            {"params": [each for each in trained if each.ndim > 1], "weight_decay": settings.weight_decay},
            {"params": [each for each in trained if each.ndim <= 1], "weight_decay": 0.0},
        ],
        lr=settings.learning_rate,
        betas=settings.betas,
        fused=fused,
    )
    for parameter in trained:
        moments = {name: torch.zeros_like(parameter.detach()) for name in MOMENTS}
        if settings.offload:
            moments = {name: each.cpu() for name, each in moments.items()}
        # The fused kernel reads the count where the parameter is; every other way wants it on the CPU.
        step = torch.zeros((), dtype=torch.float32, device=parameter.device if fused else "cpu")
        optimizer.state[parameter] = {"step": step, **moments}
    if settings.offload:
        _offload(optimizer)
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


def _offload(optimizer: torch.optim.AdamW) -> None:
    """Bring the moments, which lie in the host's memory, to their parameters' device for each step, and back there."""
    home: dict[Tensor, dict[str, Tensor]] = {
        parameter: {name: state[name] for name in MOMENTS} for parameter, state in optimizer.state.items()
    }

    def come(*_: object) -> None:
        for parameter, state in optimizer.state.items():
            state.update({name: each.to(parameter.device, copy=True) for name, each in home[parameter].items()})

    def go(*_: object) -> None:
        for parameter, state in optimizer.state.items():
            for name, kept in home[parameter].items():
                kept.copy_(state[name])
            state.update(home[parameter])

    optimizer.register_step_pre_hook(come)
    optimizer.register_step_post_hook(go)
