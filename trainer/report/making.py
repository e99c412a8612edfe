"""The report of a training that lies in a folder, whether it is finished or still under way."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from toolscale.errors import UserError
from trainer.config import Config
from trainer.output.metrics import read_metrics
from trainer.record.files import FOLDER, RolloutFiles
from trainer.report.blocks import COLUMNS, STEP_BYTES, StepBlocks, step_blocks
from trainer.report.page import spread_out, write_page

FILE = "report.html"


class Report:
    """The page of one training, made anew as often as one likes: what was packed once is not packed again."""

    def __init__(self, training: Path, config: Config) -> None:
        self._training, self._config = training, config
        self._files = RolloutFiles(training / FOLDER)
        self._packed: dict[int, StepBlocks] = {}

    def write(self, steps: Sequence[int] | None = None) -> Path:
        """Write the page, with the rollouts of these steps; None takes as many as a browser opens at once.

        Raises:
            UserError: a step has no rollouts that can be read, or the disk refuses the page.
        """
        sizes = self._sizes()
        chosen = spread_out(sizes) if steps is None else steps
        if missing := [step for step in chosen if step not in sizes]:
            has = f"{min(sizes)} to {max(sizes)}" if sizes else "none"
            raise UserError(f"{self._files.folder} has no rollouts of step {missing[0]}: there are {has}")
        packed = {}
        for step in chosen:
            try:
                packed[step] = self._packed.get(step) or self._read(step)
            except UserError:
                if steps is not None or self._files.at(step).exists():
                    raise
                del sizes[step]
        self._packed = packed
        file = self._training / FILE
        write_page(file, self._config, read_metrics(self._training), list(packed.values()), list(sizes))
        return file

    def _sizes(self) -> dict[int, int]:
        """Bytes of the files that are there; a training under way may remove its oldest meanwhile.

        A step takes less on the page, where prompts are words alone, than it does on the disk.
        """
        sizes = {}
        for step in self._files.steps():
            with suppress(FileNotFoundError):
                sizes[step] = min(STEP_BYTES, self._files.at(step).stat().st_size)
        return sizes

    def _read(self, step: int) -> StepBlocks:
        return step_blocks(step, self._files.read(step, COLUMNS))


def make_report(training: Path, steps: str = "") -> Path:
    """Make `report.html` in a training's folder; `steps` is as `steps_of` takes it, and nothing chooses.

    Raises:
        UserError: no training lies there, or these steps have no rollouts.
    """
    settings = training / "config.yaml"
    if not settings.is_file():
        raise UserError(f"{training} holds no training: no config.yaml; give the folder that `train --out` named")
    return Report(training, Config.read(settings)).write(steps_of(steps) if steps else None)


def steps_of(text: str) -> list[int]:
    """The steps that `7` or `40-50` names.

    Raises:
        UserError: it names none.
    """
    first, dash, last = text.partition("-")
    try:
        steps = list(range(int(first), int(last if dash else first) + 1))
    except ValueError:
        steps = []
    if not steps:
        raise UserError(f"--steps {text}: write a step, such as 7, or a range, such as 40-50")
    return steps
