"""A model's reply: as litellm gives it, as the store keeps it, as the caller gets it."""

import json
from dataclasses import dataclass
from typing import Any

from toolscale.llm.errors import Refused, RetriesExhausted, Transient
from toolscale.llm.request import Message
from toolscale.llm.wellformed import well_formed


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

    def kept(self) -> str:
        """The reply as JSON, for the store."""
        return json.dumps({"message": self.message, "finish_reason": self.finish_reason}, ensure_ascii=False)


def kept_reply(kept: str, prompt_tokens: int, completion_tokens: int) -> ChatReply:
    """A reply out of the store."""
    read = json.loads(kept)
    return ChatReply(read["message"], read["finish_reason"], prompt_tokens, completion_tokens, cached=True)


def fresh_reply(response: Any) -> ChatReply:
    """litellm's response as the OpenAI message it stands for.

    Raises:
        Transient: the endpoint sent no choice, as overloaded servers do.
    """
    if not response.choices:
        raise Transient(RetriesExhausted(f"{response.model}: the endpoint keeps sending answers without a choice"))
    choice, usage = response.choices[0], getattr(response, "usage", None)
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
        prompt_tokens=getattr(usage, "prompt_tokens", 0) or 0,
        completion_tokens=getattr(usage, "completion_tokens", 0) or 0,
        cached=False,
    )
