"""Reading what a closed-off child writes. It may be forged, so nothing is believed but its shape."""

import json
import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import ValidationError

from toolscale.artifacts import Call, CallOutcome, EntryRef, GoldenCall, Json
from toolscale.environment.inside.size import values_in
from toolscale.environment.replay import SPOKEN
from toolscale.environment.structure import ABSENT, Value, entry_of, equal

_MAX_NESTING = 110
_MAX_TEXT = 1000
"""Characters of an error's class or text; the child cuts them there."""


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


def read_outcome(
    line: bytes, word: bytes, position: int, call: Call | GoldenCall, overlay: Overlay, *, most_values: int
) -> CallOutcome:
    """The outcome that one line tells; its changes go into the overlay.

    Raises ``BrokenProtocolError`` for anything that the child's honest code would not have written: without the word
    that only that code can have got, nothing is read at all.
    """
    if not line.endswith(word):
        raise BrokenProtocolError
    text = line[: -len(word)]
    if values_in(text, most_values) > most_values:
        raise BrokenProtocolError(f"a reply, with the records that it changed, has more than {most_values:,} values")
    try:
        reply = _parsed(text, position)
        changes = [change for change in map(_change, reply.changes) if overlay.differs(*change)]
        outcome = _outcome(
            reply.result,
            name=call.name,
            arguments=call.arguments,
            error=reply.error,
            error_type=reply.error_type,
            looked_up=[EntryRef(table, key) for table, key in reply.looked_up],
            scanned=reply.scanned,
            wrote=[ref for ref, _ in changes],
        )
    except (ValueError, TypeError, RecursionError, ValidationError) as mistake:
        raise BrokenProtocolError from mistake
    overlay.steps.append(dict(changes))
    for change in changes:
        overlay.put(*change)
    return outcome


class _Reply(NamedTuple):
    """A reply whose types are as they should be; the result and the records are any JSON."""

    position: int
    result: Json
    error_type: str | None
    error: str | None
    looked_up: list[list[str]]
    scanned: list[str]
    changes: list[Any]


def _parsed(text: bytes, position: int) -> _Reply:
    parsed = _decode(text.decode())
    if b"\\u" in text:
        json.dumps(parsed, ensure_ascii=False).encode()  # fails for half a surrogate pair
    if type(parsed) is not list or len(parsed) != 7:
        raise BrokenProtocolError
    reply = _Reply(*parsed)
    texts = (reply.error_type, reply.error)
    sound = (
        type(reply.position) is int
        and reply.position == position
        and (texts == (None, None) or all(type(text) is str and len(text) <= _MAX_TEXT for text in texts))
        and reply.error_type not in SPOKEN
        and (reply.error_type is None or reply.result is None)
        and type(reply.looked_up) is list
        and all(type(pair) is list and len(pair) == 2 and _all_strings(pair) for pair in reply.looked_up)
        and type(reply.scanned) is list
        and _all_strings(reply.scanned)
        and type(reply.changes) is list
    )
    if not sound:
        raise BrokenProtocolError
    return reply


def _all_strings(values: list[Any]) -> bool:
    return all(type(value) is str for value in values)


def _outcome(result: Json, **others: Any) -> CallOutcome:
    try:
        return CallOutcome(result=result, **others)
    except ValidationError as mistake:
        if any(problem["loc"][0] != "result" for problem in mistake.errors(include_input=False)):
            raise
        # JSON it is, so nothing else can be wrong with it.
        return CallOutcome(**{**others, "error_type": "NotJson", "error": "the result is nested too deeply"})


def _change(change: Any) -> tuple[EntryRef, Value]:
    if type(change) is not list or len(change) not in (2, 3) or not _all_strings(change[:2]):
        raise BrokenProtocolError
    table, key, *entry = change
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


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise BrokenProtocolError
    return value


_decode = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite).decode
