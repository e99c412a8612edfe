"""Holding the policy's rules against calls that were made. They are as hostile as functions and run where those do."""

import types
from collections.abc import Callable
from typing import Any

CHECK = "(check rules)"
"""What the parent calls to have rules checked. No function can have this name."""

FAILED = "the rule itself failed with "
"""How the reason of a rule begins that raised instead of saying anything."""

_FILE = "rules.py"
_MAX_REASON = 1000


def compiled(source: str) -> types.CodeType:
    """The module of rules, ready to be executed."""
    return compile(source, _FILE, "exec", dont_inherit=True)


def broken(
    code: types.CodeType,
    builtins: dict[str, Any],
    database: Any,
    trails: list[Any],
    rules: list[Any],
    source: str | None,
) -> list[list[Any]]:
    """``[position, rule, reason, trail]`` for each of the named rules that a call of a trail broke.

    The rules are those of the source, if one is given, which is compiled and run nowhere but here.
    A rule is ``[name, whether it looks at earlier calls]``. A trail is ``[supposed, steps]``: changes to the database
    before the first step, and steps ``[name, arguments, result, changes]``; a change is ``[table, key, entry]``, or
    ``[table, key]`` where the entry is gone. Records are shared between the state before and after a call, tables are
    not.
    """
    module = types.ModuleType("rules")
    module.__dict__["__builtins__"] = builtins
    exec(code if source is None else compiled(source), module.__dict__)
    initial: dict[str, Any] = {name: _plain_table(content) for name, content in dict.items(database)}
    found = []
    for number, (supposed, steps) in enumerate(trails):
        before = _changed(initial, supposed)
        earlier: list[Any] = []
        for position, (name, arguments, result, changes) in enumerate(steps):
            call = {"name": name, "arguments": arguments, "result": result}
            after = _changed(before, changes)
            for rule, looks_back in rules:
                shown = (before, call, after, [*earlier]) if looks_back else (before, call, after)
                reason = _reason(module.__dict__[rule], *shown)
                if reason is not None:
                    found.append([position, rule, reason, number])
            before = after
            earlier.append(call)
    return found


def _reason(rule: Callable[..., Any], *shown: Any) -> str | None:
    try:
        reason = rule(*shown)
    except Exception as error:
        reason = f"{FAILED}{type(error).__name__}: {error}"
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
