"""LoRA: low-rank adapters beside the linear layers of a model that stays as it is; made by peft, merged and written.

Without adapters, the functions that read weights give a model's own.
"""

import json
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn
from transformers import PreTrainedModel

from toolscale.errors import UserError
from trainer.config import Lora, Model
from trainer.distributed import full
from trainer.precision import scattered

log = logging.getLogger(__name__)

_NAME = "default"
"""peft's name for an adapter of which there is one."""
_BASE, _A, _B = "base_layer.", f"lora_A.{_NAME}.weight", f"lora_B.{_NAME}.weight"
_WEIGHTS, _CONFIG = "adapter_model.safetensors", "adapter_config.json"


def add_adapters(model: PreTrainedModel, settings: Model) -> None:
    """Put adapters in: float32, where `model.lora` wants them, A drawn by chance and B zero, so that nothing changes.

    Everything else is frozen. On the meta device they have no values either.

    Raises:
        UserError: the model has no linear layer of a name that is wanted.
    """
    from peft import inject_adapter_in_model

    try:
        inject_adapter_in_model(_peft_config(settings), model, _NAME, low_cpu_mem_usage=model.device.type == "meta")
    except ValueError as error:
        raise UserError(f"model.lora.targets: {' '.join(str(error).split())}") from None
    for name, layer in _layers(model):
        if not isinstance(layer.base_layer, nn.Linear) or layer.base_layer is _head(model):
            raise UserError(f"model.lora.targets: {name} is no linear layer below the head; name others")
        # Autocast brings the input into the dtype of the arithmetic; a copy of it in float32 would be kept for nothing.
        layer.cast_input_dtype_enabled = False
    for name, parameter in model.named_parameters():
        adapter = is_adapter(name)
        parameter.requires_grad_(adapter)
        if adapter:
            parameter.data = parameter.data.float()


def is_adapter(parameter: str) -> bool:
    """Whether a parameter of this name is an adapter's."""
    return parameter.endswith((_A, _B))


def see_that_it_is_a_model(settings: Model) -> None:
    """Raises UserError where `model.path` is a folder that holds an adapter, and no model."""
    folder = Path(settings.path)
    if (folder / _CONFIG).is_file() and not (folder / "config.json").is_file():
        raise UserError(
            f"model.path: {settings.path} holds an adapter: set model.lora.path to it, and model.path to the model "
            "that it is for"
        )


def adapter_parameters(model: PreTrainedModel, settings: Model) -> int:
    """How many parameters the adapters have that this gives a model, which may be on the meta device."""
    add_adapters(model, settings)
    return sum(parameter.numel() for name, parameter in model.named_parameters() if is_adapter(name))


def merged(model: PreTrainedModel) -> Iterator[tuple[str, Tensor]]:
    """Every weight whole, under the name that it has without adapters, with W + alpha / rank B A for W.

    Where W is in bfloat16, what is added is mostly shorter than half a step of its grid, and would be lost when the sum
    is rounded again: so W is `scattered`, each time alike. All processes have to iterate together. Tied weights come
    once.
    """
    parameters = dict(model.named_parameters())
    for name, parameter in parameters.items():
        if is_adapter(name):
            continue
        layer, _, own = name.rpartition(_BASE)
        weight = full(parameter.detach())
        if layer + _A in parameters and own == "weight":
            a, b = (full(parameters[layer + part].detach()) for part in (_A, _B))
            scaled: Any = model.get_submodule(layer.removesuffix("."))
            whole = scattered(weight, layer + own) if weight.dtype == torch.bfloat16 else weight
            weight = whole + scaled.scaling[_NAME] * (b @ a)
        yield layer + own, weight
        del weight


def adapters(model: PreTrainedModel) -> Iterator[tuple[str, Tensor]]:
    """Every adapter's tensors whole, under the names of peft's files; all processes have to iterate together."""
    for name, parameter in model.named_parameters():
        if is_adapter(name):
            yield _in_file(model, name), full(parameter.detach())


def write_adapter(folder: Path, settings: Model, tensors: Mapping[str, Tensor]) -> None:
    """Write `adapters` of a model with these settings into a folder that is there, as peft and vLLM load them."""
    from safetensors.torch import save_file

    config = _peft_config(settings)
    if _of(settings).targets is None:
        # A name ends in q_proj.lora_A.weight, say.
        config.target_modules = {name.split(".")[-3] for name in tensors}
    config.save_pretrained(str(folder))
    save_file({name: tensor.cpu().contiguous() for name, tensor in tensors.items()}, folder / _WEIGHTS)


def check_adapter(model: PreTrainedModel, settings: Model) -> None:
    """See that `model.lora.path`, where there is one, is an adapter for this model as `model.lora` describes it.

    Args:
        model: with adapters, of which only names and shapes are looked at.
        settings: of the model.

    Raises:
        UserError: it is not.
    """
    lora = _of(settings)
    if lora.path is None:
        return
    config = _adapter_config(lora.path)
    for setting, theirs in (("rank", config.get("r")), ("alpha", config.get("lora_alpha"))):
        if theirs != getattr(lora, setting):
            raise UserError(
                f"model.lora.{setting} is {getattr(lora, setting)}, and the adapter at {lora.path} has {theirs}: set "
                f"model.lora.{setting}={theirs}"
            )
    unusual = [name for name in ("use_dora", "use_rslora", "rank_pattern", "alpha_pattern") if config.get(name)]
    if config.get("peft_type") != "LORA" or unusual:
        raise UserError(
            f"model.lora.path: {lora.path} is no plain LoRA ({', '.join(unusual) or config.get('peft_type')})"
        )
    own = {_in_file(model, name): list(each.shape) for name, each in model.named_parameters() if is_adapter(name)}
    with _opened(lora.path) as file:
        theirs = {name: file.get_slice(name).get_shape() for name in file.keys()}  # noqa: SIM118 - no dictionary
    base = config.get("base_model_name_or_path") or settings.path
    if own.items() <= theirs.items() and (_of_a_part(model) or own.keys() == theirs.keys()):
        if Path(base).name != Path(settings.path).name:
            log.warning("the adapter at %s says that it was made for %s, not %s", lora.path, base, settings.path)
        return
    different = next(name for name in sorted({*own, *theirs}) if own.get(name) != theirs.get(name))
    raise UserError(
        f"model.lora.path: {lora.path} is an adapter for another model than {settings.path} "
        f"({config.get('base_model_name_or_path') or 'it does not say which'}) or for other layers than "
        f"model.lora.targets: {different} is {theirs.get(different)} there and {own.get(different)} here"
    )


def read_adapter(model: PreTrainedModel, path: Path) -> None:
    """Give the adapters of a model that is whole in this process the values that `check_adapter` found fitting."""
    with _opened(path) as file, torch.no_grad():
        for name, parameter in model.named_parameters():
            if is_adapter(name):
                parameter.copy_(file.get_tensor(_in_file(model, name)))


def _peft_config(settings: Model) -> Any:
    from peft import LoraConfig

    wanted = _of(settings)
    return LoraConfig(
        r=wanted.rank,
        lora_alpha=wanted.alpha,
        target_modules=wanted.targets or "all-linear",
        base_model_name_or_path=settings.path,
        revision=settings.revision,
        task_type="CAUSAL_LM",
    )


def _layers(model: PreTrainedModel) -> Iterator[tuple[str, Any]]:
    from peft.tuners.lora import LoraLayer

    return ((name, module) for name, module in model.named_modules() if isinstance(module, LoraLayer))


def _head(model: Any) -> Any:
    head = model.get_output_embeddings()
    return getattr(head, "base_layer", head)


def _of(settings: Model) -> Lora:
    assert settings.lora is not None
    return settings.lora


def _of_a_part(model: PreTrainedModel) -> bool:
    """Whether it is a causal language model without its head, as a critic's is."""
    return model.base_model is model


def _in_file(model: PreTrainedModel, parameter: str) -> str:
    part = f"{model.base_model_prefix}." if _of_a_part(model) else ""
    return f"base_model.model.{part}{parameter.replace(f'.{_NAME}.', '.')}"


def _adapter_config(folder: Path) -> dict[str, Any]:
    try:
        config = json.loads((folder / _CONFIG).read_text(encoding="utf-8"))
        if isinstance(config, dict):
            return config
        problem = "no object"
    except (OSError, ValueError) as error:
        problem = str(error)
    raise UserError(f"model.lora.path: {folder} holds no adapter, whose {_CONFIG} peft writes ({problem})")


def _opened(folder: Path) -> Any:
    try:
        return safe_open(folder / _WEIGHTS, framework="pt")
    except (OSError, SafetensorError) as error:
        raise UserError(f"model.lora.path: {folder / _WEIGHTS} cannot be read ({error})") from None
