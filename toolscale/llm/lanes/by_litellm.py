"""The lane of litellm: every provider that it knows."""

from contextvars import ContextVar
from functools import cache
from typing import Any, cast

from toolscale.llm.endpoints import access_to, placed
from toolscale.llm.estimates import with_estimates
from toolscale.llm.providers import litellm
from toolscale.llm.reply import ChatReply, fresh_reply
from toolscale.llm.request import Request

_MOST_BYTES: ContextVar[int] = ContextVar("most_bytes")
"""Of the answer to the call that is being made in this context."""


class LitellmLane:
    """Calls through ``litellm.acompletion``."""

    def __init__(self, most_bytes: int) -> None:
        litellm()  # imported now: a first call that took seconds for it would pass for a slow endpoint
        _bound()
        self._most_bytes = most_bytes
        self._access: dict[tuple[str, str | None], dict[str, str]] = {}

    async def ask(self, request: Request, seconds: float) -> ChatReply:
        """Make one request, once."""
        library, access = litellm(), self._access_to(request)
        _MOST_BYTES.set(self._most_bytes)
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


@cache
def _bound() -> None:
    """Have the transports that litellm makes from now on keep to the rules of the wire.

    It takes no client of ours for all its providers; but all their asynchronous clients get their transport here.
    """
    import httpx
    from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

    from toolscale.bounded import ACCEPTED
    from toolscale.llm.wire import bounded

    handler: Any = AsyncHTTPHandler
    make = handler.create_async_transport

    def made(ssl_context: Any = None, ssl_verify: bool | None = None, **named: Any) -> Any:
        transport = make(ssl_context=ssl_context, ssl_verify=ssl_verify, **named)
        if transport is None:  # where its variable DISABLE_AIOHTTP_TRANSPORT leaves it to httpx to make one
            transport = httpx.AsyncHTTPTransport(verify=ssl_context or ssl_verify is not False)
        handle = transport.handle_async_request

        async def handled(request: httpx.Request) -> httpx.Response:
            most = _MOST_BYTES.get(None)
            if most is None:  # somebody else's call
                return cast(httpx.Response, await handle(request))
            request.headers["Accept-Encoding"] = ACCEPTED
            return await bounded(await handle(request), request, most)

        transport.handle_async_request = handled
        return transport

    handler.create_async_transport = staticmethod(made)
