"""Serving calls in a closed-off child. From the first line of ``serve`` on, everything may be hostile."""

import builtins
import json
import os
import sys
import types
from collections import deque
from collections.abc import Callable
from functools import partial
from itertools import count
from operator import concat
from typing import Any

from .access import Database
from .changes import Snapshots
from .clock import Chance
from .isolation import REPLY
from .modules import ADDED_MODULES, INTERNAL_MODULES, PRELOADED_MODULES
from .rules import CHECK, broken
from .size import values_in
from .trajectory import ServedCalls, orders

_MODULE = "functions"
_MAX_ERROR = 1000
# What the parent calls the errors that end a trajectory. A function's class of such a name must not be taken for one.
_SPOKEN_BY_THE_SANDBOX = frozenset({"Timeout", "Killed", "NotRun", "UnknownFunction"})
# Bound here, because functions share the json module and could change it.
_encode: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_decoder: Any = json.JSONDecoder()
_parse: Callable[[str, int], tuple[Any, int]] = _decoder.scan_once
_encode_sorted: Callable[[Any], str] = json.JSONEncoder(sort_keys=True).encode


def serve(
    code: types.CodeType,
    rules: types.CodeType,
    database: Database,
    snapshots: Snapshots,
    chance: Chance,
    trajectory: ServedCalls,
    limits: dict[str, int],
) -> None:
    """Execute functions.py, then each call on the database; or hold the rules against calls that were made elsewhere.

    Writes one line for each: ``[position, result, error type, error, looked up, scanned, changes]`` and its word.
    """
    functions: dict[str, Any] = {}
    failure: tuple[str, str] | None = None
    succeeded: dict[str, int] = {}

    def answer(position: int, order: None, line: bytes) -> bytes:
        (name, arguments), _ = _parse(line.decode(), 0)
        if position == 0:
            start(name)
        same = _encode_sorted([name, arguments])
        chance.restart(same, succeeded.get(same, 0))
        result = b"null"
        outcome = failure
        if failure is None:
            try:
                result = _as_json(functions[name](database, **arguments))
                succeeded[same] = succeeded.get(same, 0) + 1
            except BaseException as error:
                outcome = _described(error)
        if outcome is None and (reason := _too_large(result, limits)):
            outcome, result = ("TooLarge", reason), b"null"
        log = database.log
        changes = snapshots.take_changes()
        rest = [*(outcome or (None, None)), list(log.looked_up), list(log.scanned), changes]
        log.clear()
        return b"[%d,%b,%b" % (position, result, _encode(rest)[1:].encode())

    def start(first: str) -> None:
        nonlocal failure, functions
        chance.restart()
        module = types.ModuleType(_MODULE)
        functions = module.__dict__
        functions["__builtins__"] = {**vars(builtins), "__import__": _import}
        sys.modules[_MODULE] = module
        try:
            if first == CHECK:
                functions[CHECK] = partial(broken, rules, functions["__builtins__"])
            else:
                exec(code, functions)
        except BaseException as error:
            failure = _described(error)

    # All in C, and taken out of the trajectory as it begins: while a function runs, the words that the parent expects
    # are on the interpreter's own stack, and no name or frame leads there. Each is read when its reply is ready.
    deque(
        map(
            partial(os.write, REPLY),
            map(concat, map(answer, count(), orders(), trajectory.lines.pop()), trajectory.words.pop()),
        ),
        maxlen=0,
    )


def _too_large(result: bytes, limits: dict[str, int]) -> str | None:
    most_bytes, most_values = limits["reply_bytes"] // 2, limits["reply_values"] // 2
    if len(result) > most_bytes:
        return f"the result has {len(result):,} bytes as JSON, over {most_bytes:,}: return less"
    if values_in(result, most_values) > most_values:
        return f"the result has more than {most_values:,} values: return less"
    return None


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
    os.write(REPLY, line)
