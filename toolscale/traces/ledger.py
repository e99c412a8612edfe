"""Finding calls in the ledger, and giving one back as OpenAI's API has it."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, or_, select
from sqlmodel import col

from toolscale.errors import UserError
from toolscale.store import ModelCall, Store

_AT_ONCE = 200
"""Calls that are read together: their texts may be long."""


@dataclass(frozen=True)
class Filters:
    """Which calls are wanted; an empty field does not filter."""

    stage: str = ""
    domain: str = ""
    role: str = ""
    task: str = ""
    model: str = ""
    """Part of the model string."""
    error: str = ""
    """The class of the error, such as `Refused`."""
    failed: bool = False
    text: str = ""
    """A phrase of the answer or the error; capitals do not count."""

    def conditions(self) -> Iterator[ColumnElement[bool]]:
        """The same, for the database."""
        for name in ("stage", "domain", "role", "task"):
            if wanted := getattr(self, name):
                yield getattr(ModelCall, name) == wanted
        if self.model:
            yield col(ModelCall.model).icontains(self.model, autoescape=True)
        if self.error:
            yield col(ModelCall.status) == self.error
        if self.failed:
            yield col(ModelCall.status) != "ok"
        if self.text:
            kept = json.dumps(self.text, ensure_ascii=False)[1:-1]
            answered = col(ModelCall.response).icontains(kept, autoescape=True)
            yield or_(answered, col(ModelCall.error).icontains(self.text, autoescape=True))


def calls(store: Store, filters: Filters, limit: int = 0) -> Iterator[ModelCall]:
    """The calls, the newest first; all of them if the limit is 0."""
    newest_first = col(ModelCall.created_at).desc(), col(ModelCall.key)
    found = select(col(ModelCall.key)).where(*filters.conditions()).order_by(*newest_first)
    keys = [key for (key,) in store.read(found.limit(limit) if limit else found)]
    for start in range(0, len(keys), _AT_ONCE):
        yield from _of_keys(store, keys[start : start + _AT_ONCE])


def call_of(store: Store, prefix: str) -> ModelCall:
    """The one call whose key begins so.

    Raises:
        UserError: there is none, or there are several.
    """
    begins = col(ModelCall.key).startswith(prefix.lower(), autoescape=True)
    keys = [
        key for (key,) in store.read(select(col(ModelCall.key)).where(begins).order_by(col(ModelCall.key)).limit(4))
    ]
    if not keys:
        raise UserError(f"no call has a key that begins with {prefix}; `toolscale traces` lists the latest calls")
    if len(keys) > 1:
        named = ", ".join(key[: len(prefix) + 8] for key in keys[:3])
        raise UserError(f"several calls have keys that begin with {prefix}, such as {named}: give more of the key")
    return _of_keys(store, keys)[0]


def _of_keys(store: Store, keys: Sequence[str]) -> list[ModelCall]:
    """The calls in the order of the keys; one that was pruned meanwhile is left out."""
    found = {call.key: call for (call,) in store.read(select(ModelCall).where(col(ModelCall.key).in_(keys)))}
    return [found[key] for key in keys if key in found]


def openai_request(store: Store, call: ModelCall) -> dict[str, Any]:
    """The request as OpenAI's API has it, tools and parameters in full."""
    sent = store.request_of(call)
    tools = {"tools": sent["tools"]} if sent.get("tools") else {}
    return {"model": call.model, "messages": sent["messages"], **tools, **sent["params"]}


def openai_response(call: ModelCall) -> dict[str, Any] | None:
    """The answer as OpenAI's API has it; None of a call that failed."""
    if call.response is None:
        return None
    usage = {
        "prompt_tokens": call.prompt_tokens,
        "completion_tokens": call.completion_tokens,
        "total_tokens": call.prompt_tokens + call.completion_tokens,
        **({"prompt_tokens_details": {"cached_tokens": call.cached_tokens}} if call.cached_tokens else {}),
    }
    return {"model": call.model, "choices": [{"index": 0, **json.loads(call.response)}], "usage": usage}


_LINE = (
    *("key", "created_at", "stage", "role", "domain", "task", "run", "model", "endpoint", "sample", "status", "error"),
    *("prompt_tokens", "completion_tokens", "cached_tokens", "cache_write_tokens", "dollars", "seconds"),
)


def line_of(call: ModelCall) -> dict[str, Any]:
    """A call's line of the ledger, for `--json`."""
    line = call.model_dump(mode="json", include=set(_LINE))
    return {name: line[name] for name in _LINE}


def whole_call(store: Store, call: ModelCall) -> dict[str, Any]:
    """Its line, and the request and the response whole."""
    return line_of(call) | {"request": openai_request(store, call), "response": openai_response(call)}
