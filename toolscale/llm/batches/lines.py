"""The files of a batch: a line for each request, and a line for each answer, in any order."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import openai
from pydantic import BaseModel

from toolscale.llm.errors import RetriesExhausted, Transient
from toolscale.llm.failures import understood
from toolscale.llm.lanes.openai_sdk import body_of
from toolscale.llm.reply import ChatReply, read_reply
from toolscale.llm.request import Request

ROUTE = "/v1/chat/completions"

_KINDS: dict[int, type[openai.APIStatusError]] = {
    400: openai.BadRequestError,
    401: openai.AuthenticationError,
    403: openai.PermissionDeniedError,
    404: openai.NotFoundError,
    429: openai.RateLimitError,
}
_UNANSWERED = {"batch_expired", "batch_cancelled"}


class Unanswered(Exception):  # noqa: N818 - the name says what happened
    """The batch ended before the call had its turn."""


class _Response(BaseModel):
    status_code: int
    body: Any = None


class _Error(BaseModel):
    code: str | None = None
    message: str | None = None


class _Line(BaseModel):
    custom_id: str
    response: _Response | None = None
    error: _Error | None = None


def line_of(request: Request) -> bytes:
    """A request as a line of a batch's input. The call's key is its ``custom_id``."""
    head = json.dumps({"custom_id": request.key, "method": "POST", "url": ROUTE})
    return head[:-1].encode() + b', "body": ' + body_of(request) + b"}\n"


def outcomes(content: bytes, model: str) -> dict[str, ChatReply | Exception]:
    """What became of each call that an output file or error file names, by its key.

    A line that cannot be read is passed over: whose it was, nobody can tell. Of two lines for one call the first that
    holds an answer counts. Exceptions are those of a live call, ``Transient`` for what may pass, and ``Unanswered``.
    """
    found: dict[str, ChatReply | Exception] = {}
    for line in _lines(content):
        outcome = _outcome(line, model)
        if line.custom_id not in found or isinstance(outcome, ChatReply) > isinstance(found[line.custom_id], ChatReply):
            found[line.custom_id] = outcome
    return found


def _lines(content: bytes) -> Iterator[_Line]:
    for text in content.split(b"\n"):
        try:
            yield _Line.model_validate(json.loads(text))
        except (ValueError, RecursionError):  # pydantic's ValidationError is one
            continue


def _outcome(line: _Line, model: str) -> ChatReply | Exception:
    if line.response is None:
        error = line.error or _Error()
        if error.code in _UNANSWERED:
            return Unanswered()
        return Transient(RetriesExhausted(f"{model}: a call failed in its batch ({error.message or error.code})"))
    if line.response.status_code == 200:
        try:
            return read_reply(json.dumps(line.response.body).encode(), model)
        except Transient as failure:
            return failure
    return understood(_as_if_live(line.response), model)


def _as_if_live(response: _Response) -> openai.APIStatusError:
    """The exception that the SDK would have raised, had the call been made alone."""
    status, body = response.status_code, response.body
    kind = _KINDS.get(status, openai.InternalServerError if status >= 500 else openai.APIStatusError)
    answer = httpx.Response(status, request=httpx.Request("POST", f"https://batch{ROUTE}"))
    return kind(f"status {status}", response=answer, body=body.get("error", body) if isinstance(body, dict) else body)
