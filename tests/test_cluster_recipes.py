"""The recipes of deploy/training are what bash, SLURM, Kubernetes, Kubeflow and our own command line understand."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer
import yaml
from kubeflow_trainer_api import models

from tests.cluster_recipes import MANIFESTS, RECIPES, SCRIPTS, Training, called, directives, documents, trainings
from toolscale.errors import UserError
from trainer import __main__ as trainer
from trainer import on_ray
from trainer.config import Config
from trainer.settings_file import changes_from

ROOT = Path(__file__).parents[1]

KINDS = {
    "Job": models.IoK8sApiBatchV1Job,
    "Pod": models.IoK8sApiCoreV1Pod,
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


def test_what_is_installed_for_a_gpu_is_what_every_recipe_starts() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert "GPU_READY := .venv-gpu/.ready" in makefile
    assert "-c .venv-gpu/constraints.txt -e '.[dev,train,postgres,search]'" in makefile
    for script in SCRIPTS:
        text = script.read_text()
        assert "\nsource .venv-gpu/bin/activate" in text, script.name
        assert set(re.findall(r"\.venv[\w-]*", text)) == {".venv-gpu"}, script.name


def test_what_is_left_out_of_the_pins_for_cuda_is_pinned_for_the_cpu() -> None:
    """Packages of which torch and vLLM for CUDA pin other versions than those for the CPU have."""
    pinned = {line.partition("==")[0] for line in (ROOT / "constraints.txt").read_text().splitlines()}
    for file in (ROOT / "Makefile", RECIPES / "Dockerfile"):
        (left_out,) = re.findall(r"grep -vE '\^\(([\w|-]+)\)==' constraints\.txt", file.read_text())
        assert left_out.split("|") == ["apache-tvm-ffi", "triton"], file.name
        assert set(left_out.split("|")) <= pinned


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


def test_keys_and_the_stores_password_reach_a_job_of_ray_by_a_file_and_stand_in_no_command(tmp_path: Path) -> None:
    secrets = {
        "TOOLSCALE_STORE_URL": "postgresql://me:secret@store/toolscale",
        "OPENAI_API_KEY": "a secret of\ntwo lines",
        "HOSTED_VLLM_API_BASE": "http://secret:8000/v1",
    }
    calls = called(RECIPES / "ray" / "two-nodes.sh", **secrets, LANG="C")
    (command,) = (call for call in calls if call[0] == "ray")
    assert not [word for word in command if "secret" in word]
    (told,) = (call for call in calls if call[0] == "variables")
    assert told[1] == "600"
    assert dict(line.split("=", 1) for line in told[2:]) == secrets
    (tmp_path / "variables").write_text("\0".join(told[2:]) + "\0")
    assert on_ray.variables_in(tmp_path / "variables") == secrets
    gone = command[command.index("--variables") + 1]
    assert not Path(gone).exists(), "it goes when the job has ended"
    with pytest.raises(UserError, match="--variables"):
        on_ray.variables_in(Path(gone))


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
    assert len(pods) == 7
    for pod in pods:
        volumes = {each["name"]: each for each in pod["volumes"]}
        assert volumes["work"]["persistentVolumeClaim"] == {"claimName": claim["metadata"]["name"]}
        (container,) = pod["containers"]
        mounted = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
        assert mounted["work"] == "/srv/toolscale/volume"
        if container["name"] not in ("head", "fill"):
            assert mounted["shm"] == "/dev/shm"
            assert volumes["shm"]["emptyDir"]["medium"] == "Memory"
        if container["name"] != "head":
            assert {"name": "HF_HOME", "value": f"{mounted['work']}/huggingface"} in container["env"]
    dockerfile = (RECIPES / "Dockerfile").read_text()
    assert "WORKDIR /srv/toolscale/volume" in dockerfile
    assert {pod["containers"][0]["image"] for pod in pods} == set(re.findall(r"-t (\S+)", dockerfile))


def test_pods_may_write_the_volume_as_the_user_that_the_image_runs_as() -> None:
    (user,) = re.findall(r"useradd .*--uid (\d+)", (RECIPES / "Dockerfile").read_text())
    for manifest in MANIFESTS:
        for pod in (spec for document in documents(manifest) for spec in pods_in(document)):
            assert {name: pod["securityContext"][name] for name in ("runAsUser", "fsGroup")} == {
                "runAsUser": int(user),
                "fsGroup": int(user),
            }, manifest.name


def test_only_a_training_on_several_machines_needs_the_secret_and_the_docs_say_how_it_is_made() -> None:
    for manifest in MANIFESTS:
        for line in re.findall(r"secretRef: (\{.*?\})", manifest.read_text()):
            one_machine = manifest.name in ("one-gpu.yaml", "one-node.yaml")
            assert yaml.safe_load(line) == {"name": "toolscale-secrets"} | ({"optional": True} if one_machine else {})
    page = (ROOT / "docs" / "clusters.md").read_text()
    assert "kubectl create secret generic toolscale-secrets --from-env-file" in page
    assert "deploy/training/kubernetes/fill.yaml" in page


def test_the_docs_download_the_models_of_the_presets_to_where_the_recipes_look() -> None:
    page = (ROOT / "docs" / "clusters.md").read_text()
    downloaded = set(re.findall(r"hf download (\S+?)`?[ \n]", page))
    assert downloaded == {settings_of(each)[1].model.path for each in every()}


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
