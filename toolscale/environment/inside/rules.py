"""Holding the policy's rules against calls that were made. They are as hostile as functions and run where those do."""

import types
from collections.abc import Callable
from typing import Any

CHECK = "(check rules)"
"""What the parent calls to have rules checked. No function can have this name."""

_FILE = "rules.py"
_MAX_REASON = 1000


def compiled(source: str) -> types.CodeType:
    """The module of rules, ready to be executed."""
    return compile(source, _FILE, "exec", dont_inherit=True)


def broken(
    code: types.CodeType, builtins: dict[str, Any], database: Any, steps: list[Any], rules: list[str]
) -> list[list[Any]]:
    """``[position, rule, reason]`` for each of the named rules that a call broke.

    A step is ``[name, arguments, result, changes]``; a change ``[table, key, entry]``, or ``[table, key]`` where the
    entry is gone. Records are shared between the state before and after a call, tables are not.
    """
    module = types.ModuleType("rules")
    module.__dict__["__builtins__"] = builtins
    exec(code, module.__dict__)
    before: dict[str, Any] = {name: _plain_table(content) for name, content in dict.items(database)}
    found = []
    for position, (name, arguments, result, changes) in enumerate(steps):
        call = {"name": name, "arguments": arguments, "result": result}
        after = _changed(before, changes)
        for rule in rules:
            reason = _reason(module.__dict__[rule], before, call, after)
            if reason is not None:
                found.append([position, rule, reason])
        before = after
    return found


def _reason(rule: Callable[..., Any], before: Any, call: Any, after: Any) -> str | None:
    try:
        reason = rule(before, call, after)
    except Exception as error:
        reason = f"the rule itself failed with {type(error).__name__}: {error}"
    return None if reason is None else str(reason)[:_MAX_REASON]


def _plain_table(content: Any) -> Any:
    return {str(key): record for key, record in dict.items(content)} if isinstance(content, dict) else content


def _changed(before: dict[str, Any], changes: list[Any]) -> dict[str, Any]:
    """The state with the changes laid over; what they do not touch is shared."""
    after = dict(before)
    copied: set[str] = set()
    for table, key, *entry in changes:
        if key == "":
            after.pop(table, None)
            after |= {table: entry[0]} if entry else {}
            copied.add(table)
            continue
        if table not in copied:
            after[table] = dict(after.get(table, {}))
            copied.add(table)
        after[table].pop(key, None)
        after[table] |= {key: entry[0]} if entry else {}
    return after
