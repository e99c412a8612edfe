"""Keys never leave the process but towards their provider: whatever comes back is cleaned of them before it is kept.

An endpoint may say a key back, in an error or in an answer: a proxy that is being debugged does. A key that comes back
in another guise (cut in two, encoded) is not recognised.
"""

import os
import re
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from toolscale.llm.reply import ChatReply

_SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD")
"""How the names of variables end whose values are secret."""
_NO_SECRETS = {"DAGSTER_RUN_STEP_KEY"}
"""Whose names end so too. Dagster's is the name of a stage, such as `tasks`, which any answer may hold."""
_SHORTEST = 8
"""Shorter values are mostly placeholders for servers that want no key, such as `none`: words that answers hold too."""


class _Secret(NamedTuple):
    value: str
    name: str
    where_it_stands: re.Pattern[str] | None
    """Of a short value, what it must follow to be taken for the key; None for a long one, which is one anywhere."""


def redacted(text: str, also: Collection[str] = ()) -> str:
    """The text with the value of each secret variable (``*_KEY``, ``*_TOKEN``, ... and those of `also`) blotted out."""
    return _blotted(text, _secrets(also))


def without_secrets(reply: "ChatReply") -> "ChatReply":
    """A reply as the caller may see it and the store may keep it."""
    secrets = _secrets()
    message, finish_reason = _clean(reply.message, secrets), _blotted(reply.finish_reason, secrets)
    if message == reply.message and finish_reason == reply.finish_reason:
        return reply
    return replace(reply, message=message, finish_reason=finish_reason)


def _clean(value: Any, secrets: list[_Secret]) -> Any:
    if isinstance(value, str):
        return _blotted(value, secrets)
    if isinstance(value, list):
        return [_clean(each, secrets) for each in value]
    if isinstance(value, dict):
        return {_clean(name, secrets): _clean(each, secrets) for name, each in value.items()}
    return value


def _blotted(text: str, secrets: list[_Secret]) -> str:
    for secret in secrets:
        if secret.value not in text:
            continue
        blot = f"<{secret.name}>"
        if secret.where_it_stands is None:
            text = text.replace(secret.value, blot)
        else:
            text = secret.where_it_stands.sub(lambda found, blot=blot: found.group(1) + blot, text)  # type: ignore[misc]
    return text


def _secrets(also: Collection[str] = ()) -> list[_Secret]:
    """The secrets of this process now, the longest first: libraries and settings set variables at any time."""
    found = []
    for name in os.environ:
        is_secret = name.endswith(_SECRET_NAMES) and name not in _NO_SECRETS
        if (is_secret or name in also) and (value := os.environ[name].strip()):
            found.append(_Secret(value, name, _as_a_key(value) if len(value) < _SHORTEST else None))
    return sorted(found, key=lambda secret: -len(secret.value))


def _as_a_key(value: str) -> re.Pattern[str]:
    """The value where HTTP headers and complaints about keys have it."""
    named = r"(?:bearer|authorization|api[-_ ]?key)(?: provided)?\W{1,6}"
    return re.compile(rf"({named}){re.escape(value)}(?!\w)", re.IGNORECASE)
