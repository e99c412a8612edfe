"""ToolRL's presets, with a tiny model in its place: supervised on golden steps, then epochs of GRPO or PPO on steps."""

import pytest

from tests.trainer.test_mix import write_step_set
from trainer import grpo
from trainer.config import Config
from trainer.learning import batches
from trainer.rewards.rewarding import group_rewards
from trainer.settings_file import PRESETS

SHRUNKEN = {
    "model.dtype": "float32",
    "model.activation_checkpointing": False,
    "rollouts.backend": "transformers",
    "rollouts.max_sampled_tokens": 96,
    "rollouts.at_once": 8,
    "algorithm.tasks_per_step": 4,
    "algorithm.minibatches": 2,
    "optimization.tokens_per_microbatch": 4096,
    "warm_start": {"batch": 4, "epochs": 6, "learning_rate": 3e-3},
    "rewarding.schedule": "dynamic",
    "evaluation.tasks": 1,
    "epochs": 1,
}
TASKS = 10


@pytest.fixture
def trained(tiny_llama, tmp_path, monkeypatch):
    """The lines of metrics, and what the rewards were told of the training's progress."""
    met = []

    def spied(group, exercise, rewarding, progress):
        met.append((progress.step, progress.steps))
        return group_rewards(group, exercise, rewarding, progress)

    monkeypatch.setattr(batches, "group_rewards", spied)
    folder = write_step_set(tmp_path / "steps", TASKS)
    config = Config.read(PRESETS / "toolrl-grpo.yaml", {**SHRUNKEN, "model.path": str(tiny_llama)})
    lines = []
    result = grpo.train(config, folder, tmp_path / "out", hear=lines.append)
    monkeypatch.undo()
    longer = config.model_copy(update={"epochs": 2})
    resumed = grpo.train(longer, folder, tmp_path / "out", resume=True, hear=lambda line: None)
    return config, lines, met, result, resumed


def test_the_preset_goes_from_steps_to_a_model_in_as_many_steps_as_its_epochs_take(trained):
    config, lines, met, result, resumed = trained
    supervised = [line["loss"] for line in lines if line["kind"] == "sft"]
    assert supervised[-1] < 0.7 * supervised[0]
    steps = -(-TASKS // config.algorithm.tasks_per_step)
    taught = [line for line in lines if line["kind"] == "train"]
    assert [line["step"] for line in taught] == list(range(1, steps + 1)) == list(range(1, result.steps + 1))
    assert {line["rollouts"] for line in taught} == {16.0}
    assert {line["updates"] for line in taught} == {2.0}, "an update for each mini-batch"
    assert {line["homogeneous_groups"] for line in taught} == {0.0}, "nothing is filtered"
    assert sorted(set(met)) == [(step, steps) for step in range(steps)], "the schedule moves with the training"
    assert len(met) == steps * config.algorithm.tasks_per_step
    assert (result.steps, resumed.steps) == (3, 5), "it goes on for another epoch, which the third step began"


def test_the_preset_of_ppo_learns_from_one_rollout_of_each_step(tiny_llama, tmp_path):
    roomy = {"rollouts.max_prompt_tokens": 2048, "rollouts.context_tokens": 2560}
    config = Config.read(PRESETS / "toolrl-ppo.yaml", {**SHRUNKEN, **roomy, "model.path": str(tiny_llama)})
    lines = []
    grpo.train(config, write_step_set(tmp_path / "steps", TASKS), tmp_path / "out", hear=lines.append)
    taught = [line for line in lines if line["kind"] == "train"]
    assert len(taught) == 3
    assert {(line["rollouts"], line["updates"], line["homogeneous_groups"]) for line in taught} == {(4.0, 2.0, 0.0)}
    assert {line["critic_learning_rate"] for line in taught} == {1e-5}
    assert all(line["value_loss"] > 0 and line["critic_grad_norm"] > 0 for line in taught)
    assert all(line["reference_kl"] >= 0 for line in taught)


def test_every_line_of_the_preset_that_varies_the_reward_is_one_that_can_be_set():
    for name, values in {
        "schedule": ("constant", "dynamic", "two_stage", "equal_maxima"),
        "granularity": ("original", "finegrained", "intermediate", "coarse"),
        "length": ("none", "fixed", "dynamic"),
    }.items():
        for value in values:
            config = Config.read(PRESETS / "toolrl-grpo.yaml", {f"rewarding.{name}": value})
            assert getattr(config.rewarding.design(thinks=True), name) == value


def test_steps_and_epochs_at_once_are_refused_before_anything_is_read(tmp_path):
    with pytest.raises(Exception, match="take one out: --set steps=null leaves the epochs"):
        Config.read(PRESETS / "toolrl-grpo.yaml", {"steps": 3})
    short = Config.read(PRESETS / "toolrl-grpo.yaml", {"steps": 3, "epochs": None})
    assert short.lasting(1000).steps == 3
