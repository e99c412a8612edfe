"""The lane of litellm: every provider that it knows."""

from typing import Any

from toolscale.llm.endpoints import access_to, placed
from toolscale.llm.providers import litellm
from toolscale.llm.reply import ChatReply, fresh_reply
from toolscale.llm.request import Request
from toolscale.llm.usage import with_estimates


class LitellmLane:
    """Calls through ``litellm.acompletion``."""

    def __init__(self) -> None:
        litellm()  # imported now: a first call that took seconds for it would pass for a slow endpoint
        self._access: dict[tuple[str, str | None], dict[str, str]] = {}

    async def ask(self, request: Request, seconds: float) -> ChatReply:
        """Make one request, once."""
        library, access = litellm(), self._access_to(request)
        reply = await (self._embed if request.embeds else self._chat)(library, access, request, seconds)
        return with_estimates(reply, request)

    async def _chat(self, library: Any, access: dict[str, str], request: Request, seconds: float) -> ChatReply:
        response = await library.acompletion(
            model=request.model,
            messages=request.messages,
            tools=request.tools.tools if request.tools else None,
            timeout=seconds,
            max_retries=0,
            # litellm would import its MCP client for any call with tools, and that client is an extra.
            _skip_mcp_handler=True,
            **access,
            **request.params,
        )
        return fresh_reply(response, placed(request.model, request.api_base))

    async def _embed(self, library: Any, access: dict[str, str], request: Request, seconds: float) -> ChatReply:
        from toolscale.llm.embeddings import read_embeddings, texts_of

        response = await library.aembedding(
            model=request.model, input=texts_of(request), timeout=seconds, max_retries=0, **access
        )
        return read_embeddings(response.model_dump(), request)

    async def close(self) -> None:
        """Let go of litellm's connections on this event loop."""
        await litellm().close_litellm_async_clients()

    def _access_to(self, request: Request) -> dict[str, str]:
        place = (request.model, request.api_base)
        if place not in self._access:
            self._access[place] = access_to(*place)
        return self._access[place]
