"""The folder of a training: settings, metrics, checkpoints and model, and whether it may be begun or gone on with."""

from dataclasses import dataclass
from pathlib import Path

from toolscale.errors import UserError
from toolscale.whole import writing
from trainer.config import Config
from trainer.distributed import Processes
from trainer.record.files import FOLDER

_MAY_CHANGE = {"steps", "epochs", "checkpoints", "logging"}
"""Settings with which a training may go on otherwise than it began: they say how far it goes and what it tells."""


@dataclass(frozen=True)
class TrainingFolder:
    """`config.yaml`, `metrics.jsonl`, `rollouts/`, `attempts/`, `report.html`, `checkpoints/`, `model/`, `result.json`.

    `adapter/` with adapters, `warm-start/` for a KL or a critic.
    """

    path: Path

    @property
    def checkpoints(self) -> Path:
        """See `trainer.checkpoint`."""
        return self.path / "checkpoints"

    @property
    def rollouts(self) -> Path:
        """See `trainer.record`."""
        return self.path / FOLDER

    @property
    def attempts(self) -> Path:
        """See `trainer.attempts`."""
        return self.path / "attempts"

    @property
    def model(self) -> Path:
        """What transformers and vLLM load."""
        return self.path / "model"

    @property
    def adapter(self) -> Path:
        """The adapters that `model` has merged, for peft."""
        return self.path / "adapter"

    @property
    def warm_start(self) -> Path:
        """The policy after the warm start, or its adapters: the reference of a KL, and what a critic begins as."""
        return self.path / "warm-start"

    def begin(self, config: Config, latest: Path | None, resume: bool, processes: Processes) -> Path | None:
        """The checkpoint to go on from; None for a training that begins, whose settings are then written down.

        Raises:
            UserError: a training lies here and is not to be resumed, or with other settings; or the disk refuses the
                folder.
        """
        if latest is not None and not resume:
            raise UserError(
                f"{self.path} holds a training already ({latest.name}): continue with --resume, or choose another --out"
            )
        file = self.path / "config.yaml"
        if latest is not None and file.is_file():
            before, now = (each.model_dump(exclude=_MAY_CHANGE) for each in (Config.read(file), config))
            if differing := [name for name in before if before[name] != now[name]]:
                raise UserError(
                    f"`{differing[0]}` is not as it was when the training in {self.path} began (config.yaml there): "
                    "resume with the same settings, or train anew in another folder"
                )
        processes.wait()
        if processes.leads:
            with writing(self.path):
                self.path.mkdir(parents=True, exist_ok=True)
                config.write(file)
        return latest
