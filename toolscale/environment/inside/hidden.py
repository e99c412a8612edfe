"""What functions must not find: the real clock, and what lies on the interpreter's own stack.

A subclass with a frozen ``now`` would have the real type among its bases, and values that C code makes would be of the
real type. So the types themselves are changed, and where a C function tells the real time when it is called with fewer
arguments, nothing leads to it any more.
"""

import ctypes
import datetime
import gc
import sys
import time
from collections.abc import Callable
from typing import Any

from .clock import freeze_time


def freeze_clocks(now: datetime.datetime) -> None:
    """Make every clock of this process answer ``now`` (naive; the time zone is UTC). There is no way back."""
    kind = type(time.time)
    real = {name: function for name, function in vars(time).items() if type(function) is kind}
    freeze_time(now, _always_given)
    for name, function in real.items():
        if vars(time)[name] is not function:
            _replace_everywhere(function, vars(time)[name])
    _freeze_types(now)
    if generate := getattr(sys.modules.get("_uuid"), "generate_time_safe", None):
        _replace_everywhere(generate, None)


def refuse_introspection() -> None:
    """From here on nothing can look into the interpreter's stack: not the collector, no trace, no code made by hand."""

    def refuse(event: str, arguments: Any) -> None:
        if event in {
            "code.__new__",
            "gc.get_objects",
            "gc.get_referents",
            "gc.get_referrers",
            "sys.monitoring.register_callback",
            "sys.setprofile",
            "sys.settrace",
        }:
            raise PermissionError(f"{event} is refused in the sandbox")

    # Nobody else has the hook, so nobody can change its code.
    sys.addaudithook(refuse)


def _freeze_types(now: datetime.datetime) -> None:
    def _today(cls: Any) -> Any:
        return cls(now.year, now.month, now.day)

    def _now(cls: Any, tz: Any = None) -> Any:
        moment = cls.combine(now.date(), now.time())
        return moment if tz is None else moment.replace(tzinfo=datetime.UTC).astimezone(tz)

    def _utcnow(cls: Any) -> Any:
        return cls.now()

    _change(datetime.date, today=classmethod(_today))
    _change(datetime.datetime, now=classmethod(_now), today=classmethod(_utcnow), utcnow=classmethod(_utcnow))


def _always_given(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The C function of two arguments, called with both always. No closure, attribute or frame leads to it itself."""
    _change(map, __reduce__=None)
    inboxes: tuple[list[Any], list[Any]] = ([], [])
    answers = map(function, *(iter(inbox.pop, object()) for inbox in inboxes))

    def given(*arguments: Any) -> Any:
        for inbox, argument in zip(inboxes, arguments, strict=True):
            inbox.append(argument)
        return next(answers)

    return given


def _change(type_: type, **members: Any) -> None:
    """Set attributes of a type of C, or take away those that are None."""
    (content,) = (found for found in gc.get_referents(type_.__dict__) if type(found) is dict)
    for name, member in members.items():
        if member is None:
            content.pop(name, None)
        else:
            content[name] = member
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(type_))


def _replace_everywhere(old: Any, new: Any) -> None:
    """In every module and class that has it under a name of its own, as ``from time import monotonic`` makes one."""
    for holder in gc.get_referrers(old):
        if type(holder) is dict:
            for name in [name for name, value in holder.items() if value is old]:
                holder[name] = new
