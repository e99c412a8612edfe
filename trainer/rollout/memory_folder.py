"""Folders in memory for what vLLM's workers are handed in files. None outlives its process for long.

A process that is killed can remove nothing, and what it leaves in `/dev/shm` takes memory until the machine starts
anew. So each folder there is locked by the process that fills it, and whoever makes the next one removes those that
nobody locks. The kernel lets go of a lock when its process ends; a process id would say less, since it may be another
process's by now, or one of another container that shares the memory.
"""

import shutil
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType

from toolscale.locks import locked

_PREFIX = "toolscale-handed-over-"
_MEMORY = Path("/dev/shm")


class MemoryFolder:
    """A new folder, in memory where that has the room, until it is closed."""

    def __init__(self, needed: int) -> None:
        """`needed` is bytes."""
        _remove_left()
        place = _roomy_folder(needed)
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        self._lock = ExitStack()
        while place == str(_MEMORY) and not self._is_held():
            # Another process took it for one that was left, before it was locked.
            self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))

    def close(self) -> None:
        """Remove it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()

    def _is_held(self) -> bool:
        """Lock it; False where another process has begun to remove it."""
        with suppress(BlockingIOError, FileNotFoundError), ExitStack() as lock:
            lock.enter_context(locked(self.path))
            if self.path.is_dir():
                self._lock = lock.pop_all()
                return True
        return False

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _roomy_folder(needed: int) -> str:
    """`/dev/shm` where it has the room (a container often gives it 64 MB), else the folder for temporary files."""
    if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > 1.1 * needed:
        return str(_MEMORY)
    return tempfile.gettempdir()


def _remove_left() -> None:
    """Remove the folders of processes that are gone."""
    for folder in _MEMORY.glob(f"{_PREFIX}*"):
        with suppress(OSError), locked(folder):  # Else it is held, gone meanwhile, or another user's.
            shutil.rmtree(folder, ignore_errors=True)
