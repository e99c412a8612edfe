"""What an endpoint can do wrong, when it does, and what an answer looks like then.

A request's fate follows from the seed, the request's body, and how often that body was admitted before. So a run meets
the same faults again whatever the order in which its requests arrive, and a retry has a fate of its own.
"""

import hashlib
from collections.abc import Mapping
from itertools import accumulate
from typing import Any, Generic, Literal, NamedTuple, TypeVar

Fault = Literal["error", "hang", "reset", "cut", "malformed", "wrong_type", "empty", "refusal", "html"]

FAULTS: dict[Fault, str] = {
    "error": "a status of 500, 502 or 503",
    "hang": "accepted, and never answered",
    "reset": "the connection is reset",
    "cut": "the body ends in the middle",
    "malformed": "the body is not JSON",
    "wrong_type": "JSON with values of wrong types",
    "empty": "no choices",
    "refusal": "the model declines",
    "html": "an HTML page with status 200",
}
"""Fault -> what the client sees."""

BatchFault = Literal["error", "limited", "expired", "refusal", "lost", "cut", "doubled"]

BATCH_FAULTS: dict[BatchFault, str] = {
    "error": "the line's status is 500, 502 or 503",
    "limited": "the line's status is 429",
    "expired": "not answered in time, and the batch ends as expired",
    "refusal": "the model declines",
    "lost": "no line",
    "cut": "the line ends in the middle",
    "doubled": "the line stands there twice",
}
"""Fault of a request in a batch -> what becomes of its line in the batch's files."""

HTML = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Sign in to this proxy first.</body></html>"
REFUSAL = "I'm sorry, but I can't help with that."

_SERVER_ERRORS = (500, 502, 503)
_SPAN = 2**64

AnyFault = TypeVar("AnyFault", bound=str)


class Fate(NamedTuple, Generic[AnyFault]):
    """What a request meets."""

    fault: AnyFault | None
    latency_share: float
    """Where between the shortest and the longest latency its own lies: from 0 up to 1."""
    variant: int
    """Which form of the fault."""


class Fates(Generic[AnyFault]):
    """The fate of each request in turn."""

    def __init__(self, rates: Mapping[AnyFault, float], seed: int) -> None:
        self._bounds = list(zip(accumulate(rates.values()), rates, strict=True))
        self._key = b"%d" % seed
        self._arrivals: dict[bytes, int] = {}

    @property
    def distinct(self) -> int:
        """How many different requests there were."""
        return len(self._arrivals)

    def next(self, body: bytes) -> Fate[AnyFault]:
        """The fate of a request that has just been admitted."""
        content = hashlib.blake2b(body, key=self._key, digest_size=16).digest()
        arrival = self._arrivals[content] = self._arrivals.get(content, 0) + 1
        drawn = hashlib.blake2b(b"%b%d" % (content, arrival), digest_size=24).digest()
        lot, share, variant = (int.from_bytes(drawn[at : at + 8]) for at in (0, 8, 16))
        fault = next((fault for bound, fault in self._bounds if lot / _SPAN < bound), None)
        return Fate(fault, share / _SPAN, variant)


def server_error(variant: int) -> int:
    """The status of an `error`."""
    return _SERVER_ERRORS[variant % len(_SERVER_ERRORS)]


def without_choices(part: dict[str, Any]) -> dict[str, Any]:
    """A completion, or a chunk of one, that is `empty`."""
    return {**part, "choices": []}


def mistyped(part: dict[str, Any], variant: int) -> dict[str, Any]:
    """A completion, or a chunk of one, of `wrong_type`: its choices, its message, or the fields of that."""
    if not part["choices"]:
        return {**part, "usage": "none"}
    choice = part["choices"][0]
    place = "message" if "message" in choice else "delta"
    match variant % 3:
        case 0:
            return {**part, "choices": choice}
        case 1:
            return {**part, "choices": [{**choice, place: [choice[place]]}]}
        case _:
            return {**part, "choices": [{**choice, place: dict.fromkeys(choice[place], 7)}]}


def half(text: str) -> str:
    """The first half of a JSON object, which is `malformed`."""
    return text[: len(text) // 2]
