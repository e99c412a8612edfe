"""What a run's processes printed, where the run's page looks for it, and for how long it is kept."""

import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import dagster as dg

from pipelines.dagster_internals import CapturedLogContext, ConfigurableClassData, LocalComputeLogManager

DAY = 86400

_IN_A_TERMINAL = ContextVar("in_a_terminal", default=False)


@contextmanager
def in_a_terminal() -> Iterator[None]:
    """While the block lasts, what a run prints stays in the terminal of the command that began it."""
    before = _IN_A_TERMINAL.set(True)
    try:
        yield
    finally:
        _IN_A_TERMINAL.reset(before)


class Output(LocalComputeLogManager):
    """Dagster's own files of what runs printed, which it never deletes; here they go after some days."""

    def __init__(self, folder: str, keep_days: int, inst_data: ConfigurableClassData | None = None) -> None:
        super().__init__(folder, inst_data=inst_data)
        self._folder = Path(folder)
        self._keep_days = keep_days

    @classmethod
    def config_type(cls) -> dict[str, Any]:
        """The configuration in dagster.yaml. Without a folder, it is `output` in DAGSTER_HOME."""
        return {"folder": dg.Field(dg.StringSource, default_value=""), "keep_days": dg.Field(int, default_value=30)}

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]) -> "Output":
        """Made as dagster.yaml says."""
        folder = config_value["folder"] or str(Path(os.environ.get("DAGSTER_HOME", ".dagster"), "output"))
        return cls(folder, config_value["keep_days"], inst_data)

    @contextmanager
    def capture_logs(self, log_key: Sequence[str]) -> Iterator[CapturedLogContext]:
        """Keep what the process prints during the block, unless a command runs it."""
        if _IN_A_TERMINAL.get():
            yield CapturedLogContext(log_key)
            return
        self._forget_once_a_day()
        with super().capture_logs(log_key) as captured:
            yield captured

    def _forget_once_a_day(self) -> None:
        """Every step captures its output; to look through that of all runs each time would grow with them."""
        now, looked = time.time(), self._folder / ".looked"
        if looked.exists() and now - looked.stat().st_mtime < DAY:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        looked.touch()
        forget_old(self._folder, now - self._keep_days * DAY)


def forget_old(folder: Path, before: float) -> None:
    """Delete what runs printed that have written nothing there since."""
    for run in folder.iterdir() if folder.is_dir() else ():
        with suppress(FileNotFoundError):  # another run deletes it at this moment
            if max(file.stat().st_mtime for file in (run, *run.rglob("*.*"))) < before:
                shutil.rmtree(run, ignore_errors=True)
