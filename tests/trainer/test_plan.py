"""The plan's bytes are those of real tensors where these can be counted, and the paper's preset fits its GPUs."""

from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM

from toolscale.errors import UserError
from trainer.config import Config
from trainer.plan import GIB, plan, shape_of, told


def test_parameters_and_gradients_are_those_of_the_model(tiny_llama):
    config = Config.of({"model": {"path": str(tiny_llama), "dtype": "float32"}}, "test")
    model = AutoModelForCausalLM.from_pretrained(tiny_llama, dtype=torch.float32)
    real = sum(parameter.numel() * parameter.element_size() for parameter in model.parameters())
    made = plan(config, 1)
    assert made.parameters == made.gradients == real
    assert made.optimizer == 2 * real


@pytest.mark.parametrize("checkpointing", [False, True])
def test_activations_are_near_what_autograd_keeps(tiny_llama, checkpointing):
    """Counted by autograd's own hooks, once for every tensor that is not a parameter; within a factor of 1.5."""
    settings = {"path": str(tiny_llama), "dtype": "float32", "activation_checkpointing": checkpointing}
    config = Config.of({"model": settings, "optimization": {"tokens_per_microbatch": 512}}, "test")
    model = AutoModelForCausalLM.from_pretrained(tiny_llama, dtype=torch.float32).train()
    if checkpointing:
        model.gradient_checkpointing_enable({"use_reentrant": False})
    own = {parameter.data_ptr() for parameter in model.parameters()}
    kept: dict[int, int] = {}

    def note(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if tensor.data_ptr() not in own and tensor.dtype == torch.float32:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        hidden = model.model(torch.arange(512)[None] % 600).last_hidden_state
    counted = plan(config, 1).activations
    if checkpointing:  # the layer that is computed again has all of its own, which autograd does not keep
        shape = shape_of(config)
        whole = config.model_copy(update={"model": config.model.model_copy(update={"activation_checkpointing": False})})
        counted -= plan(whole, 1).activations / shape.layers
    assert hidden.requires_grad
    assert sum(kept.values()) / 1.5 < counted < sum(kept.values()) * 1.5


def test_more_devices_hold_less_each_of_what_is_sharded():
    config = Config.read(Path("qwen3-8b-16xh100"))
    one, sixteen = plan(config, 1), plan(config, 16)
    for part in ("parameters", "gradients", "optimizer"):
        assert getattr(sixteen, part) * 16 == pytest.approx(getattr(one, part))
    assert sixteen.activations == one.activations


def test_the_papers_model_has_its_parameters_and_its_preset_fits_sixteen_h100():
    config = Config.read(Path("qwen3-8b-16xh100"))
    made = plan(config, 16)
    assert made.shape.parameters / 1e9 == pytest.approx(8.19, abs=0.01)  # 8.2 B by the model's own card
    assert made.kv_token == 2 * 36 * 8 * 128 * 2
    share = config.rollouts.gpu_memory_share
    assert made.training / GIB < 80 * (1 - share)
    assert made.engine / GIB < 80 * share
    text = told(config, made)
    assert "80 GiB a device: fits" in text
    assert "24 GiB a device: too little" in text


def test_flops_are_six_a_parameter_and_token_and_eight_where_the_forward_pass_is_made_twice(tiny_llama):
    shape = shape_of(Config.of({"model": {"path": str(tiny_llama)}}, "test"))
    assert shape.training_flops(10, 0) == 60 * shape.parameters
    assert shape.training_flops(10, 0, recomputed=True) == 80 * shape.parameters
    assert shape.training_flops(10, 100) > shape.training_flops(10, 0)


def test_a_model_that_nobody_knows_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"model\.path"):
        shape_of(Config.of({"model": {"path": str(tmp_path)}}, "test"))
