"""A causal language model that reads micro-batches: what the policy and PPO's critic have in common."""

from abc import ABC, abstractmethod
from contextlib import nullcontext
from typing import Any, Self, cast

import torch
from torch import Tensor, nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict
from torch.nn.attention.flex_attention import create_block_mask
from transformers import AutoConfig, AutoModelForCausalLM, PretrainedConfig, PreTrainedModel

from toolscale.errors import UserError
from trainer.config import Model
from trainer.distributed import Processes, shard, share
from trainer.model.attention import STRETCHES, UNMASKED
from trainer.model.lora import add_adapters, check_adapter, is_adapter, read_adapter, see_that_it_is_a_model
from trainer.model.packing import Microbatch
from trainer.precision import scattered

SHARING = (STRETCHES, "eager", "flex_attention")
"""Attentions that can be told which sequences share a prompt. The others tell packed ones apart by their positions."""


class Decoder(nn.Module, ABC):
    """A model computing in `compute`; on one process or split over many.

    Weights that learn are float32. Those that adapters (`model.lora`) stand beside are frozen, and in `compute`.
    """

    def __init__(self, model: PreTrainedModel, compute: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.model = model
        self.compute = compute
        self.sharded = False

    @classmethod
    def load(cls, settings: Model, processes: Processes | None = None, trained: bool = True) -> Self:
        """The checkpoint that `settings` names, on the device of this process.

        Only the first process reads it, and sends each of the others its share. Where bfloat16 computes, weights that
        will be trained are `scattered`: to bfloat16 they are those of the checkpoint.

        Args:
            settings: where the checkpoint is, and how to compute with it.
            processes: the processes that train; None for this one alone.
            trained: False for one that is only asked, such as the reference of the KL.

        Raises:
            UserError: there is no such checkpoint, or it is no model that can be trained here.
        """
        processes = processes or Processes()
        config = cls.check(settings)
        compute: torch.dtype = getattr(torch, settings.dtype)
        whole = cls._read(settings, config) if processes.leads else None
        if processes.size == 1:
            made = cls(cast(Any, whole).to(processes.device), compute)
        else:
            made = cls(cls._bare(settings, config), compute)
            made._split(processes)
            made._take_share(whole, processes)
        if settings.dtype == "bfloat16" and trained and not settings.lora:
            made._scatter()
        made._ready(settings, trained)
        return made

    @classmethod
    def check(cls, settings: Model, known: PretrainedConfig | None = None) -> PretrainedConfig:
        """The checkpoint's configuration; before its weights, which take minutes.

        Args:
            settings: where the checkpoint is, and what is to stand beside it.
            known: its configuration, where that is not to be read from there.

        Raises:
            UserError: there is no such checkpoint, or `model.lora.path` is no adapter for it.
        """
        config = _configuration(settings) if known is None else _packable(settings, known)
        if settings.lora:
            check_adapter(cls._bare(settings, config), settings)
        return config

    @classmethod
    def empty(cls, settings: Model, config: PretrainedConfig, processes: Processes, trained: bool = True) -> Self:
        """What `load` makes, with shapes and no data: on the meta device, and split where there are many processes."""
        made = cls(cls._bare(settings, config), getattr(torch, settings.dtype))
        if processes.size > 1:
            made._split(processes)
        made._ready(settings, trained)
        return made

    @abstractmethod
    def idle(self) -> Tensor:
        """0, after a forward pass that every process has to make, for one that has no micro-batch left."""

    @staticmethod
    def _part(model: PreTrainedModel) -> PreTrainedModel:
        """What it takes of a checkpoint."""
        return model

    @classmethod
    def _bare(cls, settings: Model, config: PretrainedConfig) -> PreTrainedModel:
        """Its model without values, on the meta device."""
        model = cls._part(_empty(settings, config))
        if settings.lora:
            _cast(model, settings)
            add_adapters(model, settings)
        return model

    @classmethod
    def _read(cls, settings: Model, config: PretrainedConfig) -> PreTrainedModel:
        """Its model whole, from the checkpoint."""
        model = cls._part(_read(settings, config))
        if settings.lora:
            _cast(model, settings)
            add_adapters(model, settings)
            if settings.lora.path:
                read_adapter(model, settings.lora.path)
        return model

    @property
    def shares_prompts(self) -> bool:
        """Whether its attention can be told that sequences share a prompt."""
        config = self.model.config
        return config._attn_implementation in SHARING and not _windowed(config)

    def states(self, batch: Microbatch) -> Tensor:
        """The hidden state after which each sampled token of `batch` came: [S, H], in the dtype of the arithmetic."""
        casting = self.compute != torch.float32 and not self.sharded
        with torch.autocast(batch.ids.device.type, self.compute) if casting else nullcontext():
            hidden: Tensor = self.model.base_model(
                input_ids=batch.ids[None],
                position_ids=batch.positions[None],
                use_cache=False,
                **self._attended(batch),
            ).last_hidden_state[0]
        # `index_select`, because its backward adds up in one order; that of indexing does not always.
        return hidden.index_select(0, batch.sources).to(self.compute)

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

    def _ready(self, settings: Model, trained: bool) -> None:
        for name, parameter in self.named_parameters():
            frozen = settings.lora and name.startswith("model.") and not is_adapter(name)
            parameter.requires_grad_(trained and not frozen)
        self.model.train()
        if settings.activation_checkpointing and trained:
            self.model.gradient_checkpointing_enable({"use_reentrant": False})

    @torch.no_grad()
    def _scatter(self) -> None:
        """Each process its share, where it lies: together that is the whole, scattered by one."""
        for name, parameter in self.model.named_parameters():
            part, first = share(parameter.detach())
            part.copy_(scattered(part, name, first))

    def _split(self, processes: Processes) -> None:
        blocks = set(self.model._no_split_modules or ())
        layers = [module for module in self.model.modules() if type(module).__name__ in blocks]
        shard(self, layers, processes, self.compute)
        self.sharded = True

    def _take_share(self, whole: PreTrainedModel | None, processes: Processes) -> None:
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


def head_of(model: PreTrainedModel) -> Tensor:
    """The matrix that makes logits of hidden states: [V, H]."""
    return cast(Tensor, cast(Any, model).get_output_embeddings().weight)


def _windowed(config: PretrainedConfig) -> bool:
    kinds = getattr(config, "layer_types", None)
    if kinds is None:
        return getattr(config, "sliding_window", None) is not None
    return any(kind != "full_attention" for kind in kinds)


def _attention(settings: Model, config: PretrainedConfig) -> str:
    return STRETCHES if settings.attention == "sdpa" and not _windowed(config) else settings.attention


def _configuration(settings: Model) -> PretrainedConfig:
    see_that_it_is_a_model(settings)
    try:
        config: PretrainedConfig = AutoConfig.from_pretrained(settings.path, revision=settings.revision)
    except (OSError, ValueError) as error:
        raise UserError(
            f"model.path: {settings.path} is no checkpoint that transformers knows ({_line(error)})"
        ) from error
    return _packable(settings, config)


def _packable(settings: Model, config: PretrainedConfig) -> PretrainedConfig:
    """The configuration as it is trained with."""
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
    with torch.no_grad():
        ids = torch.arange(4)[None] % config.get_text_config().vocab_size
        logits = model(ids).logits
        plain = model.base_model(ids).last_hidden_state @ head_of(model).T
    if not torch.allclose(logits, plain, atol=1e-3):
        raise UserError(f"{settings.path} does more to its logits than one matrix (a cap, a scale or a bias): not made")
    return model


def _cast(model: PreTrainedModel, settings: Model) -> None:
    """Into the dtype of the arithmetic; buffers, such as the frequencies of rotations, stay in float32."""
    for parameter in model.parameters():
        parameter.data = parameter.data.to(getattr(torch, settings.dtype))


def _empty(settings: Model, config: PretrainedConfig) -> PreTrainedModel:
    with torch.device("meta"):
        model: PreTrainedModel = cast(Any, AutoModelForCausalLM).from_config(
            config, dtype=torch.float32, attn_implementation=_attention(settings, config)
        )
    return model


def _line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
