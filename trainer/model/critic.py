"""PPO's critic: a copy of the starting checkpoint that says what is still to be earned, in place of the next token."""

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import linear
from transformers import PreTrainedModel

from trainer.distributed import Processes
from trainer.model.decoder import Decoder
from trainer.model.packing import Microbatch, dummy


class Critic(Decoder):
    """A decoder with a value head in place of the head over its vocabulary.

    The value head begins at zero, so that the first advantages are those of the rewards alone.
    """

    def __init__(self, model: PreTrainedModel, compute: torch.dtype = torch.float32) -> None:
        super().__init__(model, compute)
        hidden = model.config.get_text_config().hidden_size
        self.value_head = nn.Linear(hidden, 1, device=model.device, dtype=torch.float32)
        self._forget()

    def forward(self, batch: Microbatch) -> Tensor:
        """V of the state in which each sampled token of `batch` was chosen: [S] float32."""
        states, head = self.states(batch).float(), self.value_head
        return linear(states, head.weight.float(), head.bias.float()).squeeze(-1)

    def idle(self) -> Tensor:
        """See `Decoder.idle`."""
        values: Tensor = self(dummy().to(self.model.device))
        return values.sum() * 0

    @staticmethod
    def _part(model: PreTrainedModel) -> PreTrainedModel:
        return cast(PreTrainedModel, model.base_model)

    def _take_share(self, whole: PreTrainedModel | None, processes: Processes) -> None:
        super()._take_share(whole, processes)
        self._forget()

    def _forget(self) -> None:
        nn.init.zeros_(self.value_head.weight)
        nn.init.zeros_(self.value_head.bias)
