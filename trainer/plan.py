"""How much memory a training takes on each device, and how many FLOPs: `python -m trainer plan`.

Counted from the model's shape, without its weights. What libraries add of their own (CUDA's context, fragments,
workspaces) is not in it; leave a tenth free.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedConfig

from toolscale.errors import UserError
from trainer.config import PRESETS, Config
from trainer.logprobs import LOGITS_AT_ONCE

GIB = 2**30
_SHAPES = PRESETS / "shapes"


@dataclass(frozen=True)
class Shape:
    """What of a decoder decides how much memory and arithmetic it takes."""

    parameters: int
    embedded: int
    """Parameters that are only looked up and cost no arithmetic: an input embedding that is not tied to the head."""
    layers: int
    hidden: int
    inner: int
    """Width of the feed-forward part."""
    heads: int
    kv_heads: int
    head_size: int
    vocabulary: int

    @property
    def widest_block(self) -> int:
        """Parameters of the largest unit that FSDP gathers at once: a layer, or the embedding."""
        return max((self.parameters - self.embedded) // self.layers, self.vocabulary * self.hidden)

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


@dataclass(frozen=True)
class Plan:
    """Bytes on each device, and what the KV cache has to hold."""

    gpus: int
    shape: Shape
    parameters: float
    gradients: float
    optimizer: float
    gathered: float
    """Layers that FSDP has gathered for the moment, in the dtype of the arithmetic."""
    reference: float
    """The starting checkpoint, where a KL to it is in the loss."""
    activations: float
    mask: float
    """Of the micro-batch, where attention takes one that is written out."""
    logits: float
    engine: float
    """The rollout engine's copy of the weights."""
    kv_token: float
    kv_full: float
    """The cache if every trajectory that a process plays at once filled its context: what would never make one wait."""

    @property
    def training(self) -> float:
        """The most that training takes at once."""
        kept = self.parameters + self.gradients + self.optimizer + self.reference
        return kept + self.gathered + self.activations + self.mask + self.logits


def plan(config: Config, gpus: int) -> Plan:
    """The memory of a training on so many devices, weights sharded over all of them.

    Raises:
        UserError: the model's shape cannot be found.
    """
    shape = shape_of(config)
    element = 2 if config.model.dtype == "bfloat16" else 4
    sampled = 2 if (config.rollouts.dtype or config.model.dtype) == "bfloat16" else 4
    share = shape.parameters / gpus
    master = 4
    tokens = config.optimization.tokens_per_microbatch
    per_device = -(-config.algorithm.tasks_per_step * config.algorithm.rollouts_per_task // gpus)
    at_once = min(config.rollouts.at_once, per_device)
    parallel = config.rollouts.tensor_parallel
    return Plan(
        gpus=gpus,
        shape=shape,
        parameters=master * share,
        gradients=master * share,
        optimizer=2 * 4 * share,
        gathered=2 * element * shape.widest_block if gpus > 1 else 0,
        reference=element * share if config.algorithm.kl_coefficient else 0,
        activations=tokens * _activation_bytes(shape, element, config.model.activation_checkpointing),
        mask=tokens**2 * (1 + element) if config.model.attention == "eager" else 0,
        logits=3 * 4 * min(LOGITS_AT_ONCE, tokens * shape.vocabulary),
        engine=sampled * shape.parameters / parallel,
        kv_token=shape.kv_bytes(sampled) / min(parallel, shape.kv_heads),
        kv_full=shape.kv_bytes(sampled) / min(parallel, shape.kv_heads) * at_once * config.rollouts.context_tokens,
    )


def shape_of(config: Config) -> Shape:
    """The shape of the configured model: from its folder, from `presets/shapes`, or from the Hub, in this order.

    Raises:
        UserError: none of them knows it.
    """
    read = _model_config(config)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(read)  # type: ignore[no-untyped-call]
    tied = bool(read.tie_word_embeddings)
    embedding = model.get_input_embeddings().weight.numel()
    heads = read.num_attention_heads
    return Shape(
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        embedded=0 if tied else embedding,
        layers=read.num_hidden_layers,
        hidden=read.hidden_size,
        inner=read.intermediate_size,
        heads=heads,
        kv_heads=getattr(read, "num_key_value_heads", None) or heads,
        head_size=getattr(read, "head_dim", None) or read.hidden_size // heads,
        vocabulary=read.vocab_size,
    )


def _model_config(config: Config) -> PreTrainedConfig:
    path = config.model.path
    known = _SHAPES / f"{path.replace('/', '--')}.json"
    if not Path(path).is_dir() and known.is_file():
        shape: dict[str, Any] = json.loads(known.read_text(encoding="utf-8"))
        return AutoConfig.for_model(shape.pop("model_type"), **shape)
    try:
        read: PreTrainedConfig = AutoConfig.from_pretrained(path, revision=config.model.revision)
    except (OSError, ValueError) as error:
        raise UserError(
            f"model.path: no model's configuration at {path} ({str(error).splitlines()[0]}); give a folder that "
            "`save_pretrained` wrote, or a name on the Hub that can be reached from here"
        ) from None
    return read


def _activation_bytes(shape: Shape, element: int, checkpointing: bool) -> int:
    """Bytes that one token keeps from the forward to the backward pass, attention's own left out.

    A layer keeps the inputs of its two norms and their outputs, queries, keys and values before and after rotation,
    what attention gave, and gate, its activation, up and their product. With activation checkpointing, each layer keeps
    its input alone, and one layer at a time has all of these.
    """
    attended = shape.heads * shape.head_size
    layer = element * (
        4 * shape.hidden + 2 * (attended + shape.kv_heads * shape.head_size) + attended + 4 * shape.inner
    )
    layer += element * (shape.kv_heads * shape.head_size + attended)
    last = 2 * element * shape.hidden
    if checkpointing:
        return shape.layers * element * shape.hidden + layer + last
    return shape.layers * layer + last


def told(config: Config, plan: Plan) -> str:
    """The plan as a table for a terminal."""
    lines = [
        f"{config.model.path}: {plan.shape.parameters / 1e9:.2f} B parameters, {plan.shape.layers} layers",
        f"devices that share the weights: {plan.gpus}",
        "",
        "training, on each device                                  GiB",
    ]
    rows = [
        ("parameters, float32, sharded", plan.parameters),
        ("gradients, float32, sharded", plan.gradients),
        ("AdamW's two moments, float32, sharded", plan.optimizer),
        ("layers gathered for the moment", plan.gathered),
        ("reference policy, sharded", plan.reference),
        (f"activations of {config.optimization.tokens_per_microbatch:,} tokens", plan.activations),
        ("its mask, and the same in the dtype of the arithmetic", plan.mask),
        ("logits of one piece, with what is computed from them", plan.logits),
        ("together", plan.training),
    ]
    lines += [f"  {name:<52}{bytes_ / GIB:>8.2f}" for name, bytes_ in rows if bytes_]
    lines += ["", "rollout engine, on each device", f"  {'weights':<52}{plan.engine / GIB:>8.2f}"]
    lines += [f"  {'KV cache if every context filled up':<52}{plan.kv_full / GIB:>8.2f}"]
    lines += [f"  {'KV cache of 1,000 tokens':<52}{1000 * plan.kv_token / GIB:>8.2f}"]
    return "\n".join([*lines, "", *_advice(config, plan)])


def _advice(config: Config, plan: Plan) -> list[str]:
    """What the figures mean for devices of usual sizes."""
    said = []
    for size in (24, 40, 80, 141):
        share = config.rollouts.gpu_memory_share
        cache = size * share - plan.engine / GIB
        if plan.training / GIB > size * (1 - share) or cache <= 0:
            parts = f"training has {size * (1 - share):.0f}, the engine {size * share:.0f}"
            said.append(f"{size:>4} GiB a device: too little ({parts})")
            continue
        tokens = int(cache * GIB / plan.kv_token)
        said.append(
            f"{size:>4} GiB a device: fits; a cache of {cache:.0f} GiB holds {tokens:,} tokens, "
            f"{tokens // config.rollouts.context_tokens:,} full contexts"
        )
    return said
