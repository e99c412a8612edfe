"""The lane of the openai SDK: OpenAI's own endpoint and all that speak its protocol, at a quarter of litellm's CPU."""

import gc
import json
import re
from functools import cache
from typing import Any

import httpx
from openai import AsyncOpenAI

from toolscale.llm.lanes import base_url, key_for
from toolscale.llm.lanes.transport import AiohttpClient
from toolscale.llm.reply import ChatReply, read_reply
from toolscale.llm.request import Request

_REASONING = re.compile(r"(o\d|gpt-[5-9](?!.*chat))")
_SAMPLING = {"temperature", "top_p", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs", "top_logprobs"}


class OpenAILane:
    """Calls through the SDK's async client, without its retries, request transform and response models.

    Those models cost as much as all the rest: the body goes out as JSON and comes back as bytes.
    """

    def __init__(self) -> None:
        _settle()
        self._http = AiohttpClient()
        self._clients: dict[tuple[str, str | None], AsyncOpenAI] = {}

    async def ask(self, request: Request, seconds: float) -> ChatReply:
        """Make one request, once. ``seconds`` is kept by the caller."""
        client = self._client_for(request)
        # An absolute URL: the SDK joins a relative one anew for each call.
        url = f"{client.base_url}chat/completions"
        response = await client.post(url, cast_to=httpx.Response, content=_body(request))
        return read_reply(response.content, request.model)

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
                # Only what aiohttp can decode, whatever else httpx could.
                default_headers={"Content-Type": "application/json", "Accept-Encoding": "gzip, deflate"},
            )
        return self._clients[place]


@cache
def _settle() -> None:
    """What the imports left never dies; walking it at each full collection would cost 0.1 ms a call."""
    gc.collect()
    gc.freeze()


def _body(request: Request) -> bytes:
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
