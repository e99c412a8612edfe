"""Checkpoints from which a training goes on to the bit, each written whole or not at all."""

import json
import os
import random
import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.filesystem import FileSystemReader
from torch.distributed.checkpoint.state_dict_loader import load
from torch.distributed.checkpoint.state_dict_saver import save

from toolscale.errors import UserError
from toolscale.whole import writing
from trainer.distributed import Processes
from trainer.output.disk import refusals

# One process needs no process group, and `no_dist` has said so.
warnings.filterwarnings("ignore", message="torch.distributed is disabled")


class Checkpoints:
    """A folder of checkpoints, `step-00000010` and so on, of which the newest few are kept.

    Each holds the weights, the optimizer's moments, the random state of every process, and what the training itself
    wants to remember (its step, its place in the data). A folder of that name is always whole: it is filled under
    another name, which begins with a dot, and then renamed.
    """

    def __init__(self, folder: Path, keep: int = 2, processes: Processes | None = None) -> None:
        self.folder, self.keep, self.processes = folder, keep, processes or Processes()

    def latest(self) -> Path | None:
        """The newest checkpoint; None if there is none."""
        there = self._there()
        return there[-1] if there else None

    def save(self, step: int, tensors: dict[str, Tensor], progress: dict[str, Any]) -> Path:
        """Write the checkpoint of `step`, then remove those that are one too many. All processes have to call it.

        Args:
            step: how many steps are behind.
            tensors: every tensor of the training, by name.
            progress: JSON that `load` gives back.

        Raises:
            UserError: the step has a checkpoint already, or the disk refuses.
        """
        final, making = self._at(step), self.folder / f".making-{self._at(step).name}"
        if final.exists():
            raise UserError(f"{final} is there already: resume from it, or train into another folder")
        with writing(final), refusals():
            if self.processes.leads:
                self._clean()
                making.mkdir(parents=True)
            self.processes.wait()
            save(tensors, checkpoint_id=making, no_dist=self.processes.size == 1)
            _write_json(making / f"random-{self.processes.rank}.json", _random_state(self.processes.device))
            self.processes.wait()
            if self.processes.leads:
                _write_json(making / "progress.json", {"processes": self.processes.size, "progress": progress})
                making.rename(final)
                _to_disk(self.folder)
                for old in self._there()[: -self.keep]:
                    old.rename(self.folder / f".old-{old.name}")
                self._clean()
        self.processes.wait()
        return final

    def amend(self, step: int, progress: dict[str, Any]) -> None:
        """Let the checkpoint of `step` remember this in place of what it was saved with. All processes have to call it.

        Raises:
            UserError: the disk refuses.
        """
        if self.processes.leads:
            file = self._at(step) / "progress.json"
            with writing(file):
                _write_json(file.with_suffix(".new"), {"processes": self.processes.size, "progress": progress})
                file.with_suffix(".new").replace(file)
                _to_disk(file.parent)
        self.processes.wait()

    def check(self, checkpoint: Path) -> None:
        """See that a checkpoint's files are there and as long as they were written.

        Raises:
            UserError: one is missing, cut off or unreadable; says which checkpoint is whole instead.
        """
        if not (name := _first_broken(checkpoint)):
            return
        whole = [each for each in self._there() if each != checkpoint and not _first_broken(each)]
        helps = "there is no other that is whole, so train anew in another folder"
        if whole:
            helps = f"{whole[-1].name} beside it is whole: remove the broken folder and go on with --resume"
        raise UserError(f"{checkpoint} is not whole: {name} is missing or broken; {helps}")

    def load(self, checkpoint: Path, tensors: dict[str, Tensor]) -> dict[str, Any]:
        """Put `tensors` and the random state back as they were when saved, and return the progress.

        All processes have to call it.

        Raises:
            UserError: it is not whole, is of another model, or was written by another number of processes.
        """
        self.check(checkpoint)
        record = _read_json(checkpoint / "progress.json")
        if record["processes"] != self.processes.size:
            raise UserError(
                f"{checkpoint} was written by {record['processes']} processes and can continue exactly only with as "
                f"many, not with {self.processes.size}"
            )
        self.read(checkpoint, tensors)
        _set_random_state(_read_json(checkpoint / f"random-{self.processes.rank}.json"), self.processes.device)
        progress: dict[str, Any] = record["progress"]
        return progress

    def read(self, checkpoint: Path, tensors: dict[str, Tensor]) -> None:
        """Put these tensors, which may be some of the checkpoint's, as they were when saved, by however many processes.

        Raises:
            UserError: they are not in it, or of another shape; or it is not whole.
        """
        self.check(checkpoint)
        try:
            load(tensors, checkpoint_id=checkpoint, no_dist=self.processes.size == 1)
        except (CheckpointException, RuntimeError, ValueError, KeyError) as error:
            raise UserError(f"{checkpoint} does not fit this model ({str(error).strip().splitlines()[-1]})") from error

    def of(self, step: int | None) -> Path:
        """The checkpoint of a step; None is the newest.

        Raises:
            UserError: there is none.
        """
        there = {int(folder.name.removeprefix("step-")): folder for folder in self._there()}
        if not there:
            raise UserError(f"{self.folder} holds no checkpoint: give the folder that `train --out` named")
        if step is not None and step not in there:
            kept = ", ".join(map(str, there))
            raise UserError(
                f"{self.folder} has no checkpoint of step {step}; there are {kept} (checkpoints.keep keeps more)"
            )
        return there[max(there) if step is None else step]

    def _at(self, step: int) -> Path:
        return self.folder / f"step-{step:08d}"

    def _there(self) -> list[Path]:
        return sorted(self.folder.glob("step-*"))

    def _clean(self) -> None:
        """Remove what is no checkpoint any more, and what never became one."""
        for left in [*self.folder.glob(".making-step-*"), *self.folder.glob(".old-step-*")]:
            shutil.rmtree(left, ignore_errors=True)


def _random_state(device: torch.device) -> dict[str, Any]:
    numpy_state: Any = np.random.get_state(legacy=False)
    numpy_state["state"]["key"] = numpy_state["state"]["key"].tolist()
    state = {"python": random.getstate(), "numpy": numpy_state, "torch": torch.get_rng_state().tolist()}
    if device.type == "cuda":
        state["cuda"] = torch.cuda.get_rng_state(device).tolist()
    return state


def _set_random_state(state: dict[str, Any], device: torch.device) -> None:
    version, internal, gauss = state["python"]
    random.setstate((version, tuple(internal), gauss))
    state["numpy"]["state"]["key"] = np.array(state["numpy"]["state"]["key"], dtype=np.uint32)
    np.random.set_state(state["numpy"])
    torch.set_rng_state(torch.tensor(state["torch"], dtype=torch.uint8))
    if device.type == "cuda" and "cuda" in state:
        torch.cuda.set_rng_state(torch.tensor(state["cuda"], dtype=torch.uint8), device)


def _first_broken(checkpoint: Path) -> str:
    """The first file of a checkpoint that is missing or broken, as far as sizes tell; nothing where all are there."""
    progress = _read_json(checkpoint / "progress.json")
    if not {"processes", "progress"} <= progress.keys():
        return "progress.json"
    for name in (f"random-{rank}.json" for rank in range(progress["processes"])):
        if not _read_json(checkpoint / name):
            return name
    try:
        pieces = FileSystemReader(checkpoint).read_metadata().storage_data.values()
    except Exception:  # It is a pickle, and a broken one raises anything.
        return ".metadata"
    ends: dict[str, int] = {}
    for piece in pieces:
        ends[piece.relative_path] = max(ends.get(piece.relative_path, 0), piece.offset + piece.length)
    for name, end in ends.items():
        file = checkpoint / name
        if not file.is_file() or file.stat().st_size < end:
            return name
    return ""


def _read_json(path: Path) -> dict[str, Any]:
    """An object; an empty one where there is none to be read."""
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}


def _write_json(path: Path, value: Any) -> None:
    with path.open("w", encoding="utf-8") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())


def _to_disk(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
