"""A configuration is read whole or refused in one line."""

from pathlib import Path

import pytest

from toolscale.errors import UserError
from trainer.config import PRESETS, Config, changes_from


@pytest.mark.parametrize("preset", sorted(path.stem for path in PRESETS.glob("*.yaml")))
def test_every_preset_parses_and_is_read_back_as_it_was_written(preset, tmp_path):
    config = Config.read(Path(preset))
    config.write(tmp_path / "written.yaml")
    assert Config.read(tmp_path / "written.yaml") == config


def test_the_papers_preset_has_the_papers_numbers():
    config = Config.read(Path("qwen3-8b-16xh100"))
    assert config.model.path == "Qwen/Qwen3-8B"
    assert config.optimization.learning_rate == 1e-6
    assert (config.rollouts.max_prompt_tokens, config.rollouts.max_sampled_tokens) == (24_000, 8_000)
    assert (config.algorithm.tasks_per_step, config.algorithm.rollouts_per_task) == (16, 8)
    assert (config.rollouts.max_turns, config.algorithm.least_std) == (50, 0.1)
    assert config.algorithm.kl_coefficient == 0
    assert config.rewarding.preference is None


@pytest.mark.parametrize("able", ["float32", "bfloat16"])
def test_auto_is_settled_when_it_is_read_and_written_down_as_what_it_became(able, monkeypatch, tmp_path):
    monkeypatch.setattr("trainer.precision.native", lambda: able)
    config = Config.of({"model": {"path": "m", "dtype": "auto"}}, "test")
    config.write(tmp_path / "config.yaml")
    monkeypatch.setattr("trainer.precision.native", lambda: "another machine's")
    assert Config.read(tmp_path / "config.yaml").model.dtype == able


def test_changes_by_dotted_name_win_over_the_file(tmp_path):
    (tmp_path / "c.yaml").write_text("model: {path: a}\nsteps: 3\n")
    changes = changes_from(
        ["steps=5", "optimization.learning_rate=2e-6", "rollouts.tool_latency=[0, 2]", "warm_start.batch=4"]
    )
    config = Config.read(tmp_path / "c.yaml", changes)
    assert (config.steps, config.optimization.learning_rate, config.rollouts.tool_latency) == (5, 2e-6, (0, 2))
    assert config.warm_start is not None
    assert config.warm_start.batch == 4
    assert config.model.path == "a"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model: {path: a}\nstepps: 3", "`stepps`: there is no such setting"),
        ("model: {path: a, colour: red}", "`model.colour`: there is no such setting"),
        ("steps: 3", "`model`"),
        ("model: {path: a}\nsteps: many", "`steps`"),
        ("model: [", "is not YAML"),
        ("model: " + "[" * 2000, "nests too deep"),
        ("just words", "holds no settings"),
        ("model: {path: a}\nrollouts: {max_prompt_tokens: 64, context_tokens: 64}", "leaves no room"),
        ("model: {path: a}\nrollouts: {backend: vllm-server}", "rollouts.servers"),
        ("model: {path: a}\nrollouts: {servers: ['http://a']}", "rollouts.servers"),
        ("model: {path: a}\nalgorithm: {minibatches: 17}", "algorithm.minibatches"),
        ("model: {path: a}\nrollouts: {top_p: 0.9}", "rollouts.top_p"),
        ("model: {path: a}\nrewarding: {kind: toolrl, preference: [0, 1, 0, 0]}", "rewarding.preference"),
        ("model: {path: a}\nrewarding: {schedule: sometimes}", "`rewarding.schedule`"),
        ("model: {path: a}\nrollouts: {tool_latency: [2, 1]}", "tool_latency"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_one_line(text, said, tmp_path):
    file = tmp_path / "c.yaml"
    file.write_text(text)
    with pytest.raises(UserError) as refused:
        Config.read(file)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert str(file) in str(refused.value)


def test_a_file_that_is_not_there_is_answered_with_the_presets(tmp_path):
    with pytest.raises(UserError, match=r"qwen3-8b-16xh100, route-smollm2-cpu, single-gpu, smollm2-cpu"):
        Config.read(tmp_path / "none.yaml")


@pytest.mark.parametrize("assignment", ["steps", "=3", "steps=[1"])
def test_an_assignment_of_another_form_is_refused(assignment):
    with pytest.raises(UserError, match="NAME=VALUE"):
        changes_from([assignment])
