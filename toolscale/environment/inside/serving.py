"""Serving calls in a closed-off child. From the first line of ``serve`` on, everything may be hostile."""

import builtins
import json
import os
import sys
import types
from collections.abc import Callable
from typing import Any

from .access import Database
from .changes import Snapshots
from .clock import Chance
from .isolation import REPLY
from .modules import ADDED_MODULES, INTERNAL_MODULES, PRELOADED_MODULES
from .rules import CHECK, broken

_MODULE = "functions"
_MAX_ERROR = 1000
# What the parent calls the errors that end a trajectory. A function's class of such a name must not be taken for one.
_SPOKEN_BY_THE_SANDBOX = frozenset({"Timeout", "Killed", "NotRun", "UnknownFunction"})
# Bound here, because functions share the json module and could change it.
_encode: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_encode_sorted: Callable[[Any], str] = json.JSONEncoder(sort_keys=True).encode


def serve(
    code: types.CodeType,
    rules: types.CodeType,
    database: Database,
    snapshots: Snapshots,
    chance: Chance,
    calls: list[tuple[str, dict[str, Any]]],
    reply_bytes: int,
) -> None:
    """Execute functions.py, then each call on the database; or hold the rules against calls that were made elsewhere.

    Writes one JSON line for each: ``[position, result, error type, error, looked up, scanned, changes]``.
    """
    failure: tuple[str, str] | None = None
    chance.restart()
    module = types.ModuleType(_MODULE)
    restricted = {**vars(builtins), "__import__": _import}
    module.__dict__["__builtins__"] = restricted
    sys.modules[_MODULE] = module
    try:
        if [name for name, _ in calls] == [CHECK]:
            module.__dict__[CHECK] = lambda database, steps: broken(rules, restricted, database, steps)
        else:
            exec(code, module.__dict__)
    except BaseException as error:
        failure = _described(error)
    succeeded: dict[str, int] = {}
    for position, (name, arguments) in enumerate(calls):
        same = _encode_sorted([name, arguments])
        chance.restart(same, succeeded.get(same, 0))
        result = b"null"
        outcome = failure
        if failure is None:
            try:
                result = _as_json(module.__dict__[name](database, **arguments))
                succeeded[same] = succeeded.get(same, 0) + 1
            except BaseException as error:
                outcome = _described(error)
        if len(result) > reply_bytes // 2:
            outcome = (
                "TooLarge",
                f"the result has {len(result):,} bytes as JSON, over {reply_bytes // 2:,}: return less",
            )
            result = b"null"
        log = database.log
        changes = snapshots.take_changes(last=position == len(calls) - 1)
        rest = [*(outcome or (None, None)), list(log.looked_up), list(log.scanned), changes]
        write(b"[%d,%b,%b" % (position, result, _encode(rest)[1:].encode()))
        log.clear()


def _as_json(result: Any) -> bytes:
    try:
        return _encode(result).encode()
    except (TypeError, ValueError) as error:
        raise NotJson(f"the result is not JSON: {error}") from None


class NotJson(Exception):  # noqa: N818 - it names an error type that agents and users read
    """A function returned what JSON cannot say."""


def _described(error: BaseException) -> tuple[str, str]:
    """Class and text of an exception, whatever its methods do."""
    try:
        kind = str(type(error).__name__)[:100]
        if kind in _SPOKEN_BY_THE_SANDBOX:
            kind = f"{_MODULE}.{kind}"
        # str(KeyError("x")) is "'x'", quotes included.
        key = error.args[0] if isinstance(error, KeyError) and error.args else None
        text = str(key) if isinstance(key, str) else str(error)
        text = text[:_MAX_ERROR].encode("utf-8", "replace").decode() or kind
    except BaseException:
        return "Exception", "an exception that cannot be printed"
    return kind, text


def _import(name: str, globals_: Any = None, locals_: Any = None, fromlist: Any = (), level: int = 0) -> Any:
    """What ``import`` does in functions.py. The filter is what protects; this is what makes the refusal readable."""
    top = name.partition(".")[0]
    if level or not (top in _IMPORTABLE or top in ADDED_MODULES):
        available = ", ".join((*PRELOADED_MODULES, *(added for added in ADDED_MODULES if "." not in added)))
        raise ModuleNotFoundError(f"No module named '{name}' in the sandbox. There are: {available}", name=name)
    return builtins.__import__(name, globals_, locals_, fromlist, level)


_IMPORTABLE = frozenset(PRELOADED_MODULES + INTERNAL_MODULES)


def write(line: bytes) -> None:
    """Send one line to the parent."""
    left = memoryview(line + b"\n")
    while left:
        left = left[os.write(REPLY, left) :]
