"""Group on_request: the orchestrator that is trained on the dataset, in a process of its own."""

import os
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dagster as dg
from pydantic import Field

from pipelines.assets.release import dataset, local_folder, released_folder
from pipelines.assets.stage import release_asset
from pipelines.curves import curves
from pipelines.factory import Factory
from pipelines.launchpad import Launchpad
from pipelines.lineage import version_of_files
from pipelines.on_request import GROUP, is_asked_for
from pipelines.refusals import Refusal, refusal
from pipelines.tags import DOMAIN, MODEL
from pipelines.trainer_process import run_trainer
from toolscale.dataset.folder import domains_in
from toolscale.dataset.release import content_version
from toolscale.errors import UserError
from toolscale.input_files import files_in
from toolscale.settings import Settings

BESIDE = Path(".venv-trainer/bin/python")

_TELLING = ("pass_rate", "low", "high", "solved", "reward_mean", "loss", "entropy", "mismatch_kl")
"""What a reader looks for in a line of metrics: the run's page shows the first few and folds the rest."""

_LONGEST_TAG = 120

_DRAWN_EVERY = 10
"""Steps between two pictures of a training that is under way."""


class Training(Launchpad):
    """What is trained, and how."""

    config: str = Field(default="single-gpu", description="A preset such as `single-gpu`, or a YAML file.")
    out: str = Field(default="", description="Folder of the training; empty = `orchestrator` in the data root.")
    changes: list[str] = Field(default=[], description="Settings on top, each NAME=VALUE, such as `steps=50`.")
    resume: bool = Field(default=False, description="Go on with the training that lies in the folder.")
    processes: int = Field(
        default=1, gt=0, description="Processes on this machine, one a GPU, 1 or more; several go through torchrun."
    )


@release_asset(
    group=GROUP,
    kinds={"python", "pytorch"},
    prompts=("agent",),
    runs=("trainer.__main__",),
    deps=[dataset],
    output_required=False,
)
def orchestrator(
    context: dg.AssetExecutionContext, config: Training, factory: dg.ResourceParam[Factory]
) -> Iterator[dg.MaterializeResult[None]]:
    """A language model trained on the dataset's tasks by GRPO or PPO: the checkpoint that transformers and vLLM load.

    Runs `python -m trainer train` and passes on its metrics while they come, as observations of this asset: the run's
    page has them with curves, and the Plots tab each figure over the steps.
    """
    if not is_asked_for(context):
        return
    try:
        folder = released_folder(factory.dataset)
        version = content_version(folder)
        out = Path(config.out) if config.out else local_folder(factory.data_root) / "orchestrator"
        command = _command(config, folder, out)
    except UserError as error:
        raise refusal(error) from error
    told: list[dict[str, Any]] = []
    context.instance.add_run_tags(context.run_id, {DOMAIN: _domains(folder)})

    def hear(line: dict[str, Any]) -> None:
        told.append(line)
        if "trains" in line:
            context.instance.add_run_tags(context.run_id, {MODEL: line["trains"]})
        if "kind" in line:
            drawn = curves([one for one in told if "kind" in one]) if _is_worth_a_picture(line) else {}
            context.log_event(dg.AssetObservation(context.asset_key, metadata={**drawn, **_observed(line)}))

    context.log.info("runs %s", " ".join(command))
    try:
        run_trainer(context, command, hear)
    except Refusal as failed:
        if mendable := next((line["error"] for line in told if "error" in line), None):
            raise refusal(UserError(mendable), failed.metadata) from failed
        raise
    (result,) = [line["result"] for line in told if "result" in line]
    lines = [line for line in told if "kind" in line]
    yield dg.MaterializeResult(
        data_version=version_of_files(Path(result["model"])),
        metadata={
            "path": dg.MetadataValue.path(result["model"]),
            "checkpoint": dg.MetadataValue.path(result["checkpoint"]),
            "dataset_version": version,
            "steps": result["steps"],
            **_evaluations(result),
            **curves(lines),
        },
    )


def _domains(folder: Path) -> str:
    """The domains of a dataset by their names, or how many there are where they are too many for a tag."""
    names = sorted(set(domains_in(folder))) if files_in(folder / "tasks", "*.parquet") else []
    listed = ", ".join(names) or "none"
    return listed if len(listed) <= _LONGEST_TAG else f"{len(names)} domains"


def _command(config: Training, folder: Path, out: Path) -> list[str]:
    python = trainers_python()
    launcher = [python, "-m", "trainer"]
    if config.processes > 1:
        launcher = [python, "-m", "torch.distributed.run", f"--nproc-per-node={config.processes}", "-m", "trainer"]
    changes = [part for change in config.changes for part in ("--set", change)]
    given = ["--config", config.config, "--dataset", str(folder), "--out", str(out)]
    return [*launcher, "train", *given, *(["--resume"] if config.resume else []), *changes]


def trainers_python() -> str:
    """The interpreter that has torch: the setting's, else that of `.venv-trainer` where it is there, else this one.

    Raises:
        UserError: the setting names none, or nobody has torch.
    """
    chosen = Settings.load().trainer_python
    if chosen:
        if not os.access(chosen, os.X_OK):
            raise UserError(
                f"setting `trainer_python`: there is no interpreter at {chosen}; run `make setup-trainer` and leave "
                "it out, or correct it in toolscale.toml or TOOLSCALE_TRAINER_PYTHON"
            )
        return chosen
    if BESIDE.exists():
        return str(BESIDE.absolute())
    if find_spec("torch") is None:
        raise UserError(
            "training needs packages that are not installed here: run `make setup-trainer` (several minutes, once) and "
            "launch this again; TOOLSCALE_TRAINER_PYTHON names an interpreter elsewhere that has them"
        )
    return sys.executable


def _is_worth_a_picture(line: dict[str, Any]) -> bool:
    """True for evaluations and every tenth step: a picture of each step would fill the event log."""
    return bool(line["kind"] == "evaluation" or line["step"] % _DRAWN_EVERY == 0)


def _observed(line: dict[str, Any]) -> dict[str, Any]:
    """A line of metrics as numbers that the Plots tab draws."""
    kind = line["kind"]
    names = [name for name in line if name not in ("kind", "step", "seconds")]
    names.sort(key=lambda name: _TELLING.index(name) if name in _TELLING else len(_TELLING))
    figures = {f"{kind}/{name}": line[name] for name in names}
    seconds = {f"{kind}/seconds_{name}": value for name, value in line["seconds"].items()}
    shown = {name: value for name, value in {**figures, **seconds}.items() if isinstance(value, int | float)}
    return {"step": line["step"], **{name: float(value) for name, value in shown.items()}}


def _evaluations(result: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: result[name] for name in ("before", "after") if result.get(name)}
    return {
        f"{figure}_{name}": round(float(figures[figure]), 4)
        for name, figures in found.items()
        for figure in ("pass_rate", "low", "high")
    }
