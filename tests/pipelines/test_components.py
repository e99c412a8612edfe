"""Another Dagster project takes the whole chain from a file `defs.yaml`, with a store, a bucket and an executor of its
own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from unittest import mock

import dagster as dg
import pytest
import yaml
from dagster.components.testing import create_defs_folder_sandbox

from pipelines.components import ToolScaleDomains, declaring
from pipelines.definitions import definitions
from pipelines.domains import read_domain
from pipelines.factory import Factory
from pipelines.run_config import RunConfig
from toolscale.errors import UserError
from toolscale.settings import Settings

HOUSE = Path(__file__).parents[2]
EXAMPLE = HOUSE / "examples" / "dagster"
IN_YAML = EXAMPLE / "acme" / "defs" / "toolscale" / "defs.yaml"


@pytest.fixture
def own_process(tmp_path):
    """The variables of a process that has no settings; what a component tells it ends with the test."""
    told = {name: value for name, value in os.environ.items() if not name.startswith(("TOOLSCALE_", "DAGSTER_"))}
    ours = {"ACME_BUCKET": f"file://{tmp_path}/bucket", "ACME_STORE": f"sqlite:///{tmp_path}/calls.db"}
    ours |= {"ACME_DATASET": f"{tmp_path}/dataset", "ACME_LESSONS": f"{tmp_path}/lessons.parquet"}
    with mock.patch.dict(os.environ, told | ours, clear=True):
        yield os.environ


@pytest.fixture
def acme(own_process, tmp_path, monkeypatch):
    """The definitions of the example project, loaded as `dg dev` loads them."""
    shutil.copytree(EXAMPLE, tmp_path / "acme")
    monkeypatch.chdir(tmp_path / "acme")
    monkeypatch.syspath_prepend(str(tmp_path / "acme"))
    yield dg.load_from_defs_folder(path_within_project=tmp_path / "acme")
    for name in [each for each in sys.modules if each.partition(".")[0] == "acme"]:
        del sys.modules[name]


def built(**attributes):
    return ToolScaleDomains(**attributes).build_defs(dg.ComponentTree.for_test().load_context)


def names(loaded):
    return {spec.key.to_user_string() for spec in loaded.resolve_all_asset_specs()}


def test_the_example_has_the_whole_chain_beside_an_asset_of_its_own(acme, tmp_path):
    dg.Definitions.validate_loadable(acme)
    ours = definitions(RunConfig(), str(tmp_path))
    assert names(acme) == names(ours) | {"lessons"}
    loaded, reference = acme.get_repository_def(), ours.get_repository_def()
    assert set(loaded.job_names) >= set(reference.job_names)
    assert {each.name for each in loaded.sensor_defs} == {each.name for each in reference.sensor_defs}
    assert acme.resolve_asset_graph().get(dg.AssetKey("lessons")).parent_keys == {dg.AssetKey("dataset")}


def test_the_example_has_its_own_bucket_store_dataset_and_executor(acme, tmp_path):
    assert acme.get_repository_def().get_job("generate").executor_def.name == "two_at_a_time"
    with dg.build_resources({"factory": acme.resources["factory"]}) as made:
        factory = made.factory
    assert (factory.data_root, factory.dataset) == (f"file://{tmp_path}/bucket", f"{tmp_path}/dataset")
    assert factory.tasks_per_domain == 10
    assert factory.settings().database_url() == f"sqlite:///{tmp_path}/calls.db"


def test_the_example_is_about_ten_lines():
    assert len(IN_YAML.read_text(encoding="utf-8").splitlines()) <= 12


def test_a_variable_that_is_set_wins_over_the_component(own_process):
    own_process["TOOLSCALE_DATA_ROOT"] = "elsewhere"
    built(settings={"data_root": "here", "attempts": 3})
    assert (Settings.load().data_root, Settings.load().attempts) == ("elsewhere", 3)


@pytest.mark.parametrize(
    ("attributes", "named"),
    [
        ({"settings": {"data_rot": "x"}}, "settings.data_rot"),
        ({"settings": {"attempts": 0}}, "settings.attempts"),
        ({"run": {"tasks": 4}}, "run.tasks"),
        ({"run": {"tasks_per_domain": 0}}, "tasks_per_domain"),
        ({"domains": {"Car Rental": "Cars."}}, "Car Rental"),
        ({"domains": {"car_rental": " "}}, "car_rental"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(own_process, attributes, named):
    with pytest.raises(UserError, match=named) as error:
        built(**attributes)
    assert "\n" not in str(error.value)
    assert not [name for name in own_process if name.startswith("TOOLSCALE_")]


def test_a_declared_domain_gets_its_file_once_and_keeps_what_was_changed_there(tmp_path):
    factory = Factory.of(Settings(data_root=str(tmp_path)))

    def tick(**domains):
        with dg.build_sensor_context(resources={"factory": factory}) as context:
            return declaring(domains)(context).skip_message

    assert "wrote" in tick(zoo="A city zoo.")
    assert read_domain(str(tmp_path), "zoo").description == "A city zoo."
    assert tick(zoo="A city zoo.") == "every domain has its file"
    assert "described otherwise" in tick(zoo="An aquarium.")
    assert read_domain(str(tmp_path), "zoo").description == "A city zoo."


def test_what_dg_scaffolds_loads(own_process, tmp_path):
    with create_defs_folder_sandbox() as sandbox:
        path = sandbox.scaffold_component(
            component_cls=ToolScaleDomains, scaffold_params={"data_root": str(tmp_path / "root"), "model": "openai/m"}
        )
        written = yaml.safe_load((path / "defs.yaml").read_text(encoding="utf-8"))
        assert written["type"] == "pipelines.components.ToolScaleDomains"
        with sandbox.load_component_and_build_defs(defs_path=path) as (component, loaded):
            assert component.settings == {"data_root": str(tmp_path / "root"), "default_model": "openai/m"}
            assert "verified_tasks" in names(loaded)


@pytest.mark.slow
def test_a_run_of_the_example_leaves_everything_where_the_file_says(own_process, tmp_path):
    """From nothing to an asset of the other project, each step in a process of its own."""
    shutil.copytree(EXAMPLE, tmp_path / "acme")
    home = tmp_path / "home"
    home.mkdir()
    (home / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    variables = {**own_process, "DAGSTER_HOME": str(home), "PYTHONPATH": f"{HOUSE}:{tmp_path}/acme"}
    with dg.DagsterInstance.from_config(str(home)) as instance:
        instance.add_dynamic_partitions("domain", ["weather"])
    few = tmp_path / "few.yaml"
    few.write_text("resources: {factory: {config: {tasks_per_domain: 2, attempts: 2}}}\n")
    for command in (
        ["job", "execute", "-j", "generate", "--tags", '{"dagster/partition": "weather"}', "-c", str(few)],
        ["asset", "materialize", "--select", "dataset,lessons"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "dagster", *command, "-m", "acme.definitions"],
            cwd=tmp_path / "acme",
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
    assert (tmp_path / "bucket" / "assets" / "verified_tasks" / "weather.parquet").exists()
    assert (tmp_path / "calls.db").exists()
    assert list((tmp_path / "dataset" / "tasks").glob("*.parquet"))
    assert (tmp_path / "lessons.parquet").exists()
    assert not (tmp_path / "acme" / "data").exists()
