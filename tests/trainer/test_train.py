"""The whole trainer on a tiny model: from a dataset to a model that loads, killed and resumed."""

import functools
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from toolscale.dataset.questions import write_questions
from toolscale.errors import UserError
from toolscale.mock_endpoint.experts.expert import catalogue_text, read_experts
from toolscale.mock_endpoint.experts.quiz import make_questions
from toolscale.questions.task import QuestionTask
from trainer import grpo
from trainer.config import Config
from trainer.grpo import train
from trainer.learning.learner import Learner
from trainer.output.checkpoint_export import export_checkpoint
from trainer.output.metrics import read_metrics
from trainer.record.files import RolloutFiles
from trainer.rollout.transformers_engine import TransformersEngine
from trainer.runs import evaluate_checkpoint, fine_tune

ROOT = Path(__file__).parents[2]
WITHOUT_CLOCK = ("seconds",)


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


def rollouts(folder: Path) -> list[list[dict]]:
    """Of each step, without what depends on the clock."""
    files = RolloutFiles(folder / "rollouts")
    found = [files.read(step) for step in files.steps()]
    for row in (row for rows in found for row in rows):
        del row["seconds"]
        del row["measured"]["latency"]
    return found


def test_every_rollout_is_written_down_with_what_was_learnt_from_it(uninterrupted):
    steps = rollouts(uninterrupted)
    lines = [line for line in figures(uninterrupted) if line["kind"] == "train"]
    assert [[row["step"] for row in rows] for rows in steps] == [[step] * 8 for step in (1, 2, 3)]
    for rows, line in zip(steps, lines, strict=True):
        assert [(row["group"], row["attempt"]) for row in rows] == [
            (group, one) for group in (0, 1) for one in range(4)
        ]
        assert sum(row["reward"] for row in rows) / 8 == pytest.approx(line["reward_mean"])
        assert sum(row["left_out"] is None for row in rows) == line["sequences"]
        learnt = [row for row in rows if row["left_out"] is None]
        assert sum(sum(row["sampled"]) for row in learnt) == line["tokens"]
        for row in learnt:
            assert row["policy_versions"] == [row["step"] - 1] * len(row["policy_versions"])
            both = zip(row["engine_logprobs"], row["trainer_logprobs"], strict=True)
            assert all(ours == pytest.approx(engine, abs=1e-3) for engine, ours in both if engine is not None)
            assert (row["updated_logprobs"] is None) == (row["step"] % 2 == 1)
    page = (uninterrupted / "report.html").read_text()
    assert "step 3 of 3" in page
    assert len(re.findall(r'id="group-\d+-\d+"', page)) == 6


def test_a_checkpoint_is_exported_as_the_training_itself_would(uninterrupted, tmp_path):
    export_checkpoint(uninterrupted, tmp_path / "last")
    assert (tmp_path / "last" / "model.safetensors").read_bytes() == weights(uninterrupted)
    said, _ = trainer("export", uninterrupted, "--step", 2, "--to", tmp_path / "two")
    assert "step-00000002" in said
    assert "GRPO: 2 steps" in (tmp_path / "two" / "README.md").read_text()
    assert (tmp_path / "two" / "model.safetensors").read_bytes() != weights(uninterrupted)
    with pytest.raises(UserError, match="no checkpoint of step 1; there are 2, 3"):
        export_checkpoint(uninterrupted, tmp_path / "one", 1)
    with pytest.raises(UserError, match="is there already"):
        export_checkpoint(uninterrupted, tmp_path / "two")
    with pytest.raises(UserError, match="has no adapter"):
        export_checkpoint(uninterrupted, tmp_path / "adapter", adapter=True)
    with pytest.raises(UserError, match="holds no checkpoint"):
        export_checkpoint(tmp_path, tmp_path / "none")


def killed_after(step: int, out: Path, *arguments: object) -> None:
    process = started(*arguments, "--out", out)
    deadline = time.monotonic() + 300
    while not (out / "checkpoints" / f"step-{step:08d}").exists():
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert not (out / "model").exists()


def where_it_lies(out: Path) -> str:
    return f"finished after 3 steps: the model lies at {out}/model, the report at {out}/report.html"


def test_a_finished_training_that_is_resumed_says_where_its_model_lies_and_changes_nothing(
    uninterrupted, config, dataset
):
    before = figures(uninterrupted), weights(uninterrupted)
    said, errors = trainer("train", "--config", config, "--dataset", dataset, "--out", uninterrupted, "--resume")
    assert said.splitlines() == [where_it_lies(uninterrupted)]
    assert "afresh" not in errors
    assert (figures(uninterrupted), weights(uninterrupted)) == before


def test_a_training_killed_after_its_second_step_goes_on_to_the_bit(uninterrupted, config, dataset, tmp_path):
    out = tmp_path / "cut"
    killed_after(2, out, "train", "--config", config, "--dataset", dataset)
    _, errors = trainer("train", "--config", config, "--dataset", dataset, "--out", out, status=2)
    assert "--resume" in errors
    said, _ = trainer("train", "--config", config, "--dataset", dataset, "--out", out, "--resume")
    assert said.splitlines()[-1] == where_it_lies(out)
    assert figures(out) == figures(uninterrupted)
    assert weights(out) == weights(uninterrupted)
    assert rollouts(out) == rollouts(uninterrupted)


PPO = (
    "ppo.critic_learning_rate=1e-3",
    "algorithm.kl_coefficient=0.01",
    "algorithm.least_std=0",
    "evaluation.every=0",
)


def test_ppo_learns_and_killed_after_its_first_step_goes_on_to_the_bit(config, dataset, tmp_path):
    given = [part for change in PPO for part in ("--set", change)]
    arguments = ("train", "--config", config, "--dataset", dataset, *given)
    trainer(*arguments, "--out", tmp_path / "whole")
    steps = [line for line in figures(tmp_path / "whole") if line["kind"] == "train"]
    assert [line["updates"] for line in steps] == [1, 1, 1]
    assert all(line["grad_norm"] > 0 and line["critic_grad_norm"] > 0 for line in steps)
    assert abs(steps[-1]["explained_variance"]) > 1e-3, "a critic that has learned nothing is at 0"
    assert steps[0]["reference_kl"] < 1e-6 < steps[-1]["reference_kl"]
    assert "PPO: 3 steps" in (tmp_path / "whole" / "model" / "README.md").read_text()
    killed_after(1, tmp_path / "cut", *arguments)
    trainer(*arguments, "--out", tmp_path / "cut", "--resume")
    assert figures(tmp_path / "cut") == figures(tmp_path / "whole")
    assert weights(tmp_path / "cut") == weights(tmp_path / "whole")


LORA = ("model.lora={rank: 8, alpha: 16}", "algorithm.kl_coefficient=0.01", "evaluation.every=0", "steps=2")


def test_adapters_learn_are_resumed_to_the_bit_and_are_exported_both_ways(config, dataset, taught_llama, tmp_path):
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    given = [part for change in (*LORA, f"model.path={taught_llama}") for part in ("--set", change)]
    arguments = ("train", "--config", config, "--dataset", dataset, *given)
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    trainer(*arguments, "--out", whole)
    lines = figures(whole)
    supervised = [line["loss"] for line in lines if line["kind"] == "sft"]
    steps = [line for line in lines if line["kind"] == "train"]
    assert supervised[-1] < supervised[0]
    assert any(line["updates"] for line in steps)
    assert all(line["mismatch_max"] < 1e-4 for line in steps if line["updates"])
    assert steps[0].get("reference_kl", 0) < 1e-6, "the reference is the policy after the warm start"
    merged = AutoModelForCausalLM.from_pretrained(whole / "model")
    beside = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(taught_llama), whole / "adapter")
    ids = torch.arange(20)[None]
    with torch.no_grad():
        torch.testing.assert_close(beside(ids).logits, merged(ids).logits, rtol=0, atol=1e-4)
    assert "LoRA: rank 8, alpha 16, merged" in (whole / "model" / "README.md").read_text()
    size = sum(file.stat().st_size for file in (whole / "checkpoints" / "step-00000002").iterdir())
    assert size < 0.7 * sum(each.numel() * 4 * 3 for each in merged.parameters()), "not the weights' and their moments'"
    killed_after(1, cut, *arguments)
    trainer(*arguments, "--out", cut, "--resume")
    assert figures(cut) == figures(whole)
    assert weights(cut) == weights(whole)
    beside = {"model.path": str(taught_llama), "model.lora": {"rank": 8, "alpha": 16, "path": str(whole / "adapter")}}
    assert evaluate_checkpoint(Config.read(config, beside), dataset) == evaluate_checkpoint(
        Config.read(config, {"model.path": str(whole / "model")}), dataset
    )
    with pytest.raises(UserError, match=r"holds an adapter: set model\.lora\.path to it"):
        fine_tune(Config.read(config, {"model.path": str(whole / "adapter")}), dataset, tmp_path / "sft")


def test_a_curriculum_and_redrawn_groups_go_on_to_the_bit(config, dataset, tmp_path):
    drawing = ("data.curriculum={half_life: 5}", "algorithm.redraw=1", "evaluation.every=0")
    arguments = ("train", "--config", config, "--dataset", dataset, *(p for each in drawing for p in ("--set", each)))
    trainer(*arguments, "--out", tmp_path / "whole")
    steps = [line for line in figures(tmp_path / "whole") if line["kind"] == "train"]
    assert all(line["rollouts"] == 4 * line["drawn_groups"] for line in steps)
    assert all(line["homogeneous_groups"] >= line["redrawn_groups"] for line in steps)
    assert any(line["redrawn_groups"] for line in steps), "no group was alike, so nothing is shown"
    assert all(0 <= line["estimate_error"] <= 1 and 0 < line["estimated_rate"] < 1 for line in steps)
    killed_after(2, tmp_path / "cut", *arguments)
    trainer(*arguments, "--out", tmp_path / "cut", "--resume")
    assert figures(tmp_path / "cut") == figures(tmp_path / "whole")
    assert weights(tmp_path / "cut") == weights(tmp_path / "whole")


AHEAD = ("rollouts.ahead=1", "algorithm.old_policy=recompute", "rollouts.oversample=1.5", "data.curriculum={}")


def test_rollouts_run_ahead_by_one_version_and_what_was_in_flight_is_played_again(config, dataset, tmp_path):
    arguments = ("train", "--config", config, "--dataset", dataset, *(p for each in AHEAD for p in ("--set", each)))
    out = tmp_path / "run"
    killed_after(2, out, *arguments)
    place = json.loads((out / "checkpoints" / "step-00000002" / "progress.json").read_text())["progress"]["place"]
    assert place["position"] == 2 * 3, "what was already played for the third step counts as not drawn"
    trainer(*arguments, "--out", out, "--resume")
    steps = [line for line in figures(out) if line["kind"] == "train"]
    assert [line["step"] for line in steps] == [1, 2, 3]
    assert [line["age_max"] for line in steps] == [0, 1, 0]
    assert all(line["rollouts"] == 8 and line["abandoned_groups"] == 1 for line in steps)
    seconds = [line["seconds"] for line in read_metrics(out) if line["kind"] == "train"]
    assert all(each["playing"] > 0 for each in seconds)


def test_the_engine_sleeps_while_the_policy_learns_and_wakes_to_its_weights(config, dataset, tmp_path, monkeypatch):
    happened: list[str] = []

    def noting(name: str, method):
        @functools.wraps(method)
        def noted(*given, **named):
            happened.append(name)
            return method(*given, **named)

        return noted

    for of, name in ((TransformersEngine, "sleep"), (TransformersEngine, "load_weights"), (Learner, "update")):
        monkeypatch.setattr(of, name, noting(name, getattr(of, name)))
    settings = {"warm_start": None, "evaluation.tasks": 1, "evaluation.every": 0, "steps": 2}
    train(Config.read(config, settings), dataset, tmp_path / "run")
    assert happened == ["load_weights", *["sleep", "update", "load_weights"] * 2]
    line = next(line for line in read_metrics(tmp_path / "run") if line["kind"] == "train")
    assert {"rollouts", "sleep", "update", "weights"} <= line["seconds"].keys()


@pytest.mark.parametrize("at", [0, 2])
def test_an_evaluation_that_fails_costs_no_step_and_not_the_warm_start(config, dataset, tmp_path, monkeypatch, at):
    did: list[str] = []
    whole, learn, imitate = grpo.evaluate, Learner.update, Learner.imitate

    async def evaluate(collector, *given, **named):
        did.append("evaluate")
        if did.count("evaluate") == (1 if at == 0 else 2):
            raise UserError("the user does not answer")
        return await whole(collector, *given, **named)

    monkeypatch.setattr(grpo, "evaluate", evaluate)
    for name, method in (("update", learn), ("imitate", imitate)):
        monkeypatch.setattr(
            Learner, name, lambda self, *given, name=name, method=method: did.append(name) or method(self, *given)
        )
    settings = Config.read(config, {"steps": 2, "checkpoints.every": 100, "warm_start.epochs": 1})
    with pytest.raises(UserError, match="does not answer"):
        train(settings, dataset, tmp_path / "run")
    train(settings, dataset, tmp_path / "run", resume=True)
    assert did.count("update") == 2
    assert did.index("update") > max(place for place, name in enumerate(did) if name == "imitate")
    evaluations = [line["step"] for line in read_metrics(tmp_path / "run") if line["kind"] == "evaluation"]
    assert evaluations == [0, 2]
    calls = did.count("imitate")
    train(settings, dataset, tmp_path / "other")
    assert did.count("imitate") == 2 * calls, "the warm start was not done again"


def test_a_longer_training_goes_on_from_a_finished_one_and_other_settings_do_not(uninterrupted, config, dataset):
    arguments = ("--config", config, "--dataset", dataset, "--out", uninterrupted, "--resume")
    _, errors = trainer("train", *arguments, "--set", "optimization.weight_decay=0.1", status=2)
    assert "`optimization.weight_decay`" in errors


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


def test_the_papers_preset_runs_through_with_a_shrunken_model_and_a_warm_start(
    tiny_llama, dataset, tmp_path, monkeypatch
):
    """Its mix too: tasks with drawn tools, and questions, which have no trajectories to start on."""
    monkeypatch.setenv("TOOLSCALE_DATA_ROOT", str(tmp_path))
    quiz = [
        QuestionTask(id=each.id, question=each.question, answer=each.answer, split="eval" if place < 2 else "train")
        for place, each in enumerate(make_questions(20))
    ]
    write_questions(tmp_path / "quiz", lambda split: [task for task in quiz if task.split == split])
    (tmp_path / "catalogue.toml").write_text(catalogue_text(read_experts(), "http://127.0.0.1:1/v1"))
    changes = {
        "model.path": tiny_llama,
        "data.mix": f"[{{share: 0.5}}, {{dataset: {tmp_path / 'quiz'}, share: 0.5}}]",
        "tools.catalogue": tmp_path / "catalogue.toml",
        "tools.preferences": "null",
        "warm_start": "{examples: 2}",
        "rollouts.backend": "transformers",
        "rollouts.max_turns": 2,
        "rollouts.max_prompt_tokens": 1800,
        "rollouts.max_sampled_tokens": 24,
        "rollouts.context_tokens": 2000,
        "algorithm.tasks_per_step": 2,
        "algorithm.rollouts_per_task": 2,
        "optimization.tokens_per_microbatch": 2048,
        "evaluation.tasks": 1,
        "logging.tensorboard": "false",
        "steps": 1,
    }
    given = [part for name, value in changes.items() for part in ("--set", f"{name}={value}")]
    trainer("train", "--config", "qwen3-8b-16xh100", "--dataset", dataset, "--out", tmp_path / "run", *given)
    lines = read_metrics(tmp_path / "run")
    assert [line["kind"] for line in lines] == ["sft", "evaluation", "train", "evaluation"]
    assert "calls_generalist_large" in lines[2]
    played = {name.partition("/")[0] for name in lines[1] if "/" in name}
    assert played == {"dataset", "quiz"}


def test_what_a_user_can_mend_is_one_line_and_status_two(config, dataset, tmp_path):
    arguments = ("train", "--config", config, "--out", tmp_path / "run")
    _, errors = trainer(*arguments, "--dataset", tmp_path / "none", status=2)
    assert "no such folder" in errors.splitlines()[-1]
    _, errors = trainer(*arguments, "--dataset", dataset, "--set", "rollouts.max_turn=3", status=2)
    (said,) = errors.splitlines()
    assert said.startswith("trainer: --set rollouts.max_turn: there is no such setting, perhaps rollouts.max_turns is ")


@pytest.mark.parametrize(
    "changes", [("algorithm.kl_coefficient=0.1",), PPO, (*PPO, LORA[0])], ids=["grpo", "ppo", "lora"]
)
def test_two_processes_train_together_and_resume(changes, config, dataset, tmp_path):
    more = [part for change in changes for part in ("--set", change)]
    out = tmp_path / "two"
    given = ("train", "--config", config, "--dataset", dataset, "--out", out, *more)
    two_trainers(*given, "--set", "steps=1")
    two_trainers(*given, "--set", "steps=2", "--resume")
    lines = figures(out)
    steps = [line for line in lines if line["kind"] == "train"]
    assert [line["step"] for line in steps] == [1, 2]
    assert [line["rollouts"] for line in steps] == [8, 8]
    assert [[row["group"] for row in rows] for rows in rollouts(out)] == [[0] * 4 + [1] * 4] * 2
    assert all(line["mismatch_max"] < 1e-4 for line in steps if line["updates"])
    kept = "adapter_model.safetensors" if LORA[0] in changes else "model.safetensors"
    assert (out / "warm-start" / kept).is_file()
    assert json.loads((out / "result.json").read_text())["steps"] == 2


def two_trainers(*arguments: object) -> None:
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "-m", "trainer"]
    surroundings = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "TOKENIZERS_PARALLELISM": "false"}
    ended = subprocess.run(
        [*launcher, *map(str, arguments)], cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr


def test_two_processes_run_ahead_and_draw_again_in_step(config, dataset, tmp_path):
    """Both count the rollouts of the next step while they learn from this one."""
    changes = ("rollouts.ahead=1", "algorithm.old_policy=recompute", "algorithm.redraw=2", "data.curriculum={}")
    given = [part for change in (*changes, "algorithm.tasks_per_step=3") for part in ("--set", change)]
    two_trainers("train", "--config", config, "--dataset", dataset, "--out", tmp_path, *given)
    steps = [line for line in figures(tmp_path) if line["kind"] == "train"]
    assert [line["age_max"] for line in steps] == [0, 1, 1]
    assert all(line["rollouts"] == 4 * line["drawn_groups"] for line in steps)
    assert all(line["drawn_groups"] - line["homogeneous_groups"] == 3 or line["drawn_groups"] == 9 for line in steps)
    assert any(line["redrawn_groups"] for line in steps), "no group was alike, so nothing is shown"
