"""A model's reply: as litellm gives it, as the store keeps it, as the caller gets it."""

import json
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from pydantic import BaseModel, ValidationError

from toolscale.llm.errors import Refused, RetriesExhausted, Transient
from toolscale.llm.usage import Usage, as_mapping, read_usage
from toolscale.llm.wellformed import well_formed, well_formed_value
from toolscale.messages import Message


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What a model answered, and what it took."""

    message: Message
    """An OpenAI assistant message; the arguments of its tool calls are the JSON string that the model sent."""
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int
    cached: bool
    """True when no request was made for this answer."""
    seconds: float = 0.0
    """How long the answer took when it was given, waits and retries included; also for one out of the store."""
    cached_tokens: int = 0
    """Of the prompt: what the provider had in its cache. 0 for an answer out of the store."""
    cache_write_tokens: int = 0

    @property
    def usage(self) -> Usage:
        """What it took."""
        return Usage(self.prompt_tokens, self.completion_tokens, self.cached_tokens, self.cache_write_tokens)

    @property
    def text(self) -> str:
        """What the model said.

        Raises:
            Refused: it declined to answer.
        """
        refusal = self.message.get("refusal")
        if refusal or self.finish_reason == "content_filter":
            raise Refused(f"the model refused to answer: {refusal or 'its content filter stepped in'}")
        return str(self.message.get("content") or "")

    def within(self, most: object) -> "ChatReply":
        """The reply, as one that was cut off where it took all the tokens that it might: some providers say `stop`."""
        if self.finish_reason == "stop" and isinstance(most, int) and self.completion_tokens >= most:
            return replace(self, finish_reason="length")
        return self

    def kept(self) -> str:
        """The reply as JSON, for the store."""
        return json.dumps({"message": self.message, "finish_reason": self.finish_reason}, ensure_ascii=False)


def kept_reply(kept: str, prompt_tokens: int, completion_tokens: int, seconds: float) -> ChatReply:
    """A reply out of the store."""
    read = json.loads(kept)
    return ChatReply(
        read["message"], read["finish_reason"], prompt_tokens, completion_tokens, cached=True, seconds=seconds
    )


def fresh_reply(response: Any, place: str) -> ChatReply:
    """litellm's response as the OpenAI message it stands for. ``place`` is who sent it, for errors.

    Raises:
        Transient: the endpoint sent no choice, as overloaded servers do, or a usage that cannot be.
    """
    if not response.choices:
        raise Transient(RetriesExhausted(f"{place}: the endpoint keeps sending answers without a choice"))
    choice, usage = response.choices[0], getattr(response, "usage", None)
    counted = read_usage(as_mapping(usage), place)
    answered = choice.message
    message: Message = {"role": "assistant", "content": answered.content and well_formed(answered.content)}
    if answered.tool_calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {
                    "name": well_formed(call.function.name or ""),
                    "arguments": well_formed(call.function.arguments or ""),
                },
            }
            for call in answered.tool_calls
        ]
    refusal = getattr(answered, "refusal", None) or (answered.get("provider_specific_fields") or {}).get("refusal")
    if refusal:
        message["refusal"] = well_formed(refusal)
    return ChatReply(
        message=message,
        finish_reason=choice.finish_reason or "stop",
        cached=False,
        **counted._asdict(),
    )


class _Function(BaseModel):
    name: str = ""
    arguments: str | dict[str, Any] | None = ""


class _ToolCall(BaseModel):
    id: str = ""
    function: _Function


class _Said(BaseModel):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _Choice(BaseModel):
    message: _Said
    finish_reason: str | None = None


class _Completion(BaseModel):
    choices: list[_Choice]
    usage: Any = None


def read_reply(body: bytes, place: str) -> ChatReply:
    """The body of an OpenAI chat completion as the reply it stands for. ``place`` is who sent it, for errors.

    Raises:
        Transient: it is none, as overloaded servers and proxies send, or its usage cannot be.
    """
    try:
        read = json.loads(body)
        # JSON can spell half a surrogate pair, as an escape only.
        completion = _Completion.model_validate(well_formed_value(read) if b"\\u" in body else read)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        _no_completion(place, f"answers that are no chat completions (`{where}`: {first['msg']})")
    except (ValueError, RecursionError):
        page = body.lstrip()[:1] == b"<"
        _no_completion(place, "a web page, as a proxy does that wants a login" if page else "answers that are not JSON")
    if not completion.choices:
        _no_completion(place, "answers without a choice")
    choice, counted = completion.choices[0], read_usage(completion.usage, place)
    message: Message = {"role": "assistant", "content": choice.message.content}
    if choice.message.tool_calls:
        message["tool_calls"] = [_tool_call(call) for call in choice.message.tool_calls]
    if choice.message.refusal:
        message["refusal"] = choice.message.refusal
    return ChatReply(
        message=message,
        finish_reason=choice.finish_reason or "stop",
        cached=False,
        **counted._asdict(),
    )


def _tool_call(call: _ToolCall) -> dict[str, Any]:
    arguments = call.function.arguments
    try:
        written = json.dumps(arguments, ensure_ascii=False) if isinstance(arguments, dict) else arguments or ""
    except RecursionError:
        written = "arguments that nest too deep"  # no JSON, so whoever makes the call is told so
    return {"id": call.id, "type": "function", "function": {"name": call.function.name, "arguments": written}}


def _no_completion(place: str, sent: str) -> NoReturn:
    raise Transient(RetriesExhausted(f"{place}: the endpoint keeps sending {sent}: check api_base and any proxy"))
