"""Reading what a closed-off child writes. It may be forged, so nothing is believed but its shape."""

import json
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from toolscale.artifacts import Call, CallOutcome, EntryRef, GoldenCall, Json
from toolscale.environment.structure import ABSENT, Value, entry_of, equal

_MAX_NESTING = 110


class BrokenProtocolError(Exception):
    """The child wrote something that is not the reply that is due."""


@dataclass
class Overlay:
    """The state during a replay: what lies over the initial database, entry by entry."""

    database: dict[str, Json]
    changes: dict[EntryRef, Value] = field(default_factory=dict)
    steps: list[dict[EntryRef, Value]] = field(default_factory=list)
    """What each call changed, in order."""

    def differs(self, ref: EntryRef, entry: Value) -> bool:
        """Whether the entry is another now."""
        return not equal(self.changes.get(ref, entry_of(self.database, ref)), entry)

    def put(self, ref: EntryRef, entry: Value) -> None:
        """Lay an entry over; one that is as it was initially is no change."""
        if equal(entry_of(self.database, ref), entry):
            self.changes.pop(ref, None)
        else:
            self.changes[ref] = entry


def read_outcome(line: bytes, position: int, call: Call | GoldenCall, overlay: Overlay) -> CallOutcome:
    """The outcome that one line tells; its changes go into the overlay.

    Raises ``BrokenProtocolError`` for anything that the child's honest code would not have written.
    """
    try:
        parsed = _decode(line.decode())
        if b"\\u" in line:
            json.dumps(parsed, ensure_ascii=False).encode()  # fails for half a surrogate pair
        if not isinstance(parsed, list) or len(parsed) != 7 or parsed[0] != position:
            raise BrokenProtocolError
        _, result, error_type, error, looked_up, scanned, raw_changes = parsed
        changes = [change for change in map(_change, raw_changes) if overlay.differs(*change)]
        outcome = _outcome(
            result,
            name=call.name,
            arguments=call.arguments,
            error=error,
            error_type=error_type,
            looked_up=[EntryRef(table, key) for table, key in looked_up],
            scanned=scanned,
            wrote=[ref for ref, _ in changes],
        )
    except (ValueError, TypeError, RecursionError, ValidationError) as mistake:
        raise BrokenProtocolError from mistake
    if (error is None) != (error_type is None):
        raise BrokenProtocolError
    overlay.steps.append(dict(changes))
    for change in changes:
        overlay.put(*change)
    return outcome


def _outcome(result: Json, **others: Any) -> CallOutcome:
    try:
        return CallOutcome(result=result, **others)
    except ValidationError as mistake:
        if any(problem["loc"][0] != "result" for problem in mistake.errors(include_input=False)):
            raise
        # JSON it is, so nothing else can be wrong with it.
        return CallOutcome(**{**others, "error_type": "NotJson", "error": "the result is nested too deeply"})


def _change(change: Any) -> tuple[EntryRef, Value]:
    table, key, *entry = change
    if not isinstance(table, str) or not isinstance(key, str) or len(entry) > 1:
        raise BrokenProtocolError
    if not entry:
        return EntryRef(table, key), ABSENT
    _check_nesting(entry[0])
    return EntryRef(table, key), entry[0]


def _check_nesting(value: Json) -> None:
    """Refuse what is nested so deeply that walking it later could exhaust the stack."""
    level: list[Any] = [value]
    for _ in range(_MAX_NESTING):
        containers = [member for member in level if type(member) is dict or type(member) is list]
        if not containers:
            return
        level = [member for outer in containers for member in (outer.values() if type(outer) is dict else outer)]
    raise BrokenProtocolError


def _refuse_constant(name: str) -> None:
    raise BrokenProtocolError


_decode = json.JSONDecoder(parse_constant=_refuse_constant).decode
