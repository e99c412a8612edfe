"""One trajectory as it runs: a closed-off process, and what its calls did. It can be left to wait for more of them."""

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from toolscale.artifacts import Call, CallOutcome, GoldenCall
from toolscale.environment.limits import Limits
from toolscale.environment.process import Template
from toolscale.environment.reply import BrokenProtocolError, Overlay, read_outcome

_MOST_GROWN = 16 << 20
"""Bytes by which a process may be larger than the one that it is a fork of, and still wait."""


class Trajectory:
    """Calls that one process makes, one after the other, on a database of its own. Close it, or use it as a context."""

    def __init__(
        self, template: Template, database: dict[str, Any], limits: Limits, calls: Sequence[Call | GoldenCall]
    ) -> None:
        """There is room for these calls, and often for more. Raises UserError as ``Template.fork`` does."""
        self.overlay = Overlay(database)
        self.outcomes: list[CallOutcome] = []
        self.waits = False
        """Whether its process was left to wait for more calls."""
        self.late = False
        """Whether a call that was too slow had less time than each has, since those before it had used the rest."""
        self._limits = limits
        self._left = limits.trajectory_seconds
        self._template = template
        self._child = template.fork(sum(len(_line(call)) for call in calls))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End its process."""
        self._child.close()

    @property
    def bytes_read(self) -> int:
        """Of its replies."""
        return self._child.bytes_read

    def make(self, calls: Sequence[Call | GoldenCall]) -> None:
        """Make calls, one after the other; the outcome of each is there as soon as it has come.

        Raises:
            TimeoutError: one took too long.
            EOFError: the process is gone, or has no room for more calls.
            BrokenProtocolError: what came is no reply.
        """
        began, self.waits = time.monotonic(), False
        words = self._child.tell([_line(call) for call in calls])
        for call, word in zip(calls, words, strict=True):
            left = self._left - (time.monotonic() - began)
            self.late = left <= self._limits.seconds
            reply = self._child.read_line(min(self._limits.seconds, left), self._limits.reply_bytes)
            most_values = self._limits.reply_values
            outcome = read_outcome(reply, word, len(self.outcomes), call, self.overlay, most_values=most_values)
            self.outcomes.append(outcome)
        self._left -= time.monotonic() - began

    def end(self) -> None:
        """There will be no more calls.

        Raises:
            BrokenProtocolError: its process has said more than its replies.
        """
        if not self._child.is_quiet:
            raise BrokenProtocolError

    def pause(self) -> None:
        """Leave its process to wait for more calls if it has not grown large.

        Raises:
            BrokenProtocolError: it has said more than its replies.
        """
        self.end()
        self.waits = self._has_stayed_small()

    def _has_stayed_small(self) -> bool:
        try:
            return _resident(self._child.pid) - _resident(self._template.pid) < _MOST_GROWN
        except OSError:
            return False


def _line(call: Call | GoldenCall) -> bytes:
    """A call as the process inside reads it."""
    return json.dumps([call.name, call.arguments]).encode() + b"\n"


def _resident(pid: int | None) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
