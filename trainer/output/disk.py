"""What a full disk means for a training: said before it begins, and in a sentence where it happens all the same."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from safetensors import SafetensorError
from torch.distributed.checkpoint.api import CheckpointException

from toolscale.errors import UserError
from trainer.config import Config
from trainer.memory.plan import GIB
from trainer.memory.storage import storage
from trainer.output.folder import TrainingFolder


def check_room(config: Config, out: Path, *, plays: bool = True) -> None:
    """See that the disk of a training's folder has room for all that is still to be written there.

    Args:
        config: of the training.
        out: its folder.
        plays: whether there are rollouts, or lessons are all that it learns from, which has no checkpoints.

    Raises:
        UserError: it has not, or the model's shape cannot be found.
    """
    planned = storage(config)
    folder = TrainingFolder(out)
    parts = (folder.checkpoints, folder.warm_start)  # The model is written beside an earlier one.
    there = sum(file.stat().st_size for part in parts for file in part.rglob("*") if file.is_file())
    wanted = (planned.disk if plays else planned.exported) - there
    free = shutil.disk_usage(next(place for place in (out, *out.absolute().parents) if place.exists())).free
    if wanted > free:
        what, helps = "its model", ""
        if plays:
            kept = f"{config.checkpoints.keep + 1} checkpoints at once of {planned.checkpoint / GIB:.1f} GiB each"
            what, helps = f"{kept}, and its models", ", or set checkpoints.keep lower"
        raise UserError(
            f"the disk of {out} has {free / GIB:.1f} GiB left, and the training will write {wanted / GIB:.1f}: "
            f"{what}; make room, or give --out on another disk{helps}"
        )


@contextmanager
def refusals() -> Iterator[None]:
    """Make what torch and safetensors raise where a disk refuses them into the OSError that it is."""
    try:
        yield
    except CheckpointException as error:
        first = next(iter(error.failures.values()))[0]
        raise OSError(str(first) if isinstance(first, OSError) else "only a part of it was written") from error
    except SafetensorError as error:
        raise OSError(str(error)) from error
