"""What the KL of a training is to: how the policy scored tokens when reinforcement learning began."""

from collections.abc import Callable

import torch
from torch import Tensor

from trainer.model.lora import is_adapter
from trainer.model.packing import Microbatch
from trainer.model.policy import Policy, Scores

Reference = Callable[[Microbatch, float], Scores]
"""Scores the sampled tokens of a micro-batch as drawn at a temperature: a model of its own, or `AsItBegan`."""


class AsItBegan:
    """The policy with the adapters that it has now, whatever they learn from here on: no second model is held."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._adapters = {name: each for name, each in policy.named_parameters() if is_adapter(name)}
        self._then = {name: each.detach().clone() for name, each in self._adapters.items()}

    @torch.no_grad()
    def __call__(self, batch: Microbatch, temperature: float) -> Scores:
        """See `Policy.forward`."""
        now = {name: each.detach().clone() for name, each in self._adapters.items()}
        self._put(self._then)
        try:
            scores: Scores = self._policy(batch, temperature)
            return scores
        finally:
            self._put(now)

    def tensors(self) -> dict[str, Tensor]:
        """The adapters of then by name, for a checkpoint; loading into them loads them."""
        return {f"reference/{name}": each for name, each in self._then.items()}

    def _put(self, values: dict[str, Tensor]) -> None:
        for name, parameter in self._adapters.items():
            parameter.copy_(values[name])
