"""The policy computes what transformers computes, whatever the attention, the precision and the layout."""

import random

import pytest

torch = pytest.importorskip("torch")

from transformers import (  # noqa: E402
    AutoModelForCausalLM,
    Gemma2Config,
    Gemma2ForCausalLM,
    MistralConfig,
    MistralForCausalLM,
)

from toolscale.errors import UserError  # noqa: E402
from trainer.model import attention  # noqa: E402
from trainer.model.packing import microbatches  # noqa: E402
from trainer.model.policy import Policy  # noqa: E402

from .chance import VOCABULARY, WHOLE, gradients, plain_logprobs, policy, sequence, write_model  # noqa: E402

SMALL = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "initializer_range": 0.2,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("model"))


def two_groups():
    draw = random.Random(3)
    prompts = [[draw.randrange(VOCABULARY) for _ in range(length)] for length in (12, 5)]
    return [sequence(draw, prompt) for prompt in prompts for _ in range(3)]


def scored(model: Policy, sequences):
    (batch,) = microbatches(sequences, WHOLE, model.shares_prompts)
    scores = model(batch)
    return [scores.logprobs[batch.owners == place] for place in range(len(sequences))]


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_every_attention_scores_as_transformers_does_alone(folder, attention):
    sequences, plain = two_groups(), AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    for found, each in zip(scored(policy(folder, attention=attention), sequences), sequences, strict=True):
        torch.testing.assert_close(found, plain_logprobs(plain, each), atol=1e-5, rtol=0)


@pytest.mark.parametrize(("dtype", "near"), [("float32", 1e-5), ("bfloat16", 3e-2)])
def test_keys_that_heads_share_need_no_copies(dtype, near, folder, monkeypatch):
    """As on a GPU, by the CPU's kernel."""

    def learnt() -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        model = policy(folder, dtype=dtype)
        scores = torch.cat(scored(model, two_groups()))
        scores.sum().backward()
        return scores.detach(), gradients(model)

    scores, copied = learnt()
    monkeypatch.setattr(attention, "reads_groups", lambda *_: True)
    monkeypatch.delattr(attention, "repeat_kv")
    shared_scores, shared = learnt()
    torch.testing.assert_close(shared_scores, scores, atol=1e-6, rtol=0)
    for name, gradient in copied.items():
        assert (shared[name] - gradient).norm() <= near * gradient.norm() + 1e-9, name


def test_flex_attention_scores_as_transformers_does_alone(folder):
    sequences, plain = two_groups(), AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    model = policy(folder, attention="flex_attention")
    assert model.shares_prompts
    with torch.no_grad():
        for found, each in zip(scored(model, sequences), sequences, strict=True):
            torch.testing.assert_close(found, plain_logprobs(plain, each), atol=1e-5, rtol=0)


def test_a_model_that_looks_back_only_so_far_is_packed_without_sharing(tmp_path):
    MistralForCausalLM(MistralConfig(**SMALL, sliding_window=4)).save_pretrained(tmp_path)
    model, sequences = policy(tmp_path), two_groups()
    assert not model.shares_prompts
    plain = AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float32)
    for found, each in zip(scored(model, sequences), sequences, strict=True):
        torch.testing.assert_close(found, plain_logprobs(plain, each), atol=1e-5, rtol=0)


def test_activation_checkpointing_changes_no_gradient(folder):
    found = []
    for checkpointing in (False, True):
        model = policy(folder, activation_checkpointing=checkpointing)
        torch.cat(scored(model, two_groups())).sum().backward()
        found.append(gradients(model))
    for name, gradient in found[0].items():
        torch.testing.assert_close(gradient, found[1][name])


def test_dropout_of_the_checkpoint_is_off_so_that_the_ratio_starts_at_one(folder):
    model = policy(folder)
    assert model.training
    for first, second in zip(scored(model, two_groups()), scored(model, two_groups()), strict=True):
        assert torch.equal(first, second)


def test_to_bfloat16_weights_start_as_the_checkpoint_and_scores_are_near_those_in_float32(folder):
    exact, rough = policy(folder), policy(folder, dtype="bfloat16")
    for parameter, written in zip(rough.parameters(), exact.parameters(), strict=True):
        assert parameter.dtype == torch.float32
        assert torch.equal(parameter.bfloat16(), written.bfloat16())
    for found, expected in zip(scored(rough, two_groups()), scored(exact, two_groups()), strict=True):
        assert found.dtype == torch.float32
        assert (found - expected).abs().max() < 0.5


def test_weights_carry_transformers_names_and_a_tied_one_comes_once(folder, tmp_path):
    assert "lm_head.weight" not in dict(policy(folder).weights())
    untied = policy(write_model(tmp_path, tied=False))
    plain = AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float32)
    assert plain.load_state_dict(dict(untied.weights())).missing_keys == []


def test_a_reference_is_not_trained(folder):
    from trainer.config import Model

    frozen = Policy.load(Model(path=str(folder), dtype="float32"), trained=False)
    assert not any(parameter.requires_grad for parameter in frozen.parameters())


def test_a_model_that_caps_its_logits_is_refused(tmp_path):
    capped = Gemma2Config(**SMALL, head_dim=8, final_logit_softcapping=0.5)
    Gemma2ForCausalLM(capped).save_pretrained(tmp_path)
    with pytest.raises(UserError, match="more to its logits"):
        policy(tmp_path)


def test_a_checkpoint_that_is_not_there_is_an_error_of_one_line(tmp_path):
    with pytest.raises(UserError, match="no checkpoint") as raised:
        policy(tmp_path / "absent")
    assert "\n" not in str(raised.value)


def test_an_attention_that_is_not_installed_is_an_error_of_one_line(folder):
    with pytest.raises(UserError, match="flash_attention_2") as raised:
        policy(folder, attention="flash_attention_2")
    assert "\n" not in str(raised.value)
