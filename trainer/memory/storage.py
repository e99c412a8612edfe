"""How large what a training writes is: the second half of `python -m trainer plan`."""

from dataclasses import dataclass

import torch
from transformers import AutoModelForCausalLM

from trainer.config import Config
from trainer.memory.plan import GIB
from trainer.memory.shape import read_shape
from trainer.model.lora import adapter_parameters

_LEARNING = 3 * 4
"""Bytes of a parameter that learns in a checkpoint: the weight and AdamW's two moments, in float32."""


@dataclass(frozen=True)
class Storage:
    """Bytes on disk, and in the memory of the machine that writes them; the same on one device as on many."""

    checkpoint: int
    """All shares together."""
    checkpoints: int
    """Those that are kept, and the one that is written before the oldest goes."""
    exported: int
    """The model at the end, and adapters beside it: all that supervised fine-tuning alone writes."""
    models: int
    """That, and what is exported after a warm start where a KL or a critic needs it."""
    host: int
    """Memory of the first process's machine while the model is exported: whole, in float32 and as it is written."""

    @property
    def disk(self) -> int:
        """The most that the folder of a training takes, but for logs and the rollouts that are written down."""
        return self.checkpoints + self.models


def storage(config: Config) -> Storage:
    """What a training with these settings writes.

    Raises:
        UserError: the model's configuration cannot be found, or the adapters do not suit it.
    """
    element = getattr(torch, config.model.dtype).itemsize
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(read_shape(config.model))  # type: ignore[no-untyped-call]
    whole, below_the_head = (sum(each.numel() for each in part.parameters()) for part in (model, model.base_model))
    adapters = adapter_parameters(model, config.model) if config.model.lora else 0
    critic = (adapters or below_the_head) + model.config.get_text_config().hidden_size + 1
    checkpoint = _LEARNING * ((adapters or whole) + (critic if config.ppo else 0))
    model_alone = element * whole
    exported = model_alone + 4 * adapters
    started = config.warm_start is not None and bool(config.algorithm.kl_coefficient or config.ppo)
    return Storage(
        checkpoint=checkpoint,
        checkpoints=checkpoint * (config.checkpoints.keep + 1),
        exported=exported,
        models=exported + started * (4 * adapters or model_alone),
        host=(4 + element) * whole,
    )


def told(storage: Storage) -> str:
    """Its figures as a table for a terminal, like that of the devices."""
    rows = [
        ("a checkpoint, the shares of all devices", storage.checkpoint),
        ("checkpoints at once, one being written", storage.checkpoints),
        ("models, exported", storage.models),
        ("together", storage.disk),
        ("beside it, memory of the host that writes the model", storage.host),
    ]
    lines = ["on disk, where every device's machine reaches it            GiB"]
    return "\n".join([*lines, *(f"  {name:<52}{bytes_ / GIB:>8.2f}" for name, bytes_ in rows)])
