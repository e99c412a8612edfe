"""The plainest way to a sequence's log-probabilities: what faster ways are compared with."""

from collections.abc import Sequence
from typing import Any

import torch


@torch.no_grad()
def logprobs_of(model: Any, ids: Sequence[int], temperature: float = 1.0) -> torch.Tensor:
    """Log-probability of ids[1:], each given what precedes it: float32 of shape (len(ids) - 1,)."""
    logits = model(input_ids=torch.tensor([list(ids)])).logits[0, :-1].float() / temperature
    return logits.log_softmax(-1).gather(-1, torch.tensor(ids[1:]).unsqueeze(-1)).squeeze(-1)
