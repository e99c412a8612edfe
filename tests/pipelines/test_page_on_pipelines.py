"""The tables of docs/pipelines.md say what the definitions are, and nothing else."""

import re
from pathlib import Path

import dagster as dg
import pytest

from pipelines.definitions import definitions
from pipelines.run_config import RunConfig

PAGE = (Path(__file__).parents[2] / "docs" / "pipelines.md").read_text(encoding="utf-8")


def table(*head):
    """The rows under a header; a cell that is left empty repeats the one above it."""
    _, found, below = PAGE.partition(f"| {' | '.join(head)} |\n")
    assert found, head
    rows = []
    for line in below.partition("\n\n")[0].splitlines()[1:]:
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        rows.append([cells[0] or rows[-1][0], *cells[1:]])
    return rows


def named(cell):
    return cell.rpartition(" ")[2].strip("`")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    return definitions(RunConfig(), str(tmp_path_factory.mktemp("root")))


@pytest.fixture(scope="module")
def specs(loaded):
    return {spec.key.to_user_string(): spec for spec in loaded.resolve_all_asset_specs()}


def test_every_asset_stands_in_its_group(specs):
    told = [(group, named(asset)) for group, asset, *_ in table("group", "asset", "what it is", "stored as")]
    assert sorted(told) == sorted((spec.group_name, name) for name, spec in specs.items())


def test_every_asset_is_stored_where_the_page_says(loaded):
    for _, asset, _, stored in table("group", "asset", "what it is", "stored as"):
        kept_by = loaded.resolve_assets_def(named(asset)).get_io_manager_key_for_asset_key(dg.AssetKey(named(asset)))
        by_itself = "io_manager"
        said = "rows" if "`assets/" in stored else "environments" if "`environments/" in stored else by_itself
        assert kept_by == said, asset
        if said == "rows":
            assert stored.startswith(f"`assets/{named(asset)}/"), asset


def test_an_asset_is_partitioned_if_its_group_is(specs):
    sentence = re.search(r"The assets of the groups `(\w+)` and `(\w+)` are partitioned by domain", PAGE)
    assert {spec.group_name for spec in specs.values() if spec.partitions_def} == set(sentence.groups())


def test_every_asset_with_a_check_is_in_the_table_of_checks(loaded):
    checked = {key.asset_key.to_user_string() for key in loaded.resolve_asset_graph().asset_check_keys}
    told = {named(asset) for asset, *_ in table("asset", "what must hold", "if not")}
    assert checked == told


def test_every_job_is_in_the_table_of_jobs(loaded):
    jobs = {job.name for job in loaded.get_repository_def().get_all_jobs() if not job.name.startswith("__")}
    assert {named(job) for job, *_ in table("job", "what it does", "its launchpad")} == jobs


def test_every_sensor_and_schedule_is_on_or_off_as_the_page_says(loaded):
    repository = loaded.get_repository_def()
    running = {
        **{
            f"sensor `{each.name}`": each.default_status is dg.DefaultSensorStatus.RUNNING
            for each in repository.sensor_defs
        },
        **{
            f"schedule `{each.name}`": each.default_status is dg.DefaultScheduleStatus.RUNNING
            for each in repository.schedule_defs
        },
    }
    assert {name: default == "on" for name, _, default in table("name", "what it does", "default")} == running
