"""Time and chance that an environment decides: the clock stands still, and ids follow from the seed."""

import datetime
import hashlib
import math
import os
import random
import time
import uuid
from collections.abc import Callable
from typing import Any

_EPOCH = datetime.datetime(1970, 1, 1)
_Formatting = Callable[[str, Any], str]


def freeze_time(
    now: datetime.datetime, hidden: Callable[[_Formatting], _Formatting] = lambda function: function
) -> None:
    """Make every clock of the module ``time`` answer ``now`` (naive; the time zone of the sandbox is UTC).

    ``hidden`` wraps the one C function that is still needed, and that tells the real time when nothing is given to it.
    """
    clock: Any = time
    seconds = (now - _EPOCH).total_seconds()
    nanoseconds = (now - _EPOCH) // datetime.timedelta(microseconds=1) * 1000
    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
        setattr(clock, name, lambda: seconds)
        setattr(clock, name + "_ns", lambda: nanoseconds)
    clock.clock_gettime = lambda clock_id: seconds
    clock.clock_gettime_ns = lambda clock_id: nanoseconds

    def gmtime(at: float | None = None) -> time.struct_time:
        moment = _EPOCH + datetime.timedelta(seconds=math.floor(seconds if at is None else at))
        return time.struct_time(moment.utctimetuple(), {"tm_zone": "UTC", "tm_gmtoff": 0})

    formatted = hidden(time.strftime)

    def strftime(format: str, t: Any = None) -> str:
        return formatted(format, gmtime() if t is None else t)

    def asctime(t: Any = None) -> str:
        return strftime("%a %b %e %H:%M:%S %Y", t)

    clock.gmtime = clock.localtime = gmtime
    clock.strftime, clock.asctime = strftime, asctime
    clock.ctime = lambda at=None: asctime(gmtime(at))
    # Where no time passes, waiting ends at once.
    clock.sleep = lambda duration: None


class _Stream:
    """Bytes that follow from a text, and that no seed a function sets can change."""

    def __init__(self) -> None:
        self._text = ""
        self._blocks = 0

    def restart(self, text: str) -> None:
        self._text = text
        self._blocks = 0

    def bytes(self, count: int) -> bytes:
        found = b""
        while len(found) < count:
            self._blocks += 1
            found += hashlib.sha256(f"{self._blocks} {self._text}".encode()).digest()
        return found[:count]


class Chance:
    """The one source of everything random: the ``random`` module, uuids and the system's random bytes."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._hidden = hidden = _Stream()

        generator: Any = random.Random
        made, seeded = generator.__new__, generator.seed

        def reseeded(self: Any, a: Any = None, version: int = 2) -> None:
            seeded(self, int.from_bytes(hidden.bytes(8)) if a is None else a, version)

        # Without a seed of its own it would ask the system, or its clock, before `seed` is called.
        generator.__new__ = lambda cls, *_, **__: made(cls, 0)
        generator.seed = reseeded
        # Overwriting the standard library is the point here, so its types cannot be kept.
        module: Any = random
        self._shared = module._inst
        module.seed, module._urandom = self._shared.seed, hidden.bytes
        system: Any = os
        system.urandom = hidden.bytes
        ids: Any = uuid
        ids.uuid4 = lambda: uuid.UUID(bytes=hidden.bytes(16), version=4)
        ids.uuid1 = lambda node=None, clock_seq=None: uuid.UUID(bytes=hidden.bytes(16), version=1)
        ids.getnode = lambda: 0x020000000000

    def restart(self, *reasons: object) -> None:
        """Start again from the environment's seed and what the draws are for."""
        text = repr((self._seed, *reasons))
        self._hidden.restart(text)
        self._shared.seed(text)
