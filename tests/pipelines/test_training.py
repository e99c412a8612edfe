"""The asset `orchestrator` runs the trainer's process, passes on what it tells while it runs, and ends as it ended.

The trainer itself needs torch and is tested where that is: a script speaks in its place here, by the same channel.
"""

import json
import stat
import sys
from pathlib import Path

import dagster as dg
import pytest

from pipelines.assets.training import orchestrator, trainers_python
from pipelines.definitions import definitions
from pipelines.factory import Factory
from pipelines.tags import DOMAIN, MODEL
from tests.dataset.small import write_small
from toolscale.dataset.release import release
from toolscale.errors import UserError
from toolscale.settings import Settings

EVALUATED = {"pass_rate": 0.25, "low": 0.1, "high": 0.5, "tasks": 8, "solved": 2}
LINES = [
    {"kind": "evaluation", "step": 0, "seconds": {"evaluation": 1.5}, **EVALUATED},
    {"kind": "train", "step": 1, "seconds": {"step": 2.0}, "rollouts": 32.0, "reward_mean": 0.25, "mismatch_kl": None},
    {"kind": "train", "step": 2, "seconds": {"step": 2.0}, "rollouts": 32.0, "reward_mean": 0.5, "mismatch_kl": 0.001},
]


@pytest.fixture
def factory(tmp_path):
    made = Factory.of(Settings(data_root=str(tmp_path)))
    write_small(Path(made.dataset))
    return made


@pytest.fixture
def plays_trainer(tmp_path, monkeypatch):
    """Makes a script that tells these messages, records its arguments, and leaves with a status, the trainer."""

    def play(messages, status=0, prints=""):
        script = tmp_path / "python"
        script.write_text(
            f"#!{sys.executable}\n"
            "import json, pathlib, sys\n"
            "from dagster_pipes import open_dagster_pipes\n"
            f"pathlib.Path({str(tmp_path / 'arguments.json')!r}).write_text(json.dumps(sys.argv[1:]))\n"
            "with open_dagster_pipes() as pipes:\n"
            f"    for message in json.loads({json.dumps(messages)!r}):\n"
            "        pipes.report_custom_message(message)\n"
            f"print({prints!r}, file=sys.stderr)\n"
            f"sys.exit({status})\n"
        )
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("TOOLSCALE_TRAINER_PYTHON", str(script))

    return play


def materialized(factory, instance=None, **config):
    return dg.materialize(
        [orchestrator],
        resources={"factory": factory},
        run_config={"ops": {"orchestrator": {"config": {"config": "single-gpu", **config}}}},
        raise_on_error=False,
        instance=instance,
    )


def test_metrics_arrive_as_observations_and_the_checkpoint_with_its_evaluations(factory, plays_trainer, tmp_path):
    model = str(tmp_path / "orchestrator" / "model")
    result = {"model": model, "checkpoint": f"{model}/../c", "dataset": "x", "steps": 2}
    result |= {"before": EVALUATED, "after": {**EVALUATED, "pass_rate": 0.75}}
    plays_trainer([{"trains": "lab/small"}, *LINES, {"result": result}])
    with dg.DagsterInstance.ephemeral() as instance:
        ended = materialized(factory, instance, changes=["steps=2", "seed=1"])
        assert ended.success
        tags = instance.get_run_by_id(ended.run_id).tags
        assert (tags[DOMAIN], tags[MODEL]) == ("shop", "lab/small")
        records = instance.fetch_observations(dg.AssetKey("orchestrator"), limit=10).records
    observed = [record.asset_observation.metadata for record in reversed(records) if record.asset_observation]
    assert [metadata["step"].value for metadata in observed] == [0, 1, 2]
    assert [metadata["train/reward_mean"].value for metadata in observed[1:]] == [0.25, 0.5]
    assert "train/mismatch_kl" not in observed[1]
    assert next(name for name in observed[1] if name.startswith("train/")) == "train/reward_mean", "what tells most"
    (event,) = ended.asset_materializations_for_node("orchestrator")
    assert event.metadata["path"].value == model
    assert event.metadata["dataset_version"].value == release(Path(factory.dataset)).version
    assert (event.metadata["pass_rate_before"].value, event.metadata["pass_rate_after"].value) == (0.25, 0.75)
    assert event.metadata["curve_reward_mean"].value.startswith("mean reward R\n\n![mean reward R](")
    arguments = json.loads((tmp_path / "arguments.json").read_text())
    assert arguments[:3] == ["-m", "trainer", "train"]
    assert arguments[3:] == [
        *("--config", "single-gpu", "--dataset", factory.dataset, "--out", str(tmp_path / "orchestrator")),
        *("--set", "steps=2", "--set", "seed=1"),
    ]


def test_what_the_trainer_refuses_fails_the_run_in_its_words(factory, plays_trainer):
    plays_trainer([{"error": "model.path: no tokenizer at nowhere"}], status=2)
    ended = materialized(factory)
    assert not ended.success
    (failed,) = [event for event in ended.all_events if event.is_step_failure]
    assert failed.step_failure_data.user_failure_data.description == "model.path: no tokenizer at nowhere"


def test_the_last_lines_of_a_trainer_that_dies_stand_on_the_runs_page(factory, plays_trainer):
    lines = [f"step {number}" for number in range(40)]
    plays_trainer([LINES[1]], status=1, prints="\n".join([*lines, "OutOfMemoryError: no room\x1b[31m"]))
    ended = materialized(factory)
    assert not ended.success
    assert not ended.asset_materializations_for_node("orchestrator")
    (failed,) = [event for event in ended.all_events if event.is_step_failure]
    told = failed.step_failure_data.user_failure_data
    assert told.description.startswith("The trainer ended with status 1: OutOfMemoryError: no room\\x1b[31m. ")
    shown = told.metadata["last_lines"].value
    assert "step 39\nOutOfMemoryError" in shown
    assert "step 3\n" not in shown, "the last ones alone"


def test_several_processes_go_through_torchrun(factory, plays_trainer, tmp_path):
    plays_trainer([{"error": "enough"}], status=2)
    materialized(factory, processes=4, resume=True)
    arguments = json.loads((tmp_path / "arguments.json").read_text())
    assert arguments[:5] == ["-m", "torch.distributed.run", "--nproc-per-node=4", "-m", "trainer"]
    assert "--resume" in arguments


def test_without_a_dataset_nothing_is_trained(tmp_path, plays_trainer):
    plays_trainer([])
    assert not materialized(Factory.of(Settings(data_root=str(tmp_path / "empty")))).success
    assert not (tmp_path / "arguments.json").exists()


def test_an_interpreter_that_is_not_there_is_refused_by_its_setting(monkeypatch):
    monkeypatch.setenv("TOOLSCALE_TRAINER_PYTHON", "/nowhere/python")
    with pytest.raises(UserError, match="trainer_python"):
        trainers_python()


def test_training_is_a_job_of_its_own_downstream_of_the_dataset(factory):
    loaded = definitions(factory, factory.data_root)
    job = loaded.resolve_job_def("train")
    assert job.asset_layer.executable_asset_keys == {dg.AssetKey("orchestrator")}
    graph = loaded.resolve_asset_graph()
    assert dg.AssetKey("dataset") in graph.get_ancestor_asset_keys(dg.AssetKey("orchestrator"))
