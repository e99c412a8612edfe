"""The asset `published_dataset` publishes the folder that the asset `dataset` left, and nothing publishes unasked."""

from pathlib import Path

import dagster as dg
import pytest

from pipelines.assets.release import published_dataset
from pipelines.definitions import definitions
from pipelines.factory import Factory
from tests.dataset.hub import hub
from tests.dataset.small import write_small
from toolscale.settings import Settings


@pytest.fixture
def factory(tmp_path):
    made = Factory.of(Settings(data_root=str(tmp_path)))
    write_small(Path(made.dataset))
    return made


def materialized(factory, **config):
    return dg.materialize(
        [published_dataset],
        resources={"factory": factory},
        run_config={"ops": {"published_dataset": {"config": config}}},
        raise_on_error=False,
    )


def test_it_is_published_once_with_its_version_in_the_metadata(factory, monkeypatch):
    from huggingface_hub import close_session

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setenv("HF_TOKEN", "hf_writer")
    close_session()
    with hub() as server:
        monkeypatch.setenv("TOOLSCALE_HUB_ENDPOINT", server.address)
        outcomes = []
        for _ in range(2):
            (event,) = materialized(factory, repository="team/shop").asset_materializations_for_node(
                "published_dataset"
            )
            assert event.metadata["version"].value.startswith("data-")
            outcomes.append(event.metadata["outcome"].value)
    assert outcomes == ["published", "unchanged"]


def test_what_the_hub_refuses_fails_the_run_in_one_line(factory, monkeypatch, tmp_path):
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "no-token"))
    result = materialized(factory, repository="team/shop")
    assert not result.success
    (failed,) = [event for event in result.all_events if event.is_step_failure]
    assert "no token for the Hub" in failed.step_failure_data.user_failure_data.description


def test_a_release_publishes_nothing(factory):
    job = definitions(factory, factory.data_root).resolve_job_def("release")
    assert job.asset_layer.executable_asset_keys == {dg.AssetKey("dataset")}
