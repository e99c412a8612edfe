"""Adapters learn, are merged, written and read as peft has them, and the model beside them stays as it is."""

import json
import random
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from peft import PeftModel  # noqa: E402
from transformers import AutoModelForCausalLM  # noqa: E402

from toolscale.errors import UserError  # noqa: E402
from trainer.config import Config, Model  # noqa: E402
from trainer.learning.reference import AsItBegan  # noqa: E402
from trainer.model.critic import Critic  # noqa: E402
from trainer.model.lora import adapter_parameters, is_adapter  # noqa: E402
from trainer.model.packing import microbatches  # noqa: E402
from trainer.model.policy import Policy  # noqa: E402
from trainer.output.checkpoint import Checkpoints  # noqa: E402

from .chance import LORA, groups, learner, policy, sequence, with_adapters, write_adapter, write_model  # noqa: E402

LAYERS = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}


@pytest.fixture(scope="module", params=[True, False], ids=["tied", "untied"])
def folder(request, tmp_path_factory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"), tied=request.param)


def logits(model: torch.nn.Module) -> torch.Tensor:
    with torch.no_grad():
        return model(torch.arange(20)[None]).logits


def taught(made: Policy, reference: AsItBegan | None = None, steps: range = range(2), **optimization: object):
    """A learner after updates from groups drawn by chance."""
    pupil = learner(
        made,
        {"kl_coefficient": 0.1, "old_policy": "recompute"} if reference else {},
        {"tokens_per_microbatch": 30, "learning_rate": 1e-2, **optimization},
        reference=reference,
    )
    for step in steps:
        pupil.update(*groups(random.Random(step), 3), step)
    return pupil


def test_adapters_stand_beside_every_linear_layer_but_the_head_and_change_nothing_at_first(folder):
    made, base = with_adapters(folder, drawn=False), policy(folder)
    adapted = {name.split(".")[-4] for name, _ in made.named_parameters() if is_adapter(name)}
    assert adapted == LAYERS
    assert torch.equal(logits(made.model), logits(base.model))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_what_learns_is_float32_and_what_is_frozen_is_in_the_dtype_of_the_arithmetic(folder, dtype):
    made = with_adapters(folder, dtype=dtype)
    for name, parameter in made.named_parameters():
        assert parameter.requires_grad == is_adapter(name)
        assert parameter.dtype == (torch.float32 if is_adapter(name) else getattr(torch, dtype)), name
    assert all(buffer.dtype == torch.float32 for buffer in made.buffers())


def test_merged_weights_give_the_adapters_logits_under_the_models_own_names(folder):
    made = with_adapters(folder)
    plain = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    weights = dict(made.weights())
    assert weights.keys() == dict(plain.named_parameters()).keys()
    before = logits(plain)
    plain.load_state_dict(weights, strict=False)
    torch.testing.assert_close(logits(plain), logits(made.model), rtol=0, atol=1e-5)
    assert (logits(plain) - before).abs().max() > 0.1


def test_an_engine_in_bfloat16_sees_all_of_a_small_adapter_on_average_and_to_nearest_next_to_nothing(folder):
    made = with_adapters(folder, dtype="bfloat16")
    with torch.no_grad():
        for name, parameter in made.named_parameters():
            if "lora_B" in name:
                parameter.mul_(2e-3)  # A twelfth of a step of the grid, as after some updates.
    seen, to_nearest, learnt = [], [], []
    weights = dict(made.weights())
    for name, layer in made.model.named_modules():
        if not hasattr(layer, "lora_A"):
            continue
        base = layer.base_layer.weight.detach().float()
        delta = layer.get_delta_weight("default").detach()
        learnt.append(delta.flatten())
        seen.append((weights[f"{name}.weight"].bfloat16().float() - base).flatten())
        to_nearest.append(((base + delta).bfloat16().float() - base).flatten())
    whole = torch.cat(learnt)
    share = {
        way: (torch.cat(each) @ whole / (whole @ whole)).item()
        for way, each in {"seen": seen, "to nearest": to_nearest}.items()
    }
    assert share["seen"] == pytest.approx(1, abs=0.15)
    assert share["to nearest"] < 0.5


def test_a_step_changes_the_adapters_alone(folder):
    made = with_adapters(folder, drawn=False)
    before = {name: each.detach().clone() for name, each in made.named_parameters()}
    taught(made)
    for name, each in made.named_parameters():
        assert torch.equal(each, before[name]) != is_adapter(name), name


def test_the_gradients_are_those_that_peft_itself_gives(folder, tmp_path):
    made = with_adapters(folder)
    theirs = PeftModel.from_pretrained(
        AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32),
        write_adapter(tmp_path / "adapter", made),
        is_trainable=True,
    ).double()
    made.model.double()  # in float32 the two round apart by more than this test allows, on some processors
    one = sequence(random.Random(3), [5, 6, 7])
    (batch,) = microbatches([one], 1000)
    ids = torch.tensor(one.ids)
    every = theirs(ids[None]).logits[0, :-1].log_softmax(-1).gather(-1, ids[1:, None]).squeeze(-1)
    (-every[torch.tensor(one.sampled[1:])].sum()).backward()
    (-made(batch).logprobs.sum()).backward()
    expected = {name.removeprefix("base_model.model."): each.grad for name, each in theirs.named_parameters()}
    for name, each in made.model.named_parameters():
        if is_adapter(name):
            torch.testing.assert_close(each.grad, expected[name], rtol=1e-4, atol=1e-6)


def test_in_bfloat16_adapters_learn_as_in_float32_up_to_the_rounding(folder):
    one, other = with_adapters(folder, dtype="bfloat16"), with_adapters(folder)
    (batch,) = microbatches([sequence(random.Random(3), [5, 6, 7])], 1000)
    for made in (one, other):
        (-made(batch).logprobs.sum()).backward()
    for (name, each), (_, exact) in zip(one.named_parameters(), other.named_parameters(), strict=True):
        if is_adapter(name):
            assert each.grad.dtype == torch.float32
            assert (each.grad - exact.grad).norm() / exact.grad.norm() < 0.1, name


def test_an_adapter_goes_to_peft_and_back(folder, tmp_path):
    made = with_adapters(folder)
    adapter = write_adapter(tmp_path / "adapter", made)
    theirs = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32), adapter)
    torch.testing.assert_close(logits(theirs), logits(made.model), rtol=0, atol=1e-6)
    again = with_adapters(folder, drawn=False, lora={**LORA, "path": adapter})
    assert torch.equal(logits(again.model), logits(made.model))
    critic = Critic.load(Model(path=str(folder), dtype="float32", lora={**LORA, "path": adapter}))
    with torch.no_grad():
        states = critic.model(torch.arange(20)[None]).last_hidden_state
        assert torch.equal(states, made.model.base_model(torch.arange(20)[None]).last_hidden_state)
    assert {name for name, each in critic.named_parameters() if each.requires_grad} > {"value_head.weight"}


def test_the_reference_is_the_model_without_adapters_while_these_learn(folder):
    made, base = with_adapters(folder, drawn=False), policy(folder)
    reference = AsItBegan(made)
    taught(made, reference)
    (batch,) = microbatches([sequence(random.Random(3), [5, 6, 7])], 1000)
    with torch.no_grad():
        learned = made(batch).logprobs
        assert torch.equal(reference(batch, 1.0).logprobs, base(batch).logprobs)
        assert torch.equal(made(batch).logprobs, learned), "the policy is what it was before the reference was asked"
        assert (learned - base(batch).logprobs).abs().max() > 1e-3


@pytest.mark.parametrize("warm", [False, True])
def test_a_checkpoint_has_the_adapters_alone_and_a_resumed_training_ends_at_the_same_bits(folder, warm, tmp_path):
    whole = with_adapters(folder, drawn=warm)
    pupil = taught(whole, AsItBegan(whole))
    half = with_adapters(folder, drawn=warm)
    first = taught(half, AsItBegan(half), range(1))
    saved = Checkpoints(tmp_path).save(1, first.tensors(), {})
    kept = sum(each.numel() for each in first.tensors().values())
    adapters = sum(each.numel() for _, each in whole.adapters())
    assert kept < 4 * adapters + 100, "adapters, two moments, the reference's adapters, and counts of steps"
    fresh = with_adapters(folder, drawn=False)
    resumed = taught(fresh, AsItBegan(fresh), range(0))
    Checkpoints(tmp_path).load(saved, resumed.tensors())
    resumed.update(*groups(random.Random(1), 3), 1)
    for name, each in pupil.tensors().items():
        assert torch.equal(each, resumed.tensors()[name]), name


def test_the_adapters_of_a_plan_are_those_of_the_model(folder):
    made = with_adapters(folder)
    with torch.device("meta"):
        bare = AutoModelForCausalLM.from_config(made.model.config)
    settings = Model(path=str(folder), lora=LORA)
    assert adapter_parameters(bare, settings) == sum(each.numel() for _, each in made.adapters())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rank": 8}, "model.lora.rank is 8, and the adapter at"),
        ({"alpha": 9}, "set model.lora.alpha=8"),
        ({"targets": ["q_proj"]}, "or for other layers than model.lora.targets"),
        ({"targets": ["no_proj"]}, "model.lora.targets: Target modules"),
        ({"targets": ["lm_head"]}, "model.lora.targets: lm_head is no linear layer below the head"),
        ({"targets": ["embed_tokens"]}, "embed_tokens is no linear layer"),
        ({"path": Path("/nowhere")}, "model.lora.path: /nowhere holds no adapter"),
    ],
)
def test_an_adapter_that_does_not_fit_is_refused_in_one_line(folder, change, said, tmp_path):
    adapter = write_adapter(tmp_path / "adapter", folder)
    with pytest.raises(UserError, match=said) as refused:
        with_adapters(folder, lora={**LORA, "path": adapter, **change})
    assert "\n" not in str(refused.value)


def test_an_adapter_for_another_model_is_refused_before_any_weights_are_read(tiny_llama, tmp_path, monkeypatch):
    adapter = write_adapter(tmp_path / "adapter", write_model(tmp_path / "other"))
    monkeypatch.setattr("trainer.model.decoder._read", lambda *_: pytest.fail("the weights were read"))
    with pytest.raises(UserError, match=rf"an adapter for another model than {tiny_llama} \({tmp_path / 'other'}\)"):
        with_adapters(tiny_llama, lora={**LORA, "path": adapter})


def test_an_adapter_for_a_model_of_the_same_shapes_is_taken_with_a_warning(folder, tmp_path, caplog):
    adapter = write_adapter(tmp_path / "adapter", folder)
    with_adapters(folder, lora={**LORA, "path": adapter})
    assert "was made for" not in caplog.text
    told = json.loads((adapter / "adapter_config.json").read_text())
    told["base_model_name_or_path"] = "Qwen/Qwen3-8B-Base"
    (adapter / "adapter_config.json").write_text(json.dumps(told))
    with_adapters(folder, lora={**LORA, "path": adapter})
    assert f"says that it was made for Qwen/Qwen3-8B-Base, not {folder}" in caplog.text


def test_settings_of_adapters_are_read_back_as_they_were_written(tmp_path):
    config = Config.of({"model": {"path": "m", "dtype": "bfloat16", "lora": {"rank": 16, "path": "adapter"}}}, "test")
    config.write(tmp_path / "config.yaml")
    assert Config.read(tmp_path / "config.yaml") == config
