"""The files under deploy/ say what Dagster, its launchers and the settings understand, and the same as each other."""

from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml
from dagster._core.instance.config import dagster_instance_config
from dagster._core.run_coordinator import QueuedRunCoordinator
from dagster._utils.tags import TagConcurrencyLimitsCounter

from pipelines.definitions import definitions
from pipelines.domains import DOMAINS
from pipelines.factory import Factory
from pipelines.tags import QUEUE
from toolscale.settings import Settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
INSTANCES = ["dagster.postgres.yaml", "dagster.docker.yaml"]


def read(name: str) -> Any:
    return yaml.safe_load((DEPLOY / name).read_text())


def launched() -> dict[str, Any]:
    return read("dagster.docker.yaml")["run_launcher"]["config"]


def test_compose_and_the_containers_of_its_runs_are_told_the_same():
    told = read("compose.yaml")["services"]["code"]["environment"]
    assert set(launched()["env_vars"]) == set(told) - {"DAGSTER_CURRENT_IMAGE"}
    named = {name.removeprefix("TOOLSCALE_").lower() for name in told if name.startswith("TOOLSCALE_")}
    assert named <= set(Settings.model_fields), "a setting that nobody reads"


def test_runs_share_the_network_and_the_volume_of_the_services():
    compose = read("compose.yaml")
    assert launched()["network"] == compose["networks"]["toolscale"]["name"]
    [volume] = launched()["container_kwargs"]["volumes"]
    name, _, path = volume.partition(":")
    assert name == compose["volumes"]["work"]["name"]
    assert f"work:{path}" in compose["services"]["code"]["volumes"]
    assert f"WORKDIR {path}" in (DEPLOY / "Dockerfile").read_text()


def test_what_is_mounted_and_copied_is_there():
    mounted = [
        volume.split(":")[0]
        for service in read("compose.yaml")["services"].values()
        for volume in service.get("volumes", ())
        if volume.startswith("./")
    ]
    assert mounted
    assert all((DEPLOY / name).exists() for name in mounted)
    copied = [
        line.split()[1:-1] for line in (DEPLOY / "Dockerfile").read_text().splitlines() if line.startswith("COPY")
    ]
    assert all((ROOT / name).exists() for names in copied for name in names)


def test_nobody_outside_this_machine_reaches_the_webserver():
    services = read("compose.yaml")["services"]
    published = [port for service in services.values() for port in service.get("ports", ())]
    assert published == ["127.0.0.1:3000:3000"]
    assert read("helm-values.yaml")["dagsterWebserver"]["enableReadOnly"] is True


@pytest.mark.parametrize("name", INSTANCES)
def test_an_instance_sends_no_telemetry_and_lets_no_release_read_what_a_run_still_writes(name):
    instance, ours = read(name), yaml.safe_load((ROOT / "dagster.yaml").read_text())
    assert instance["telemetry"] == {"enabled": False}
    limits = instance["concurrency"]["runs"]["tag_concurrency_limits"]
    assert {"key": QUEUE, "value": "assets", "limit": 1} in limits
    assert limits == ours["concurrency"]["runs"]["tag_concurrency_limits"]
    assert [instance["compute_logs"][part] for part in ("module", "class")] == ["pipelines.output", "Output"]
    assert instance["compute_logs"]["config"]["keep_days"] == ours["compute_logs"]["config"]["keep_days"]


@pytest.mark.parametrize("name", [*INSTANCES, "../dagster.yaml", "../.dagster/dagster.yaml"])
def test_one_run_of_a_partition_begins_at_a_time_and_those_of_others_beside_it(name):
    limits = read(name)["concurrency"]["runs"]["tag_concurrency_limits"]

    def run(domain: str, **tags: str) -> dg.DagsterRun:
        return dg.DagsterRun(job_name="any", tags={**DOMAINS.get_tags_for_partition_key(domain), **tags})

    queue = TagConcurrencyLimitsCounter(limits, [run("railway")])
    assert queue.is_blocked(run("railway"))
    assert queue.is_blocked(run("railway", **{"dagster/backfill": "b"}))
    assert queue.is_blocked(run("railway", **{QUEUE: "assets"}))
    assert not queue.is_blocked(run("medicine"))
    assert not queue.is_blocked(dg.DagsterRun(job_name="release"))


def test_no_backfill_puts_several_partitions_into_one_run(tmp_path):
    """A run over a range of partitions carries no tag of a partition, so no limit would hold it."""
    loaded = definitions(Factory.of(Settings(data_root=str(tmp_path))), str(tmp_path))
    graph = loaded.resolve_asset_graph()
    assert {node.backfill_policy for node in graph.asset_nodes if node.is_partitioned} == {None}


def test_the_queue_on_kubernetes_is_the_one_of_the_other_instances():
    told = read("helm-values.yaml")["dagsterDaemon"]["runCoordinator"]["config"]["customRunCoordinator"]
    config = told["config"]
    assert validated(QueuedRunCoordinator.config_type(), config).success
    for name in INSTANCES:
        instance = read(name)
        assert config["tag_concurrency_limits"] == instance["concurrency"]["runs"]["tag_concurrency_limits"]
        assert (told["module"], told["class"]) == tuple(instance["run_coordinator"][key] for key in ("module", "class"))
        assert instance["run_coordinator"]["config"].items() <= config.items()


@pytest.mark.parametrize("name", INSTANCES)
def test_dagsters_own_schema_accepts_an_instance(tmp_path, monkeypatch, name):
    monkeypatch.setenv("DAGSTER_POSTGRES_URL", "postgresql+psycopg2://toolscale:x@postgres/dagster")
    (tmp_path / "dagster.yaml").write_text((DEPLOY / name).read_text())
    config, _ = dagster_instance_config(str(tmp_path))
    assert config["storage"]["postgres"]["postgres_url"] == {"env": "DAGSTER_POSTGRES_URL"}


def test_the_docker_launcher_accepts_its_configuration():
    launcher = pytest.importorskip("dagster_docker").DockerRunLauncher
    accepted = dg.Field(launcher.config_type()) if isinstance(launcher.config_type(), dict) else launcher.config_type()
    found = validated(accepted, launched())
    assert found.success, found.errors


def test_kubernetes_accepts_the_settings_of_a_runs_pod():
    job = pytest.importorskip("dagster_k8s.job")
    told = read("helm-values.yaml")["runLauncher"]["config"]["k8sRunLauncher"]["runK8sConfig"]
    snake = {
        "containerConfig": "container_config",
        "podSpecConfig": "pod_spec_config",
        "jobSpecConfig": "job_spec_config",
    }
    found = job.UserDefinedDagsterK8sConfig.from_dict({snake[name]: value for name, value in told.items()})
    assert found.container_config["resources"]["limits"] == {"memory": "6Gi"}
    [mount], [volume] = found.container_config["volume_mounts"], found.pod_spec_config["volumes"]
    claim = read("work-volume.yaml")["metadata"]["name"]
    assert (mount["name"], volume["persistent_volume_claim"]) == (volume["name"], {"claim_name": claim})


def validated(accepted: Any, config: dict[str, Any]) -> Any:
    from dagster._config import process_config

    return process_config(accepted.config_type if isinstance(accepted, dg.Field) else accepted, config)
