"""The recipes of deploy/training, read as what reads them does: scripts run by bash, with stand-ins for the cluster.

A stand-in notes how it was called. So what is looked at is what a cluster would be told, variables and all.
"""

import os
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

RECIPES = Path(__file__).parents[1] / "deploy" / "training"
SCRIPTS = sorted([*RECIPES.glob("slurm/*.sbatch"), *RECIPES.glob("ray/*.sh")])
MANIFESTS = sorted([*RECIPES.glob("kubernetes/*.yaml"), *RECIPES.glob("ray/*.yaml")])

NOTED = ("torchrun", "ray", "vllm")
STAND_INS = {
    **{name: f'printf "%s\\0" {name} "$@" > "$(mktemp -p "$NOTES" {name}.XXXXXX)"' for name in NOTED},
    # What a file of variables has, and who may read it, is noted while the file is there.
    "ray": """printf "%s\\0" ray "$@" > "$(mktemp -p "$NOTES" ray.XXXXXX)"
while (($#)); do
    if [[ $1 == --variables ]]; then
        { printf "%s\\0" variables "$(stat -c %a "$2")"; cat "$2"; } > "$NOTES/variables"
    fi
    shift
done""",
    "srun": 'while [[ $1 == --* ]]; do shift; done; exec "$@"',
    "scontrol": "printf 'node-a\\nnode-b\\n'",
    "hostname": "echo 10.0.0.1 fe80::1",
    # A server answers once all of them were begun.
    "curl": 'until (($(find "$NOTES" -name "vllm.*" | wc -l) == 8)); do sleep 0.1; done',
}
JOB = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "node-[a-b]", "SLURM_CPUS_PER_TASK": "96"}


@dataclass(frozen=True)
class Training:
    """A training that a recipe starts."""

    recipe: str
    torchrun: tuple[str, ...]
    """torchrun's own options; empty where `trainer.on_ray` gives them, or an operator does."""
    trainer: tuple[str, ...]
    """The command line of `python -m trainer`."""
    nodes: int
    gpus: int
    """Of each node, as the recipe asks the cluster for them."""
    on_ray: tuple[str, ...] = ()
    """The options of `trainer.on_ray`, where that starts it."""
    servers: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    """The command lines of `vllm`, where servers sample."""

    def __str__(self) -> str:
        return self.recipe


def trainings() -> Iterator[Training]:
    """Of every recipe the one that it starts."""
    for script in SCRIPTS:
        yield _of_script(script)
    for manifest in MANIFESTS:
        for document in documents(manifest):
            if document["kind"] in ("Job", "TrainJob", "RayJob"):
                yield _of_manifest(_name(manifest), document)


def documents(manifest: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(manifest.read_text()))


def directives(script: Path) -> dict[str, str]:
    """The `#SBATCH` lines, as sbatch reads them: long options before the first command."""
    found = {}
    for line in script.read_text().splitlines():
        if line.startswith("#SBATCH "):
            name, _, value = line.removeprefix("#SBATCH --").partition("=")
            found[name] = value
        elif line and not line.startswith("#"):
            break
    return found


def called(script: Path, **variables: str) -> list[tuple[str, ...]]:
    """The commands that a script gives to torchrun, Ray and vLLM, each with its name; and a file of variables."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        for made in ("bin", "notes", ".venv-gpu/bin"):
            (folder / made).mkdir(parents=True)
        (folder / ".venv-gpu" / "bin" / "activate").touch()
        for name, does in STAND_INS.items():
            (folder / "bin" / name).write_text(f"#!/bin/bash\n{does}\n")
            (folder / "bin" / name).chmod(0o755)
        told = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "NOTES": str(folder / "notes"), **JOB, **variables}
        run = subprocess.run(
            ["bash", script], cwd=folder, env=told, capture_output=True, text=True, timeout=60, check=False
        )
        assert run.returncode == 0, run.stderr
        return [tuple(note.read_text().split("\0")[:-1]) for note in sorted((folder / "notes").iterdir())]


def _of_script(script: Path) -> Training:
    calls = called(script, TOOLSCALE_STORE_URL="postgresql://store")
    (started,) = (call for call in calls if call[0] in ("torchrun", "ray"))
    if started[0] == "ray":
        options, trainer = _cut(started, "trainer.on_ray", "--")
        return Training(_name(script), (), trainer, *_placed(options), on_ray=options)
    torchrun, trainer = _cut(started, "torchrun", "-m", "trainer")
    asked = directives(script)
    servers = tuple(call[1:] for call in calls if call[0] == "vllm")
    nodes = int(asked["nodes"]) - bool(servers)
    return Training(_name(script), torchrun, trainer, nodes, int(asked["gpus-per-node"]), servers=servers)


def _of_manifest(name: str, document: dict[str, Any]) -> Training:
    spec = document["spec"]
    if document["kind"] == "RayJob":
        options, trainer = _cut(shlex.split(spec["entrypoint"]), "trainer.on_ray", "--")
        (workers,) = spec["rayClusterSpec"]["workerGroupSpecs"]
        gpus = _gpus(workers["template"]["spec"]["containers"][0]["resources"])
        return Training(name, (), trainer, workers["replicas"], gpus, on_ray=options)
    if document["kind"] == "TrainJob":
        told = spec["trainer"]
        _, trainer = _cut([*told["command"], *told["args"]], "torchrun", "-m", "trainer")
        return Training(name, (), trainer, told["numNodes"], _gpus(told["resourcesPerNode"]))
    (container,) = spec["template"]["spec"]["containers"]
    torchrun, trainer = _cut([*container["command"], *container["args"]], "torchrun", "-m", "trainer")
    return Training(name, torchrun, trainer, spec.get("completions", 1), _gpus(container["resources"]))


def _cut(words: Sequence[str], program: str, *end: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What stands between a program's name and the end of its options, and what comes after that."""
    begin = words.index(program) + 1
    stop = next(at for at in range(begin, len(words)) if tuple(words[at : at + len(end)]) == end)
    return tuple(words[begin:stop]), tuple(words[stop + len(end) :])


def _placed(options: Sequence[str]) -> tuple[int, int]:
    given = dict(zip(options[::2], options[1::2], strict=True))
    return int(given["--nodes"]), int(given["--gpus"])


def _gpus(resources: dict[str, Any]) -> int:
    return int(resources["limits"]["nvidia.com/gpu"])


def _name(file: Path) -> str:
    return file.relative_to(RECIPES).as_posix()
