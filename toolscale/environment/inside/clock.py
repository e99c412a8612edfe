"""Time and chance that an environment decides: the clock stands still, and ids follow from the seed."""

import datetime
import hashlib
import os
import random
import time
import uuid
from typing import Any

_EPOCH = datetime.datetime(1970, 1, 1)


def freeze(now: datetime.datetime) -> None:
    """Make every clock of the standard library answer ``now`` (naive; the time zone of the sandbox is UTC)."""
    _freeze_datetime(now)
    _freeze_time(now)


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

        class Random(random.Random):
            """A generator that is seeded from the environment where it would have asked the system."""

            def seed(self, a: Any = None, version: int = 2) -> None:
                super().seed(int.from_bytes(hidden.bytes(8)) if a is None else a, version)

        self._shared = Random(0)
        for name in random.__all__:
            if hasattr(self._shared, name):
                setattr(random, name, getattr(self._shared, name))
        # Overwriting the standard library is the point here, so its types cannot be kept.
        module: Any = random
        module._inst, module.Random, module._urandom = self._shared, Random, hidden.bytes
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


def _freeze_datetime(now: datetime.datetime) -> None:
    from datetime import date as real_date
    from datetime import datetime as real_datetime

    class AnyDate(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, real_date)

        def __subclasscheck__(cls, subclass: type) -> bool:
            return issubclass(subclass, real_date)

    class AnyDatetime(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, real_datetime)

        def __subclasscheck__(cls, subclass: type) -> bool:
            return issubclass(subclass, real_datetime)

    class Date(real_date, metaclass=AnyDate):
        @classmethod
        def today(cls) -> Any:
            return cls(now.year, now.month, now.day)

    class Datetime(real_datetime, metaclass=AnyDatetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            moment = cls.combine(now.date(), now.time())
            return moment if tz is None else moment.replace(tzinfo=datetime.UTC).astimezone(tz)

        @classmethod
        def today(cls) -> Any:
            return cls.now()

        @classmethod
        def utcnow(cls) -> Any:
            return cls.now()

        def date(self) -> Any:
            return Date(self.year, self.month, self.day)

    for frozen, name in ((Date, "date"), (Datetime, "datetime")):
        frozen.__name__ = frozen.__qualname__ = name
        frozen.__module__ = "datetime"
        setattr(datetime, name, frozen)


def _freeze_time(now: datetime.datetime) -> None:
    seconds = (now - _EPOCH).total_seconds()
    nanoseconds = (now - _EPOCH) // datetime.timedelta(microseconds=1) * 1000
    clock: Any = time
    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
        setattr(clock, name, lambda: seconds)
        setattr(clock, name + "_ns", lambda: nanoseconds)
    clock.clock_gettime = lambda clock_id: seconds
    clock.clock_gettime_ns = lambda clock_id: nanoseconds
    gmtime, strftime, asctime = time.gmtime, time.strftime, time.asctime
    clock.gmtime = clock.localtime = lambda at=None: gmtime(seconds if at is None else at)
    clock.ctime = lambda at=None: asctime(gmtime(seconds if at is None else at))
    clock.asctime = lambda t=None: asctime(gmtime(seconds) if t is None else t)
    clock.strftime = lambda format, t=None: strftime(format, gmtime(seconds) if t is None else t)
    # Where no time passes, waiting ends at once.
    clock.sleep = lambda duration: None
