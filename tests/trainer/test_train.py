"""The whole trainer on a tiny model: from a dataset to a model that loads, killed and resumed, and what it refuses."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.trainer.schooling import write_taught_dataset, write_tiny_settings
from toolscale.errors import UserError
from trainer.config import Config
from trainer.grpo import train
from trainer.metrics import read_metrics

ROOT = Path(__file__).parents[2]
WITHOUT_CLOCK = ("seconds",)


@pytest.fixture(scope="module")
def dataset(environment, tasks, tmp_path_factory) -> Path:
    return write_taught_dataset(tmp_path_factory.mktemp("data") / "dataset", environment, tasks)


@pytest.fixture(scope="module")
def config(tiny_llama, tmp_path_factory) -> Path:
    return write_tiny_settings(tmp_path_factory.mktemp("config") / "tiny.yaml", tiny_llama)


def started(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "trainer", *map(str, arguments)]
    # One thread: sums over several may come in another order.
    surroundings = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "TOKENIZERS_PARALLELISM": "false"}
    return subprocess.Popen(
        command, cwd=ROOT, env=surroundings, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def trainer(*arguments: object, status: int = 0) -> tuple[str, str]:
    """What the command said on standard output and standard error."""
    process = started(*arguments)
    said, errors = process.communicate(timeout=600)
    assert process.returncode == status, errors
    return said, errors


def figures(folder: Path) -> list[dict]:
    return [{name: value for name, value in line.items() if name not in WITHOUT_CLOCK} for line in read_metrics(folder)]


def weights(folder: Path) -> bytes:
    return (folder / "model" / "model.safetensors").read_bytes()


@pytest.fixture(scope="module")
def uninterrupted(config, dataset, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "whole"
    trainer("train", "--config", config, "--dataset", dataset, "--out", out)
    return out


def test_a_training_goes_from_a_dataset_to_a_model_that_loads(uninterrupted):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    lines = figures(uninterrupted)
    assert [line["step"] for line in lines if line["kind"] == "train"] == [1, 2, 3]
    assert [line["step"] for line in lines if line["kind"] == "evaluation"] == [0, 2, 3]
    supervised = [line["loss"] for line in lines if line["kind"] == "sft"]
    assert supervised[-1] < 0.5 * supervised[0]
    updates = [line for line in lines if line["kind"] == "train" and line["updates"]]
    assert updates, "no group had rewards that differ, so nothing was learned"
    assert all(line["grad_norm"] > 0 and line["mismatch_max"] < 1e-4 for line in updates)
    result = json.loads((uninterrupted / "result.json").read_text())
    assert result["steps"] == 3
    assert result["after"]["tasks"] == 2
    assert result["dataset"] in (uninterrupted / "model" / "README.md").read_text()
    AutoModelForCausalLM.from_pretrained(result["model"])
    assert AutoTokenizer.from_pretrained(result["model"]).chat_template
    assert Path(result["checkpoint"]).name == "step-00000003"


def test_a_training_killed_after_its_second_step_goes_on_to_the_bit(uninterrupted, config, dataset, tmp_path):
    out = tmp_path / "cut"
    process = started("train", "--config", config, "--dataset", dataset, "--out", out)
    deadline = time.monotonic() + 300
    while not (out / "checkpoints" / "step-00000002").exists():
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert not (out / "model").exists()
    _, errors = trainer("train", "--config", config, "--dataset", dataset, "--out", out, status=2)
    assert "--resume" in errors
    trainer("train", "--config", config, "--dataset", dataset, "--out", out, "--resume")
    assert figures(out) == figures(uninterrupted)
    assert weights(out) == weights(uninterrupted)


def test_a_longer_training_goes_on_from_a_finished_one_and_other_settings_do_not(uninterrupted, config, dataset):
    arguments = ("--config", config, "--dataset", dataset, "--out", uninterrupted, "--resume")
    _, errors = trainer("train", *arguments, "--set", "optimization.learning_rate=0.1", status=2)
    assert "`optimization`" in errors


def test_supervised_fine_tuning_lowers_the_loss(config, dataset, tmp_path):
    trainer("sft", "--config", config, "--dataset", dataset, "--out", tmp_path, "--set", "warm_start.epochs=5")
    losses = [line["loss"] for line in figures(tmp_path)]
    assert losses[-1] < 0.5 * losses[0]
    assert (tmp_path / "model" / "model.safetensors").is_file()


def test_evaluate_prints_a_pass_rate_with_its_interval_and_pass_at_k(config, dataset):
    said, _ = trainer("evaluate", "--config", config, "--dataset", dataset, "--set", "evaluation.samples=2")
    found = json.loads(said.splitlines()[-1])
    assert found["tasks"] == 2
    assert found["low"] <= found["pass_rate"] <= found["high"]
    assert 0 <= found["pass_at_1"] <= found["pass_at_2"] <= 1


def test_the_papers_preset_runs_through_with_a_shrunken_model(tiny_llama, dataset, tmp_path):
    changes = {
        "model.path": tiny_llama,
        "rollouts.backend": "transformers",
        "rollouts.max_turns": 2,
        "rollouts.max_prompt_tokens": 500,
        "rollouts.max_sampled_tokens": 24,
        "rollouts.context_tokens": 700,
        "algorithm.tasks_per_step": 2,
        "algorithm.rollouts_per_task": 2,
        "optimization.tokens_per_microbatch": 2048,
        "evaluation.tasks": 1,
        "logging.tensorboard": "false",
        "steps": 1,
    }
    given = [part for name, value in changes.items() for part in ("--set", f"{name}={value}")]
    trainer("train", "--config", "qwen3-8b-16xh100", "--dataset", dataset, "--out", tmp_path / "run", *given)
    kinds = [line["kind"] for line in read_metrics(tmp_path / "run")]
    assert kinds == ["evaluation", "train", "evaluation"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rollouts.max_prompt_tokens": 16}, "no task's prompt keeps to rollouts.max_prompt_tokens, 16"),
        ({"model.path": "/nowhere/at/all"}, "model.path"),
        ({"rewarding": {"preference": [0, 1, 0]}}, "5 are needed, for find_coat, hang_coat"),
        ({"warm_start.learning_rate": 1e30, "warm_start.epochs": 3}, "the norm of its gradient nan"),
        ({"data.domains": ["zoo"]}, "no domain `zoo`"),
        ({"rollouts.max_prompt_tokens": 20, "rollouts.context_tokens": 32}, "no trajectory to warm-start on"),
        ({"model.chat_template": "/nowhere.jinja"}, "model.chat_template"),
    ],
)
def test_what_cannot_be_trained_with_is_refused_and_leaves_no_checkpoint(changes, said, config, dataset, tmp_path):
    if "max_prompt_tokens, 16" in said:
        changes = {**changes, "warm_start": None}
    with pytest.raises(UserError, match=re.escape(said)) as refused:
        train(Config.read(config, changes), dataset, tmp_path / "run")
    assert "\n" not in str(refused.value)
    assert not [*(tmp_path / "run" / "checkpoints").glob("step-*")]


def test_a_model_without_a_chat_template_is_refused(tiny_llama, config, dataset, tmp_path):
    bare = tmp_path / "bare"
    shutil.copytree(tiny_llama, bare)
    (bare / "chat_template.jinja").unlink()
    with pytest.raises(UserError, match="has no chat template"):
        train(Config.read(config, {"model.path": str(bare)}), dataset, tmp_path / "run")


def test_what_a_user_can_mend_is_one_line_and_status_two(config, dataset, tmp_path):
    arguments = ("train", "--config", config, "--out", tmp_path / "run")
    _, errors = trainer(*arguments, "--dataset", tmp_path / "none", status=2)
    assert "no such folder" in errors.splitlines()[-1]
    _, errors = trainer(*arguments, "--dataset", dataset, "--set", "rollouts.max_turn=3", status=2)
    said = f"trainer: {config}: `rollouts.max_turn`: there is no such setting; trainer/config.py lists them"
    assert errors.splitlines() == [said]


def test_two_processes_train_together_and_resume(config, dataset, tmp_path):
    out = tmp_path / "two"
    surroundings = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "TOKENIZERS_PARALLELISM": "false"}

    def together(*more: str) -> None:
        launcher = [
            sys.executable,
            "-m",
            "torch.distributed.run",
            "--standalone",
            "--nproc-per-node=2",
            "-m",
            "trainer",
        ]
        given = ["train", "--config", str(config), "--dataset", str(dataset), "--out", str(out), *more]
        ended = subprocess.run(
            [*launcher, *given], cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stderr

    together("--set", "steps=1", "--set", "algorithm.kl_coefficient=0.1")
    together("--set", "steps=2", "--set", "algorithm.kl_coefficient=0.1", "--resume")
    lines = figures(out)
    steps = [line for line in lines if line["kind"] == "train"]
    assert [line["step"] for line in steps] == [1, 2]
    assert [line["rollouts"] for line in steps] == [8, 8]
    assert all(line["mismatch_max"] < 1e-4 for line in steps if line["updates"])
    assert (out / "warm-start" / "model.safetensors").is_file()
    assert json.loads((out / "result.json").read_text())["steps"] == 2
