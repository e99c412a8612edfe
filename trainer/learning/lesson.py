"""What one optimizer step knows of a micro-batch's sampled tokens."""

from dataclasses import dataclass, field

from torch import Tensor

from trainer.model.packing import Microbatch


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """A micro-batch, and what the loss has to know of each of its S sampled tokens."""

    batch: Microbatch
    weights: Tensor
    """[S], by how much it counts in the sum over all lessons of all processes that is the loss."""
    rewards: Tensor
    """[S], R of the sequence it is of."""
    advantages: Tensor
    """[S], of the sequence it is of; or its own."""
    old: Tensor
    """[S], its log-probability under the old policy; the engine's, until the trainer says its own."""
    importance: Tensor
    """[S], truncated importance weight; 1 where the engine's log-probabilities are the old policy's."""
    reference: Tensor | None
    """[S], its log-probability under the reference; None without a KL term."""
    passes: list[Tensor] = field(default_factory=list)
    """[S] for each time that an update looked at it: its log-probability under the policy as it then was."""
