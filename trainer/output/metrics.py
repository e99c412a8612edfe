"""Where a training's figures go: a line of JSON, always; TensorBoard, Weights & Biases, trackio and Dagster where asked
for."""

import json
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from toolscale.errors import UserError
from toolscale.whole import writing
from trainer.config import Logging

FILE = "metrics.jsonl"
MetricsKind = Literal["sft", "train", "evaluation"]
MetricsRecord = dict[str, Any]
"""One line of the file."""
MetricsListener = Callable[[MetricsRecord], None]


class Metrics:
    """The writers of one training. Where it is resumed, the lines of what will be made again are forgotten: of steps
    after `resumed_at`'s first, of evaluations after its second. `hear` is told each line as well.

    A line is `{"kind": ..., "step": ..., "seconds": {...}, name: value, ...}`. Whatever depends on the clock stands in
    `seconds`, so all the rest of two equal trainings is equal.
    """

    def __init__(
        self,
        folder: Path,
        logging: Logging,
        *,
        resumed_at: tuple[int, int] | None = None,
        hear: MetricsListener | None = None,
    ) -> None:
        self._file = folder / FILE
        kept = [line for line in read_metrics(folder) if _stays(line, *resumed_at)] if resumed_at is not None else []
        with writing(self._file):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            _replace(self._file, "".join(json.dumps(line) + "\n" for line in kept))
        self._hear = hear
        self._board = _TensorBoard(folder / "tensorboard", resumed_at) if logging.tensorboard else None
        self._runs: list[Any] = []
        """Of Weights & Biases and of trackio, which take the same calls."""
        if logging.wandb_project:
            self._runs.append(_wandb(logging.wandb_project, folder, resumed=resumed_at is not None))
        if logging.trackio_project:
            self._runs.append(_trackio(logging.trackio_project, folder, resumed=resumed_at is not None))

    def write(
        self, kind: MetricsKind, step: int, values: Mapping[str, float], seconds: Mapping[str, float] | None = None
    ) -> None:
        """Figures of a step. Values that are not finite stand as null."""
        rounded = {name: round(value, 4) for name, value in (seconds or {}).items()}
        line: MetricsRecord = {
            "kind": kind,
            "step": step,
            "seconds": rounded,
            **{name: _finite(value) for name, value in values.items()},
        }
        with writing(self._file), self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, allow_nan=False) + "\n")
        figures = {f"{kind}/{name}": value for name, value in values.items()}
        figures |= {f"{kind}/seconds_{name}": value for name, value in rounded.items()}
        if self._board is not None:
            self._board.write(kind, step, figures)
        for run in self._runs:
            run.log({**figures, f"{kind}/step": step})
        if self._hear is not None:
            self._hear(line)
        tell_dagster(line)

    def close(self) -> None:
        """Finish what the writers still hold."""
        if self._board is not None:
            self._board.close()
        for run in self._runs:
            run.finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_metrics(folder: Path) -> list[MetricsRecord]:
    """The lines that were written to a training's folder; one that a kill cut off does not count.

    Raises:
        UserError: another line cannot be read.
    """
    file = folder / FILE
    if not file.is_file():
        return []
    lines = file.read_bytes().split(b"\n")[:-1]
    return [_record(line, f"{file}, line {number}") for number, line in enumerate(lines, 1)]


def _record(line: bytes, where: str) -> MetricsRecord:
    try:
        record = json.loads(line)
        if not {"kind", "step", "seconds"} <= record.keys():
            raise ValueError("kind, step or seconds is missing")
    except (ValueError, AttributeError) as error:
        raise UserError(f"{where}: no line of metrics ({error}); remove the line, or put back what was there") from None
    known: MetricsRecord = record
    return known


def tell_dagster(message: Mapping[str, Any]) -> None:
    """Pass a message on to the Dagster run that started this process, if one did."""
    if "DAGSTER_PIPES_CONTEXT" in os.environ:
        from dagster_pipes import PipesContext

        PipesContext.get().report_custom_message(dict(message))


def _stays(line: MetricsRecord, step: int, evaluated: int) -> bool:
    if line["kind"] == "evaluation":
        return bool(line["step"] <= evaluated)
    return bool(line["kind"] == "sft" or line["step"] <= step)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _replace(file: Path, text: str) -> None:
    beside = file.with_suffix(".new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(file)


class _TensorBoard:
    """A run for each kind of line, in a folder of its own: what a resumed training makes again of one is hidden, and
    what it keeps of the others is not."""

    def __init__(self, folder: Path, resumed_at: tuple[int, int] | None) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            raise UserError(
                "logging.tensorboard needs the package tensorboard: pip install tensorboard, or turn it off"
            ) from None
        self._open: Any = SummaryWriter
        self._folder = folder
        self._made_again: dict[MetricsKind, int] = {}
        """The first step of it."""
        if resumed_at is not None:
            self._made_again = {"train": resumed_at[0] + 1, "evaluation": resumed_at[1] + 1}
        self._runs: dict[MetricsKind, Any] = {}

    def write(self, kind: MetricsKind, step: int, figures: Mapping[str, float]) -> None:
        """Figures of a step."""
        if kind not in self._runs:
            self._runs[kind] = self._open(str(self._folder / kind), purge_step=self._made_again.get(kind))
        for name, value in figures.items():
            self._runs[kind].add_scalar(name, value, step)
        self._runs[kind].flush()

    def close(self) -> None:
        """Finish the files."""
        for run in self._runs.values():
            run.close()


def _wandb(project: str, folder: Path, *, resumed: bool) -> Any:
    """A run whose id is kept in the folder, so that a resumed training goes on in it."""
    try:
        import wandb
    except ImportError:
        raise UserError("logging.wandb_project needs the package wandb: pip install wandb, or leave it out") from None
    known = folder / "wandb-run.txt"
    if resumed and known.is_file():
        return wandb.init(project=project, dir=str(folder), id=known.read_text(encoding="utf-8"), resume="allow")
    run = wandb.init(project=project, dir=str(folder))
    known.write_text(str(run.id), encoding="utf-8")
    return run


def _trackio(project: str, folder: Path, *, resumed: bool) -> Any:
    """A run of the folder's name, in trackio's own place on this machine or wherever `TRACKIO_SPACE_ID` says."""
    try:
        import trackio
    except ImportError:
        raise UserError(
            "logging.trackio_project needs the package trackio: pip install trackio, or leave it out"
        ) from None
    try:
        return trackio.init(project=project, name=folder.resolve().name, resume="allow" if resumed else "never")
    except ValueError as error:
        raise UserError(f"logging.trackio_project: {' '.join(str(error).split())}") from None
