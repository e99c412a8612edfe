"""torchrun on machines of a Ray cluster: `python -m trainer.on_ray --nodes 2 --gpus 8 -- train ...`.

Ray chooses the machines and starts a torchrun on each; what it starts knows nothing of Ray.
"""

import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from toolscale.errors import UserError
from toolscale.printable import in_one_line
from toolscale.terminal import say

PATIENCE = 60.0
"""Seconds that the torchruns of other machines have to end in, once one has failed."""

_A_MACHINES_OWN = {"TOOLSCALE_TRAINER_ADDRESS", "VLLM_HOST_IP"}

_PREFIXES = ("HF_", "TOOLSCALE_", "VLLM_", "NCCL_", "TORCH_", "WANDB_", "TRACKIO_", "OMP_")

_OF_MODELS = ("_KEY", "_API_BASE", "_BASE_URL")
"""How the variables end that say where a provider's models are asked, and with which key."""

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command()
def on_ray(
    arguments: Annotated[list[str], typer.Argument(help="Of `python -m trainer`, after `--`.")],
    nodes: Annotated[int, typer.Option(min=1, help="Machines.")] = 1,
    gpus: Annotated[int, typer.Option(min=1, help="GPUs of each, with a process for each.")] = 1,
    cpus: Annotated[int, typer.Option(min=1, help="Cores of each that Ray keeps for the training.")] = 8,
    folder: Annotated[Path, typer.Option(help="Working directory, which every machine reaches under this path.")] = (
        Path()
    ),
    variables: Annotated[
        Path | None,
        typer.Option(
            help="File with more variables for the training, as `env -0` writes them; read once, at the start."
        ),
    ] = None,
) -> None:
    """Train on machines of the Ray cluster that this process is on."""
    if variables is not None:
        os.environ |= variables_in(variables)
    if status := run(arguments, nodes=nodes, gpus=gpus, cpus=cpus, folder=folder.absolute()):
        raise typer.Exit(status)


def run(arguments: Sequence[str], *, nodes: int, gpus: int, cpus: int, folder: Path) -> int:
    """Start a torchrun on each machine and wait for all; the status of the first that failed, which ends the others.

    Raises:
        UserError: Ray is not installed here.
    """
    try:
        import ray
        from ray.util.placement_group import placement_group, remove_placement_group
        from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy
    except ImportError as error:
        raise UserError(
            f"Ray is not installed here ({error}): pip install 'ray[default]', as the cluster has"
        ) from None
    ray.init()
    group = placement_group([{"GPU": gpus, "CPU": cpus}] * nodes, strategy="STRICT_SPREAD")
    ray.get(group.ready())

    def start(task: Any, node: int, *given: Any, **resources: int) -> Any:
        place = PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=node)
        return ray.remote(task).options(scheduling_strategy=place, max_retries=0, **resources).remote(*given)

    try:
        address, port = ray.get(start(_meeting_point, 0, num_cpus=1))
        commands = [
            torchrun(arguments, node=node, nodes=nodes, gpus=gpus, address=address, port=port) for node in range(nodes)
        ]
        variables = handed_on(os.environ)
        left = [
            start(_launch, node, command, folder, variables, num_cpus=cpus, num_gpus=gpus)
            for node, command in enumerate(commands)
        ]
        while left:
            (ended,), left = ray.wait(left)
            if status := int(ray.get(ended)):
                for other in left:
                    ray.cancel(other)
                ray.wait(left, num_returns=len(left), timeout=PATIENCE) if left else None
                return status
        return 0
    finally:
        remove_placement_group(group)


def torchrun(arguments: Sequence[str], *, node: int, nodes: int, gpus: int, address: str, port: int) -> list[str]:
    """The command of one machine; all meet on the first."""
    placed = {"nnodes": nodes, "nproc-per-node": gpus, "node-rank": node, "master-addr": address, "master-port": port}
    options = [f"--{name}={value}" for name, value in placed.items()]
    return [sys.executable, "-m", "torch.distributed.run", *options, "-m", "trainer", *arguments]


def handed_on(environment: Mapping[str, str]) -> dict[str, str]:
    """What each machine's training is told of this process's environment, which Ray does not hand on itself.

    As a task's argument, not as its runtime environment: that is shown on Ray's dashboard, and there are keys in it.
    """
    given = {name for name in environment if name.startswith(_PREFIXES) or name.endswith(_OF_MODELS)}
    return {name: environment[name] for name in sorted(given - _A_MACHINES_OWN)}


def variables_in(file: Path) -> dict[str, str]:
    """What `env -0` wrote.

    Raises:
        UserError: the file cannot be read.
    """
    try:
        written = file.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"--variables {file}: {error.strerror}; Ray's processes must see the file, and run as the user who owns it"
        ) from None
    return dict(line.split("=", 1) for line in written.split("\0") if "=" in line)


def _meeting_point() -> tuple[str, int]:
    """This machine's address, and a port that is free on it."""
    import ray

    with socket.socket() as free:
        free.bind(("", 0))
        return str(ray.util.get_node_ip_address()), int(free.getsockname()[1])


def _launch(command: Sequence[str], folder: Path, variables: Mapping[str, str]) -> int:
    """Run to the end; cancelled, take torchrun along, which ends its processes."""
    process = subprocess.Popen(command, cwd=folder, env=os.environ | variables)
    try:
        return process.wait()
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    """Run the command line; a user's mistake is one line on standard error and exit status 2."""
    try:
        app()
    except UserError as error:
        say(f"trainer: {in_one_line(str(error))}", error=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
