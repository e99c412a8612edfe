"""Dagster can load everything, and every asset says what it is, whose it is and what it depends on."""

import shutil
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import dagster as dg
import pytest

from pipelines import checks, watch
from pipelines.definitions import definitions, defs
from pipelines.factory import Factory
from pipelines.recipe import recipe
from pipelines.run_config import RunConfig
from pipelines.tags import QUEUE, SYNTHESIS
from toolscale import prompts
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
        assert (spec.partitions_def is not None) == (spec.group_name in SYNTHESIS.values()), name


def test_no_group_is_called_like_an_asset(loaded):
    specs = list(loaded.resolve_all_asset_specs())
    assert not {spec.group_name for spec in specs} & {spec.key.to_user_string() for spec in specs}


def test_every_job_sensor_and_schedule_says_what_it_does():
    repository = defs().get_repository_def()
    named = [job for job in repository.get_all_jobs() if not job.name.startswith("__")]
    for each in (*named, *repository.sensor_defs, *repository.schedule_defs):
        assert each.description, each.name


def test_assets_are_found_by_the_role_that_they_ask(loaded):
    asking = {spec.key.to_user_string() for spec in loaded.resolve_all_asset_specs() if "asks/judge" in spec.tags}
    assert "verified_tasks" in asking
    assert not asking & {"domain", "environment", "dataset"}


def test_a_dataset_and_its_audit_grow_old(loaded):
    policies = {spec.key.to_user_string(): spec.freshness_policy for spec in loaded.resolve_all_asset_specs()}
    assert {name for name, policy in policies.items() if policy} == {"dataset", "audit"}
    assert policies["audit"].fail_window.to_timedelta() > timedelta(weeks=1)  # the schedule's own beat is no alarm


@pytest.mark.parametrize(
    "job", ["generate", "release", "publish", "train", "new_domain", "preview", "reaudit", "sum_costs"]
)
def test_the_launchpad_offers_options_of_the_factory_and_of_no_other_resource(job):
    offered = defs().resolve_job_def(job).run_config_schema.run_config_schema_type.fields["resources"].config_type
    told = {name: field.config_type.fields["config"].config_type for name, field in offered.fields.items()}
    dagsters_own = {"io_manager"}
    assert {name for name, config in told.items() if getattr(config, "fields", None)} - dagsters_own == {"factory"}


@pytest.mark.parametrize("job", ["publish", "train", "new_domain", "preview"])
def test_what_a_launchpad_begins_with_can_be_launched(job):
    found = defs().resolve_job_def(job)
    assert found.run_config
    assert dg.validate_run_config(found, found.run_config)


def test_the_launchpad_of_a_domain_begins_with_the_place_of_its_options_and_chooses_none():
    generate = defs().resolve_job_def("generate")
    config = generate.partitioned_config.get_run_config_for_partition_key("railway")
    assert config == {"resources": {"factory": {"config": {}}}}
    assert dg.validate_run_config(generate, config)


def test_each_link_of_the_chain_depends_on_one_before_it(loaded):
    graph = loaded.resolve_asset_graph()
    for earlier, later in pairwise(CHAIN):
        ancestors = {key.to_user_string() for key in graph.get_ancestor_asset_keys(dg.AssetKey(later))}
        assert earlier in ancestors, f"{later} does not follow from {earlier}"


def test_every_check_that_is_written_is_run(loaded):
    written = [each for module in (checks, watch) for each in vars(module).values()]
    keys = {key for each in written if isinstance(each, dg.AssetChecksDefinition) for key in each.check_keys}
    assert len(keys) > 6
    assert keys <= set(loaded.resolve_asset_graph().asset_check_keys)


@pytest.mark.parametrize("asset", ["entries", "functions", "rules", "verified_tasks", "dataset"])
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
