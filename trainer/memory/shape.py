"""The shape of a model, without its weights: what decides how much memory and arithmetic it takes."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedConfig

from toolscale.errors import UserError
from trainer.config import Model
from trainer.model.lora import see_that_it_is_a_model
from trainer.settings_file import PRESETS

SHAPES = PRESETS / "shapes"
"""Configurations of the presets' models, so that planning needs no network."""

_DEMOS = {f"runs/{name}-demo/smollm2": f"make {name}-demo" for name in ("train", "route", "orchestrate")}
"""Who makes the models of the presets for CPUs."""


@dataclass(frozen=True)
class Shape:
    """What of a decoder decides how much memory and arithmetic it takes."""

    parameters: int
    embedded: int
    """Parameters that are only looked up and cost no arithmetic: an input embedding that is not tied to the head."""
    layers: int
    heads: int
    kv_heads: int
    head_size: int
    vocabulary: int

    def training_flops(self, tokens: int, mean_length: float, *, recomputed: bool = False) -> float:
        """FLOPs of forward and backward over `tokens` in causal sequences of this mean length.

        6 a parameter and token (8 where the forward pass is made twice), and 12 a layer, dimension of the heads and
        pair of tokens for attention, half of which the causal mask leaves out (Kaplan et al. 2020; PaLM, appendix B).
        """
        passes = 4 if recomputed else 3
        weights = 2 * (self.parameters - self.embedded)
        attention = 4 * self.layers * self.heads * self.head_size * mean_length / 2
        return passes * tokens * (weights + attention)

    def kv_bytes(self, element: int) -> int:
        """Bytes of the KV cache of one token."""
        return 2 * self.layers * self.kv_heads * self.head_size * element


def shape_of(read: PreTrainedConfig) -> Shape:
    """The shape that a model of this configuration has."""
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(read)  # type: ignore[no-untyped-call]
    heads = read.num_attention_heads
    return Shape(
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        embedded=0 if read.tie_word_embeddings else model.get_input_embeddings().weight.numel(),
        layers=read.num_hidden_layers,
        heads=heads,
        kv_heads=getattr(read, "num_key_value_heads", None) or heads,
        head_size=getattr(read, "head_dim", None) or read.hidden_size // heads,
        vocabulary=read.vocab_size,
    )


def read_shape(model: Model) -> PreTrainedConfig:
    """The configuration of a model: from its folder, from `presets/shapes`, or from the Hub, in this order.

    Raises:
        UserError: none of them knows it, or it is an adapter.
    """
    known = SHAPES / f"{model.path.replace('/', '--')}.json"
    if not Path(model.path).is_dir() and known.is_file():
        shape: dict[str, Any] = json.loads(known.read_text(encoding="utf-8"))
        return AutoConfig.for_model(shape.pop("model_type"), **shape)
    see_that_it_is_a_model(model)
    try:
        read: PreTrainedConfig = AutoConfig.from_pretrained(model.path, revision=model.revision)
    except (OSError, ValueError) as error:
        demo = _DEMOS.get(model.path)
        if demo and not Path(model.path).exists():
            raise UserError(f"model.path: {model.path} is what `{demo}` makes, and is not there yet: run it") from None
        raise UserError(
            f"model.path: no model's configuration at {model.path} ({str(error).splitlines()[0]}); give a folder that "
            "`save_pretrained` wrote, or a name on the Hub that can be reached from here"
        ) from None
    return read
