"""The asset `orchestrator` with the real trainer behind it."""

import json
import sys
from pathlib import Path

import dagster as dg

from pipelines.assets.training import orchestrator
from pipelines.factory import Factory
from toolscale.settings import Settings
from trainer.output.metrics import read_metrics


def test_the_asset_trains_and_materializes_what_the_trainer_left(dataset, config, tmp_path, monkeypatch):
    monkeypatch.setenv("TOOLSCALE_TRAINER_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    made = Factory.of(Settings(data_root=str(tmp_path)), dataset=str(dataset))
    chosen = {"config": str(config), "changes": ["steps=2", "warm_start.epochs=2"], "out": str(tmp_path / "run")}
    with dg.DagsterInstance.ephemeral() as instance:
        ended = dg.materialize(
            [orchestrator],
            resources={"factory": made},
            run_config={"ops": {"orchestrator": {"config": chosen}}},
            instance=instance,
        )
        observed = instance.fetch_observations(dg.AssetKey("orchestrator"), limit=200).records
    (event,) = ended.asset_materializations_for_node("orchestrator")
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert event.metadata["path"].value == result["model"]
    assert (Path(result["model"]) / "model.safetensors").is_file()
    assert event.metadata["pass_rate_after"].value == result["after"]["pass_rate"]
    assert event.metadata["dataset_version"].value == result["dataset"]
    told = [record.asset_observation.metadata["step"].value for record in reversed(observed)]
    assert told == [line["step"] for line in read_metrics(tmp_path / "run")]
