"""The model that is trained: it scores sampled tokens, and hands out its weights."""

from collections.abc import Iterator
from typing import NamedTuple

from torch import Tensor

from trainer.config import Rollouts
from trainer.model.decoder import Decoder, head_of
from trainer.model.logprobs import sampled_logprobs
from trainer.model.lora import adapters, merged
from trainer.model.packing import Microbatch, dummy


class Scores(NamedTuple):
    """What the policy makes of the S sampled tokens of a micro-batch."""

    logprobs: Tensor
    """[S] float32."""
    entropies: Tensor
    """[S] float32, without gradient."""


class Policy(Decoder):
    """A causal language model that says how likely it finds what was sampled."""

    def forward(self, batch: Microbatch, temperature: float = 1.0) -> Scores:
        """Score the sampled tokens of `batch` as drawn at `temperature` (0, greedy: as at 1)."""
        states = self.states(batch)
        return Scores(*sampled_logprobs(states, head_of(self.model), batch.targets, temperature))

    def idle(self) -> Tensor:
        """See `Decoder.idle`."""
        scores: Scores = self(dummy().to(self.model.device))
        return scores.logprobs.sum() * 0

    def weights(self) -> Iterator[tuple[str, Tensor]]:
        """Every weight whole and under transformers' name, one after the other; all processes have to iterate together.

        Adapters are merged into theirs. Tied weights come once.
        """
        return merged(self.model)

    def handed_out(self, rollouts: Rollouts) -> Iterator[tuple[str, Tensor]]:
        """What the engine is given of it: `weights`, or `adapters` where it is to have these beside its own."""
        return self.adapters() if rollouts.lora_as == "adapter" else self.weights()

    def adapters(self) -> Iterator[tuple[str, Tensor]]:
        """The adapters alone, whole and under the names of peft's files; all processes have to iterate together."""
        return adapters(self.model)
