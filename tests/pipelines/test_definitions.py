"""Dagster can load everything, and every asset says what it is, whose it is and what it depends on."""

import shutil
from itertools import pairwise
from pathlib import Path

import dagster as dg
import pytest

from pipelines.definitions import definitions, defs
from pipelines.factory import Factory, RunConfig
from pipelines.recipe import recipe
from pipelines.tags import QUEUE
from toolscale import prompts
from toolscale.errors import UserError
from toolscale.settings import Settings
from toolscale.synthesis.subjects import propose_subjects

INSTANCE = Path(__file__).parents[2] / "dagster.yaml"
CHAIN = ("domain", "subjects", "schema", "entries", "functions", "rules", "environment")
CHAIN += ("intents", "tasks", "evolved_tasks", "verified_tasks", "dataset")


@pytest.fixture
def loaded(tmp_path):
    return definitions(Factory.of(Settings(data_root=str(tmp_path))), str(tmp_path))


def test_the_code_location_loads():
    dg.Definitions.validate_loadable(defs())


def test_every_asset_says_what_it_is_and_whose(loaded):
    specs = {spec.key.to_user_string(): spec for spec in loaded.resolve_all_asset_specs()}
    assert set(CHAIN) <= set(specs)
    for name, spec in specs.items():
        assert spec.description, name
        assert spec.owners, name
        assert spec.kinds, name
        assert spec.code_version, name
        assert spec.group_name in ("fleet", "environment", "tasks", "release"), name
        assert (spec.partitions_def is None) == (spec.group_name in ("fleet", "release")), name


def test_the_page_on_pipelines_lists_every_asset(loaded):
    page = (INSTANCE.parent / "docs" / "pipelines.md").read_text(encoding="utf-8")
    listed = {line.split("|")[2].strip().strip("`") for line in page.splitlines() if line.count("|") == 5}
    assert {spec.key.to_user_string() for spec in loaded.resolve_all_asset_specs()} <= listed


def test_each_link_of_the_chain_depends_on_one_before_it(loaded):
    graph = loaded.resolve_asset_graph()
    for earlier, later in pairwise(CHAIN):
        ancestors = {key.to_user_string() for key in graph.get_ancestor_asset_keys(dg.AssetKey(later))}
        assert earlier in ancestors, f"{later} does not follow from {earlier}"


@pytest.mark.parametrize("asset", ["entries", "functions", "verified_tasks", "dataset"])
def test_the_assets_that_others_rely_on_are_checked(loaded, asset):
    assert loaded.resolve_asset_graph().get_check_keys_for_assets({dg.AssetKey(asset)})


def test_a_changed_prompt_changes_the_code_version(tmp_path, monkeypatch):
    (tmp_path / "subjects.j2").write_text("one")
    monkeypatch.setattr(prompts, "data_folder", lambda name: tmp_path)
    before = recipe(propose_subjects, prompts=("subjects",))
    assert recipe(propose_subjects, prompts=("subjects",)) == before
    (tmp_path / "subjects.j2").write_text("two")
    assert recipe(propose_subjects, prompts=("subjects",)).version_here() != before.version_here()


def test_a_run_that_chooses_one_setting_keeps_the_others(tmp_path, monkeypatch):
    monkeypatch.setenv("TOOLSCALE_ATTEMPTS", "3")
    monkeypatch.setenv("TOOLSCALE_DATA_ROOT", str(tmp_path))
    with dg.build_resources(
        {"factory": RunConfig()}, resource_config={"factory": {"config": {"seed": 7, "model": "openai/m"}}}
    ) as made:
        factory = made.factory
    assert (factory.seed, factory.attempts, factory.data_root) == (7, 3, str(tmp_path))
    assert factory.settings().for_role("agent").model == "openai/m"


def test_a_users_mode_that_does_not_exist_ends_the_run_in_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = {"factory": {"config": {"user_mode": "loud"}}}
    with (
        pytest.raises(dg.DagsterResourceFunctionError) as error,
        dg.build_resources({"factory": RunConfig()}, resource_config=config),
    ):
        pass
    assert isinstance(error.value.__cause__, UserError)


def test_what_writes_the_assets_and_what_reads_them_all_never_run_at_once(tmp_path):
    shutil.copy(INSTANCE, tmp_path)
    with dg.DagsterInstance.from_config(str(tmp_path)) as instance:
        limits = instance.get_concurrency_config().run_queue_config.tag_concurrency_limits
    assert {"key": QUEUE, "value": "assets", "limit": 1} in limits
    for job in ("generate", "release"):
        assert defs().resolve_job_def(job).run_tags[QUEUE] == "assets", job


def test_the_launchpad_takes_one_setting_alone():
    config = {"resources": {"factory": {"config": {"tasks_per_domain": 4}}}}
    assert dg.validate_run_config(defs().resolve_job_def("generate"), config)
