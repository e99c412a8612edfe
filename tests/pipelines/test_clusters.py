"""A domain's steps on Celery, on Ray and as jobs of Kubernetes make the rows that one process makes.

Celery and Ray are real: a worker over a broker of files, and a Ray of one machine with its server of jobs. Kubernetes
is a stand-in (`tests/kubernetes_api.py`); what is submitted to it is what Kubernetes' own schemas allow.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import dagster as dg
import pyarrow.parquet as pq
import pytest
import yaml

from pipelines.executors import executor
from tests.cluster_recipes import MANIFESTS, documents
from tests.dagster_services import free_port, wait_for
from tests.kubernetes_api import kubernetes_api

pytestmark = [pytest.mark.clusters, pytest.mark.timeout(1800)]

DOMAIN = "weather"
ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
PROGRAMS = Path(sys.executable).parent
CONFIG = {"resources": {"factory": {"config": {"tasks_per_domain": 2}}}}
KUBERNETES = "1.37"
"""The newest version whose schemas the package has."""


@dataclass(frozen=True)
class Place:
    """A data root and an instance of Dagster, in which one run is made."""

    folder: Path
    executor: str = ""

    @classmethod
    def made(cls, folder: Path, executor: str = "", instance: Mapping[str, Any] | None = None) -> "Place":
        """A new one; `instance` is what its `dagster.yaml` says."""
        place = cls(folder, executor)
        place.home.mkdir(parents=True)
        settings = {"telemetry": {"enabled": False}, **(instance or {})}
        (place.home / "dagster.yaml").write_text(yaml.dump(settings))
        with place.instance() as records:
            records.add_dynamic_partitions("domain", [DOMAIN])
        return place

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @contextmanager
    def instance(self) -> Iterator[dg.DagsterInstance]:
        with dg.DagsterInstance.from_config(str(self.home)) as records:
            yield records

    def environment(self) -> dict[str, str]:
        """The variables of every process that takes part; modules of the place can be imported."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("TOOLSCALE_", "DAGSTER_"))}
        settings = {
            "DAGSTER_HOME": str(self.home),
            "TOOLSCALE_DATA_ROOT": str(self.folder / "data"),
            "TOOLSCALE_DEFAULT_MODEL": "offline/reference",
            "TOOLSCALE_EXECUTOR": self.executor,
            "PYTHONPATH": os.pathsep.join([str(self.folder), str(ROOT)]),
            "PATH": os.pathsep.join([str(PROGRAMS), os.environ["PATH"]]),
        }
        return clean | settings

    def run(self, command: str, **more: str) -> None:
        """`dagster job execute` or `launch`, with the domain's partition of the job `generate`."""
        words = ["job", command, "-m", "pipelines.definitions", "-j", "generate"]
        tags, config = json.dumps({"dagster/partition": DOMAIN}), self.folder / "run.yaml"
        config.write_text(yaml.dump(CONFIG))
        done = subprocess.run(
            [sys.executable, "-m", "dagster", *words, "--tags", tags, "-c", str(config)],
            cwd=self.folder,
            env=self.environment() | more,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-5000:]

    def made_by(self) -> dict[str, list[str]]:
        """The rows of every asset, and the texts of the environment's files."""
        data = self.folder / "data"
        rows = {
            str(file.relative_to(data)): pq.read_table(file, columns=["json"])["json"].to_pylist()
            for file in sorted((data / "assets").glob("*/*.parquet"))
        }
        texts = {
            file.name: [file.read_text()]
            for file in sorted((data / "environments" / DOMAIN).iterdir())
            if file.name != "made_of.json"
        }
        assert rows[f"assets/verified_tasks/{DOMAIN}.parquet"]
        assert "functions.py" in texts
        return rows | texts

    def steps(self, said: str) -> tuple[list[str], list[str]]:
        """The steps that succeeded, and those of which an event says that they were handed over."""
        with self.instance() as records:
            [run] = records.get_runs()
            events = [each.dagster_event for each in records.all_logs(run.run_id) if each.dagster_event]
        succeeded = {str(event.step_key) for event in events if event.is_step_success}
        handed_over = {str(event.step_key) for event in events if event.step_key and said in (event.message or "")}
        return sorted(succeeded), sorted(handed_over)


@pytest.fixture(scope="module")
def in_one_process(tmp_path_factory) -> dict[str, list[str]]:
    """What the executor makes that is chosen by default."""
    place = Place.made(tmp_path_factory.mktemp("by_default"))
    place.run("execute")
    return place.made_by()


@contextmanager
def running(command: list[str], environment: Mapping[str, str], log: Path) -> Iterator[None]:
    """A program and whatever it starts, in a session of its own, of which nothing is left afterwards."""
    with log.open("wb") as output:
        kept = {"cwd": log.parent, "env": environment, "stdout": output, "stderr": output}
        leader = subprocess.Popen(command, start_new_session=True, **kept)
    try:
        yield
        assert leader.poll() is None, log.read_text()[-3000:]
    finally:
        leader.terminate()
        with suppress(subprocess.TimeoutExpired):
            leader.wait(timeout=30)
        for pid in session_of(leader.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        leader.wait()


def session_of(leader: int) -> list[int]:
    """The processes of a leader's session."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                if os.getsid(int(entry.name)) == leader:
                    found.append(int(entry.name))
    return found


def test_steps_that_a_celery_worker_takes_make_the_same_rows(tmp_path, in_one_process):
    pytest.importorskip("dagster_celery", reason="needs dagster-celery: make test-clusters")
    place = Place.made(tmp_path, "on_celery:executor")
    shutil.copy(DEPLOY / "on_celery.py", tmp_path)
    queue, results, control = (tmp_path / name for name in ("queue", "results", "control"))
    for folder in (queue, results, control):
        folder.mkdir()
    over_files = {"data_folder_in": str(queue), "data_folder_out": str(queue), "control_folder": str(control)}
    config = {
        "broker": "filesystem://",
        "backend": f"file://{results}",
        "config_source": {"broker_transport_options": over_files},
    }
    (tmp_path / "celery.yaml").write_text(yaml.dump({"execution": {"config": config}}))
    worker = [str(PROGRAMS / "dagster-celery"), "worker", "start", "-A", "dagster_celery.app", "-y", "celery.yaml"]
    alone = ["--", "--concurrency", "1", "--without-gossip", "--without-mingle"]
    with running([*worker, *alone], place.environment(), tmp_path / "worker.log"):
        place.run("execute")
    assert place.made_by() == in_one_process
    succeeded, by_the_worker = place.steps("in celery worker")
    assert succeeded == by_the_worker


def test_the_executor_of_deploy_speaks_to_the_broker_that_its_file_names(monkeypatch):
    pytest.importorskip("dagster_celery", reason="needs dagster-celery: make test-clusters")
    monkeypatch.syspath_prepend(DEPLOY)
    told = yaml.safe_load((DEPLOY / "celery.yaml").read_text())["execution"]["config"]
    found = executor("on_celery:executor").config_schema.resolve_config({})
    assert found.success, found.errors
    assert found.value["config"].items() >= told.items()


def test_steps_that_are_jobs_of_ray_make_the_same_rows(tmp_path, in_one_process):
    pytest.importorskip("dagster_ray", reason="needs dagster-ray: make test-clusters")
    place = Place.made(tmp_path, "dagster_ray:ray_executor")
    server = free_port()
    ports = {"port": 0, "dashboard-port": server, "dashboard-agent-listen-port": free_port()}
    ports |= {"ray-client-server-port": free_port()}
    # Names of sockets have room for 107 letters.
    with TemporaryDirectory(prefix="ray", dir="/tmp", ignore_cleanup_errors=True) as short:
        head = [str(PROGRAMS / "ray"), "start", "--head", "--block", "--disable-usage-stats", "--num-cpus", "2"]
        head += [f"--{name}={number}" for name, number in ports.items()]
        with running([*head, "--temp-dir", short], place.environment(), tmp_path / "ray.log"):
            wait_for(lambda: _answers(server))
            place.run("execute", RAY_ADDRESS=f"http://127.0.0.1:{server}")
    assert place.made_by() == in_one_process
    succeeded, by_ray = place.steps("in Ray job")
    assert succeeded == by_ray


def test_a_run_and_its_steps_are_jobs_that_kubernetes_allows_and_make_the_same_rows(tmp_path, in_one_process):
    pytest.importorskip("dagster_k8s", reason="needs dagster-k8s: make test-clusters")
    chosen = "dagster_k8s:k8s_job_executor"
    with kubernetes_api(tmp_path, Place(tmp_path, chosen).environment()) as (api, client_file):
        place = Place.made(tmp_path, chosen, launching(tmp_path, client_file))
        place.run("launch")
        wait_for(lambda: all("active" not in api.status(name) for name in list(api.jobs)))
        succeeded, as_jobs = place.steps("in Kubernetes job")
        assert succeeded == as_jobs, api.logs()
    assert place.made_by() == in_one_process
    assert len(api.jobs) == 1 + len(as_jobs)
    for job in api.jobs.values():
        refused_by_nothing(job)
        [container] = job["spec"]["template"]["spec"]["containers"]
        assert container["resources"]["limits"] == {"memory": "6Gi"}
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
        assert {"name": "work", "mountPath": "/srv/toolscale/volume"} in container["volumeMounts"]


def launching(folder: Path, client_file: Path) -> dict[str, Any]:
    """An instance that launches runs as `deploy/helm-values.yaml` says, in the words that the chart makes of it."""
    values = yaml.safe_load((DEPLOY / "helm-values.yaml").read_text())
    told = values["runLauncher"]["config"]["k8sRunLauncher"]
    image = values["dagster-user-deployments"]["deployments"][0]["image"]
    run = {
        "container_config": told["runK8sConfig"]["containerConfig"],
        "pod_spec_config": told["runK8sConfig"]["podSpecConfig"],
        "job_spec_config": told["runK8sConfig"]["jobSpecConfig"],
    }
    config = {
        "load_incluster_config": False,
        "kubeconfig_file": str(client_file),
        "service_account_name": "dagster",
        "instance_config_map": "dagster-instance",
        "dagster_home": str(folder / "home"),
        "job_image": f"{image['repository']}:{image['tag']}",
        "image_pull_policy": told["imagePullPolicy"],
        "run_k8s_config": run,
    }
    return {
        "run_launcher": {"module": "dagster_k8s", "class": "K8sRunLauncher", "config": config},
        "run_coordinator": {"module": "dagster.core.run_coordinator", "class": "DefaultRunCoordinator"},
    }


@pytest.mark.parametrize("manifest", [DEPLOY / "work-volume.yaml", *MANIFESTS], ids=lambda file: file.name)
def test_kubernetes_own_schemas_have_every_field_of_a_manifest_and_its_pods(manifest):
    for document in documents(manifest):
        if document["apiVersion"] in ("v1", "batch/v1"):
            refused_by_nothing(document)
        for pod in pods_in(document):
            refused_by_nothing({"apiVersion": "v1", "kind": "PodTemplate", "template": pod})


def refused_by_nothing(document: dict[str, Any]) -> None:
    """See that Kubernetes knows every field of an object, by its OpenAPI schema."""
    validate = pytest.importorskip("kubernetes_validate", reason="needs kubernetes-validate: make test-clusters")
    assert validate.validate(document, KUBERNETES, strict=True) == KUBERNETES


def pods_in(content: Any) -> Iterator[dict[str, Any]]:
    """The templates of pods in an object, also in one of an operator's own kind."""
    match content:
        case {"kind": "Pod"}:
            return  # no template: its own schema has seen it whole
        case {"spec": {"containers": [*_]}}:
            yield content
        case {**parts}:
            for each in parts.values():
                yield from pods_in(each)
        case [*parts]:
            for each in parts:
                yield from pods_in(each)


def _answers(port: int) -> bool:
    with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/api/version", timeout=5):
        return True
    return False
