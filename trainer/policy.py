"""The model that is trained: it scores sampled tokens, and hands out its weights."""

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict
from torch.nn.attention.flex_attention import create_block_mask
from transformers import AutoConfig, AutoModelForCausalLM, PretrainedConfig, PreTrainedModel

from toolscale.errors import UserError
from trainer.attention import STRETCHES, UNMASKED
from trainer.config import Model
from trainer.distributed import Processes, full, shard
from trainer.logprobs import sampled_logprobs
from trainer.packing import Microbatch

SHARING = (STRETCHES, "eager", "flex_attention")
"""Attentions that can be told which sequences share a prompt. The others tell packed ones apart by their positions."""


class Scores(NamedTuple):
    """What the policy makes of the S sampled tokens of a micro-batch."""

    logprobs: Tensor
    """[S] float32."""
    entropies: Tensor
    """[S] float32, without gradient."""


class Policy(nn.Module):
    """A causal language model with float32 weights, computing in `compute`; on one process or split over many."""

    def __init__(self, model: PreTrainedModel, compute: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.model = model
        self.compute = compute
        self.sharded = False

    @classmethod
    def load(cls, settings: Model, processes: Processes | None = None, trained: bool = True) -> "Policy":
        """The checkpoint that `settings` names, on the device of this process.

        Only the first process reads it, and sends each of the others its share. In bfloat16 every weight is rounded to
        what bfloat16 can hold before training: one that sits between two such values would jump at the first step.

        Args:
            settings: where the checkpoint is, and how to compute with it.
            processes: the processes that train; None for this one alone.
            trained: False for one that is only asked, such as the reference of the KL.

        Raises:
            UserError: there is no such checkpoint, or it is no model that can be trained here.
        """
        processes = processes or Processes()
        config = _configuration(settings)
        whole = _read(settings, config) if processes.leads else None
        compute: torch.dtype = getattr(torch, settings.dtype)
        if processes.size == 1:
            policy = cls(cast(Any, whole).to(processes.device), compute)
        else:
            policy = cls(_empty(settings, config), compute)
            policy._take_share(whole, processes)
        policy.requires_grad_(trained)
        policy.model.train()
        if settings.activation_checkpointing and trained:
            policy.model.gradient_checkpointing_enable({"use_reentrant": False})
        return policy

    @property
    def shares_prompts(self) -> bool:
        """Whether its attention can be told that sequences share a prompt."""
        config = self.model.config
        return config._attn_implementation in SHARING and not _windowed(config)

    def forward(self, batch: Microbatch, temperature: float = 1.0) -> Scores:
        """Score the sampled tokens of `batch` as drawn at `temperature` (0, greedy: as at 1)."""
        casting = self.compute != torch.float32 and not self.sharded
        with torch.autocast(batch.ids.device.type, self.compute) if casting else nullcontext():
            hidden = self.model.base_model(
                input_ids=batch.ids[None],
                position_ids=batch.positions[None],
                use_cache=False,
                **self._attended(batch),
            ).last_hidden_state[0]
        # `index_select`, because its backward adds up in one order; that of indexing does not always.
        asked = hidden.index_select(0, batch.sources).to(self.compute)
        return Scores(*sampled_logprobs(asked, _head(self.model).to(self.compute), batch.targets, temperature))

    def weights(self) -> Iterator[tuple[str, Tensor]]:
        """Every weight whole and under transformers' name, one after the other; all processes have to iterate together.

        Tied weights come once.
        """
        for name, parameter in self.model.named_parameters():
            yield name, full(parameter.detach())

    def _attended(self, batch: Microbatch) -> dict[str, Any]:
        """What tells the attention in use who attends to whom."""
        if not self.shares_prompts or batch.plainly_causal:
            return {"attention_mask": None}
        implementation = self.model.config._attn_implementation
        if implementation == STRETCHES:
            return {"attention_mask": UNMASKED, "spans": batch.spans}
        if implementation == "flex_attention":
            length = len(batch.ids)
            return {
                "attention_mask": create_block_mask(
                    batch.attends, None, None, length, length, device=batch.ids.device.type
                )
            }
        # Added to the scores there.
        return {"attention_mask": torch.where(batch.mask, 0.0, torch.finfo(self.compute).min).to(self.compute)}

    def _take_share(self, whole: PreTrainedModel | None, processes: Processes) -> None:
        blocks = set(self.model._no_split_modules or ())
        layers = [module for module in self.model.modules() if type(module).__name__ in blocks]
        shard(self, layers, processes, self.compute)
        self.sharded = True
        self.to_empty(device=processes.device)
        self.model.tie_weights()
        options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
        set_model_state_dict(self.model, whole.state_dict() if whole else {}, options=options)
        # Rotary frequencies and the like are in no state dict.
        sources = dict(whole.named_buffers()) if whole else {}
        for name, buffer in self.model.named_buffers():
            if name in sources:
                buffer.copy_(sources[name])
            torch.distributed.broadcast(buffer, 0)


def _head(model: PreTrainedModel) -> Tensor:
    return cast(Tensor, cast(Any, model).get_output_embeddings().weight)


def _windowed(config: PretrainedConfig) -> bool:
    kinds = getattr(config, "layer_types", None)
    if kinds is None:
        return getattr(config, "sliding_window", None) is not None
    return any(kind != "full_attention" for kind in kinds)


def _attention(settings: Model, config: PretrainedConfig) -> str:
    return STRETCHES if settings.attention == "sdpa" and not _windowed(config) else settings.attention


def _configuration(settings: Model) -> PretrainedConfig:
    try:
        config: PretrainedConfig = AutoConfig.from_pretrained(settings.path, revision=settings.revision)
    except (OSError, ValueError) as error:
        raise UserError(
            f"model.path: {settings.path} is no checkpoint that transformers knows ({_line(error)})"
        ) from error
    foreign = set(getattr(config, "layer_types", None) or ()) - {"full_attention", "sliding_attention"}
    if foreign:
        raise UserError(f"{settings.path} has layers ({', '.join(sorted(foreign))}) for which packing is not made")
    # Dropout would make the policy that is trained another one than the one that sampled.
    for name, value in config.to_dict().items():
        if isinstance(value, float) and ("dropout" in name or name.endswith("pdrop")):
            setattr(config, name, 0.0)
    return config


def _read(settings: Model, config: PretrainedConfig) -> PreTrainedModel:
    try:
        model: PreTrainedModel = AutoModelForCausalLM.from_pretrained(
            settings.path,
            revision=settings.revision,
            config=config,
            dtype=torch.float32,
            attn_implementation=_attention(settings, config),
        )
    except (OSError, ValueError, ImportError) as error:
        raise UserError(f"cannot load {settings.path} with `{settings.attention}` ({_line(error)})") from error
    if settings.dtype == "bfloat16":
        for parameter in model.parameters():
            parameter.data = parameter.data.bfloat16().float()
    with torch.no_grad():
        ids = torch.arange(4)[None] % config.get_text_config().vocab_size
        logits = model(ids).logits
        plain = model.base_model(ids).last_hidden_state @ _head(model).T
    if not torch.allclose(logits, plain, atol=1e-3):
        raise UserError(f"{settings.path} does more to its logits than one matrix (a cap, a scale or a bias): not made")
    return model


def _empty(settings: Model, config: PretrainedConfig) -> PreTrainedModel:
    with torch.device("meta"):
        model: PreTrainedModel = cast(Any, AutoModelForCausalLM).from_config(
            config, dtype=torch.float32, attn_implementation=_attention(settings, config)
        )
    return model


def _line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
