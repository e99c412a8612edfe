"""Simulated experts for the demos that route."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from toolscale.errors import UserError

_PR_SET_PDEATHSIG = 1


@contextmanager
def experts_at(catalogue: Path, seed: int, experts: Path | None = None) -> Iterator[None]:
    """Experts behind HTTP while the block lasts, the packaged ones unless `experts` is a file of others.

    `catalogue` is then a file that offers them.

    Raises:
        UserError: the server does not start.
    """
    command = [sys.executable, "-m", "trainer.demo.experts", "serve-experts", "--port", "0", "--pace", "0"]
    command += ["--seed", str(seed), "--catalogue", str(catalogue)]
    command += ["--config", str(experts)] if experts else []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            if server.stdout is None or not server.stdout.readline():
                raise UserError("the simulated experts did not start; try `toolscale serve-experts --port 0` by itself")
            yield
        finally:
            server.terminate()


def _toolscale() -> None:
    """Become `toolscale`, killed as soon as the demo that started this is gone: one that is killed can end nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    os.execv(sys.executable, [sys.executable, "-m", "toolscale.cli", *sys.argv[1:]])


if __name__ == "__main__":
    _toolscale()
