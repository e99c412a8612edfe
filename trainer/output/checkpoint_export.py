"""The policy of any checkpoint as a model, or as an adapter, also while the training goes on."""

import json
from pathlib import Path

from toolscale.errors import UserError
from trainer.config import Config
from trainer.distributed import Processes
from trainer.model.policy import Policy
from trainer.model.tokenizer import open_tokenizer
from trainer.output.checkpoint import Checkpoints
from trainer.output.export import Provenance, export_adapter, export_model
from trainer.output.folder import TrainingFolder
from trainer.rollout.evaluation import Evaluated


def export_checkpoint(training: Path, to: Path, step: int | None = None, *, adapter: bool = False) -> Path:
    """Write a checkpoint's policy to `to`, as the training writes its `model/`; returns the checkpoint.

    On one process and the CPU, however many processes saved it.

    Args:
        training: the training's folder.
        to: a folder that is not there yet.
        step: the checkpoint's; None is the newest.
        adapter: the adapter alone, where the training has one; else it is merged.

    Raises:
        UserError: there is no such training or checkpoint, the starting checkpoint is not where it was, or the disk
            refuses the folder.
    """
    folder, processes = TrainingFolder(training), Processes()
    if to.exists():
        raise UserError(f"{to} is there already: choose another folder for --to")
    checkpoints = Checkpoints(folder.checkpoints)
    checkpoint = checkpoints.of(step)
    config = Config.read(training / "config.yaml")
    if adapter and not config.model.lora:
        raise UserError(f"the training in {training} has no adapter (model.lora): leave --adapter out")
    provenance = _provenance(checkpoint, config)
    tokenizer = open_tokenizer(config.model)
    policy = Policy.load(config.model, processes)
    learnt = {name: each.detach() for name, each in policy.named_parameters() if each.requires_grad}
    checkpoints.read(checkpoint, {f"model/{name}": each for name, each in learnt.items()})
    write = export_adapter if adapter else export_model
    write(to, policy, tokenizer, provenance, processes)
    return checkpoint


def _provenance(checkpoint: Path, config: Config) -> Provenance:
    """What the checkpoint remembers of its training; no evaluation is told that was made before it."""
    try:
        progress = json.loads((checkpoint / "progress.json").read_text(encoding="utf-8"))["progress"]
        before, after = (Evaluated.read(progress[name]) if progress[name] else None for name in ("before", "after"))
        return Provenance(config, progress["dataset"], progress["step"], before, after)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{checkpoint} is no checkpoint of a training ({error})") from None
