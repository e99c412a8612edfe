"""The recipes of deploy/training are what bash, SLURM, Kubernetes, Kubeflow and our own command line understand."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer
from kubeflow_trainer_api import models

from tests.cluster_recipes import MANIFESTS, RECIPES, SCRIPTS, Training, called, directives, documents, trainings
from trainer import __main__ as trainer
from trainer import on_ray
from trainer.config import Config, changes_from

ROOT = Path(__file__).parents[1]

KINDS = {
    "Job": models.IoK8sApiBatchV1Job,
    "Service": models.IoK8sApiCoreV1Service,
    "PersistentVolumeClaim": models.IoK8sApiCoreV1PersistentVolumeClaim,
    "TrainJob": models.TrainerV1alpha1TrainJob,
    "TrainingRuntime": models.TrainerV1alpha1TrainingRuntime,
}

GROUP = {"template": {"type": "object"}, "rayStartParams": {"additionalProperties": {"type": "string"}}}
COUNT = {"type": "integer", "minimum": 0}
RAY_JOB = {
    "required": ["entrypoint", "rayClusterSpec"],
    "additionalProperties": False,
    "properties": {
        "entrypoint": {"type": "string"},
        "shutdownAfterJobFinishes": {"type": "boolean"},
        "backoffLimit": COUNT,
        "rayClusterSpec": {
            "required": ["headGroupSpec"],
            "additionalProperties": False,
            "properties": {
                "rayVersion": {"type": "string"},
                "headGroupSpec": {"required": [*GROUP], "additionalProperties": False, "properties": GROUP},
                "workerGroupSpecs": {
                    "items": {
                        "required": ["groupName", "maxReplicas", "minReplicas", *GROUP],
                        "additionalProperties": False,
                        "properties": {
                            **GROUP,
                            "groupName": {"type": "string"},
                            **dict.fromkeys(("replicas", "minReplicas", "maxReplicas"), COUNT),
                        },
                    }
                },
            },
        },
    },
}
"""KubeRay's API `ray.io/v1`, as far as the recipe uses it; no package has its models."""

SBATCH = {
    *("job-name", "nodes", "ntasks-per-node", "gpus-per-node", "cpus-per-task", "mem", "exclusive", "time"),
    *("requeue", "open-mode", "output"),
}
"""sbatch's long options, as far as the recipes use them."""


@cache
def every() -> tuple[Training, ...]:
    return tuple(trainings())


def settings_of(training: Training) -> tuple[dict[str, Any], Config]:
    """What our command line makes of a recipe's arguments."""
    command = typer.main.get_command(trainer.app).commands[training.trainer[0]]
    given = command.make_context(training.trainer[0], list(training.trainer[1:])).params
    return given, Config.read(given["config"], changes_from(given["changes"] or []))


def test_there_is_one_for_1_8_and_16_gpus_of_each_kind():
    sizes: dict[str, set[int]] = {}
    for each in every():
        sizes.setdefault(each.recipe.split("/")[0], set()).add(each.nodes * each.gpus)
    assert sizes == {kind: {1, 8, 16} for kind in ("slurm", "ray", "kubernetes")}


def test_every_recipe_trains_with_settings_that_there_are_and_goes_on_where_it_was():
    for each in every():
        given, config = settings_of(each)
        assert each.trainer[0] == "train"
        assert given["resume"], f"{each}: what is started again must go on"
        assert not Path(given["out"]).is_absolute()
        assert config.algorithm.tasks_per_step % (each.nodes * each.gpus) == 0, f"{each}: some GPU would idle"


def test_no_two_trainings_write_into_one_folder_of_one_kind_of_cluster():
    folders = [(each.recipe.split("/")[0], settings_of(each)[0]["out"]) for each in every()]
    assert len(set(folders)) == len(folders)


def test_there_is_a_process_for_each_gpu_that_is_asked_for():
    for each in every():
        if each.on_ray:
            given = (
                typer.main.get_command(on_ray.app).make_context("on_ray", [*each.on_ray, "--", *each.trainer]).params
            )
            assert (given["nodes"], given["gpus"]) == (each.nodes, each.gpus)
            assert tuple(given["arguments"]) == each.trainer
        elif each.torchrun:
            told = " ".join(each.torchrun).replace("=", " ")
            assert f"--nproc-per-node {each.gpus}" in told, each
            assert (f"--nnodes {each.nodes}" in told) == (each.nodes > 1), each
            assert ("--standalone" in told) == (each.nodes == 1), each


@pytest.mark.parametrize("script", [each for each in SCRIPTS if each.suffix == ".sbatch"], ids=lambda each: each.name)
def test_sbatch_is_asked_for_what_it_knows_and_starts_once_a_node(script: Path) -> None:
    asked = directives(script)
    assert asked.keys() <= SBATCH
    assert (asked["ntasks-per-node"], asked["open-mode"]) == ("1", "append")
    assert re.fullmatch(r"\d+:\d\d:\d\d", asked["time"])
    assert re.fullmatch(r"\d+G", asked["mem"])
    assert len(re.findall("^#SBATCH ", script.read_text(), re.MULTILINE)) == len(asked), "none stands after a command"
    assert f"deploy/training/slurm/{script.name}" in script.read_text(), "it says itself how it is started"


def test_two_nodes_meet_on_the_first_of_the_job() -> None:
    (training,) = (each for each in every() if each.recipe == "slurm/two-nodes.sbatch")
    assert "node-a:29500" in training.torchrun
    assert training.torchrun[training.torchrun.index("--rdzv-id") + 1] == "7"


def test_each_training_process_has_a_server_that_is_told_where_the_trainer_is() -> None:
    script = RECIPES / "slurm" / "train-and-serve.sbatch"
    (training,) = (each for each in every() if each.servers)
    assert training.recipe == f"slurm/{script.name}"
    _, config = settings_of(training)
    assert (config.rollouts.backend, config.rollouts.ahead) == ("vllm-server", 1), "else one node waits for the other"
    ports = {served[served.index("--port") + 1] for served in training.servers}
    assert sorted(config.rollouts.servers) == sorted(f"http://node-b:{port}" for port in ports)
    assert len(ports) == training.gpus
    for served in training.servers:
        assert served[:2] == ("serve", config.model.path)
        assert int(served[served.index("--max-model-len") + 1]) >= config.rollouts.context_tokens
    assert "hostname -I" in script.read_text().split("TOOLSCALE_TRAINER_ADDRESS=$(")[1].splitlines()[0]
    assert "export TOOLSCALE_TRAINER_ADDRESS" in script.read_text()


def test_a_training_on_several_machines_with_tools_is_told_of_a_store_that_they_share() -> None:
    for name in ("slurm/two-nodes.sbatch", "ray/two-nodes.sh"):
        with pytest.raises(AssertionError, match="TOOLSCALE_STORE_URL"):
            called(RECIPES / name)
    for name in ("kubernetes/two-nodes.yaml", "kubernetes/kubeflow.yaml", "ray/rayjob.yaml"):
        assert "secretRef: {name: toolscale-secrets} # TOOLSCALE_STORE_URL" in (RECIPES / name).read_text()


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda each: each.name)
def test_kubernetes_kubeflow_and_kuberay_have_every_field_of_a_manifest(manifest: Path) -> None:
    for document in documents(manifest):
        if document["kind"] == "RayJob":
            assert document["apiVersion"] == "ray.io/v1"
            jsonschema.validate(document["spec"], RAY_JOB)
            cluster = document["spec"]["rayClusterSpec"]
            for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"]):
                assert_has_every_field(models.IoK8sApiCoreV1PodTemplateSpec, group["template"])
        else:
            assert_has_every_field(KINDS[document["kind"]], document)


def assert_has_every_field(model: Any, document: dict[str, Any]) -> None:
    """The models drop what they do not know, so what they give back would lack it."""
    assert model.from_dict(document).to_dict() == document


def test_a_field_that_kubernetes_does_not_have_would_be_seen() -> None:
    (job,) = documents(RECIPES / "kubernetes" / "one-gpu.yaml")
    job["spec"]["template"]["spec"]["containers"][0]["volumeMount"] = []
    with pytest.raises(AssertionError):
        assert_has_every_field(models.IoK8sApiBatchV1Job, job)


def test_pods_share_the_volume_that_volume_yaml_makes_and_have_room_in_dev_shm() -> None:
    (claim,) = documents(RECIPES / "kubernetes" / "volume.yaml")
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    pods = [spec for manifest in MANIFESTS for document in documents(manifest) for spec in pods_in(document)]
    assert len(pods) == 6
    for pod in pods:
        volumes = {each["name"]: each for each in pod["volumes"]}
        assert volumes["work"]["persistentVolumeClaim"] == {"claimName": claim["metadata"]["name"]}
        (container,) = pod["containers"]
        mounted = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
        assert mounted["work"] == "/srv/toolscale/volume"
        if container["name"] != "head":
            assert mounted["shm"] == "/dev/shm"
            assert volumes["shm"]["emptyDir"]["medium"] == "Memory"
            assert {"name": "HF_HOME", "value": f"{mounted['work']}/huggingface"} in container["env"]
    dockerfile = (RECIPES / "Dockerfile").read_text()
    assert "WORKDIR /srv/toolscale/volume" in dockerfile
    assert {pod["containers"][0]["image"] for pod in pods} == set(re.findall(r"-t (\S+)", dockerfile))


def pods_in(node: Any) -> list[dict[str, Any]]:
    if isinstance(node, dict):
        own = [node] if "containers" in node else []
        return own + [pod for each in node.values() for pod in pods_in(each)]
    return [pod for each in node for pod in pods_in(each)] if isinstance(node, list) else []


def test_the_image_has_what_is_there_and_the_ray_that_the_cluster_is_made_of() -> None:
    dockerfile = (RECIPES / "Dockerfile").read_text()
    copied = [line.split()[1:-1] for line in dockerfile.splitlines() if line.startswith("COPY")]
    assert all((ROOT / name).exists() for names in copied for name in names)
    (ray_job,) = documents(RECIPES / "ray" / "rayjob.yaml")
    assert f"ray[default]=={ray_job['spec']['rayClusterSpec']['rayVersion']}" in dockerfile


def test_pods_of_two_nodes_find_the_first_by_the_name_that_the_service_gives_it() -> None:
    service, job = documents(RECIPES / "kubernetes" / "two-nodes.yaml")
    name = job["metadata"]["name"]
    assert service["spec"]["selector"] == {"batch.kubernetes.io/job-name": name}
    assert job["spec"]["template"]["spec"]["subdomain"] == service["metadata"]["name"]
    assert job["spec"]["completions"] == job["spec"]["parallelism"]
    (training,) = (each for each in every() if each.recipe == "kubernetes/two-nodes.yaml")
    assert f"--master-addr={name}-0.{service['metadata']['name']}" in training.torchrun
    assert f"--master-port={service['spec']['ports'][0]['port']}" in training.torchrun
