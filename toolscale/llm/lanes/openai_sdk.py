"""The lane of the openai SDK: OpenAI's own endpoint and all that speak its protocol, at a quarter of litellm's CPU."""

import gc
import json
import re
from functools import cache
from typing import Any

import httpx
from openai import AsyncOpenAI

from toolscale.llm.endpoints import base_url, key_for, placed
from toolscale.llm.estimates import with_estimates
from toolscale.llm.frozen import freeze
from toolscale.llm.reply import ChatReply, read_reply
from toolscale.llm.request import Request
from toolscale.llm.wire import EndpointClient

_REASONING = re.compile(r"(o\d|gpt-[5-9](?!.*chat))")
_SAMPLING = {"temperature", "top_p", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs", "top_logprobs"}


class OpenAILane:
    """Calls through the SDK's async client, without its retries, request transform and response models.

    Those models cost as much as all the rest: the body goes out as JSON and comes back as bytes.
    """

    def __init__(self, most_bytes: int) -> None:
        _settle()
        # No time limit: whoever awaits sets one. No limit on connections (aiohttp's 0): the limiter decides that.
        self._http = EndpointClient(most_bytes, timeout=None, limits=httpx.Limits(max_connections=0))
        self._clients: dict[tuple[str, str | None], AsyncOpenAI] = {}

    async def ask(self, request: Request, seconds: float) -> ChatReply:
        """Make one request, once. ``seconds`` is kept by the caller."""
        client = self._client_for(request)
        reply = await (self._embed if request.embeds else self._chat)(client, request)
        return with_estimates(reply, request)

    async def _chat(self, client: AsyncOpenAI, request: Request) -> ChatReply:
        # An absolute URL: the SDK joins a relative one anew for each call.
        url = f"{client.base_url}chat/completions"
        response = await client.post(url, cast_to=httpx.Response, content=body_of(request))
        return read_reply(response.content, placed(request.model, request.api_base))

    async def _embed(self, client: AsyncOpenAI, request: Request) -> ChatReply:
        from toolscale.llm.embeddings import embedding_body, read_embeddings

        url = f"{client.base_url}embeddings"
        response = await client.post(url, cast_to=httpx.Response, content=embedding_body(request))
        return read_embeddings(response.content, request)

    async def close(self) -> None:
        """Close the clients' connections."""
        await self._http.aclose()

    def _client_for(self, request: Request) -> AsyncOpenAI:
        place = (request.model, request.api_base)
        if place not in self._clients:
            self._clients[place] = AsyncOpenAI(
                api_key=key_for(*place),
                base_url=base_url(*place),
                max_retries=0,
                timeout=None,
                http_client=self._http,
            )
        return self._clients[place]


@cache
def _settle() -> None:
    """What the imports left never dies; walking it at each full collection would cost 0.1 ms a call."""
    gc.collect()
    freeze()


def body_of(request: Request) -> bytes:
    """What goes over the wire: the JSON of a chat completion's request."""
    provider, _, name = request.model.partition("/")
    params = _reasoning(request.params) if provider == "openai" and _REASONING.match(name) else request.params
    sent: dict[str, Any] = {"model": name, "messages": request.messages, **params}
    if request.tools is not None:
        sent["tools"] = request.tools.tools
    return json.dumps(sent).encode()


def _reasoning(params: dict[str, Any]) -> dict[str, Any]:
    """OpenAI's reasoning models refuse sampling parameters, and have a name of their own for the longest answer."""
    renamed = {"max_tokens": "max_completion_tokens"}
    return {renamed.get(name, name): value for name, value in params.items() if name not in _SAMPLING}
