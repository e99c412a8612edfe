"""Whole trainings whose rollouts vLLM plays: two processes with an engine each, and rollouts that run ahead."""

import pytest

pytest.importorskip("torch")

from .test_train import LORA, figures, rollouts, trainer, two_trainers

pytestmark = [pytest.mark.vllm, pytest.mark.timeout(1800)]

VLLM = (
    "rollouts.backend=vllm",
    "rollouts.kv_cache_gib=0.25",
    "rollouts.enforce_eager=true",
    "rollouts.at_once=8",
    "evaluation.every=0",
)


def given(*changes: str) -> list[str]:
    return [part for change in (*VLLM, *changes) for part in ("--set", change)]


@pytest.mark.parametrize("lora", [(), LORA[:1]], ids=["all_weights", "merged_adapters"])
def test_two_processes_train_each_with_an_engine_that_samples_from_what_both_have_learnt(
    lora, config, dataset, taught_llama, tmp_path
):
    # Adapters alone teach a model of random weights nothing: all that it would play ends alike.
    changes = given("steps=2", f"model.path={taught_llama}", *lora)
    two_trainers("train", "--config", config, "--dataset", dataset, "--out", tmp_path, *changes)
    steps = [line for line in figures(tmp_path) if line["kind"] == "train"]
    assert [line["step"] for line in steps] == [1, 2]
    assert any(line["updates"] for line in steps), "no group had rewards that differ, so nothing is shown"
    assert all(line["mismatch_max"] < 1e-3 for line in steps if line["updates"])
    played = rollouts(tmp_path)
    assert [[row["group"] for row in rows] for rows in played] == [[0] * 4 + [1] * 4] * 2
    for step, rows in enumerate(played):
        assert {version for row in rows for version in row["policy_versions"]} == {step}


def test_vllm_plays_the_next_step_while_the_policy_learns_with_weights_one_version_old(config, dataset, tmp_path):
    changes = given("rollouts.ahead=1", "algorithm.old_policy=recompute", "steps=4")
    trainer("train", "--config", config, "--dataset", dataset, "--out", tmp_path, *changes)
    steps = [line for line in figures(tmp_path) if line["kind"] == "train"]
    assert [line["step"] for line in steps] == [1, 2, 3, 4]
    assert [line["age_max"] for line in steps] == [0, 1, 1, 1]
    for step, rows in enumerate(rollouts(tmp_path)):
        ages = {step - version for row in rows for version in row["policy_versions"]}
        assert ages <= {0, 1}, "the weights behind a message are at most one version old"
