"""Dates whose clock stands still, for functions that share their process, and its types, with others.

An export takes this file's text along. The sandbox, where nobody else lives, changes the types themselves.
"""

import datetime
from typing import Any


def freeze_dates(now: datetime.datetime) -> None:
    """Make ``datetime`` and ``date`` of this copy of the module answer ``now`` (naive)."""
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
