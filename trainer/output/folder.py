"""The folder of a training: settings, metrics, checkpoints and model, and whether it may be begun or gone on with."""

import logging
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolscale.errors import UserError
from toolscale.locks import locked
from toolscale.whole import writing
from trainer.config import Config
from trainer.distributed import Processes
from trainer.output.metrics import FILE as METRICS
from trainer.record.files import FOLDER

log = logging.getLogger(__name__)

_AS_ONE_LIKES = ("steps", "epochs", "checkpoints", "logging")
"""How far a training goes and what it tells."""

_WHERE_IT_RUNS = (
    *(
        f"rollouts.{name}"
        for name in (
            "servers",
            "tensor_parallel",
            "at_once",
            "sandboxes",
            "kv_cache_gib",
            "gpu_memory_share",
            "enforce_eager",
            "sleep",
            "weight_transfer",
        )
    ),
    "optimization.tokens_per_microbatch",
    "model.activation_checkpointing",
)
"""What a machine has room for, and where servers are: another tomorrow, and nothing of what is learnt. How episodes are
cut (`rollouts.context_tokens`) is what is learnt."""

_RATES = ("optimization.learning_rate", "ppo.critic_learning_rate")
"""What one lowers where a loss was not finite."""


_WRITTEN = ("checkpoints", FOLDER, "attempts", "model", "adapter", "warm-start", "tensorboard", "wandb")
"""Folders that a training makes in its own."""


@dataclass(frozen=True)
class TrainingFolder:
    """`config.yaml`, `metrics.jsonl`, `rollouts/`, `attempts/`, `report.html`, `checkpoints/`, `model/`, `result.json`.

    `adapter/` with adapters, `warm-start/` for a KL or a critic.
    """

    path: Path

    @property
    def checkpoints(self) -> Path:
        """See `trainer.output.checkpoint`."""
        return self.path / "checkpoints"

    @property
    def rollouts(self) -> Path:
        """See `trainer.record`."""
        return self.path / FOLDER

    @property
    def attempts(self) -> Path:
        """See `trainer.rollout.attempts`."""
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

    @contextmanager
    def alone(self, processes: Processes) -> Iterator[None]:
        """Whatever trains in the folder holds it, until it ends in whatever way: two would remove each other's files.

        Raises:
            UserError: another training holds it.
        """
        if not processes.leads:
            yield
            return
        with writing(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
        with ExitStack() as held:
            try:
                held.enter_context(locked(self.path))
            except BlockingIOError:
                raise UserError(f"another training runs in {self.path}: end it, or choose another --out") from None
            except OSError:
                log.debug("%s is on a disk without locks", self.path)
            yield

    def see_that_nothing_is_there(self) -> None:
        """Raises UserError where a training, or a fine-tuning, left a model or checkpoints: they would be lost."""
        if self.model.exists() or any(self.checkpoints.glob("step-*")):
            raise UserError(f"{self.path} holds a training already: choose another --out")

    def see_that_no_dataset_is_there(self, datasets: Iterable[Path]) -> None:
        """Raises UserError where the training would write into a dataset, whose version follows from all its files.

        A folder that merely has a dataset beside what a training writes is fine.
        """
        out = self.path.resolve()
        for dataset in datasets:
            place = dataset.resolve()
            within = place.relative_to(out).parts if place.is_relative_to(out) else None
            if out.is_relative_to(place) or (within and within[0] in _WRITTEN):
                raise UserError(
                    f"--out {self.path} would write into the dataset {dataset}, which would be another one then: "
                    "choose a folder of its own for the training, such as runs/first"
                )

    def begin(self, config: Config, latest: Path | None, resume: bool, processes: Processes) -> Path | None:
        """The checkpoint to go on from; None for a training that begins, whose settings are then written down.

        One that came to nothing, as where the engine did not start, is no reason to keep to its settings: what is left
        of it is removed, and the training begins.

        Raises:
            UserError: a training lies here and is not to be resumed, or with other settings; or the disk refuses the
                folder.
        """
        left = latest if latest is not None and self._came_to_nothing(latest) else None
        if left is not None:
            latest = None
        elif latest is not None and not resume:
            raise UserError(
                f"{self.path} holds a training already ({latest.name}): continue with --resume, or choose another --out"
            )
        elif latest is None:
            self.see_that_nothing_is_there()
        file = self.path / "config.yaml"
        if latest is not None and file.is_file():
            before, now = (dict(_by_name(each.model_dump())) for each in (Config.read(file), config))
            differing = [name for name in {**before, **now} if before.get(name) != now.get(name)]
            for name in differing:
                if name in (*_WHERE_IT_RUNS, *_RATES):
                    if processes.leads:
                        log.warning("%s was %s so far, and is %s from here on", name, before.get(name), now.get(name))
                elif name.split(".")[0] not in _AS_ONE_LIKES:
                    raise UserError(
                        f"`{name}` is not as it was when the training in {self.path} began (config.yaml there): resume "
                        "with the same settings, or train anew in another folder; what may differ is "
                        f"{', '.join((*_AS_ONE_LIKES, *_WHERE_IT_RUNS, *_RATES))}"
                    )
        processes.wait()
        if processes.leads:
            with writing(self.path):
                self.path.mkdir(parents=True, exist_ok=True)
                if left is not None:
                    log.warning("%s holds a training that came to nothing yet: this one begins afresh", self.path)
                    aside = left.rename(left.with_name(f".old-{left.name}"))  # Whole under its own name, or not there.
                    shutil.rmtree(aside, ignore_errors=True)
                config.write(file)
        return latest

    def _came_to_nothing(self, latest: Path) -> bool:
        """Whether nothing was learnt or evaluated in it: its metrics, which are there from the start, have no line."""
        metrics = self.path / METRICS
        kept = self.model.exists() or self.warm_start.exists()
        return latest.name == "step-00000000" and not kept and metrics.is_file() and not metrics.stat().st_size


def _by_name(settings: Mapping[str, Any], within: str = "") -> Iterator[tuple[str, Any]]:
    """Each setting of a section and of those in it, by its dotted name; what users name themselves stays whole."""
    for name, value in settings.items():
        if isinstance(value, Mapping) and not within:
            yield from _by_name(value, f"{name}.")
        else:
            yield within + name, value
