"""A call's request in parts: each message, and each long parameter, stands in the store once.

A conversation grows turn by turn, and every call sends all of it; kept whole, n turns would take n² of room. So a call
keeps the hashes of its messages, its short parameters as they are, and the hashes of its long ones:
``{"messages": ["3f2a...", ...], "params": {"seed": 7}, "long": {"response_format": "9c1b..."}}``.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_SHORT = 200
"""Characters of JSON up to which a parameter stays with its call: a reference would save nothing."""

_write = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def divide(messages: Sequence[Any], params: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """What the call keeps, and the parts that it refers to: hash -> JSON."""
    parts: dict[str, str] = {}
    kept: dict[str, Any] = {"messages": [_put(parts, _write(message)) for message in messages], "params": {}}
    for name, value in params.items():
        text = _write(value)
        if len(text) <= _SHORT:
            kept["params"][name] = value
        else:
            kept.setdefault("long", {})[name] = _put(parts, text)
    return _write(kept), parts


def references(request: str) -> Iterable[str]:
    """The hashes of the parts that a call refers to."""
    kept = json.loads(request)
    yield from (message for message in kept.get("messages", ()) if isinstance(message, str))
    yield from kept.get("long", {}).values()


def whole(request: str, parts: Mapping[str, str]) -> dict[str, Any]:
    """The messages and parameters as they were sent.

    Raises:
        ValueError: a part is missing.
    """
    if not parts.keys() >= set(references(request)):
        raise ValueError("a part of the request is missing")
    kept = json.loads(request)
    params = {
        **kept.get("params", {}),
        **{name: json.loads(parts[part]) for name, part in kept.get("long", {}).items()},
    }
    said = [json.loads(parts[part]) if isinstance(part, str) else part for part in kept.get("messages", ())]
    return {"messages": said, "params": params}


def part_hash(body: str) -> str:
    """The name of a part: 128 bits of its text, so that two calls that say the same share it."""
    return hashlib.blake2b(body.encode(), digest_size=16).hexdigest()


def _put(parts: dict[str, str], body: str) -> str:
    name = part_hash(body)
    parts[name] = body
    return name
