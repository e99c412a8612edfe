"""What the authors' package does for us, in a process of its own: simulated services, and literals of Java."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

from toolscale.artifacts.base import Json
from toolscale.errors import UserError

PACKAGE = "bfcl_eval"
INSTALL = "`pip install --no-deps bfcl-eval==2025.6.8 mpmath`"
"""The version whose services the Hub's data of version 3 was made for."""
_PROGRAM = Path(__file__).with_name("inside.py")
_ENVIRONMENT = {"PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "TZ": "UTC0"}
_SECONDS = 60.0
_LONGEST_LINE = 1 << 24


class PackageError(Exception):
    """The process ended, or took too long: what it was asked for cannot be had."""


def is_installed() -> bool:
    """Whether the package is there, and what its services import."""
    return find_spec(PACKAGE) is not None and find_spec("mpmath") is not None


class Package:
    """One process with the authors' code, bounded in memory and time; it has nothing of this one's variables."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._failed = False
        self._turn = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()
            await process.wait()

    async def ask(self, do: str, **given: Json) -> Any:
        """What the process answers.

        Raises:
            PackageError: it did not answer in time, or ended; what it held is lost, so it is not started again.
            UserError: the package is not of a version that is known here.
        """
        async with self._turn:
            if self._failed:
                raise PackageError("the simulated services have ended")
            process = await self._started()
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write(json.dumps({"do": do, **given}).encode() + b"\n")
                await process.stdin.drain()
                line = await asyncio.wait_for(process.stdout.readline(), _SECONDS)
                answer = json.loads(line)
            except (TimeoutError, OSError, ValueError):
                self._failed = True
                await self.close()
                raise PackageError("the simulated services ended, or took too long") from None
        return _answer_in(answer)

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                *_command(),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env=_ENVIRONMENT,
                limit=_LONGEST_LINE,
            )
        return self._process


def rehearse(requests: Iterable[Mapping[str, Json]]) -> None:
    """Make requests one after the other, as a process would get them, and see that each can be answered.

    Raises:
        UserError: one cannot, so the package is not of the data's version.
    """
    asked = "".join(json.dumps(each) + "\n" for each in requests)
    done = subprocess.run(
        _command(), input=asked, capture_output=True, encoding="utf-8", env=_ENVIRONMENT, timeout=600, check=False
    )
    for line in done.stdout.splitlines():
        _answer_in(json.loads(line))


def _answer_in(line: Mapping[str, Any]) -> Any:
    if "unknown" in line:
        raise UserError(f"{PACKAGE} does not go with this data of BFCL ({line['unknown']}): {INSTALL} for version 3")
    return line["answer"]


def _command() -> list[str]:
    return [sys.executable, str(_PROGRAM), *sys.path]
