"""What a call took where its endpoint does not say: tokens by the characters."""

import math
from dataclasses import replace

from toolscale.llm.reply import ChatReply
from toolscale.llm.request import Request

CHARACTERS_PER_TOKEN = 3
"""Few, so that tokens are rather over- than underestimated."""


def with_estimates(reply: ChatReply, request: Request) -> ChatReply:
    """A reply whose endpoint did not say what it took, or said nothing, with tokens by the characters instead."""
    said = 0 if request.embeds else _characters_of(reply)
    return replace(
        reply,
        prompt_tokens=reply.prompt_tokens or math.ceil(request.characters / CHARACTERS_PER_TOKEN),
        completion_tokens=reply.completion_tokens or math.ceil(said / CHARACTERS_PER_TOKEN),
    )


def _characters_of(reply: ChatReply) -> int:
    calls = (call["function"] for call in reply.message.get("tool_calls") or [])
    texts = [reply.message.get("content"), reply.message.get("refusal")]
    return sum(len(text or "") for text in texts) + sum(len(call["name"]) + len(call["arguments"]) for call in calls)
