"""What the trainer refuses: in one line, and before anything is loaded where that can be known."""

import importlib.util
import re
import shutil

import pytest
import torch

from toolscale.errors import UserError
from trainer import grpo
from trainer.config import Config
from trainer.grpo import train
from trainer.learning.learner import Learner
from trainer.model.policy import Policy
from trainer.runs import evaluate_checkpoint, fine_tune


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rollouts.max_prompt_tokens": 16}, "no task's prompt keeps to rollouts.max_prompt_tokens, 16"),
        ({"model.path": "/nowhere/at/all"}, "model.path"),
        ({"rewarding": {"preference": [0, 1, 0]}}, "5 are needed, for find_coat, hang_coat"),
        ({"data.domains": ["zoo"]}, "no domain `zoo`"),
        ({"data.mix": [{"share": 1}, {"dataset": "/no/such"}]}, "data.mix: /no/such holds no dataset"),
        ({"data.mix": [{"share": 1}, {"share": 0.001}]}, "the share of dataset 1 is under a per cent"),
        ({"rollouts.max_prompt_tokens": 420, "rollouts.context_tokens": 421}, "no trajectory to warm-start on"),
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


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (".", "take {run}/model; `python -m trainer export {run} --to DIR` writes the policy of a checkpoint"),
        ("checkpoints/step-00000001", "no model: `python -m trainer export {run} --step 1 --to DIR`"),
        ("checkpoints", "take {run}/model; `python -m trainer export {run} --to"),
    ],
)
def test_a_training_in_place_of_a_model_is_told_where_its_model_is(named, said, config, dataset, tmp_path):
    run = tmp_path / "run"
    for file in ("config.yaml", "metrics.jsonl", "model/config.json", "checkpoints/step-00000001/progress.json"):
        (run / file).parent.mkdir(parents=True, exist_ok=True)
        (run / file).touch()
    with pytest.raises(UserError, match=re.escape(said.format(run=run))):
        evaluate_checkpoint(Config.read(config, {"model.path": str(run / named)}), dataset)


def test_a_gradient_that_is_no_number_changes_no_weights_and_is_told(config, dataset, tmp_path, monkeypatch):
    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", lambda *_: torch.tensor(float("nan")))
    with pytest.raises(UserError, match=r"the norm of its gradient nan; .* Lower warm_start.learning_rate") as refused:
        train(Config.read(config), dataset, tmp_path / "run")
    assert "\n" not in str(refused.value)
    assert not [*(tmp_path / "run" / "checkpoints").glob("step-*")]


def test_a_model_without_a_chat_template_is_refused(tiny_llama, config, dataset, tmp_path):
    bare = tmp_path / "bare"
    shutil.copytree(tiny_llama, bare)
    (bare / "chat_template.jinja").unlink()
    with pytest.raises(UserError, match="has no chat template"):
        train(Config.read(config, {"model.path": str(bare)}), dataset, tmp_path / "run")


@pytest.mark.parametrize(
    ("rollouts", "said"),
    [
        ({"backend": "vllm"}, "rollouts.backend is vllm, which is not installed here"),
        ({"backend": "vllm", "weight_transfer": "ipc"}, "rollouts.weight_transfer is ipc, which needs a GPU"),
        ({"backend": "vllm", "kv_cache_gib": 1e-4}, "the KV cache of 0.0001 GiB is too small for one episode"),
        ({"backend": "vllm-server", "servers": ["http://127.0.0.1:9"]}, "http://127.0.0.1:9 does not answer"),
    ],
)
def test_an_engine_that_cannot_start_is_known_before_a_model_is_loaded(
    rollouts, said, config, dataset, tmp_path, monkeypatch
):
    there = None if "not installed" in said else importlib.util.find_spec("torch")
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: there if name == "vllm" else find_spec(name))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(Policy, "load", lambda *_, **__: pytest.fail("the model was loaded"))
    settings = Config.read(config, {f"rollouts.{name}": value for name, value in rollouts.items()})
    for refuses in (lambda: train(settings, dataset, tmp_path / "run"), lambda: evaluate_checkpoint(settings, dataset)):
        with pytest.raises(UserError, match=re.escape(said)):
            refuses()


@pytest.mark.parametrize("resume", [False, True])
def test_after_an_engine_that_did_not_start_the_same_folder_takes_other_settings(
    resume, config, dataset, tmp_path, monkeypatch
):
    async def fails(*_: object) -> None:
        raise UserError("vLLM did not start: lower rollouts.context_tokens")

    monkeypatch.setattr(grpo, "open_engine", fails)
    for changes, again in (({}, False), ({"rollouts.context_tokens": 800}, resume)):
        with pytest.raises(UserError, match="vLLM did not start"):
            train(Config.read(config, {"warm_start": None, **changes}), dataset, tmp_path, resume=again)
    assert Config.read(tmp_path / "config.yaml").rollouts.context_tokens == 800
    with pytest.raises(UserError, match="vLLM did not start"):
        train(Config.read(config, {"warm_start.epochs": 1}), dataset, tmp_path)
    with pytest.raises(UserError, match=r"holds a training already \(step-00000000\)"):
        train(Config.read(config, {"warm_start.epochs": 1}), dataset, tmp_path)


def test_lessons_that_are_not_there_are_missed_before_a_model_is_loaded(config, dataset, tmp_path, monkeypatch):
    monkeypatch.setattr(Policy, "load", lambda *_, **__: pytest.fail("the model was loaded"))
    changes = {"rollouts.max_prompt_tokens": 420, "rollouts.context_tokens": 421}
    with pytest.raises(UserError, match="no trajectory to warm-start on"):
        train(Config.read(config, changes), dataset, tmp_path / "run")


def test_memory_that_runs_out_all_the_same_is_told_with_what_helps(config, dataset, tmp_path, monkeypatch):
    def greedy(*_: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.\nSee the documentation")

    for method in ("update", "imitate"):
        monkeypatch.setattr(Learner, method, greedy)
    settings = Config.read(config, {"warm_start": None})
    for name, refuses in (
        ("train", lambda: train(settings, dataset, tmp_path / "train")),
        ("sft", lambda: fine_tune(settings, dataset, tmp_path / "sft")),
    ):
        with pytest.raises(UserError, match=r"ran out \(CUDA out of memory.* lower optimization.tokens") as refused:
            refuses()
        assert "\n" not in str(refused.value), name
        assert ("--resume" in str(refused.value)) == (name == "train"), "lessons alone have no checkpoint"


def test_a_wrong_mixture_is_refused_before_a_model_is_looked_for_and_nothing_is_written(config, dataset, tmp_path):
    settings = Config.read(config, {"model.path": "/nowhere", "data.mix": [{"dataset": str(tmp_path / "zoo")}]})
    for refuses in (
        lambda: train(settings, dataset, tmp_path / "run"),
        lambda: fine_tune(settings, dataset, tmp_path / "run"),
        lambda: evaluate_checkpoint(settings, dataset),
    ):
        with pytest.raises(UserError, match=r"data\.mix: .*zoo holds no dataset"):
            refuses()
    assert not (tmp_path / "run").exists()


def test_a_training_into_its_dataset_is_refused_before_anything_is_written(config, dataset):
    before = sorted(dataset.rglob("*"))
    for refuses in (train, fine_tune):
        with pytest.raises(UserError, match="would write into the dataset"):
            refuses(Config.read(config), dataset, dataset)
    assert sorted(dataset.rglob("*")) == before


def test_a_training_that_nothing_will_evaluate_is_warned_of(config, dataset, tmp_path, caplog):
    bare = tmp_path / "bare"
    shutil.copytree(dataset, bare)
    (bare / "tasks" / "eval.parquet").unlink()
    for where, warned in ((dataset, False), (bare, True)):
        caplog.clear()
        with pytest.raises(UserError, match="no tokenizer"):
            train(Config.read(config, {"model.path": "/nowhere"}), where, tmp_path / "run")
        assert ("evaluated neither before nor after" in caplog.text) == warned
