"""The plan's bytes are those of real tensors where these can be counted, each phase has what is there in it, and the
paper's preset fits its GPUs."""

import itertools
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch.profiler import ProfilerActivity, profile
from transformers import AutoModelForCausalLM, LlamaConfig

from toolscale.errors import UserError
from trainer.checks import check_settings
from trainer.config import Algorithm, Config, Model, Optimization, Rollouts
from trainer.grpo import train
from trainer.learning.learner import Learner
from trainer.memory.footprint import Layout, footprint, measured, on_their_way
from trainer.memory.plan import GIB, Phase, Plan, largest, plan
from trainer.memory.remedies import what_helps
from trainer.memory.shape import read_shape, shape_of
from trainer.memory.verdict import _of_lessons, check_gpu, lines, see_that_it_fits
from trainer.model import attention, logprobs
from trainer.model.critic import Critic
from trainer.model.packing import microbatches
from trainer.model.policy import Policy
from trainer.rollout import weight_transfer
from trainer.runs import fine_tune
from trainer.sequence import TokenSequence
from trainer.settings_file import PRESETS, changes_from

from .chance import write_model

SMALL = {"context_tokens": 64, "max_prompt_tokens": 16}


def settings_of(folder: Path, **more: object) -> dict:
    return {
        "model": {"path": str(folder), "dtype": "float32", **more},
        "rollouts": SMALL,
        "optimization": {"tokens_per_microbatch": 512},
    }


def told(config: Config, made: Plan) -> str:
    return "\n".join(lines(config, made))


def in_memory(model: torch.nn.Module) -> int:
    return sum(each.numel() * each.element_size() for each in (*model.parameters(), *model.buffers()))


def test_parameters_gradients_and_moments_are_those_of_the_model(tiny_llama):
    model = AutoModelForCausalLM.from_pretrained(tiny_llama, dtype=torch.float32)
    made = plan(Config.of(settings_of(tiny_llama), "test"), 1)
    trained = sum(each.numel() * each.element_size() for each in model.parameters())
    assert (made.parameters, made.gradients, made.moments) == (in_memory(model), trained, 2 * trained)


@pytest.mark.parametrize("tied", [True, False])
def test_critic_and_reference_are_counted_as_they_are_held(tied, tmp_path):
    settings = settings_of(write_model(tmp_path, tied=tied), dtype="bfloat16")
    bare = Config.of(settings, "test")
    whole = Config.of({**settings, "ppo": {}, "algorithm": {"kl_coefficient": 0.001}}, "test")
    critic, reference = Critic.load(whole.model), Policy.load(whole.model, trained=False)
    moments = 2 * sum(each.numel() * each.element_size() for each in critic.parameters())
    before, now = plan(bare, 1), plan(whole, 1)
    assert (before.critic, before.reference) == (0, 0)
    assert (now.critic, now.critic_moments) == (in_memory(critic), moments)
    assert now.reference == in_memory(reference)
    for row in ("critic", "the critic's two moments", "reference policy"):
        assert f"  {row} " in told(whole, now)
        assert f"  {row} " not in told(bare, before)


def most_at_once(work: object) -> int:
    """The bytes that the allocator gave and did not get back, at the moment when these were most."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        work()  # type: ignore[operator]
    events = profiler.profiler.kineto_results.events()  # type: ignore[union-attr]
    changes = [event for event in events if event.name() == "[memory]"]
    return max(itertools.accumulate(each.nbytes() for each in sorted(changes, key=lambda each: each.start_ns())))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("checkpointing", [False, True])
def test_what_an_update_takes_is_within_a_tenth_of_what_the_allocator_gives(
    checkpointing, dtype, tiny_llama, monkeypatch
):
    """Of two micro-batches. Prompts are of one token: on the CPU alone, the attention of a token to a prompt takes a
    mask; and without being told, the CPU's would copy keys that a GPU's reads as they are. It widens the factors of the
    head, which a GPU does not."""
    monkeypatch.setattr(logprobs, "as_on_a_gpu", lambda _: False)
    monkeypatch.setattr(attention, "reads_groups", lambda query, *_: query.dtype != torch.float32)
    model = Model(path=str(tiny_llama), dtype=dtype, activation_checkpointing=checkpointing)
    policy = Policy.load(model)
    learner = Learner(policy, Algorithm(), Optimization(tokens_per_microbatch=512), steps=1)
    sequences = []
    for number in range(16):
        sequence = TokenSequence.of_prompt([number])
        sequence.append_sampled([place % 600 for place in range(64)], [-1.0] * 64, 0)
        sequences.append(sequence)
    moments = 2 * sum(each.numel() * each.element_size() for each in policy.parameters())
    taken = in_memory(policy) + moments + most_at_once(lambda: learner.imitate(sequences, 0))
    found = measured(Policy, model, read_shape(model), 1, Layout(groups=8, prompt=1, rollouts=1, sampled=63))
    told = found.parameters + 2 * found.trained + found.gradients + found.passes
    assert told == pytest.approx(taken, rel=0.1)
    (batch,) = microbatches(sequences[:8], 512)
    with torch.no_grad():
        assert found.asked == pytest.approx(most_at_once(lambda: policy(batch)), rel=0.1)


def phases_of(config: Config) -> dict[str, Phase]:
    return {phase.name: phase for phase in plan(config, 1).phases}


def test_an_engine_that_sleeps_leaves_the_whole_device_to_the_update(tiny_llama):
    settings = settings_of(tiny_llama) | {"algorithm": {"old_policy": "recompute"}}
    asleep = Config.of(settings, "test")
    awake = Config.of({**settings, "rollouts": {**SMALL, "sleep": False}}, "test")
    together = ["rollouts", "weight transfer"]
    assert [name for name, phase in phases_of(asleep).items() if phase.beside_engine] == together
    assert all(phase.beside_engine for phase in phases_of(awake).values())
    made = plan(asleep, 1)
    share = made.engine_share
    assert made.fits(made.update)
    assert not plan(awake, 1).fits(made.update)
    assert plan(awake, 1).fits(made.update / (1 - share) + 1)
    assert f"  update {made.update / GIB:>53.2f}  which sleeps" in told(asleep, made)


def test_old_log_probabilities_are_a_phase_where_somebody_asks_for_them(tiny_llama):
    settings = settings_of(tiny_llama)
    name = "old log-probabilities"
    assert name not in phases_of(Config.of(settings, "test"))
    assert name not in phases_of(Config.of(settings | {"algorithm": {"old_policy": "recompute"}}, "test"))
    more_steps = {"old_policy": "recompute", "epochs_per_batch": 2}
    for asks in ({"algorithm": more_steps}, {"algorithm": {"kl_coefficient": 0.1}}, {"ppo": {}}):
        phases = phases_of(Config.of(settings | asks, "test"))
        assert phases["rollouts"].training < phases[name].training < phases["update"].training


def test_offloaded_moments_are_on_the_device_for_the_optimizers_step_alone(tiny_llama):
    settings = settings_of(tiny_llama) | {"ppo": {}}
    here, there = (
        plan(Config.of({**settings, "optimization": {"tokens_per_microbatch": 512, "offload": each}}, "test"), 1)
        for each in (False, True)
    )
    moments = here.moments + here.critic_moments
    assert there.kept == here.kept - moments
    assert (here.in_host, there.in_host) == (0, moments)
    assert there.update == there.kept + there.gradients + max(there.passing + there.activations, there.critic_moments)
    no_activations = replace(there, passing=0, activations=0)
    assert no_activations.update == there.kept + there.gradients + there.critic_moments, "not both's at once"


def test_weights_on_their_way_to_the_engine_are_a_piece_and_no_more(tiny_llama, monkeypatch):
    model = Model(path=str(tiny_llama), dtype="float32")
    rollouts = Rollouts.model_validate({**SMALL, "dtype": "bfloat16"})
    weights = [each.numel() * 2 for _, each in Policy.load(model).weights()]
    shape = read_shape(model)
    assert on_their_way(model, rollouts, shape, 1) == sum(weights), "all of them are one piece"
    monkeypatch.setattr(weight_transfer, "PIECE_BYTES", 1000)
    assert on_their_way(model, rollouts, shape, 1) <= 1000 + max(weights)
    assert on_their_way(model, rollouts.model_copy(update={"backend": "transformers"}), shape, 1) == 0
    assert on_their_way(model, rollouts, shape, 2) > max(weights), "each is gathered"


def test_a_vllm_that_has_no_room_for_one_context_is_no_fit(tiny_llama):
    config = Config.of(settings_of(tiny_llama), "test")
    made = replace(plan(config, 1), kv_context=40 * GIB)
    assert not made.fits(80 * GIB)
    assert "vLLM has 32.00 GiB, and its weights and the cache of one context take 8.0 GiB more" in told(config, made)
    hardly = replace(made, kv_context=32 * GIB - made.engine + 2**21)
    assert "vLLM has 32.00 GiB, and its weights and the cache of one context take 2 MiB more" in told(config, hardly)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"ppo": {}, "rollouts": {**SMALL, "sleep": False}},
        {"rollouts": {**SMALL, "gpu_memory_share": 0.9}},
        {"rollouts": {**SMALL, "gpu_memory_share": 0.05, "context_tokens": 512}},
        {"rollouts": {**SMALL, "backend": "transformers"}, "optimization": {"tokens_per_microbatch": 6000}},
    ],
    ids=["plain", "ppo", "large engine", "small engine", "many tokens"],
)
def test_every_remedy_that_is_named_was_tried_and_leaves_a_tenth_free(more, tiny_llama):
    settings = settings_of(tiny_llama) | more
    config = Config.of(settings, "test")
    made, helped = plan(config, 1), 0
    for size in (made.most(1) * part for part in (0.3, 0.5, 0.7, 0.9, 1.0, 1.05, 1.3)):
        if made.has_room(size):
            continue
        said = what_helps(config, made, size)
        if said.startswith("no setting"):
            continue
        for remedy in said.removeprefix("what helps: ").split(", or "):
            gpus = re.search(r"(\d+) GPUs", remedy)
            changed = dict(settings)
            for name, value in changes_from(re.findall(r"[\w.]+=\S+", remedy)).items():
                section, _, setting = name.partition(".")
                changed[section] = {**changed.get(section, {}), setting: value}
            planned = plan(Config.of(changed, "test"), int(gpus[1]) if gpus else 1)
            assert planned.has_room(size), remedy
            helped += 1
    assert helped


def test_where_nothing_helps_that_is_said_with_what_is_left_to_do(tiny_llama):
    config = Config.of(settings_of(tiny_llama), "test")
    said = what_helps(config, plan(config, 1), 1000)
    assert (
        "nor do two of them or more such GPUs: take GPUs with more memory, or a smaller model, which adapters" in said
    )


def test_the_phase_that_is_named_rules_the_device_out(tiny_llama):
    config = Config.of(settings_of(tiny_llama) | {"rollouts": {**SMALL, "gpu_memory_share": 0.99}}, "test")
    made = plan(config, 1)
    size = made.update - 1
    assert made.largest(size).name != "update", "with the engine, others take more"
    with pytest.raises(UserError, match=r"training takes \S+ GiB \(update\); "):
        see_that_it_fits(config, made, size)


def test_more_than_nine_tenths_fit_only_on_paper_and_are_refused_by_nobody(tiny_llama):
    config = Config.of(settings_of(tiny_llama, attention="sdpa") | {"rollouts": {**SMALL, "sleep": False}}, "test")
    made = replace(plan(config, 1), parameters=40 * GIB)
    share = made.engine_share
    assert 0.85 < made.most(80 * GIB) / (80 * GIB) < 1
    close = replace(made, parameters=int((0.95 - share) * 80 * GIB))
    assert close.fits(80 * GIB)
    assert not close.has_room(80 * GIB)
    assert "  80 GiB a device: fits only on paper, with 76." in told(config, close)
    see_that_it_fits(config, close, 80 * GIB)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"rollouts": {**SMALL, "ahead": 1}, "algorithm": {"old_policy": "recompute"}}, "rollouts.ahead plays while"),
        ({"rollouts": {**SMALL, "context_tokens": 10**7}}, r"context_tokens is 10000000, and \S+ has \d+ positions"),
        ({"rewarding": {"parts": {"outcomes": 1}}}, "there is no part `outcomes`; ours are outcome, "),
        ({"data": {"mix": [{"share": 1}, {"share": 1e-9}]}}, "share"),
    ],
)
def test_what_a_training_would_refuse_needs_no_gpu_and_no_dataset_to_be_refused(more, said, tiny_llama):
    config = Config.of(settings_of(tiny_llama) | more, "test")
    with pytest.raises(UserError, match=said):
        check_settings(config, read_shape(config.model))
    plain = Config.of(settings_of(tiny_llama), "test")
    check_settings(plain, read_shape(plain.model))


def test_an_adapter_that_is_not_there_is_missed_by_the_plan_too(tiny_llama, tmp_path):
    config = Config.of(settings_of(tiny_llama, lora={"path": str(tmp_path / "none")}), "test")
    with pytest.raises(UserError, match=re.escape(str(tmp_path / "none"))):
        check_settings(config, read_shape(config.model))


@pytest.mark.parametrize("preset", sorted(path.stem for path in PRESETS.glob("*.yaml") if "cpu" not in path.stem))
def test_no_preset_is_refused_by_what_its_plan_checks(preset):
    config = Config.read(Path(preset))
    check_settings(config, read_shape(config.model))


def test_the_model_that_a_demo_makes_is_asked_for_by_its_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match="`make train-demo` makes, and is not there yet"):
        read_shape(Config.read(Path("smollm2-cpu")).model)


def test_an_engine_that_is_elsewhere_has_no_figures(tiny_llama):
    served = {"rollouts": {**SMALL, "backend": "vllm-server", "servers": ["http://one"]}}
    here, elsewhere = (Config.of(settings_of(tiny_llama) | more, "test") for more in ({}, served))
    assert "rollout engine, on each device" in told(here, plan(here, 1))
    assert not {"rollout engine", "KV cache"} & set(
        re.findall("rollout engine|KV cache", told(elsewhere, plan(elsewhere, 1)))
    )


@pytest.mark.parametrize("gpus", [1, 4])
@pytest.mark.parametrize("checkpointing", [False, True])
def test_from_a_few_layers_follow_all_of_them(checkpointing, gpus):
    shape = LlamaConfig(
        vocab_size=1000, hidden_size=64, intermediate_size=128, num_hidden_layers=6, num_attention_heads=4
    )
    model = Model(path="unused", dtype="bfloat16", activation_checkpointing=checkpointing)
    layout = Layout(groups=2, prompt=512, rollouts=4, sampled=128)
    assert footprint(Policy, model, shape, gpus, layout) == measured(Policy, model, shape, gpus, layout)
    assert not dist.is_initialized()


def test_more_devices_hold_less_each_of_what_is_sharded(tiny_llama):
    config = Config.of(settings_of(tiny_llama), "test")
    two, eight = plan(config, 2), plan(config, 8)
    for part in ("gradients", "moments"):
        assert getattr(eight, part) * 4 == pytest.approx(getattr(two, part), rel=0.02)
    assert eight.activations == pytest.approx(two.activations, rel=0.02)


def test_the_largest_micro_batch_has_the_tokens_that_there_may_be_and_the_longest_prompts():
    assert largest(Config.read(Path("qwen3-8b-16xh100"))) == Layout(1, prompt=24_000, rollouts=8, sampled=2120)
    for preset in ("single-gpu", "toolrl-grpo", "toolrl-ppo", "smollm2-cpu"):
        config = Config.read(Path(preset))
        layout, budget = largest(config), config.optimization.tokens_per_microbatch
        assert 0.95 * budget < layout.tokens <= budget
        assert layout.prompt == config.rollouts.max_prompt_tokens
    longer = Config.read(Path("single-gpu"), {"optimization.tokens_per_microbatch": 1000})
    assert largest(longer).tokens == longer.rollouts.context_tokens


@pytest.mark.parametrize("budget", [100, 1000, 1003, 1004, 5000])
@pytest.mark.parametrize("prompt", [500, 996, 999])
def test_a_prompt_that_leaves_a_group_hardly_a_token_has_a_largest_micro_batch_too(prompt, budget):
    settings = {
        **{"model": {"path": "x"}, "algorithm": {"rollouts_per_task": 8}},
        "rollouts": {"context_tokens": 1000, "max_prompt_tokens": prompt},
        "optimization": {"tokens_per_microbatch": budget},
    }
    layout, room = largest(Config.of(settings, "test")), max(1000, budget)
    assert 0.8 * room < layout.tokens <= room
    assert layout.prompt == prompt
    assert layout.sampled >= 1


def test_the_papers_model_has_its_parameters_and_its_preset_fits_sixteen_h100(monkeypatch):
    monkeypatch.setattr("trainer.memory.verdict.SIZES", (80,))
    config = Config.read(Path("qwen3-8b-16xh100"))
    made = plan(config, 16)
    assert made.shape.parameters / 1e9 == pytest.approx(8.19, abs=0.01)  # 8.2 B by the model's own card
    assert made.kv_token == 2 * 36 * 8 * 128 * 2
    assert made.fits(80 * GIB)
    text = told(config, made)
    assert "80 GiB a device: fits, with" in text
    with pytest.raises(
        UserError, match=r"a GPU of 30 GiB is too small for Qwen/Qwen3-8B: training takes 3\d\.\d GiB \(update\)"
    ):
        see_that_it_fits(config, made, 30 * GIB)


def test_a_gpu_too_small_is_refused_before_anything_is_read(tiny_llama, monkeypatch, tmp_path):
    config = Config.of(settings_of(tiny_llama), "test")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    gpu = type("Properties", (), {"total_memory": 2 * 2**20})
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: gpu)
    with pytest.raises(UserError, match=re.escape(f"too small for {tiny_llama}: training takes")) as refused:
        train(config, tmp_path / "no dataset", tmp_path / "out")
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "out").exists()


def test_lessons_alone_want_no_engine_and_their_gpu_is_asked_too(tiny_llama, monkeypatch, tmp_path):
    config = Config.of(settings_of(tiny_llama) | {"algorithm": {"kl_coefficient": 0.1}}, "test")
    played, taught = plan(config, 1), plan(_of_lessons(config), 1)
    assert (taught.engine, taught.reference) == (0, 0)
    assert 0 < taught.most(80 * GIB) < played.most(80 * GIB)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    gpu = type("Properties", (), {"total_memory": 2 * 2**20})
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: gpu)
    with pytest.raises(UserError, match=re.escape(f"too small for {tiny_llama}: training takes")):
        fine_tune(config, tmp_path / "no dataset", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_more_processes_than_gpus_are_refused_by_number(tiny_llama, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setenv("LOCAL_RANK", "2")
    with pytest.raises(UserError, match="process 2 of this machine has no GPU, there are 2"):
        check_gpu(Config.of(settings_of(tiny_llama), "test"))


def test_flops_are_six_a_parameter_and_token_and_eight_where_the_forward_pass_is_made_twice(tiny_llama):
    shape = shape_of(read_shape(Model(path=str(tiny_llama))))
    assert shape.training_flops(10, 0) == 60 * shape.parameters
    assert shape.training_flops(10, 0, recomputed=True) == 80 * shape.parameters
    assert shape.training_flops(10, 100) > shape.training_flops(10, 0)


def test_a_model_that_nobody_knows_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"model\.path"):
        read_shape(Model(path=str(tmp_path)))
    (tmp_path / "adapter_config.json").write_text("{}")
    with pytest.raises(UserError, match=r"holds an adapter: set model\.lora\.path to it"):
        read_shape(Model(path=str(tmp_path)))
