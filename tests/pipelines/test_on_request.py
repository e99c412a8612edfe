"""What costs or cannot be taken back is made when it is asked for, and never along with other assets."""

import dagster as dg
import pytest

from pipelines.assets.release import published_dataset
from pipelines.assets.training import orchestrator
from pipelines.definitions import definitions
from pipelines.factory import Factory
from pipelines.on_request import GROUP
from toolscale.settings import Settings

ASSETS = [published_dataset, orchestrator]


@pytest.fixture
def factory(tmp_path):
    return Factory.of(Settings(data_root=str(tmp_path)))


@pytest.mark.parametrize(
    ("selected", "tags"),
    [(ASSETS, {}), ([published_dataset], {"dagster/backfill": "b"}), ([orchestrator], {"dagster/backfill": "b"})],
    ids=["materialize all", "published by a backfill", "trained by a backfill"],
)
def test_along_with_others_neither_is_made_and_the_run_succeeds(factory, selected, tags):
    # There is no dataset: whichever went ahead would fail the run.
    ran = dg.materialize(ASSETS, selection=selected, resources={"factory": factory}, tags=tags, raise_on_error=False)
    assert ran.success
    assert not ran.filter_events(lambda event: event.is_step_materialization)


def test_each_has_a_job_and_they_are_a_group_that_no_other_job_selects(factory):
    loaded = definitions(factory, factory.data_root)
    in_group = {spec.key for spec in loaded.resolve_all_asset_specs() if spec.group_name == GROUP}
    assert in_group == {dg.AssetKey("published_dataset"), dg.AssetKey("orchestrator")}
    selected = {
        job.name: set(job.asset_layer.executable_asset_keys) & in_group
        for job in loaded.resolve_all_job_defs()
        if not job.name.startswith("__")
    }
    made = {job: {key.to_user_string() for key in keys} for job, keys in selected.items() if keys}
    assert made == {"publish": {"published_dataset"}, "train": {"orchestrator"}}


def test_one_that_is_materialized_by_itself_goes_ahead_and_names_what_it_lacks(factory):
    job = definitions(factory, factory.data_root).resolve_implicit_global_asset_job_def()
    ran = job.execute_in_process(asset_selection=[dg.AssetKey("published_dataset")], raise_on_error=False)
    (failed,) = ran.filter_events(lambda event: event.is_step_failure)
    assert "`repository`" in failed.step_failure_data.user_failure_data.description
    assert "`publish`" in failed.step_failure_data.user_failure_data.description
