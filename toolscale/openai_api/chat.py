"""OpenAI's chat completions as they go over the wire: the request, the completion, its chunks, and errors."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NotRequired

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from toolscale.artifacts import canonical_json
from toolscale.messages import CHARACTERS_PER_TOKEN, Message, text_of

_CHARACTERS_PER_CHUNK = 48


class ApiError(Exception):
    """A request that gets an error in OpenAI's shape."""

    def __init__(self, status: int, kind: str, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        """The word under which the server counts it."""
        self.code = code

    def body(self) -> str:
        """The response's JSON."""
        kind = "server_error" if self.status >= 500 else "requests" if self.status == 429 else "invalid_request_error"
        return json.dumps({"error": {"message": str(self), "type": kind, "param": None, "code": self.code}})


class _Part(TypedDict):
    type: str
    text: NotRequired[str]


class _Message(TypedDict):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: NotRequired[str | list[_Part] | None]


class _NamedFunction(TypedDict):
    name: str
    parameters: NotRequired[dict[str, Any] | None]


class _Tool(TypedDict):
    type: Literal["function"]
    function: _NamedFunction


class _JsonSchema(TypedDict):
    schema: dict[str, Any] | bool


class _ResponseFormat(TypedDict):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: NotRequired[_JsonSchema]


class _StreamOptions(TypedDict):
    include_usage: NotRequired[bool | None]


class ChatRequest(BaseModel):
    """What the server reads of a request. Everything else that a client may send is accepted and kept."""

    model_config = ConfigDict(strict=True, frozen=True, extra="allow")

    model: str
    messages: list[_Message] = Field(min_length=1)
    tools: list[_Tool] | None = None
    tool_choice: Literal["auto", "none", "required"] | _Tool | None = None
    response_format: _ResponseFormat | None = None
    seed: int | None = None
    n: Literal[1] | None = None
    stream: bool | None = None
    stream_options: _StreamOptions | None = None

    @staticmethod
    def read(body: bytes) -> "ChatRequest":
        """The request that a body holds.

        Raises:
            ApiError: it is not JSON, or not a chat request.
        """
        try:
            return ChatRequest.model_validate_json(body)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            raise ApiError(400, "malformed_request", f"{place}: {first['msg']}" if place else first["msg"]) from None

    @property
    def conversation(self) -> list[Message]:
        """The messages as they came."""
        return [dict(message) for message in self.messages]

    @property
    def offered(self) -> list[dict[str, Any]]:
        """The tools that may be called, as they came."""
        return [] if self.tool_choice == "none" else [dict(tool) for tool in self.tools or ()]

    @property
    def schema_asked_for(self) -> dict[str, Any] | bool | None:
        """The JSON schema that the answer must satisfy, if the request names one."""
        wanted = self.response_format.get("json_schema") if self.response_format else None
        return wanted["schema"] if wanted else None

    @property
    def wants_usage_in_stream(self) -> bool:
        """Whether a stream ends with a chunk that carries the usage."""
        return bool(self.stream_options and self.stream_options.get("include_usage"))


@dataclass(frozen=True)
class Answer:
    """What a model says to a request."""

    message: Message
    completion_tokens: int | None = None
    """What it bills for it; counted from what was said if None."""
    seconds: float = 0.0
    """How long it takes, beside the endpoint's own latency."""


def completion(chat: ChatRequest, answer: Answer, number: int) -> dict[str, Any]:
    """The whole answer to a request: the response's JSON."""
    message = answer.message
    calls = message.get("tool_calls")
    offered = len(canonical_json(chat.offered)) if chat.offered else 0
    prompt = (sum(len(text_of(message)) for message in chat.conversation) + offered) // CHARACTERS_PER_TOKEN
    said = answer.completion_tokens
    if said is None:
        said = (len(message.get("content") or "") + len(str(calls or ""))) // CHARACTERS_PER_TOKEN
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": chat.model,
        "choices": [
            {
                "index": 0,
                "message": message,
                "logprobs": None,
                "finish_reason": "tool_calls" if calls else "stop",
            }
        ],
        "usage": {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said},
    }


def chunks(whole: dict[str, Any], *, with_usage: bool) -> list[dict[str, Any]]:
    """The same answer in the pieces in which a stream brings it."""
    (choice,) = whole["choices"]
    common = {**whole, "object": "chat.completion.chunk"}
    usage = common.pop("usage")
    if with_usage:
        common["usage"] = None

    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        return {**common, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}]}

    parts = [chunk(delta) for delta in _deltas(choice["message"])]
    parts.append(chunk({}, choice["finish_reason"]))
    if with_usage:
        parts.append({**common, "choices": [], "usage": usage})
    return parts


def _deltas(message: Message) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": None if message.get("tool_calls") else ""}
    for field in ("content", "refusal"):
        for piece in _pieces(message.get(field) or ""):
            yield {field: piece}
    for index, call in enumerate(message.get("tool_calls") or ()):
        function = call["function"]
        yield {"tool_calls": [{"index": index, **call, "function": {"name": function["name"], "arguments": ""}}]}
        for piece in _pieces(function["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _pieces(text: str) -> Iterator[str]:
    return (text[start : start + _CHARACTERS_PER_CHUNK] for start in range(0, len(text), _CHARACTERS_PER_CHUNK))
