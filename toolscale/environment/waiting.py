"""The processes that wait for the next call of a session: as many as the machine has room for."""

import os
import random
import resource
import sys
import threading
from collections import deque
from functools import cache
from pathlib import Path

from toolscale.environment.trajectory import Trajectory

_MOST_WAITING = 1024
_WAITING_BYTES = 4 << 20
"""What one that waits takes, measured (docs/benchmarks.md), beside what it shares with the others."""
_DESCRIPTORS = 4
"""Of each that waits."""


class Waiting:
    """The trajectories of all sandboxes that wait for their next call. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[tuple[int, str], Trajectory] = {}
        self._released: deque[tuple[int, str]] = deque()
        self._chance = random.Random(0)

    def take(self, sandbox: int, calls: str) -> Trajectory | None:
        """The one that has made these calls in a sandbox; it waits no more."""
        with self._lock:
            return self._kept.pop((sandbox, calls), None)

    def put(self, sandbox: int, calls: str, trajectory: Trajectory) -> None:
        """Leave it to wait; where too many do, any one goes: where all take turns, the oldest is next to go on."""
        with self._lock:
            gone = [self._kept.pop(self._released.popleft(), None) for _ in range(len(self._released))]
            gone.append(self._kept.pop((sandbox, calls), None))
            self._kept[sandbox, calls] = trajectory
            if len(self._kept) > most_waiting():
                gone.append(self._kept.pop(self._chance.choice(list(self._kept))))
        for each in gone:
            if each is not None:
                each.close()

    def release(self, sandbox: int, calls: str) -> None:
        """Nobody will ask for the next call. Takes no lock, since it may be said in the middle of anything."""
        self._released.append((sandbox, calls))

    def drop(self, sandbox: int) -> None:
        """End all of a sandbox."""
        with self._lock:
            gone = [self._kept.pop(key) for key in [key for key in self._kept if key[0] == sandbox]]
        for each in gone:
            each.close()


@cache
def most_waiting() -> int:
    """How many may wait for this process: a quarter of its files and an eighth of memory and processes are for them."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    files = _soft(resource.RLIMIT_NOFILE) // (4 * _DESCRIPTORS)
    processes = min(_soft(resource.RLIMIT_NPROC), _most_processes()) // 8
    return min(_MOST_WAITING, memory // (8 * _WAITING_BYTES), files, processes)


def _soft(limit: int) -> int:
    soft, _ = resource.getrlimit(limit)
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


def _most_processes() -> int:
    """In this container, if it says so."""
    try:
        return int(Path("/sys/fs/cgroup/pids.max").read_text())
    except (OSError, ValueError):
        return sys.maxsize
